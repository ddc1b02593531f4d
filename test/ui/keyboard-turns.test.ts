import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer, SLOW_REPLY } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { Keyboard } from './keyboard.ts';
import { ATTEMPT_TIMEOUT_MS } from './workbench.ts';

describe('conversation by keyboard alone', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;
  let made = 0;

  before(async () => {
    server = await startModelServer();
    chat = await ChatPage.open('keyboard-turns', chatServerSettings(server));
    await chat.workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    keys = new Keyboard(chat);
  });

  afterEach(async () => {
    // An open dialog would take the keys of all later tests.
    const dialog = chat.workbench.page.locator('.monaco-dialog-box');
    if (await dialog.isVisible()) {
      await keys.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await chat.stopReply();
  });

  /** Sends a question and waits for the reply. Both are unique. */
  async function turn(more = ''): Promise<{ question: string; reply: string }> {
    made += 1;
    const [question, reply] = [`Question ${made}.`, `Reply ${made}.`];
    server.answer(reply + more);
    await keys.send(question, reply);
    return { question, reply };
  }

  it('recalls sent messages into the composer, newest first', async () => {
    const older = await turn();
    const newer = await turn();
    await keys.toComposer();
    for (const [key, text] of [
      ['ArrowUp', newer.question],
      ['ArrowUp', older.question],
      ['ArrowDown', newer.question],
      ['ArrowDown', ''],
    ] as const) {
      await keys.press(key);
      await keys.waitForDraft(text);
    }
  });

  it('copies a reply as Markdown, and quotes it', async () => {
    const { reply } = await turn(' With *weight*.');
    await keys.pressButton(chat.message(reply), 'Copy as Markdown');
    await chat.toast('Copied').waitFor();
    await keys.toComposer();
    await keys.press('Control+v');
    await keys.waitForDraft(`${reply} With *weight*.`);
    await keys.toComposer();
    await keys.pressButton(chat.message(reply), 'Quote');
    await keys.waitForFocus(chat.composer());
    await keys.waitForDraft(`> ${reply} With *weight*.\n\n`);
  });

  it('quotes and pins words selected with the arrow keys', async () => {
    const { reply } = await turn(' We settled on port 8443 for the gateway.');
    const row = chat.message(reply);
    const words = ['settled', 'on', 'port', '8443'];
    await keys.toRow(row);
    await keys.selectWords(words);
    await keys.tabTo(row.getByRole('button', { name: 'Quote' }));
    await keys.press('Enter');
    await keys.waitForDraft('> settled on port 8443\n\n');
    await keys.toRow(row);
    await keys.selectWords(words);
    await keys.tabTo(row.getByRole('button', { name: 'Pin as Key Event' }));
    await keys.press('Enter');
    await chat.toast('Pinned').waitFor();
    await keys.pressButton(row, '1 key event');
    await row.locator('q', { hasText: 'settled on port 8443' }).waitFor();
    await keys.tabTo(row.getByRole('button', { name: 'Unpin' }));
    await keys.press('Enter');
    await keys.waitForFocus(row.getByRole('button', { name: 'Pin', exact: true }));
  });

  it('retries a reply, edits and resends a question, and keeps both branches', async () => {
    const { question, reply } = await turn();
    server.answer(`${reply} In another way.`);
    await keys.pressButton(chat.message(reply), 'Retry');
    const second = chat.message('In another way.').last();
    await second.getByText('Branch 2 of 2').waitFor();
    await keys.pressButton(second, 'Previous Branch');
    await chat.message(reply).getByText('Branch 1 of 2').waitFor();
    await keys.pressButton(chat.message(question), 'Edit and Resend');
    const editor = chat.page.getByRole('textbox', { name: 'Edit and Resend' });
    await keys.waitForFocus(editor);
    await keys.press('Escape');
    await editor.waitFor({ state: 'detached' });
    await keys.pressButton(chat.message(question), 'Edit and Resend');
    await keys.waitForFocus(editor);
    await keys.clear();
    await keys.type(`${question} Rather so.`);
    server.answer(`${reply} To the other question.`);
    await keys.press('Enter');
    await chat.message('To the other question.').last().waitFor();
    const changed = chat.message(`${question} Rather so.`);
    await changed.getByText('Branch 2 of 2').waitFor();
    await keys.pressButton(changed, 'Previous Branch');
    await chat.message(question).getByText('Branch 1 of 2').waitFor();
    await keys.pressButton(chat.message(question), 'Next Branch');
    await changed.waitFor();
  });

  it('deletes a message, and restores it with Undo', async () => {
    const { reply } = await turn();
    await keys.pressButton(chat.message(reply), 'Delete Message');
    await chat.message(reply).waitFor({ state: 'detached' });
    await keys.tabTo(chat.toast('Message deleted.').getByRole('button', { name: 'Undo' }));
    await keys.press('Enter');
    await chat.message(reply).waitFor();
  });

  it('starts a new branch from an earlier reply', async () => {
    const { reply } = await turn();
    const later = await turn();
    await keys.pressButton(chat.message(reply), 'Start New Branch from Here');
    await chat.message(later.reply).waitFor({ state: 'detached' });
    await keys.tabTo(chat.toast('Your next message starts a new branch here.').getByRole('button', { name: 'Undo' }));
    await keys.press('Enter');
    await chat.message(later.reply).waitFor();
    await keys.pressButton(chat.message(reply), 'Start New Branch from Here');
    await chat.message(later.reply).waitFor({ state: 'detached' });
    const forked = await turn();
    await chat.message(forked.question).getByText('Branch 2 of 2').waitFor();
  });

  it('stops a reply, and continues it', async () => {
    made += 1;
    server.answer({ ...SLOW_REPLY, text: `Slow reply ${made}. ${SLOW_REPLY.text}` });
    await keys.toComposer();
    await keys.type('Go slowly.');
    await keys.press('Enter');
    const slow = chat.message(`Slow reply ${made}.`);
    await slow.waitFor();
    await keys.press('Escape');
    await slow.getByText('Stopped').waitFor();
    server.answer(`The rest of ${made}.`);
    await keys.pressButton(slow, 'Continue');
    await chat.message(`The rest of ${made}.`).waitFor();
    await chat.button('Send').waitFor();
  });

  it('opens a file link at its line, and a web link after a confirmation that shows the address', async () => {
    const { reply } = await turn(' See `src/config.ts:3` and [the manual](https://example.com/manual).');
    const row = chat.message(reply);
    await keys.toRow(row);
    await keys.tabTo(row.getByRole('link', { name: 'src/config.ts:3' }));
    await keys.press('Enter');
    await chat.workbench.activeTab('config.ts').waitFor();
    await chat.workbench.page.getByRole('button', { name: /Ln 3, Col 1/ }).waitFor();
    await keys.toRow(row);
    await keys.tabTo(row.getByRole('link', { name: 'the manual' }));
    await keys.press('Enter');
    const dialog = chat.workbench.dialog('Do you want to open this link outside VS Code?');
    await dialog.getByText('https://example.com/manual').waitFor();
    await keys.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keys.toComposer();
  });

  it('opens a web link with its exact address', async () => {
    const address = 'https://example.com/search?q=c%2B%2B%20%23tag&a=b%26c';
    const { reply } = await turn(` See [the search](${address}).`);
    const row = chat.message(reply);
    await keys.toRow(row);
    await keys.tabTo(row.getByRole('link', { name: 'the search' }));
    await keys.press('Enter');
    const { page } = chat.workbench;
    await page.evaluate('window.open = (url) => { document.title = `opened ${url}`; return null; }');
    await chat.workbench.dialog('Do you want to open this link outside VS Code?').getByText(address).waitFor();
    // VS Code may ask as well.
    const open = page.locator('.monaco-dialog-box').getByRole('button', { name: 'Open' });
    await eventually(async () => {
      if ((await page.title()).startsWith('opened')) return;
      await open.click({ timeout: ATTEMPT_TIMEOUT_MS });
      assert.match(await page.title(), /^opened/);
    });
    assert.equal(await page.title(), `opened ${address}`);
    await keys.toComposer();
  });

  it('copies code, inserts it at the cursor, and opens it in a new file', async () => {
    made += 1;
    const code = `export const port = ${8000 + made};`;
    const { reply } = await turn(` See \`src/config.ts:3\`.\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
    const row = chat.message(reply);
    const use = async (action: string): Promise<void> => {
      await keys.toRow(row);
      await keys.tabTo(row.locator('.code-block').getByRole('button', { name: action }));
      await keys.press('Enter');
    };
    await keys.toRow(row);
    await keys.tabTo(row.getByRole('link', { name: 'src/config.ts:3' }));
    await keys.press('Enter');
    await chat.workbench.activeTab('config.ts').waitFor();
    await use('Copy');
    await chat.toast('Copied').waitFor();
    await keys.toComposer();
    await keys.press('Control+v');
    await keys.waitForDraft(code);
    await use('Insert at Cursor');
    await chat.workbench.page.locator('.monaco-editor .view-line', { hasText: code }).first().waitFor();
    await use('Open in New File');
    await chat.workbench.activeTab('Untitled').waitFor();
    await chat.workbench.editorText().getByText(code).waitFor();
    await keys.toComposer();
    assert.equal(await chat.chips().count(), 0, 'nothing was attached unasked');
  });
});
