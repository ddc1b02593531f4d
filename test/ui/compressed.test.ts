import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatPage } from './chat-page.ts';

describe('a compressed session in the chat', () => {
  let chat: ChatPage;

  before(async () => {
    chat = await ChatPage.open('compressed');
    await chat.workbench.runCommand('Threadkeeper: Open Sample Session');
    await chat.workbench.toast(/Imported \d+ messages/).waitFor();
    await chat.workbench.clearToasts();
    await chat.messages().first().waitFor();
  });

  after(() => chat.workbench.close());

  const page = () => chat.workbench.webview();
  const scroller = (): Locator => page().getByRole('feed');
  const row = (): Locator => chat.compressions().first();
  const toggle = (): Locator => row().locator('.compression-toggle');

  /** Scrolls the transcript until the row of the compression is on the page. */
  async function toRow(): Promise<void> {
    await scroller().press('End');
    await scroller().hover();
    for (let turns = 0; turns < 100 && (await chat.compressions().count()) === 0; turns++)
      await chat.workbench.page.mouse.wheel(0, -600);
    await row().waitFor();
  }

  it('shows what a compression would do before it does it', async () => {
    await chat.write('/compress');
    const preview = page().getByRole('region', { name: 'Compress now?' });
    await preview.getByText(/\d+ messages become summaries: [\d,]+ → [\d,]+ tokens/).waitFor();
    await preview.getByText(/Kept word for word \(\d+\)/).waitFor();
    await preview.getByRole('button', { name: 'Cancel' }).click();
    await preview.waitFor({ state: 'detached' });
    assert.equal(await chat.compressions().count(), 0);
  });

  it('has a row where it happened, with its figures', async () => {
    await chat.write('/compress');
    await page().getByRole('button', { name: 'Compress', exact: true }).click();
    await chat.workbench.toast(/Compressed/).waitFor();
    await chat.workbench.clearToasts();
    await toRow();
    assert.match(
      await toggle().innerText(),
      /\d+ messages → \d+ summar(y|ies)\s+[\d,]+ → [\d,]+ tokens · \d+ of \d+ key events kept · \$0\.00/,
    );
  });

  it('opens to the summary, and to the original messages in place', async () => {
    await toggle().click();
    const node = row().locator('.node').first();
    await node.locator('.markdown').first().waitFor();
    await node.getByRole('button', { name: /Show the \d+ original messages/ }).click();
    const originals = node.locator('.original');
    await originals.first().waitFor();
    const count = await originals.count();
    assert.ok(count > 0 && count <= 20, `${count} at a time`);
    const more = node.getByRole('button', { name: /Show more \(\d+ left\)/ });
    if ((await more.count()) > 0) {
      await more.click();
      await originals.nth(count).waitFor();
    }
    await node.getByRole('button', { name: 'Hide the original messages' }).click();
    await originals.first().waitFor({ state: 'detached' });
    await toggle().click();
  });

  it('marks what is no longer sent word for word, and names its summary', async () => {
    await scroller().focus();
    await scroller().press('Home');
    const covered = page().locator('.message.covered').first();
    await covered.locator('.cover-chip', { hasText: /^In a summary: ./ }).waitFor();
    await covered.locator('.cover-chip').click();
    await chat.workbench.page.locator('.tab.active').filter({ hasNotText: 'Threadkeeper' }).waitFor();
    await chat.show();
  });

  it('jumps by the overview, and back to the newest message by a button', async () => {
    const map = page().locator('.minimap');
    const box = await map.boundingBox();
    assert.ok(box);
    await chat.workbench.page.mouse.click(box.x + box.width / 2, box.y + 4);
    await page().locator('.message[aria-posinset="1"]').waitFor();
    await chat.button('Jump to latest').click();
    const total = await chat.messages().last().getAttribute('aria-setsize');
    await page().locator(`.message[aria-posinset="${total}"]`).waitFor();
    await chat.button('Jump to latest').waitFor({ state: 'detached' });
  });
});
