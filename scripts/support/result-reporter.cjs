// A Mocha reporter. Prints a line with the full title of each test, because concurrent runs share a terminal, and writes
// the counts to SUITE_RESULT_FILE. The editor's exit code isn't reliable: it's 0 even if the extension host was killed.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class ResultReporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const print = (mark) => (test) =>
      reporters.Base.consoleLog(`${mark} ${test.fullTitle()}${test.duration > 75 ? ` (${test.duration} ms)` : ''}`);
    runner.on('pass', print('✔'));
    runner.on('fail', print('✖'));
    runner.on('pending', print('-'));
    runner.once('end', () => {
      this.epilogue();
      const { passes, failures, pending } = runner.stats;
      const counts = { passed: passes, failed: failures, skipped: pending };
      if (process.env.SUITE_RESULT_FILE !== undefined)
        writeFileSync(process.env.SUITE_RESULT_FILE, JSON.stringify(counts));
    });
  }
};
