import { cp, open, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import * as esbuild from 'esbuild';
import { copyDemoWorkspace } from '../editor/demo-workspace.ts';
import { findChromium } from '../editor/find-chromium.ts';
import { findDesktop } from '../editor/desktop.ts';
import { fetchServer } from '../editor/fetch-server.ts';
import { outFolder, root } from '../support/paths.ts';
import { readResult, reporter, resultFile, type SuiteResult } from '../support/suite-result.ts';

const suiteFolder = path.join(outFolder, 'host');

/**
 * Provides language models, like other vendors' extensions. It's installed, because VS Code in a browser only supports
 * one extension in development.
 */
const modelExtension = path.join(root, 'test/fixtures/model-extension');

/** Compiles `test/host/*.test.ts` and its entry to CommonJS, which the extension host loads. */
async function compile(): Promise<void> {
  const from = path.join(root, 'test/host');
  const tests = readdirSync(from).filter((name) => name.endsWith('.test.ts'));
  await rm(suiteFolder, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['index.ts', ...tests].map((name) => path.join(from, name)),
    outdir: suiteFolder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    external: ['vscode', 'mocha'],
    loader: { '.md': 'text' },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

/** Prints a file as it grows. Call the returned function to stop. */
async function follow(file: string): Promise<() => Promise<void>> {
  const handle = await open(file, 'r');
  let reading = Promise.resolve();
  const drain = async (): Promise<void> => {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536));
      if (bytesRead === 0) return;
      process.stdout.write(buffer.subarray(0, bytesRead));
    }
  };
  const timer = setInterval(() => {
    reading = reading.then(drain);
  }, 200);
  return async () => {
    clearInterval(timer);
    await reading.then(drain);
    await handle.close();
  };
}

/**
 * Runs `test/host` in a real extension host: that of the desktop editor, if there is one, or else of VS Code's server.
 */
export async function runHostSuite(print: (text: string) => void): Promise<SuiteResult> {
  const began = performance.now();
  await compile();
  const desktop = await findDesktop(print);
  if (desktop === undefined) {
    // Download both now, so that the suite's time limits don't include the downloads.
    await fetchServer(print);
    await findChromium(print);
  }
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-suite-'));
  const extensions = path.join(scratch, 'extensions');
  await cp(modelExtension, path.join(extensions, 'threadkeeper-tests.model-extension-1.0.0'), { recursive: true });
  const output = path.join(scratch, 'output.txt');
  await writeFile(output, '');
  const stopFollowing = await follow(output);
  let code = 0;
  try {
    code = await runTests({
      vscodeExecutablePath: desktop ?? path.join(import.meta.dirname, '../editor/launcher.ts'),
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(suiteFolder, 'index.cjs'),
      launchArgs: [
        await copyDemoWorkspace(path.join(scratch, 'workspace')),
        '--user-data-dir',
        path.join(scratch, 'user'),
        '--extensions-dir',
        extensions,
      ],
      extensionTestsEnv: {
        SUITE_RESULT_FILE: resultFile('host'),
        SUITE_OUTPUT_FILE: output,
        SUITE_REPORTER: reporter,
        // The launcher must run with this version of Node.js.
        PATH: path.dirname(process.execPath) + path.delimiter + (process.env.PATH ?? ''),
      },
    });
  } catch (error) {
    // The result file lists the failed tests. Without that file, the suite fails anyway.
    print(error instanceof Error ? error.message : String(error));
    code = 1;
  } finally {
    await stopFollowing();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
  return readResult('host', code, (performance.now() - began) / 1000);
}
