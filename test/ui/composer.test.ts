import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { WireServer } from '../support/wire-server.ts';
import { answeredBy, ChatPage } from './chat-page.ts';

describe('writing in the chat', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = await WireServer.start();
    server.answer('Understood.');
    chat = await ChatPage.open('composer', answeredBy(server));
    await writeFile(path.join(chat.folder, 'broken.json'), '{\n  "port": ,\n  "host": "local"\n}\n');
  });

  after(async () => {
    await chat.workbench.close();
    await server.stop();
  });

  const chips = (): Locator => chat.workbench.webview().locator('.composer .chip');
  const suggestions = (): Locator => chat.workbench.webview().getByRole('option');
  const steps = (): Locator => chat.workbench.webview().locator('.task').getByRole('checkbox');

  /** Opens a file of the workspace by its name. */
  async function openFile(name: string): Promise<void> {
    const { page } = chat.workbench;
    await page.keyboard.press('Control+p');
    await chat.workbench.quickInput().fill(name);
    await chat.workbench.paletteRow(name).click();
    await page.locator('.tab.active', { hasText: name }).waitFor();
  }

  it('offers its commands on a slash, by keyboard', async () => {
    await chat.composer().fill('');
    await chat.composer().pressSequentially('/');
    assert.deepEqual(
      await suggestions().locator('.suggestion-label').allInnerTexts(),
      ['compress', 'reset', 'task', 'recall', 'pin', 'model', 'policy', 'export', 'new'].map((name) => `/${name}`),
    );
    await chat.composer().press('Escape');
    await suggestions().first().waitFor({ state: 'detached' });
    await chat.composer().fill('');
    await chat.composer().pressSequentially('/ta');
    await chat.composer().press('Enter');
    assert.equal(await chat.composer().inputValue(), '/task ');
  });

  it('sets a task whose steps are ticked, skipped, added, and reset', async () => {
    await chat.write('/task Ship the gateway; Write it; Test it; Tell the others');
    await chat.workbench.webview().getByText('0 of 3 steps').waitFor();
    await steps().filter({ hasText: 'Write it' }).click();
    await chat.workbench.webview().getByText('1 of 3 steps').waitFor();
    await chat.button('Skip “Tell the others”').click();
    await chat.workbench.webview().getByText('2 of 3 steps').waitFor();
    const more = chat.workbench.webview().getByRole('textbox', { name: 'Add a step' });
    await more.fill('Rest');
    await more.press('Enter');
    await chat.workbench.webview().getByText('2 of 4 steps').waitFor();
    await chat.write('/reset');
    await steps().first().waitFor({ state: 'detached' });
  });

  it('adopts a task list from a reply, and ticks what a reply reports done', async () => {
    server.answer('The plan:\n\n- [ ] Write the parser\n- [ ] Test it');
    await chat.send('Plan it.', 'The plan:');
    await chat.act(chat.message('The plan:'), 'Use as task steps');
    await chat.workbench.webview().getByText('0 of 2 steps').waitFor();
    server.answer('Half way:\n\n- [x] **Write the parser**\n- [ ] Test it');
    await chat.send('Begin.', 'Half way:');
    await chat.workbench.webview().getByText('1 of 2 steps').waitFor();
    assert.equal(await steps().filter({ hasText: 'Write the parser' }).getAttribute('aria-checked'), 'true');
  });

  it('pins a sentence that was said, by a command', async () => {
    server.answer('We settled on port 8443 for the gateway.');
    await chat.send('Which port?', 'We settled on port 8443');
    await chat.write('/pin port 8443 for the gateway');
    await chat.said('Pinned').waitFor();
    await chat.message('We settled on port 8443').getByRole('button', { name: '1 key event' }).click();
    const event = chat.message('We settled on port 8443').locator('.event');
    await event.getByRole('button', { name: 'Not a key event' }).click();
    await event.waitFor({ state: 'detached' });
    await chat.said('No longer a key event.').getByRole('button', { name: 'Undo' }).click();
    await chat.message('We settled on port 8443').getByRole('button', { name: '1 key event' }).click();
    await event.locator('q').getByText('port 8443 for the gateway').waitFor();
  });

  it('finds what was said while it is typed, and goes there', async () => {
    await chat.button('Recall').click();
    const field = chat.workbench.webview().getByRole('searchbox', { name: 'Find what was said' });
    await field.pressSequentially('8443');
    await chat.workbench.webview().locator('.hit-text', { hasText: '8443' }).first().click();
    await chat.workbench.webview().locator('.message.marked', { hasText: '8443' }).waitFor();
  });

  it('attaches a file by its name, with its size in tokens', async () => {
    await chat.composer().fill('');
    await chat.composer().pressSequentially('Look at #config');
    await suggestions().filter({ hasText: 'config.ts' }).waitFor();
    await chat.composer().press('Enter');
    await chips()
      .filter({ hasText: /config\.ts.*[\d.,]+ tokens/ })
      .waitFor();
    assert.equal(await chat.composer().inputValue(), 'Look at ');
    await chat.button('Remove config.ts').click();
    await chips().waitFor({ state: 'detached' });
    await chat.composer().fill('');
  });

  it('folds a long paste into an attachment', async () => {
    const { page } = chat.workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chat.composer().fill('A long line of a log. '.repeat(300));
    await chat.composer().press('Control+a');
    await chat.composer().press('Control+x');
    await chat.composer().press('Control+v');
    await chips().filter({ hasText: 'Pasted text' }).waitFor();
    assert.equal(await chat.composer().inputValue(), '');
    server.answer('A log.');
    await chat.composer().press('Enter');
    await chat.message('A log.').waitFor();
    const sent = chat.messages().filter({ has: chat.workbench.webview().locator('.chip') });
    await sent.last().getByText('Pasted text').waitFor();
    assert.match(JSON.stringify(server.lastRequest?.body), /A long line of a log/);
    assert.equal(await chips().count(), 0);
  });

  it('goes back through what was sent by arrow keys', async () => {
    await chat.composer().press('ArrowUp');
    await chat.composer().press('ArrowUp');
    assert.equal(await chat.composer().inputValue(), 'Which port?');
    await chat.composer().press('ArrowDown');
    await chat.composer().press('ArrowDown');
    assert.equal(await chat.composer().inputValue(), '');
  });

  it('takes the selection of the editor, from its menu or by a key', async () => {
    await openFile('config.ts');
    await chat.workbench.editorText().click();
    await chat.workbench.page.keyboard.press('Control+a');
    await chat.workbench.editorText().click({ button: 'right' });
    const menu = chat.workbench.page.locator('.monaco-menu');
    await menu.getByText('Explain Problem').waitFor();
    await menu.getByText('Ask about Selection').click();
    await chips()
      .filter({ hasText: /config\.ts, lines 1–\d+/ })
      .waitFor();
    await chat.button(/^Remove config\.ts/).click();
    await chips().waitFor({ state: 'detached' });
  });

  it('asks about a problem of a file, and leaves the sending to the user', async () => {
    await openFile('broken.json');
    const { page } = chat.workbench;
    await page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+.');
    await page
      .locator('.action-widget')
      .getByText(/Explain with Threadkeeper/)
      .click();
    await chips()
      .filter({ hasText: /broken\.json, lines 1–\d/ })
      .waitFor();
    assert.match(await chat.composer().inputValue(), /^Explain this problem in `broken\.json:2`/);
    const requests = server.requests.length;
    await chat.button(/^Remove broken\.json/).click();
    await chat.composer().fill('');
    assert.equal(server.requests.length, requests, 'nothing was sent');
  });

  it('lets the session choose when it compresses', async () => {
    await chat.write('/policy');
    await chat.workbench.paletteRow('frugal').click();
    await chat.workbench.webview().locator('.gauge').click();
    await chat.workbench.webview().locator('.gauge-policy', { hasText: 'frugal' }).waitFor();
    await chat.composer().press('Escape');
  });
});
