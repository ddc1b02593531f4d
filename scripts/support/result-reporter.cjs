// A mocha reporter: a line for each test with its whole title, so that two runs may share a terminal, and the counts in
// the file that SUITE_RESULT_FILE names. The commands trust that file alone: an editor reports success for a suite
// whose extension host was killed.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class ResultReporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const tell = (mark) => (test) =>
      reporters.Base.consoleLog(`${mark} ${test.fullTitle()}${test.duration > 75 ? ` (${test.duration} ms)` : ''}`);
    runner.on('pass', tell('✔'));
    runner.on('fail', tell('✖'));
    runner.on('pending', tell('-'));
    runner.once('end', () => {
      this.epilogue();
      const { passes, failures, pending } = runner.stats;
      const counts = { passed: passes, failed: failures, skipped: pending };
      if (process.env.SUITE_RESULT_FILE !== undefined)
        writeFileSync(process.env.SUITE_RESULT_FILE, JSON.stringify(counts));
    });
  }
};
