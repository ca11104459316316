// vitest: the method through which it tells all of its reporters what happens.
'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const RUNNER = 'vitest';
const STARTS = new Set(['onInit', 'onTestRunStart']);
const ENDS = new Set(['onFinished', 'onTestRunEnd']);

module.exports = async (report, package_) => {
  try {
    const dist = path.join(package_, 'dist');
    const place = whereVitestIs(dist);
    const kinds = place ? Object.values(await loaded(place)).filter(isVitest) : [];
    for (const kind of kinds) watch(report, kind.prototype);
    if (kinds.length > 0) return;
    // Before version 3 it is not given away, except to reporters.
    const { ReportersMap = {}, ...others } = await loaded(path.join(dist, 'reporters.js'));
    const reporters = [...Object.values(ReportersMap), ...Object.values(others)];
    for (const kind of new Set(reporters.flatMap(whoStarts))) meet(report, kind);
  } catch {
    // A report is not worth a test.
  }
};

function whereVitestIs(dist) {
  const folder = path.join(dist, 'chunks');
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.js'));
  const files = names.map((name) => path.join(folder, name));
  return files.find((file) => fs.readFileSync(file, 'utf8').includes('class Vitest '));
}

// The same module that it will load itself, only sooner.
function loaded(file) {
  return import(pathToFileURL(file).href);
}

function isVitest(value) {
  return typeof value === 'function' && value.name === 'Vitest' && value.prototype.report;
}

function watch(report, vitest) {
  const tell = vitest.report;
  vitest.report = async function (event, ...details) {
    try {
      if (STARTS.has(event)) report.begin(this, RUNNER);
      if (ENDS.has(event)) end(report, this);
    } catch {
      // A report is not worth a test.
    }
    return tell.call(this, event, ...details);
  };
}

// A reporter's class, or the one it has it from.
function whoStarts(reporter) {
  let kind = reporter.prototype;
  while (kind && !Object.hasOwn(kind, 'onInit')) kind = Object.getPrototypeOf(kind);
  return kind ? [kind] : [];
}

function meet(report, reporter) {
  const init = reporter.onInit;
  reporter.onInit = function (vitest, ...more) {
    if (!Object.hasOwn(vitest, 'report') && report.begin(vitest, RUNNER)) watch(report, vitest);
    return init.call(this, vitest, ...more);
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
