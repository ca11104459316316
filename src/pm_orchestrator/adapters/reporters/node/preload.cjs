// Runs first in every node of a gate, and does nothing until a test runner shows itself.
//
// Nothing that goes wrong here may change how a test ends, and a program must not see that
// it was started otherwise than by its own name.
'use strict';

const EventEmitter = require('events');
const Module = require('module');
const path = require('path');

const JEST_RESULTS = /[\\/]@jest[\\/]test-result[\\/]build[\\/]index\.js$/;
const VITEST_PROGRAM = /[\\/]vitest[\\/]vitest\.mjs$/;

// `folder`: where reports go. `program`: the name under which this node was called.
// `own`: the file by which this one was loaded.
module.exports = (folder, program, own) => {
  quietly(() => seemUntouched(program, own));
  quietly(() => {
    if (!require('worker_threads').isMainThread) return;
    const { Report } = require('./report.cjs');
    const report = new Report(folder);
    watchEmitters(report);
    watchModules(report);
    if (VITEST_PROGRAM.test(realpath(process.argv[1]))) {
      require('./vitest.cjs')(report, path.dirname(realpath(process.argv[1])));
    }
  });
  const ours = Object.keys(require.cache).filter((name) => path.dirname(name) === __dirname);
  for (const name of ours) delete require.cache[name];
};

function seemUntouched(program, own) {
  const isOurs = (word, at, all) =>
    word === own || word === `--require=${own}` || (word === '--require' && all[at + 1] === own);
  process.execArgv = process.execArgv.filter((word, at, all) => !isOurs(word, at, all));
  if (process.argv[0] === process.execPath) process.argv[0] = program;
  process.execPath = program;
  // Where packages are looked for depends on where the program lies.
  Module._initPaths();
}

// The runs of node:test and of mocha are emitters, each with a method `emit` of its own.
function watchEmitters(report) {
  const init = EventEmitter.init;
  EventEmitter.init = function (options) {
    init.call(this, options);
    quietly(() => {
      const name = this.constructor.name;
      if (name === 'TestsStream') require('./node_test.cjs')(report, this);
      else if (name.endsWith('Runner') && typeof this.runTests === 'function') {
        require('./mocha.cjs')(report, this);
      }
    });
  };
}

function watchModules(report) {
  const load = Module._extensions['.js'];
  Module._extensions['.js'] = function (module, filename) {
    load.apply(this, arguments);
    if (JEST_RESULTS.test(filename)) quietly(() => require('./jest.cjs')(report, module));
  };
}

function realpath(file) {
  try {
    return require('fs').realpathSync(file);
  } catch {
    return '';
  }
}

function quietly(action) {
  try {
    action();
  } catch {
    // A report is not worth a test.
  }
}
