import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { violationsIn } from './axe.ts';
import { INIT, PAGE_STATES } from './page-states.ts';
import { servePages, type StandaloneChat } from './standalone-page.ts';
import { openForAllTests } from '../support/per-test.ts';

// The workbench loads the session too quickly, so the page runs alone here, with the host's HTML.
describe('standalone chat page', () => {
  const open = servePages();
  let chat: StandaloneChat;
  let page: Page;

  openForAllTests(async () => ({ page } = chat = await open()));

  it('says that it is loading, with no accessibility violation', async () => {
    const main = page.getByRole('main', { name: 'Chat' });
    await main.getByText('Opening session…').waitFor();
    assert.equal(await main.getAttribute('aria-busy'), 'true');
    assert.deepEqual(await violationsIn(page), []);
  });

  for (const [state, { seen, data }] of Object.entries(PAGE_STATES)) {
    it(`has no accessibility violation with ${state}`, async () => {
      await chat.post(data);
      await page.getByText(seen).first().waitFor();
      assert.deepEqual(await violationsIn(page), []);
    });
  }

  for (const [what, host, shown] of [
    ['the last typed text', 'One thing', 'One thing and another'],
    ['the host’s newer draft', 'One thing\n\nWhy?', 'One thing\n\nWhy?'],
  ] as const)
    it(`shows ${what} after a reload`, async () => {
      const saved = { session: INIT.session, draft: 'One thing and another', told: 'One thing', place: null };
      const again = await open(saved);
      await again.page.getByText('Opening session…').waitFor();
      await again.post({ ...INIT, draft: { text: host, attachments: [] } });
      assert.equal(await again.composer().inputValue(), shown);
      await again.page.close();
    });
});
