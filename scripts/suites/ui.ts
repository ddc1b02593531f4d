import { readdirSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from '../editor/find-chromium.ts';
import { fetchServer } from '../editor/fetch-server.ts';
import { packageExtension } from '../packaging/package-extension.ts';
import { inPackages, outFolder, root } from '../support/paths.ts';
import { runNode } from '../support/processes.ts';
import { readResult, reporter, resultFile, type SuiteResult } from '../support/suite-result.ts';

/** A workbench takes seconds to open, on a busy machine many. */
const TEST_LIMIT_MS = 240_000;

const folder = path.join(root, 'test/ui');

/** Runs `test/ui`: the packaged extension in the real workbench, driven in Chromium. */
export async function runUiSuite(say: (text: string) => void, mochaArguments: readonly string[]): Promise<SuiteResult> {
  await fetchServer(say);
  await findChromium(say);
  const vsix = path.join(outFolder, 'threadkeeper.vsix');
  await packageExtension(vsix);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name));
  const began = performance.now();
  const { code } = await runNode(
    [
      inPackages('mocha', 'bin', 'mocha.js'),
      ...['--no-config', '--require', path.join(folder, 'editor.ts'), '--timeout', String(TEST_LIMIT_MS)],
      ...['--reporter', reporter, ...mochaArguments, ...files],
    ],
    { cwd: root, show: true, env: { ...process.env, SUITE_RESULT_FILE: resultFile('ui'), UI_VSIX: vsix } },
  );
  return readResult('ui', code, (performance.now() - began) / 1000);
}
