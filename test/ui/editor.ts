// Loaded by Mocha before the tests in each of its processes. Each process has a server with the packaged extension,
// which ends with it.
import { randomInt } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'mocha';
import type { BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/editor/chromium.ts';
import { copyDemoWorkspace } from '../../scripts/editor/demo-workspace.ts';
import { fetchServer } from '../../scripts/editor/fetch-server.ts';
import { requireFreePort, startServerProxy, type ServerProxy } from '../../scripts/editor/server-proxy.ts';
import { installExtension, startServer, type EditorServer } from '../../scripts/editor/server.ts';
import { outFolder, root } from '../../scripts/support/paths.ts';

interface Editor {
  readonly localPorts: readonly number[];
  readonly scratch: string;
  readonly server: EditorServer;
  readonly proxy: ServerProxy;
}

/** Maximum number of characters of a frame's text that are printed. */
const MAX_SHOWN = 1_500;
/** A frame that doesn't answer in time is omitted. */
const SHOWN_LIMIT_MS = 2_000;

let editor: Promise<Editor> | undefined;
const profiles = new Map<string, BrowserContext>();
const closers: (() => Promise<void>)[] = [];
let workspaces = 0;
const print = (text: string): void => console.log(text);

async function start(): Promise<Editor> {
  const { UI_VSIX: vsix, UI_SCRATCH: folder } = process.env;
  if (vsix === undefined || folder === undefined)
    throw new Error('Run the page suite by "npm test -- --only ui": it packs the extension first.');
  const scratch = await mkdtemp(path.join(folder, 'editor-'));
  const program = await fetchServer(print);
  const dataFolder = path.join(scratch, 'server');
  // Before the first installation, because the server reads the folder once, and then its own list.
  const models = path.join(dataFolder, 'extensions/threadkeeper-tests.model-extension-1.0.0');
  await cp(path.join(root, 'test/fixtures/model-extension'), models, { recursive: true });
  await installExtension(program, dataFolder, vsix);
  // Without the smoke test driver, which would hide all notifications.
  const home = path.join(scratch, 'home');
  await mkdir(home);
  // Replaces the default ports of Ollama and LM Studio, where a developer's own server may listen.
  const localPorts = [await freePort(), await freePort()];
  const env = { HOME: home, THREADKEEPER_LOCAL_PORTS: localPorts.join(','), TEST_MODELS: 'when set' };
  const server = await startServer({ program, dataFolder, smokeTestDriver: false, env });
  const proxy = await startServerProxy(server.origin, 0, path.join(scratch, 'secret-key'));
  return { localPorts, scratch, server, proxy };
}

const running = (): Promise<Editor> => (editor ??= start());

/** The editor's origin, which is the same for all tests. */
export async function editorOrigin(): Promise<string> {
  return (await running()).proxy.origin;
}

/** The extension's `globalStorageUri` on the server, for tests that read the files. */
export async function globalStorageFolder(): Promise<string> {
  return path.join((await running()).scratch, 'server/data/User/globalStorage/threadkeeper.threadkeeper');
}

/** The home folder of the editor's user, which contains the chats of other tools. */
export async function homeFolder(): Promise<string> {
  return path.join((await running()).scratch, 'home');
}

/** Changes the user's settings in all windows while `body` runs. */
export async function withUserSettings(settings: object, body: () => Promise<void>): Promise<void> {
  const file = path.join((await running()).scratch, 'server/data/User/settings.json');
  const before = await readFile(file, 'utf8');
  await replaceFile(file, JSON.stringify({ ...(JSON.parse(before) as object), ...settings }));
  try {
    await body();
  } finally {
    await replaceFile(file, before);
  }
}

/** Replaces a file atomically, because VS Code could read a partially written file. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** The ports where the product looks for Ollama and LM Studio. By default, nothing listens there. */
export async function localPorts(): Promise<readonly number[]> {
  return (await running()).localPorts;
}

/** Below the range of ephemeral ports, so that no other program takes it before the test does. */
async function freePort(): Promise<number> {
  const port = randomInt(15_000, 30_000);
  return requireFreePort(port).then(
    () => port,
    () => freePort(),
  );
}

/** A new folder with the demo workspace, which is removed after the tests. */
export async function freshWorkspace(): Promise<string> {
  workspaces += 1;
  return copyDemoWorkspace(path.join((await running()).scratch, 'workspaces', String(workspaces), 'demo'));
}

/** The browser with this profile. The profile contains VS Code's `globalState` and outlives the browser. */
export async function openBrowser(profile: string): Promise<BrowserContext> {
  const open = profiles.get(profile);
  if (open !== undefined) return open;
  const browser = await launchChromium(path.join((await running()).scratch, 'profiles', profile), print);
  profiles.set(profile, browser);
  return browser;
}

/** Closes the browser with this profile, and keeps the profile. */
export async function closeBrowser(profile: string): Promise<void> {
  await profiles.get(profile)?.close();
  profiles.delete(profile);
}

/** The beginning of the text in each of a window's frames, in case the screenshots aren't available. */
async function shownText(page: Page): Promise<string> {
  const texts = await Promise.all(
    page.frames().map((frame) =>
      frame
        .locator('body')
        .innerText({ timeout: SHOWN_LIMIT_MS })
        .catch(() => ''),
    ),
  );
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').slice(0, MAX_SHOWN)).join('\n');
}

/** Saves a screenshot of every open window, and prints the text in it. */
async function saveScreenshots(name: string): Promise<void> {
  for (const [profile, browser] of profiles) {
    for (const [index, page] of browser.pages().entries()) {
      const file = `${name}-${profile}-${index}.png`.replaceAll(/[^\w.-]+/g, '-');
      await page.screenshot({ path: path.join(outFolder, 'screenshots/failed', file) });
      print(`${file} shows:\n${await shownText(page)}`);
    }
  }
}

/** Calls `close` after all tests of the file, when all windows are closed. */
export function closeAfterFile(close: () => Promise<void>): void {
  closers.push(close);
}

export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    if (this.currentTest?.state === 'failed') await saveScreenshots(this.currentTest.fullTitle());
  },

  /** After each file. */
  async afterAll(): Promise<void> {
    for (const profile of [...profiles.keys()]) await closeBrowser(profile);
    for (const close of closers.splice(0)) await close();
  },
};
