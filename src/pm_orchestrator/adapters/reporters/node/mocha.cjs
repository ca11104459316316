// mocha: the runner itself; in parallel mode the one that gathers what its workers send.
'use strict';

const { hear } = require('./report.cjs');

const RUNNER = 'mocha';

module.exports = (report, runner) => {
  const say = (test, outcome) => report.test(runner, test.file, test.titlePath(), outcome);

  hear(runner, (event, test) => {
    if (event === 'start') report.begin(runner, RUNNER);
    // A rehearsal runs nothing, and calls it passed.
    else if (event === 'pass') say(test, isRehearsal(runner) ? 'skipped' : 'passed');
    else if (event === 'fail') say(test, 'failed');
    else if (event === 'pending') say(test, 'skipped');
    else if (event === 'end') report.end(runner, RUNNER, runner.failures);
  });
};

function isRehearsal(runner) {
  return Boolean(runner._opts && runner._opts.dryRun);
}
