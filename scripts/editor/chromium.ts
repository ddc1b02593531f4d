import { mkdir } from 'node:fs/promises';
import { chromium, type BrowserContext } from 'playwright-core';
import { findChromium } from './find-chromium.ts';

const ARGUMENTS = [
  // Only VS Code's own pages are shown, from loopback. The sandbox isn't available in containers.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a headless Chromium with its own profile. VS Code stores `globalState` in that profile, by origin. To find it
 * again after a restart, keep both the profile and the server's port.
 */
export async function launchChromium(profile: string, print: (text: string) => void): Promise<BrowserContext> {
  const executablePath = await findChromium(print);
  await mkdir(profile, { recursive: true });
  return chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: ARGUMENTS,
    viewport: { width: 1280, height: 800 },
    // Playwright's own handlers would end this process before it has stopped the server.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}
