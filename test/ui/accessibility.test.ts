import assert from 'node:assert/strict';
import { pageFrame, showTheme, THEMES, violations } from './axe.ts';
import { ChatPage, scrollBackTo } from './chat-page.ts';
import { PAGE_STATES } from './page-states.ts';
import type { Workbench } from './workbench.ts';

describe('chat page', () => {
  let chat: ChatPage;
  let workbench: Workbench;

  before(async () => {
    chat = await ChatPage.open('accessibility');
    ({ workbench } = chat);
  });

  it('has no accessibility violations while empty', async () => {
    assert.deepEqual(await violations(workbench), []);
  });

  for (const theme of THEMES) {
    const { name } = theme;
    it(`has no accessibility violations with a long session in the ${name} theme`, async () => {
      await showTheme(chat, theme);
      if (name === 'light') {
        await workbench.openSampleSession();
        await workbench.compressHistory();
        await workbench.waitForNotice(/Compressed/);
        await workbench.clearToasts();
      }
      await workbench.webview().getByRole('article').first().waitFor();
      await workbench.screenshot(`theme-${name}`);
      assert.deepEqual(await violations(workbench), []);
    });

    it(`has no accessibility violations in the ${name} theme with panels, menu, suggestions and a compression open`, async () => {
      const page = workbench.webview();
      const composer = page.getByRole('textbox', { name: 'Message', exact: true });
      const button = (label: string) => page.getByRole('button', { name: label, exact: true });
      await composer.fill('/');
      await page.getByRole('option').first().waitFor();
      const toggle = page.locator('.compression-toggle').first();
      await scrollBackTo(page.getByRole('feed'), toggle);
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
      await page.locator('.node .markdown').first().waitFor();
      assert.deepEqual(await violations(workbench), []);
      await workbench.screenshot(`compression-${name}`);
      await composer.fill('');
      await toggle.click();
      await button('Search').click();
      await page.getByRole('searchbox').fill('database');
      await page.locator('.hit-text').first().waitFor();
      await button('Add Context').click();
      await page.getByRole('menu').waitFor();
      await workbench.screenshot(`recall-${name}`);
      assert.deepEqual(await violations(workbench), []);
      await page.locator('.title-button').click();
      await page.locator('.session').first().waitFor();
      assert.deepEqual(await violations(workbench), []);
      await page.locator('.gauge').click();
      await page.locator('.gauge-panel').waitFor();
      assert.deepEqual(await violations(workbench), []);
      await composer.fill('/compress');
      await composer.press('Enter');
      await page.getByRole('region', { name: 'Compress now?' }).getByRole('button').first().waitFor();
      assert.deepEqual(await violations(workbench), []);
      await page.getByRole('region', { name: 'Compress now?' }).getByRole('button').first().click();
    });

    it(`has no accessibility violations in the ${name} theme during turns and errors, and with hostile text`, async () => {
      const frame = await pageFrame(workbench);
      for (const [state, message] of Object.entries(PAGE_STATES)) {
        await frame.evaluate((data) => postMessage(data, '*'), message.data);
        await frame.getByText(message.seen).first().waitFor();
        await workbench.screenshot(`state-${Object.keys(PAGE_STATES).indexOf(state)}-${name}`);
        assert.deepEqual(await violations(workbench), [], state);
      }
      // A gap in a reply makes the page request the real session again.
      const gap = { type: 'replyDelta', session: 'none', id: 'none', offset: 9, text: 'x' };
      await frame.evaluate((data) => postMessage(data, '*'), gap);
      await workbench.webview().getByRole('feed').waitFor();
    });
  }
});
