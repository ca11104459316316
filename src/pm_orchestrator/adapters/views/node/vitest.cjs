// vitest: the method through which it tells all of its reporters what happens.
'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const RUNNER = 'vitest';
const STARTS = new Set(['onInit', 'onTestRunStart']);
const ENDS = new Set(['onFinished', 'onTestRunEnd']);

module.exports = (report, package_) => {
  const folder = path.join(package_, 'dist', 'chunks');
  const holds = (name) => fs.readFileSync(path.join(folder, name), 'utf8').includes('class Vitest ');
  const name = fs.readdirSync(folder).filter((name) => name.endsWith('.js')).find(holds);
  if (name === undefined) return;
  // The same module that it will load itself, only sooner.
  import(pathToFileURL(path.join(folder, name)).href)
    .then((chunk) => Object.values(chunk).filter(isVitest).forEach((kind) => watch(report, kind)))
    .catch(() => {});
};

function isVitest(value) {
  return typeof value === 'function' && value.name === 'Vitest' && value.prototype.report;
}

function watch(report, kind) {
  const tell = kind.prototype.report;
  kind.prototype.report = async function (event, ...details) {
    try {
      if (STARTS.has(event)) report.begin(this, RUNNER);
      if (ENDS.has(event)) end(report, this);
    } catch {
      // A report is not worth a test.
    }
    return tell.call(this, event, ...details);
  };
}

function end(report, vitest) {
  for (const file of vitest.state.getFiles()) {
    for (const task of file.tasks) say(report, vitest, file.filepath, [], task);
    failures(report, vitest, file.filepath, [], file);
  }
  report.end(vitest, RUNNER, 0);
}

function say(report, vitest, file, above, task) {
  const names = [...above, task.name];
  if (task.type === 'suite') {
    for (const part of task.tasks) say(report, vitest, file, names, part);
    failures(report, vitest, file, names, task);
    return;
  }
  const state = task.result && task.result.state;
  // One that is expected to fail passes when it does.
  const passed = task.fails ? 'skipped' : 'passed';
  const outcome = { pass: passed, fail: 'failed' }[state] || 'skipped';
  report.test(vitest, file, names, outcome);
}

// Of a group or a file itself, beside those of its tests.
function failures(report, vitest, file, names, group) {
  const errors = group.result && group.result.errors;
  if (errors && errors.length > 0) report.test(vitest, file, names, 'failed');
}
