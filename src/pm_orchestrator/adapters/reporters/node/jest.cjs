// jest: where the results of all files are added up, whichever reporters there are.
'use strict';

const RUNNER = 'jest';
const OUTCOMES = { passed: 'passed', failed: 'failed' };

module.exports = (report, module) => {
  const known = module.exports;
  const own = {
    makeEmptyAggregatedTestResult(...given) {
      const whole = known.makeEmptyAggregatedTestResult(...given);
      quietly(() => begin(report, whole));
      return whole;
    },
    addResult(whole, file) {
      known.addResult(whole, file);
      quietly(() => add(report, whole, file));
    },
  };
  if (!known || !Object.keys(own).every((name) => typeof known[name] === 'function')) return;
  module.exports = Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(known),
    ...Object.getOwnPropertyDescriptors(own),
  });
};

function begin(report, whole) {
  // It is an empty result, too, that is given where there is nothing to run.
  const key = 'numTotalTestSuites';
  let total = whole[key];
  Object.defineProperty(whole, key, {
    enumerable: true,
    configurable: true,
    get: () => total,
    set: (value) => {
      total = value;
      if (value > 0) quietly(() => report.begin(whole, RUNNER));
    },
  });
}

function add(report, whole, file) {
  for (const test of file.testResults) {
    const names = [...test.ancestorTitles, test.title];
    report.test(whole, file.testFilePath, names, OUTCOMES[test.status] || 'skipped');
  }
  if (file.testExecError) report.test(whole, file.testFilePath, [], 'failed');
  const done = whole.numPassedTestSuites + whole.numFailedTestSuites + whole.numPendingTestSuites;
  if (done >= whole.numTotalTestSuites) report.end(whole, RUNNER, whole.numFailedTests);
}

function quietly(action) {
  try {
    action();
  } catch {
    // A report is not worth a test.
  }
}
