import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { WireServer } from '../support/wire-server.ts';
import { violations } from './axe.ts';
import { answeredBy, ChatPage, writeSettings } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

const REPLY = `Two changes.

\`\`\`diff
--- a/src/config.ts
+++ b/src/config.ts
@@ -15,3 +15,3 @@
-    port: wholeNumber('TIDEPOOL_PORT', env['TIDEPOOL_PORT'], 4600),
+    port: wholeNumber('TIDEPOOL_PORT', env['TIDEPOOL_PORT'], 8443),
     databaseFile: env['TIDEPOOL_DB'] ?? 'data/tidepool.db',
-    timeZone: env['TIDEPOOL_TZ'] ?? 'Europe/Lisbon',
+    timeZone: env['TIDEPOOL_TZ'] ?? 'UTC',
--- /dev/null
+++ b/src/ports.ts
@@ -0,0 +1 @@
+export const PORT = 8443;
\`\`\`

Done.`;

const THEMES = ['Default Light Modern', 'Default Dark Modern'] as const;

describe('a change that a reply proposes', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = await WireServer.start();
    chat = await ChatPage.open('apply', answeredBy(server));
    keys = new Keyboard(chat);
  });

  after(async () => {
    await chat?.workbench.close();
    await server?.stop();
  });

  const config = (): Promise<string> => readFile(path.join(chat.folder, 'src/config.ts'), 'utf8');
  const tab = (title: string | RegExp) => chat.workbench.page.locator('.tab.active', { hasText: title });

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + 20_000; !(await holds());) {
      assert.ok(Date.now() < deadline, 'it holds within 20 s');
      await chat.workbench.page.waitForTimeout(100);
    }
  }

  it('is reviewed and accepted by keyboard alone, change by change', async () => {
    server.answer(REPLY);
    await keys.send('Change the port.', 'Done.');
    const before = await config();
    const block = chat.message('Done.').last();
    await keys.act(block, 'Apply in editor');
    await tab(/config\.ts ↔ suggestion/).waitFor();
    await chat.workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    for (const [at, theme] of THEMES.entries()) {
      await writeSettings(chat.folder, { ...answeredBy(server), 'workbench.colorTheme': theme });
      await chat.workbench.page.locator(at === 0 ? '.monaco-workbench.vs' : '.monaco-workbench.vs-dark').waitFor();
      await chat.workbench.screenshot(`apply-${at === 0 ? 'light' : 'dark'}`);
    }
    assert.equal(await config(), before, 'nothing is written before it is accepted');
    await keys.press('Control+Enter');
    const first = before.replace('4600', '8443');
    await until(async () => (await config()) === first);
    await keys.press('Control+Backspace');
    await tab(/^config\.ts/).waitFor();
    assert.equal(await config(), first);
    await keys.press('Control+z');
    // The editor in a browser saves by itself.
    await until(async () => (await config()) === before);
  });

  it('is offered for all files of a reply at once, with no accessibility violation', async () => {
    await chat.show();
    await keys.act(chat.message('Done.').last(), 'Apply all in editor (2)');
    await tab(/config\.ts ↔ suggestion/).waitFor();
    await chat.workbench.page.locator('.tab', { hasText: /ports\.ts ↔ suggestion/ }).waitFor();
    await chat.show();
    assert.deepEqual(await violations(chat.workbench), []);
  });
});
