import { globSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findChromium } from '../editor/find-chromium.ts';
import { fetchServer } from '../editor/fetch-server.ts';
import { packageExtension } from '../packaging/package-extension.ts';
import { inNodeModules, outFolder, root } from '../support/paths.ts';
import { runNode } from '../support/processes.ts';
import { readResult, reporter, resultFile, type SuiteResult } from '../support/suite-result.ts';

/** Timeout of a test in ms. On a busy machine, opening a workbench alone may take a minute. */
const TEST_TIMEOUT_MS = 600_000;

const folder = path.join(root, 'test/ui');

/** Which page tests to run: those of common actions, all except slow ones, or all. */
export type UiTestSelection = 'common' | 'ci' | 'all';

/** Tests of common actions, longest first. */
const COMMON = [
  'session-lifecycle',
  'open-chat',
  'compressed',
  'sessions',
  'turns',
  'keyboard-writing',
  'loading',
  'standalone-chat-page',
];

/** Tests that CI doesn't run: they take the longest, and unit and host tests cover most of the same behavior. */
const SLOW = ['chat-location', 'checked-summary', 'languages', 'model-setup', 'two-folders', 'usability'];

/** Runs `test/ui`: the packaged extension in the real workbench in Chromium, with two editors at once. */
export async function runUiSuite(
  print: (text: string) => void,
  mochaArguments: readonly string[],
  selection: UiTestSelection,
): Promise<SuiteResult> {
  await fetchServer(print);
  await findChromium(print);
  const vsix = path.join(outFolder, 'threadkeeper.vsix');
  await packageExtension(vsix);
  const began = performance.now();
  const sizeOf = (name: string): number => statSync(path.join(folder, name)).size;
  // Long files first, so that both editors finish at about the same time.
  const all = globSync('*.test.ts', { cwd: folder }).sort((a, b) => sizeOf(b) - sizeOf(a));
  const toFileNames = (names: readonly string[]): string[] => names.map((name) => `${name}.test.ts`);
  const slow = toFileNames(SLOW);
  const files =
    selection === 'common' ? toFileNames(COMMON) : all.filter((name) => selection === 'all' || !slow.includes(name));
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-ui-'));
  const { code } = await runNode(
    [
      inNodeModules('mocha', 'bin', 'mocha.js'),
      ...['--no-config', '--require', path.join(folder, 'editor.ts'), '--timeout', String(TEST_TIMEOUT_MS)],
      ...['--parallel', '--jobs', '2', '--reporter', reporter, ...mochaArguments],
      ...files.map((name) => path.join(folder, name)),
    ],
    {
      cwd: root,
      show: true,
      env: { ...process.env, SUITE_RESULT_FILE: resultFile('ui'), UI_VSIX: vsix, UI_SCRATCH: scratch },
    },
  );
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  const result = await readResult('ui', code, (performance.now() - began) / 1000);
  const remark = `${files.length} of ${all.length} files; npm test -- --all runs each`;
  return selection === 'all' || result.remark !== undefined ? result : { ...result, remark };
}
