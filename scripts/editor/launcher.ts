#!/usr/bin/env node
// Stands in for the VS Code executable: takes the arguments that @vscode/test-electron gives it and runs the suite in
// the extension host of VS Code's server, with Chromium as its window. Exits with the suite's code.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ExpectedError } from '../support/expected-error.ts';
import { launchChromium } from './chromium.ts';
import { fetchServer } from './fetch-server.ts';
import { startServer } from './server.ts';
import { workbenchUrl } from './workbench-url.ts';

/** Maximum time for the suite, which is longer than any suite takes. */
const MAX_SUITE_MS = 600_000;
/** How long to wait for the result after the extension host has ended. */
const HOST_END_GRACE_MS = 5000;

/** How often it's checked whether the parent process has ended. */
const PARENT_WATCH_MS = 500;

interface Outcome {
  readonly code: number;
  readonly why?: string;
}

// VS Code calls this function of the page with the exit code when the tests have ended.
const EXIT_FUNCTION = 'codeAutomationExit';

async function launch(): Promise<Outcome> {
  const { values, positionals } = parseArgs({
    strict: false,
    allowPositionals: true,
    options: {
      extensionDevelopmentPath: { type: 'string', multiple: true },
      extensionTestsPath: { type: 'string' },
      'user-data-dir': { type: 'string' },
      'extensions-dir': { type: 'string' },
    },
  });
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? path.resolve(value) : undefined);
  const print = (line: string): void => console.error(line);

  const scratch = await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-host-'));
  const { promise: outcome, resolve: finish } = Promise.withResolvers<Outcome>();

  // @vscode/test-electron doesn't end its children when it's ended.
  const parent = process.ppid;
  const parentWatch = setInterval(() => {
    if (process.ppid !== parent) finish({ code: 1, why: 'the command that started it ended' });
  }, PARENT_WATCH_MS);
  const server = await startServer({
    program: await fetchServer(print),
    dataFolder: path.join(scratch, 'server'),
    userDataFolder: text(values['user-data-dir']),
    extensionsFolder: text(values['extensions-dir']),
    smokeTestDriver: true,
    onLog: (line) => {
      const ended = /Extension Host Process exited with code: (\S+), signal: (\S+)\./.exec(line);
      if (ended === null) return;
      const why = `the extension host ended (code ${ended[1]!}, signal ${ended[2]!}) without a result`;
      setTimeout(() => finish({ code: 1, why }), HOST_END_GRACE_MS).unref();
    },
  });
  try {
    void server.ended.then(() => finish({ code: 1, why: 'the server ended' }));
    const browser = await launchChromium(path.join(scratch, 'chromium'), print);
    const timer = setTimeout(() => finish({ code: 1, why: `no result within ${MAX_SUITE_MS} ms` }), MAX_SUITE_MS);
    try {
      const page = browser.pages()[0] ?? (await browser.newPage());
      await page.exposeFunction(EXIT_FUNCTION, (code: number) => finish({ code }));
      page.on('crash', () => finish({ code: 1, why: 'the page crashed' }));
      browser.on('close', () => finish({ code: 1, why: 'Chromium ended' }));
      await page.goto(
        workbenchUrl(server.origin, {
          folder: positionals[0],
          extensionDevelopmentPaths: (values.extensionDevelopmentPath ?? []).filter(
            (value) => typeof value === 'string',
          ),
          extensionTestsPath: text(values.extensionTestsPath),
        }),
      );
      return await outcome;
    } finally {
      clearTimeout(timer);
      await browser.close();
    }
  } finally {
    clearInterval(parentWatch);
    await server.stop();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

try {
  const { code, why } = await launch();
  if (why !== undefined) console.error(`The host suite was cut short: ${why}.`);
  process.exitCode = code;
} catch (error) {
  console.error(error instanceof ExpectedError ? error.message : error);
  process.exitCode = 1;
}
