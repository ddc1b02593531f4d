import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { answerRequest, postedCount, postToPage, showMessages, StandalonePages } from './standalone-page.ts';

describe('narrow chat', () => {
  let pages: StandalonePages;
  let page: Page;

  before(async () => {
    pages = await StandalonePages.start();
    page = await pages.open();
    // The placeholder takes several lines.
    await page.setViewportSize({ width: 200, height: 600 });
    await showMessages(
      page,
      'narrow',
      Array.from({ length: 40 }, (_, index) => `The port is ${index}.`),
    );
  });

  after(() => pages?.stop());

  const composer = (): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
  const drawn = (): Promise<unknown> =>
    page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

  it('stays at its end when the composer’s text is deleted', async () => {
    for (const text of ['A single line', 'Five\n\n\n\nlines']) {
      await composer().fill(text);
      await drawn();
      await composer().press('Control+a');
      await composer().press('Delete');
      await drawn();
      assert.equal(await page.getByRole('button', { name: 'Jump to Latest' }).count(), 0, text);
    }
  });

  it('stays where the user has scrolled in the same frame as the composer’s text was deleted', async () => {
    const scrolled = () => page.evaluate<number>("document.querySelector('.transcript').scrollTop");
    await composer().fill('A single line');
    await page.getByRole('button', { name: 'Jump to Latest' }).waitFor({ state: 'detached' });
    await composer().press('Control+a');
    await drawn();
    const end = await scrolled();
    // Before the page is told that it was scrolled, which happens with the next frame.
    await page.evaluate(`{
      const [field, transcript] = ['textarea', '.transcript'].map((selector) => document.querySelector(selector));
      field.addEventListener('keydown', () => (transcript.scrollTop -= 300), { once: true });
    }`);
    await composer().press('Delete');
    await drawn();
    assert.ok((await scrolled()) <= end - 290, `${end} to ${await scrolled()}`);
    assert.equal(await composer().inputValue(), '');
    await page.getByRole('button', { name: 'Jump to Latest' }).click();
  });

  it('stays at its end when a message is sent', async () => {
    await composer().fill('Five\n\n\n\nlines');
    await composer().press('Enter');
    await drawn();
    assert.equal(await page.getByRole('button', { name: 'Jump to Latest' }).count(), 0);
  });

  it('wraps the name of a setting in the compression preview', async () => {
    const posted = await postedCount(page);
    await postToPage(page, { type: 'focus', target: 'preview' });
    const emptyText = 'Nothing to compress. To change it, use threadkeeper.compression.recentMessages.';
    const sizes = { messages: 0, tokens: { before: 0, after: 0 }, kept: [], dropped: [] };
    const value = { emptyText, ...sizes, model: 'gpt-5', estimatedCostUsd: 0 };
    await answerRequest(page, 'previewCompression', posted, { value });
    await page.getByText(emptyText).waitFor();
    assert.equal(
      await page.evaluate("((text) => text.scrollWidth > text.clientWidth)(document.querySelector('.preview p'))"),
      false,
    );
  });
});
