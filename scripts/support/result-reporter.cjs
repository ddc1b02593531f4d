// A mocha reporter: the usual lines on the terminal, and the counts in the file that SUITE_RESULT_FILE names, with the
// test files that failed. The commands trust that file alone: an editor reports success for a suite whose extension
// host was killed.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

const fileOf = (runnable) => runnable.file ?? (runnable.parent === undefined ? undefined : fileOf(runnable.parent));

module.exports = class ResultReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.SUITE_RESULT_FILE;
    if (file === undefined) return;
    const byFile = {};
    const count = (key) => (runnable) => {
      const counts = (byFile[fileOf(runnable) ?? ''] ??= { passed: 0, failed: 0, skipped: 0 });
      counts[key] += 1;
    };
    runner.on('pass', count('passed'));
    runner.on('fail', count('failed'));
    runner.on('pending', count('skipped'));
    runner.once('end', () => {
      const { passes, failures, pending } = runner.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending, byFile }));
    });
  }
};
