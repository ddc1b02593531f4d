import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { findChromium } from '../editor/find-chromium.ts';
import { fetchServer } from '../editor/fetch-server.ts';
import { packageExtension } from '../packaging/package-extension.ts';
import { inPackages, outFolder, root } from '../support/paths.ts';
import { runNode } from '../support/processes.ts';
import {
  readFailedFiles,
  readResult,
  reporter,
  resultFile,
  withSecondRun,
  type SuiteResult,
} from '../support/suite-result.ts';

/** A workbench takes seconds to open, on a busy machine many. */
const TEST_LIMIT_MS = 240_000;
/** The editor around the product loses a key or a click at times, when much is going on. */
const RETRIES = 1;

const folder = path.join(root, 'test/ui');

/** Runs those files, in an editor of their own. */
async function runFiles(
  files: readonly string[],
  retries: number,
  vsix: string,
  mochaArguments: readonly string[],
): Promise<SuiteResult> {
  const began = performance.now();
  const { code } = await runNode(
    [
      inPackages('mocha', 'bin', 'mocha.js'),
      ...['--no-config', '--require', path.join(folder, 'editor.ts'), '--timeout', String(TEST_LIMIT_MS)],
      ...['--retries', String(retries), '--reporter', reporter, ...mochaArguments, ...files],
    ],
    { cwd: root, show: true, env: { ...process.env, SUITE_RESULT_FILE: resultFile('ui'), UI_VSIX: vsix } },
  );
  return readResult('ui', code, (performance.now() - began) / 1000);
}

/**
 * Runs `test/ui`: the packaged extension in the real workbench, driven in Chromium. A test that fails is tried again at
 * once. Since what it left behind can be in its own way then, a file in which one stays red runs once more from its
 * beginning, in a new editor; what is red there is red.
 */
export async function runUiSuite(say: (text: string) => void, mochaArguments: readonly string[]): Promise<SuiteResult> {
  await fetchServer(say);
  await findChromium(say);
  const vsix = path.join(outFolder, 'threadkeeper.vsix');
  await packageExtension(vsix);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name));
  const first = await runFiles(files, RETRIES, vsix, mochaArguments);
  const failed = await readFailedFiles('ui');
  // A failure that belongs to no file, or none that was counted, is not explained by any test.
  if (failed.size === 0 || ![...failed.keys()].every((file) => files.includes(file))) return first;
  const names = [...failed.keys()].map((file) => path.basename(file)).join(', ');
  say(`\nOnce more, in a new editor: ${names}`);
  await rm(resultFile('ui'), { force: true });
  return withSecondRun(first, failed, await runFiles([...failed.keys()], 0, vsix, mochaArguments));
}
