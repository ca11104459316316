// node:test: the stream of events from which all of its reporters are fed.
//
// Under `node --test` each file is a process of its own. It reports for itself, so that what
// it says cannot be lost on the way, and the process above says it again under the same names.
'use strict';

const { resolve } = require('path');
const { hear } = require('./report.cjs');

const RUNNER = 'node:test';

module.exports = (report, stream) => {
  const run = runOf(report);
  const names = [];

  hear(stream, (event, data) => {
    if (event === 'test:enqueue') enqueued(data);
    if (event === 'test:start') names.splice(data.nesting, Infinity, data.name);
    if (event === 'test:pass' || event === 'test:fail') ended(event === 'test:fail', data);
    // The plan of the whole run comes when all of it is done.
    if (event === 'test:plan' && data.nesting === 0 && data.file === undefined) run.done = true;
  });

  function enqueued(data) {
    if (data.nesting > 0) return;
    if (run.begun === 0 && isFile(data)) report.hasFiles(run);
    run.begun += 1;
  }

  function ended(failed, data) {
    if (data.nesting === 0) run.ended += 1;
    // A file or a group is no test, but it may fail beside its tests.
    const group = isFile(data) || (data.details && data.details.type === 'suite');
    if (group && (!failed || isByParts(data))) return;
    const skipped = data.skip !== undefined || data.todo !== undefined;
    const all = isFile(data) ? [] : [...names.slice(0, data.nesting), data.name];
    report.test(run, data.file, all, skipped ? 'skipped' : failed ? 'failed' : 'passed');
  }
};

const runs = new WeakMap();

// A process may make several streams and use one.
function runOf(report) {
  const known = runs.get(report);
  if (known !== undefined) return known;
  const run = { begun: 0, ended: 0, done: false };
  runs.set(report, run);
  if (report.begin(run, RUNNER)) {
    // A program may leave by itself, but not while there are tests to run.
    process.once('beforeExit', () => (run.done = true));
    process.prependListener('exit', (code) => {
      const left = run.begun === 0 || run.begun > run.ended;
      if (run.done || !left) report.end(run, RUNNER, code);
    });
  }
  return run;
}

function isFile(data) {
  return data.file !== undefined && resolve(data.name) === data.file;
}

function isByParts(data) {
  const error = data.details && data.details.error;
  return Boolean(error && error.failureType === 'subtestsFailed');
}
