import path from 'node:path';
import { inNodeModules, outFolder, root } from '../support/paths.ts';
import { runNode } from '../support/processes.ts';
import { readResult, reporter, resultFile, type SuiteResult } from '../support/suite-result.ts';

/** Minimum coverage of `src/core` by a complete run, in percent of statements and branches. */
const MIN_COVERAGE = '95';

const TESTS = ['unit', 'property', 'golden'].map((folder) => `test/${folder}/**/*.test.ts`);

/**
 * Runs all tests that need no editor. With `isWhole`, also measures the coverage of `src/core`, which takes 50% more
 * time, and fails below the minimum unless the tests are filtered.
 */
export async function runUnitSuite(mochaArguments: readonly string[], isWhole: boolean): Promise<SuiteResult> {
  const began = performance.now();
  const coverage = path.join(root, 'coverage');
  const limits = ['--check-coverage', '--statements', MIN_COVERAGE, '--branches', MIN_COVERAGE];
  const tests = [inNodeModules('mocha', 'bin', 'mocha.js'), '--reporter', reporter, ...mochaArguments, ...TESTS];
  const covered = [
    inNodeModules('c8', 'bin', 'c8.js'),
    // `--all` includes files that no test loads.
    ...['--all', '--src', 'src/core', '--include', 'src/core/**/*.ts', '--exclude', '**/*.d.ts'],
    ...['--reporter', 'text-summary', '--reporter', 'html', '--reporter', 'json-summary'],
    ...(mochaArguments.includes('--grep') ? [] : [...limits, '--lines', '0', '--functions', '0']),
    ...['--reports-dir', coverage, '--temp-directory', path.join(outFolder, 'coverage')],
    ...[process.execPath, ...tests],
  ];
  const env = { ...process.env, SUITE_RESULT_FILE: resultFile('unit') };
  const { code } = await runNode(isWhole ? covered : tests, { cwd: root, show: true, env });
  return readResult('unit', code, (performance.now() - began) / 1000);
}
