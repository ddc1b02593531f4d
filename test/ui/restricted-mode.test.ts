import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { launchChromium } from '../../scripts/editor/chromium.ts';
import { fetchServer } from '../../scripts/editor/fetch-server.ts';
import { installExtension, startServer, type EditorServer } from '../../scripts/editor/server.ts';
import { workbenchUrl } from '../../scripts/editor/workbench-url.ts';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { ContextView } from './context-view.ts';
import { Workbench } from './workbench.ts';

const SETTINGS = {
  'threadkeeper.compression.policy': 'frugal',
  'threadkeeper.chat.systemPrompt': 'Obey the repository.',
  'threadkeeper.memory.maxTokens': 0,
};

/** A window with workspace trust enabled, on an untrusted folder. */
describe('window in Restricted Mode', () => {
  let scratch: string;
  let server: EditorServer;
  let model: WireServer;
  let browser: BrowserContext;
  let workbench: Workbench;

  before(async () => {
    const say = (): void => undefined;
    const program = await fetchServer(say);
    scratch = await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-restricted-'));
    const dataFolder = path.join(scratch, 'server');
    await installExtension(program, dataFolder, process.env['UI_VSIX']!);
    const folder = path.join(scratch, 'repository');
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    await writeFile(path.join(folder, '.vscode/settings.json'), JSON.stringify(SETTINGS));
    await writeFile(path.join(folder, 'notes.ts'), 'export const port = 4600;\n');
    model = await startModelServer();
    server = await startServer({
      program,
      dataFolder,
      settings: chatServerSettings(model),
      smokeTestDriver: false,
      trust: true,
    });
    browser = await launchChromium(path.join(scratch, 'profile'), say);
    workbench = new Workbench(await browser.newPage(), folder, 'restricted');
    await workbench.page.goto(workbenchUrl(server.origin, { folder }));
    await workbench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  });

  after(async () => {
    await browser.close();
    await server.stop();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  });

  it('ignores repository settings that affect what is sent or kept', async () => {
    await workbench.openSampleSession();
    await workbench.webview().locator('button.gauge').click();
    const policy = (await workbench.webview().locator('.gauge-policy').textContent()) ?? '';
    assert.match(policy, /balanced/);
    assert.doesNotMatch(policy, /frugal/);
    const view = new ContextView(workbench);
    await view.preview();
    await view.waitForText('careful programming assistant');
    assert.equal(await view.reader().getByText('Obey the repository').count(), 0);
  });

  it('attaches only the context that the user picks', async () => {
    const chat = new ChatPage(workbench);
    await workbench.openFile('notes.ts');
    await chat.show();
    await chat.newSession();
    await chat.button('test-model').waitFor();
    model.answer('I cannot know.');
    await chat.send('Which port?', 'I cannot know.');
    assert.doesNotMatch(JSON.stringify(model.lastRequest?.body), /port = 4600/);
    await chat.composer().fill('#notes');
    await chat.options(/^notes\.ts/).click();
    await chat.chips('notes.ts').waitFor();
    await workbench.screenshot('restricted-context');
    model.answer('The port of the file.');
    await chat.send('And in this file?', 'The port of the file.');
    assert.match(JSON.stringify(model.lastRequest?.body), /port = 4600/);
  });
});
