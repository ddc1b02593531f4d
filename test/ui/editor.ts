// Mocha loads this before the tests, into each of its processes: a server with the packaged extension for each, which
// ends with the process.
import { randomInt } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'mocha';
import type { BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/editor/chromium.ts';
import { copyDemoWorkspace } from '../../scripts/editor/demo-workspace.ts';
import { fetchServer } from '../../scripts/editor/fetch-server.ts';
import { demandFreePort, openFrontDoor, type FrontDoor } from '../../scripts/editor/front-door.ts';
import { installExtension, startServer, type EditorServer } from '../../scripts/editor/server.ts';
import { outFolder, root } from '../../scripts/support/paths.ts';

interface Editor {
  readonly localPorts: readonly number[];
  readonly scratch: string;
  readonly server: EditorServer;
  readonly door: FrontDoor;
}

/** Of the text of a frame, characters that are said at most. */
const MAX_SHOWN = 1_500;
/** A frame that says nothing until then is left out. */
const SHOWN_LIMIT_MS = 2_000;

let editor: Promise<Editor> | undefined;
const profiles = new Map<string, BrowserContext>();
let workspaces = 0;
const say = (text: string): void => console.log(text);

async function start(): Promise<Editor> {
  const { UI_VSIX: vsix, UI_SCRATCH: folder } = process.env;
  if (vsix === undefined || folder === undefined)
    throw new Error('Run the page suite by "npm test -- --only ui": it packs the extension first.');
  const scratch = await mkdtemp(path.join(folder, 'editor-'));
  const program = await fetchServer(say);
  const dataFolder = path.join(scratch, 'server');
  // Before the first is installed: the editor reads the folder once, then its own list of it.
  const models = path.join(dataFolder, 'extensions/threadkeeper-tests.model-extension-1.0.0');
  await cp(path.join(root, 'test/fixtures/model-extension'), models, { recursive: true });
  await installExtension(program, dataFolder, vsix);
  // Without the smoke-test driver, which would hide all notifications.
  const home = path.join(scratch, 'home');
  await mkdir(home);
  // In the place of the usual ports of Ollama and LM Studio, where a developer's own may listen.
  const localPorts = [await freePort(), await freePort()];
  const env = { HOME: home, THREADKEEPER_LOCAL_PORTS: localPorts.join(','), TEST_MODELS: 'when set' };
  const server = await startServer({ program, dataFolder, smokeTestDriver: false, env });
  const door = await openFrontDoor(server.origin, 0, path.join(scratch, 'secret-key'));
  return { localPorts, scratch, server, door };
}

const running = (): Promise<Editor> => (editor ??= start());

/** The address of the editor, the same for the whole suite. */
export async function editorOrigin(): Promise<string> {
  return (await running()).door.origin;
}

/** Where the server keeps the extension's `globalStorageUri`, for tests that look at the files themselves. */
export async function globalStorageFolder(): Promise<string> {
  return path.join((await running()).scratch, 'server/data/User/globalStorage/threadkeeper.threadkeeper');
}

/** The home of the editor's user, where other tools keep their chats. */
export async function homeFolder(): Promise<string> {
  return path.join((await running()).scratch, 'home');
}

/** Has the user's own settings hold these too while `body` runs, in all windows of the suite. */
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

/** Writes a file in one piece: of settings that are written in place the editor may read the half. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** The ports at which the product looks for Ollama and LM Studio; nothing listens there by itself. */
export async function localPorts(): Promise<readonly number[]> {
  return (await running()).localPorts;
}

/** Below those that systems give out by themselves, so that nothing else takes it before the test listens there. */
async function freePort(): Promise<number> {
  const port = randomInt(15_000, 30_000);
  return demandFreePort(port).then(
    () => port,
    () => freePort(),
  );
}

/** A new folder with the demo workspace in it; removed after the suite. */
export async function freshWorkspace(): Promise<string> {
  workspaces += 1;
  return copyDemoWorkspace(path.join((await running()).scratch, 'workspaces', String(workspaces), 'demo'));
}

/** The browser with the profile of that name. The profile holds the editor's `globalState` and outlives the browser. */
export async function openBrowser(profile: string): Promise<BrowserContext> {
  const open = profiles.get(profile);
  if (open !== undefined) return open;
  const browser = await launchChromium(path.join((await running()).scratch, 'profiles', profile), say);
  profiles.set(profile, browser);
  return browser;
}

/** Ends the browser with that profile; the profile stays. */
export async function closeBrowser(profile: string): Promise<void> {
  await profiles.get(profile)?.close();
  profiles.delete(profile);
}

/** What is to be read in the frames of a window, each cut: for where the pictures cannot be looked at. */
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

/** Keeps a picture of every open window, and says what is to be read there. */
async function photograph(name: string): Promise<void> {
  for (const [profile, browser] of profiles) {
    for (const [index, page] of browser.pages().entries()) {
      const file = `${name}-${profile}-${index}.png`.replaceAll(/[^\w.-]+/g, '-');
      await page.screenshot({ path: path.join(outFolder, 'screenshots/failed', file) });
      say(`${file} shows:\n${await shownText(page)}`);
    }
  }
}

export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    if (this.currentTest?.state === 'failed') await photograph(this.currentTest.fullTitle());
  },

  /** After each file. */
  async afterAll(): Promise<void> {
    for (const profile of [...profiles.keys()]) await closeBrowser(profile);
  },
};
