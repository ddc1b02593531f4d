import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { servePages } from './standalone-page.ts';
import { openForEachTest } from '../support/per-test.ts';

describe('notice with an action', () => {
  const SHOWN_MS = 8_000;
  const open = servePages();
  let page: Page;

  openForEachTest(async () => {
    const chat = await open();
    ({ page } = chat);
    await page.clock.install();
    await chat.show('The port is 8443.');
    await chat.post({ type: 'toast', text: 'Undone.', action: { id: 1, label: 'Redo' } });
    await redo().waitFor();
    return chat;
  });

  const redo = (): Locator => page.getByRole('button', { name: 'Redo' });
  const passTime = (): Promise<void> => page.clock.runFor(SHOWN_MS);

  it('stays while it has the focus', async () => {
    await redo().focus();
    await passTime();
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await passTime();
    assert.equal(await redo().count(), 1);
    await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
    await passTime();
    assert.equal(await redo().count(), 0);
  });

  it('stays while the pointer is over it', async () => {
    await redo().hover();
    await passTime();
    assert.equal(await redo().count(), 1);
    await page.getByRole('article').hover();
    await passTime();
    assert.equal(await redo().count(), 0);
  });
});
