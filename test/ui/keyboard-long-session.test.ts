import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatPage } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

describe('long session by keyboard alone', () => {
  let chat: ChatPage;
  let keys: Keyboard;

  before(async function () {
    if (process.env.THREADKEEPER_LONG === undefined) this.skip();
    chat = await ChatPage.open('keyboard-long-session');
    keys = new Keyboard(chat);
    await chat.workbench.openSampleSession();
  });

  const overview = (): Locator => chat.page.getByRole('slider', { name: 'Session overview' });
  const latest = (): Locator => chat.button('Jump to Latest');
  const compression = (): Locator => chat.compressions().first();

  it('jumps to messages with the overview, and back to the latest one with a button', async () => {
    await keys.toComposer();
    await keys.tabTo(overview(), 'Shift+Tab');
    await keys.press('Home');
    await chat.page.locator('.message[aria-posinset="1"]').waitFor();
    assert.equal(await overview().getAttribute('aria-valuenow'), '1');
    assert.equal(await overview().getAttribute('aria-valuetext'), 'Message 1');
    await keys.press('PageDown');
    await chat.page.locator('.message[aria-posinset="1"]').waitFor({ state: 'detached' });
    assert.notEqual(await overview().getAttribute('aria-valuenow'), '1');
    await keys.tabTo(latest(), 'Shift+Tab');
    await chat.workbench.screenshot('jump-to-latest');
    await keys.press('Enter');
    await latest().waitFor({ state: 'detached' });
    const total = await overview().getAttribute('aria-valuemax');
    await chat.page.locator(`.message[aria-posinset="${total}"]`).waitFor();
    await keys.waitForFocus(chat.composer());
  });

  it('searches with /recall, and focuses the chosen message', async () => {
    await keys.toComposer();
    await keys.type('/recall database');
    await keys.press('Enter');
    await keys.waitForFocus(chat.page.getByRole('searchbox'));
    await chat.page.locator('.hit-text').first().waitFor();
    await keys.tabTo(chat.page.locator('.session-open').first());
    await keys.press('Enter');
    await keys.waitForFocus(chat.page.locator('.message:focus', { hasText: /database/i }));
  });

  it('opens the gauge panel, offers to change the policy, and closes the panel with Escape', async () => {
    const gauge = chat.page.locator('.gauge');
    await keys.toComposer();
    await keys.tabTo(gauge, 'Shift+Tab');
    await keys.press('Enter');
    await chat.page.locator('.gauge-panel').waitFor();
    await keys.tabTo(chat.button('Change Policy'), 'Shift+Tab');
    await keys.press('Enter');
    await chat.workbench.paletteRow('frugal').waitFor();
    await keys.press('Escape');
    await chat.workbench.quickInput().waitFor({ state: 'hidden' });
    await keys.toComposer();
    await keys.press('Escape');
    await chat.page.locator('.gauge-panel').waitFor({ state: 'detached' });
    await keys.waitForFocus(gauge);
  });

  it('previews a compression, cancels it with Escape, and runs it', async () => {
    const preview = chat.page.getByRole('region', { name: 'Compress now?' });
    if ((await chat.compressions().count()) === 0) {
      await keys.toComposer();
      await keys.type('/compress');
      await keys.press('Escape', 'Enter');
      await keys.waitForFocus(preview.getByRole('button', { name: 'Compress', exact: true }));
      await keys.press('Escape');
      await preview.waitFor({ state: 'detached' });
    }
    await keys.toComposer();
    await keys.type('/compress');
    await keys.press('Escape', 'Enter');
    await preview.getByRole('button').first().waitFor();
    const compress = preview.getByRole('button', { name: 'Compress', exact: true });
    if ((await compress.count()) === 1) await keys.waitForFocus(compress);
    await keys.press('Enter');
    await preview.waitFor({ state: 'detached' });
    await chat.workbench.waitForNotice(/Compressed/);
    await chat.workbench.clearToasts();
  });

  it('expands a compression to its summary and original messages, undoes it and redoes it', async () => {
    await keys.toComposer();
    await keys.tabTo(overview(), 'Shift+Tab');
    await keys.press('End');
    for (let steps = 0; steps < 60 && (await chat.compressions().count()) === 0; steps++) await keys.press('ArrowUp');
    await keys.pressButton(compression(), /messages →/);
    await compression().locator('.node .markdown').first().waitFor();
    await keys.tabTo(
      compression()
        .getByRole('button', { name: /Show \d+ Original Messages/ })
        .first(),
    );
    await keys.press('Enter');
    await compression().locator('.original').first().waitFor();
    await keys.press('Enter');
    await compression().locator('.original').first().waitFor({ state: 'detached' });
    await keys.tabTo(compression().getByRole('button', { name: 'Undo', exact: true }), 'Shift+Tab');
    await keys.press('Enter');
    await compression().getByText('Undone. The replaced content is sent until it’s compressed again.').waitFor();
    await keys.waitForFocus(compression().getByRole('button', { name: 'Redo' }));
    await keys.press('Enter');
    await compression()
      .getByText(/key events kept/)
      .waitFor();
  });
});
