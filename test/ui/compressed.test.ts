import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatPage, scrollBackTo } from './chat-page.ts';

describe('compressed session in the chat', () => {
  let chat: ChatPage;
  /** Key events that the preview promised to keep. */
  let previewed: string | undefined;

  before(async () => {
    chat = await ChatPage.open('compressed');
    await chat.workbench.openSampleSession();
  });

  const scroller = (): Locator => chat.page.getByRole('feed');
  const row = (): Locator => chat.compressions().first();
  const toggle = (): Locator => row().locator('.compression-toggle');

  /** Expands or collapses the compression, unless that's done already. */
  async function expand(isExpanded: boolean): Promise<void> {
    if ((await toggle().getAttribute('aria-expanded')) !== String(isExpanded)) await toggle().click();
  }

  it('previews a compression before running it', async () => {
    await chat.submit('/compress');
    const preview = chat.page.getByRole('region', { name: 'Compress now?' });
    await preview.getByText(/Compresses \d+ messages\. Context: [\d,]+ → about [\d,]+ tokens\. No cost\./).waitFor();
    previewed = /\((\d+)\)/.exec(await preview.getByText(/Kept verbatim \(\d+\)/).innerText())?.[1];
    await preview.getByRole('button', { name: 'Cancel' }).click();
    await preview.waitFor({ state: 'detached' });
    assert.equal(await chat.compressions().count(), 0);
  });

  it('shows a row with the compression’s figures where it happened', async () => {
    await chat.submit('/compress');
    await chat.page.getByRole('button', { name: 'Compress', exact: true }).click();
    const said = await chat.toast(/Compressed/).innerText();
    assert.equal(/Key events kept: (\d+)/.exec(said)?.[1], previewed, 'as the preview said');
    await chat.workbench.openSidebar('Threadkeeper');
    await chat.workbench.treeRow(new RegExp(`^Key events\\s*${previewed}`)).waitFor();
    await chat.scrollToCompression();
    assert.match(
      await toggle().innerText(),
      /\d+ messages → \d+ summar(y|ies)\s+Context: [\d,]+ → [\d,]+ tokens · \d+ of \d+ key events kept · \$0\.00/,
    );
  });

  it('expands a compression to its summary and its original messages', async () => {
    await expand(true);
    const node = row().locator('.node').first();
    await node.locator('.markdown').first().waitFor();
    await node.getByRole('button', { name: /Show \d+ Original Messages/ }).click();
    const originals = node.locator('.original');
    await originals.first().waitFor();
    const count = await originals.count();
    assert.ok(count > 0 && count <= 20, `${count} at a time`);
    const more = node.getByRole('button', { name: /Show More \(\d+ remaining\)/ });
    if ((await more.count()) > 0) {
      await more.click();
      await originals.nth(count).waitFor();
    }
    await node.getByRole('button', { name: 'Hide Original Messages' }).click();
    await originals.first().waitFor({ state: 'detached' });
  });

  it('undoes and redoes a compression in its row, which also follows the undo command', async () => {
    await chat.scrollToCompression();
    await expand(false);
    const undone = row().getByText('Undone. The replaced content is sent until it’s compressed again.');
    const redo = row().getByRole('button', { name: 'Redo' });
    await row().getByRole('button', { name: 'Undo', exact: true }).click();
    await undone.waitFor();
    await chat.page.locator('.message.covered').first().waitFor({ state: 'detached' });
    await redo.click();
    await row()
      .getByText(/key events kept/)
      .waitFor();
    await chat.workbench.runCommand('Threadkeeper: Undo Last Compression');
    await undone.waitFor();
    await redo.click();
    await row()
      .getByText(/key events kept/)
      .waitFor();
    await chat.workbench.clearToasts();
    await expand(true);
    await row().locator('.node').first().waitFor();
    await expand(false);
  });

  it('previews the same key events after an undo, and has no reverted summaries after compressing again', async () => {
    const expanded = chat.workbench.treeRow('Reverted summaries');
    await chat.workbench.runCommand('Threadkeeper: Undo Last Compression');
    await expanded.waitFor();
    await chat.workbench.runCommand('Threadkeeper: Compress History');
    const preview = chat.page.getByRole('region', { name: 'Compress now?' });
    await preview.getByText(`Kept verbatim (${previewed})`).waitFor();
    await preview.getByRole('button', { name: 'Compress', exact: true }).click();
    await expanded.waitFor({ state: 'detached' });
    await chat.workbench.treeRow(new RegExp(`^Key events\\s*${previewed}`)).waitFor();
  });

  it('marks messages that are no longer sent verbatim, and names their summary', async () => {
    const named = chat.page.locator('.message.covered .cover-chip', { hasText: /^In a summary: ./ });
    await scrollBackTo(scroller(), named);
    await named.first().click();
    await chat.workbench.newestWebview().locator('.document').waitFor();
    await chat.workbench.runCommand('View: Close Editor');
    await chat.show();
  });

  it('shows user messages, replies, key events and compressions in the overview', async () => {
    for (const kind of ['user', 'reply', 'event', 'compression'])
      await chat.page.locator(`.minimap .map-${kind}`).first().waitFor({ state: 'attached' });
  });

  it('jumps to a message with the overview, and to the latest message with a button', async () => {
    const map = chat.page.locator('.minimap');
    const box = await map.boundingBox();
    assert.ok(box);
    await chat.workbench.page.mouse.click(box.x + box.width / 2, box.y + 4);
    await chat.page.locator('.message[aria-posinset="1"]').waitFor();
    await chat.button('Jump to Latest').click();
    const total = await chat.messages().last().getAttribute('aria-setsize');
    await chat.page.locator(`.message[aria-posinset="${total}"]`).waitFor();
    await chat.button('Jump to Latest').waitFor({ state: 'detached' });
  });

  it('shows the excerpts recalled for a question, and jumps to their messages', async () => {
    await chat.send('What did we decide about the database for the bookings?', 'No model is configured');
    const recalled = chat.message('What did we decide about the database').last().locator('.recalled');
    await recalled.getByText(/^Recalled excerpts: \d+$/).click();
    const excerpt = recalled.locator('.recalled-excerpt').first();
    const position = /^(\d+) ·/.exec(await excerpt.innerText())?.[1];
    assert.ok(position);
    await excerpt.click();
    // The focus moves as well.
    await chat.page.locator(`.message[aria-posinset="${position}"]:focus`).waitFor();
    await chat.button('Jump to Latest').click();
  });
});
