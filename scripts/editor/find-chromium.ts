import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { inNodeModules } from '../support/paths.ts';
import { ExpectedError } from '../support/expected-error.ts';
import { runCommand, runNode } from '../support/processes.ts';

const EXECUTABLES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const onPath = (names: readonly string[]): string | undefined =>
  names
    .flatMap((name) => (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));

const findInstalled = (): string | undefined => {
  const downloaded = chromium.executablePath();
  return onPath(EXECUTABLES) ?? (existsSync(downloaded) ? downloaded : undefined);
};

async function installByApt(print: (text: string) => void): Promise<void> {
  if (process.getuid?.() !== 0 || onPath(['apt-get']) === undefined) return;
  print('Installing Chromium with apt-get (once, about 20 seconds).');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '-q'], { env });
  await runCommand('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { env });
}

async function installByPlaywright(print: (text: string) => void): Promise<void> {
  print('Downloading Chromium with Playwright (once).');
  await runNode([inNodeModules('playwright-core', 'cli.js'), 'install', 'chromium']);
}

/**
 * Returns the path of a Chromium: one on the PATH or downloaded by Playwright earlier, or else a new one, by apt-get (as
 * root only) or by Playwright.
 *
 * @throws ExpectedError if none is available
 */
export async function findChromium(print: (text: string) => void): Promise<string> {
  for (const install of [undefined, installByApt, installByPlaywright]) {
    await install?.(print);
    const present = findInstalled();
    if (present !== undefined) return present;
  }
  throw new ExpectedError(
    'No Chromium was found and none could be installed: install Chromium or Google Chrome, and put it on the PATH.',
  );
}
