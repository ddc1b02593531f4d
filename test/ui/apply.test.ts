import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WireServer } from '../support/wire-server.ts';
import { showTheme, THEMES, violations } from './axe.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { eventually } from './eventually.ts';
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

const FROM = "timeZone: env['TIDEPOOL_TZ'] ?? 'Europe/Lisbon',";
const TO = "timeZone: env['TIDEPOOL_TZ'] ?? 'UTC',";
/** A line near the change, because lines outside the view aren't rendered. */
const BELOW = '    postmarkToken: env';
const fenced = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\``;
const search = fenced('', `<<<<<<< SEARCH\n    ${FROM}\n=======\n    ${TO}\n>>>>>>> REPLACE`);

const SEVERAL = `${search}\n\n**src/hosts.ts**\n\n${fenced('ts', "export const HOST = '::1';")}`;

describe('change proposed in a reply', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = await startModelServer();
    chat = await ChatPage.open('apply', chatServerSettings(server));
    keys = new Keyboard(chat);
  });

  const config = (): Promise<string> => readFile(path.join(chat.folder, 'src/config.ts'), 'utf8');

  const configIs = (text: string): Promise<void> => eventually(async () => assert.equal(await config(), text));
  const active = '.editor-group-container.active .monaco-editor.focused';
  const keyboardIsIn = (editor: ':is' | ':not'): Promise<void> =>
    chat.workbench.page.locator(`${active}${editor}(.monaco-diff-editor *)`).waitFor();

  it('is accepted and rejected change by change with the keyboard alone', async () => {
    server.answer(REPLY);
    await keys.send('Change the port.', 'Done.');
    const before = await config();
    const block = chat.message('Done.').last();
    await keys.pressButton(block, 'Apply in Editor');
    await chat.workbench.activeTab(/config\.ts ↔ suggestion/).waitFor();
    await chat.workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await keyboardIsIn(':is');
    for (const theme of THEMES) {
      await showTheme(chat, theme);
      await chat.workbench.screenshot(`apply-${theme.name}`);
    }
    assert.equal(await config(), before, 'nothing is written before it is accepted');
    // Returns to the second group, in case a theme change has moved the focus.
    await keys.press('Control+2');
    await keyboardIsIn(':is');
    await keys.press('Control+Enter');
    const first = before.replace('4600', '8443');
    await configIs(first);
    await keys.press('Control+Backspace');
    await chat.workbench.activeTab(/^config\.ts(?! ↔)/).waitFor();
    await keyboardIsIn(':not');
    assert.equal(await config(), first);
    await keys.press('Control+z');
    // VS Code in a browser saves automatically.
    await configIs(before);
  });

  const inDiff = (button: string) =>
    chat.workbench.page
      .locator('.editor-group-container.active .editor-actions')
      .getByRole('button', { name: new RegExp(`^${button}`) });
  const review = (file: string) => chat.workbench.page.locator('.tab', { hasText: `${file} ↔ suggestion` });

  it('can be rejected, follows changes to the file during the review, and can be accepted and undone', async () => {
    const before = await config();
    const apply = async (): Promise<void> => {
      await chat.show();
      await chat.runAction(chat.message('Both files.').last(), 'Apply All in Editor (2 Files)');
      await chat.workbench.activeTab(/config\.ts ↔ suggestion/).waitFor();
      await chat.workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    };
    await chat.show();
    server.answer(`In \`src/config.ts\`:\n\n${SEVERAL}\n\nBoth files.`);
    await chat.send('Change two files.', 'Both files.');
    await apply();
    await inDiff('Reject All Changes').click();
    await review('config.ts').waitFor({ state: 'detached' });
    assert.equal(await config(), before);

    await apply();
    const changed = before.replace(BELOW, `    // Changed meanwhile.\n${BELOW}`);
    await writeFile(path.join(chat.folder, 'src/config.ts'), changed);
    // Excludes the deleted line, which is shown until the suggestion has been updated.
    const proposed = chat.workbench.page.locator('.editor.modified .lines-content > .view-lines .view-line');
    await proposed.filter({ hasText: 'Changed meanwhile.' }).waitFor();
    assert.equal(await config(), changed, 'nothing is written before it is accepted');
    await inDiff('Accept All Changes').click();
    await configIs(changed.replace(FROM, TO));
    await chat.workbench.activeTab(/^config\.ts/).waitFor();
    await keyboardIsIn(':not');
    await keys.press('Control+z');
    await configIs(changed);
  });

  it('creates the new file that the reply names, with no accessibility violation', async () => {
    const file = path.join(chat.folder, 'src/hosts.ts');
    await assert.rejects(readFile(file), 'not before it is accepted');
    await review('hosts.ts').click();
    await inDiff('Accept All Changes').click();
    await chat.workbench.activeTab(/^hosts\.ts/).waitFor();
    await eventually(async () => assert.equal(await readFile(file, 'utf8'), "export const HOST = '::1';\n"));
    await chat.show();
    assert.deepEqual(await violations(chat.workbench), []);
  });
});
