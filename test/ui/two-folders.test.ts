import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { ATTEMPT_TIMEOUT_MS, Workbench } from './workbench.ts';

const diff = (file: string, port: number): string =>
  `\`\`\`diff\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-export const PORT = ${port};\n+export const PORT = 8443;\n\`\`\``;

describe('workspace of two folders with a file at the same path', () => {
  let server: WireServer;
  let chat: ChatPage;
  let scratch: string;

  before(async () => {
    server = await startModelServer();
    scratch = await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-two-folders-'));
    for (const [folder, port] of [
      ['api', 4600],
      ['site', 4700],
    ] as const) {
      await mkdir(path.join(scratch, folder, 'src'), { recursive: true });
      await writeFile(path.join(scratch, folder, 'src/port.ts'), `export const PORT = ${port};\n`);
    }
    const file = path.join(scratch, 'both.code-workspace');
    const folders = [{ path: 'api' }, { path: 'site', name: 'The Site' }];
    await writeFile(file, JSON.stringify({ folders, settings: chatServerSettings(server) }));
    const workbench = await Workbench.open({ folder: file, profile: 'two-folders' });
    // On a busy machine, every fifth window of VS Code's server shows no folder of a workspace file until it's
    // reloaded, with any extensions.
    const none = workbench.page.getByText('You have not yet added a folder').first();
    const site = workbench.page.getByRole('treeitem', { name: 'The Site' }).first();
    await eventually(async () => {
      await none.or(site).first().waitFor();
      if (await none.isVisible()) await workbench.reload();
      assert.ok(await site.isVisible());
    });
    chat = new ChatPage(workbench);
    await chat.show();
  });

  after(async () => {
    await rm(scratch, { recursive: true, force: true });
  });

  const onDisk = (name: string): Promise<string> => readFile(path.join(scratch, name), 'utf8');

  /** Accepts the suggested changes, which closes the review. */
  async function accept(): Promise<void> {
    await chat.workbench.page
      .locator('.editor-group-container.active .editor-actions')
      .getByRole('button', { name: /^Accept All Changes/ })
      .click();
    await chat.workbench.activeTab('suggestion').waitFor({ state: 'detached' });
  }

  /** Sends a message and opens the review of the suggested changes. */
  async function propose(question: string, reply: string): Promise<void> {
    server.answer(`${reply}\n\nThat answers “${question}”.`);
    await chat.send(question, `That answers “${question}”.`);
    await chat.runAction(chat.message(`That answers “${question}”.`).last(), 'Apply in Editor');
  }

  it('attaches the file from the chosen folder', async () => {
    // VS Code may be visible before it has read the workspace's folders. Then the list contains no files yet.
    await chat.workbench.retry(async () => {
      await chat.composer().fill('');
      await chat.composer().fill('#port');
      for (const folder of ['api', 'The Site'])
        await chat.options(new RegExp(`port\\.ts.*${folder}/src/port\\.ts`)).waitFor({ timeout: ATTEMPT_TIMEOUT_MS });
    });
    await chat.options(/port\.ts.*The Site\/src\/port\.ts/).click();
    await chat.page.locator('.composer .chip[title="The Site/src/port.ts"]').waitFor();
    server.answer('The site.');
    await chat.send('Which port?', 'The site.');
    const sent = JSON.stringify(server.lastRequest?.body);
    assert.match(sent, /PORT = 4700/);
    assert.doesNotMatch(sent, /PORT = 4600/);
  });

  it('applies a change to the file in the folder that the reply names', async () => {
    await propose('By its folder?', diff('The Site/src/port.ts', 4700));
    await chat.workbench.activeTab('port.ts ↔ suggestion').waitFor();
    await accept();
    await eventually(async () => assert.match(await onDisk('site/src/port.ts'), /8443/));
    assert.match(await onDisk('api/src/port.ts'), /4600/);
  });

  it('asks which file to change if the reply names no folder', async () => {
    await chat.show();
    await propose('By its path?', diff('src/port.ts', 4600));
    await chat.workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'api/src/port.ts' }).click();
    await chat.workbench.activeTab('port.ts ↔ suggestion').waitFor();
    await accept();
    await eventually(async () => assert.match(await onDisk('api/src/port.ts'), /8443/));
  });

  it('creates a new file in the folder that the reply names', async () => {
    await chat.show();
    await propose('And a new one?', '**api/src/host.ts**\n\n```ts\nexport const HOST = "::1";\n```');
    await chat.workbench.activeTab('host.ts ↔ suggestion').waitFor();
    await accept();
    await chat.workbench.activeTab('host.ts').waitFor();
    await eventually(async () => assert.match(await onDisk('api/src/host.ts'), /::1/));
  });
});
