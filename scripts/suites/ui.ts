import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from '../editor/find-chromium.ts';
import { fetchServer } from '../editor/fetch-server.ts';
import { packageExtension } from '../packaging/package-extension.ts';
import { inPackages, outFolder, root } from '../support/paths.ts';
import { runNode } from '../support/processes.ts';
import { readResult, reporter, resultFile, sumOf, type SuiteResult } from '../support/suite-result.ts';

/** A workbench takes seconds to open, on a busy machine many. */
const TEST_LIMIT_MS = 240_000;

const folder = path.join(root, 'test/ui');

/** Runs `test/ui`: the packaged extension in the real workbench, driven in Chromium, in two editors at once. */
export async function runUiSuite(say: (text: string) => void, mochaArguments: readonly string[]): Promise<SuiteResult> {
  await fetchServer(say);
  await findChromium(say);
  const vsix = path.join(outFolder, 'threadkeeper.vsix');
  await packageExtension(vsix);
  const began = performance.now();
  const run = async (files: readonly string[], at: number): Promise<SuiteResult> => {
    const name = `ui ${at + 1}`;
    const { code } = await runNode(
      [
        inPackages('mocha', 'bin', 'mocha.js'),
        ...['--no-config', '--require', path.join(folder, 'editor.ts'), '--timeout', String(TEST_LIMIT_MS)],
        ...['--reporter', reporter, ...mochaArguments, ...files],
      ],
      { cwd: root, show: true, env: { ...process.env, SUITE_RESULT_FILE: resultFile(name), UI_VSIX: vsix } },
    );
    return readResult(name, code, (performance.now() - began) / 1000);
  };
  return sumOf('ui', await Promise.all(halves().map(run)));
}

/** The test files in two parts that take about as long, told by their sizes. */
function halves(): readonly (readonly string[])[] {
  const files = globSync('*.test.ts', { cwd: folder }).map((name) => path.join(folder, name));
  const bySize = files.sort((a, b) => statSync(b).size - statSync(a).size);
  return [0, 1].map((half) => bySize.filter((_, at) => Number(at % 4 === 1 || at % 4 === 2) === half));
}
