// Runs the tests without an editor and in the extension host, concurrently, then those in the workbench. Prints the
// results in a table, followed by a line with the totals.
//   npm test -- [--only unit|host|ui] [--all] [--long] [--grep TEXT]
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runHostSuite } from './suites/host.ts';
import { runUiSuite, type UiTestSelection } from './suites/ui.ts';
import { runUnitSuite } from './suites/unit.ts';
import { build } from './support/build.ts';
import { outFolder } from './support/paths.ts';
import { ExpectedError, runMain } from './support/expected-error.ts';
import { summarize, type SuiteResult } from './support/suite-result.ts';

const SUITES = ['unit', 'host', 'ui'] as const;
type Suite = (typeof SUITES)[number];
const print = (text: string): void => console.log(text);

function run(suite: Suite, mochaArguments: readonly string[], pages: UiTestSelection): Promise<SuiteResult> {
  switch (suite) {
    case 'unit':
      return runUnitSuite(mochaArguments, pages !== 'common');
    case 'host':
      return runHostSuite(print);
    case 'ui':
      return runUiSuite(print, mochaArguments, pages);
  }
}

/** Counts a suite that can't be started as failed, so that the others still run and the totals include it. */
async function runOrReport<T>(name: string, body: () => Promise<T>): Promise<T | SuiteResult> {
  try {
    return await body();
  } catch (error) {
    console.error(error instanceof ExpectedError ? error.message : error);
    return { name, passed: 0, failed: 1, skipped: 0, seconds: 0, remark: 'could not be run' };
  }
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      all: { type: 'boolean' },
      long: { type: 'boolean' },
      grep: { type: 'string' },
    },
  });
  // Without options, only the tests that a change must pass before it's committed.
  const isPlain = Object.keys(values).length === 0;
  const pages = !isPlain ? 'all' : process.env.CI === undefined ? 'common' : 'ci';
  const wanted = SUITES.filter((suite) => values.only?.includes(suite) ?? true);
  if (values.only?.some((name) => !wanted.some((suite) => suite === name)))
    throw new ExpectedError(`--only takes ${SUITES.join(', ')}.`);
  if (values.long === true) process.env.THREADKEEPER_LONG = '1';
  if (values.grep !== undefined) process.env.SUITE_GREP = values.grep;
  const mochaArguments = [
    ...(values.grep === undefined ? [] : ['--grep', values.grep]),
    // In a long run, each property is tested with many more cases, which may take minutes.
    ...(values.long === true ? ['--timeout', '900000'] : []),
    // In CI, a forgotten `.only` would skip all other tests.
    ...(process.env.CI === undefined ? [] : ['--forbid-only']),
  ];

  await rm(path.join(outFolder, 'results'), { recursive: true, force: true });
  await mkdir(path.join(outFolder, 'results'), { recursive: true });
  const results: SuiteResult[] = [];
  // Some unit tests run the built command line.
  print('Building.');
  const built = await runOrReport('build', async () => {
    await build();
    return undefined;
  });
  if (built !== undefined) results.push(built);
  // The editor loads the extension from dist/.
  const runnable = built === undefined ? wanted : wanted.filter((suite) => suite === 'unit');
  // The extension host mostly waits for the editor. Page tests keep all cores busy by themselves.
  for (const group of [runnable.filter((suite) => suite !== 'ui'), runnable.filter((suite) => suite === 'ui')]) {
    if (group.length > 0) print(`\n── ${group.join(', ')} ──`);
    const runs = group.map((suite) => runOrReport(suite, () => run(suite, mochaArguments, pages)));
    results.push(...(await Promise.all(runs)));
  }
  print(`\n${summarize(results)}`);
  if (results.some((result) => result.failed > 0)) process.exitCode = 1;
});
