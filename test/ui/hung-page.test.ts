import assert from 'node:assert/strict';
import { ChatPage } from './chat-page.ts';

/**
 * Longer than an unresponsive page is tolerated, but finite, because VS Code in a browser may run on the same thread.
 */
const HANGS_FOR_MS = 15_000;

/** Runs in every frame before its own scripts, and blocks the page when it renders these words in bold. */
const HANG = `{
  const { replaceChildren } = Element.prototype;
  Element.prototype.replaceChildren = function (...nodes) {
    const holds = nodes.some((node) => node.textContent?.includes('HOLD-THE-PAGE') && node.querySelector?.('strong'));
    for (const end = Date.now() + ${HANGS_FOR_MS}; holds && Date.now() < end;);
    replaceChildren.apply(this, nodes);
  };
}`;

describe('message that hangs the page', () => {
  let chat: ChatPage;

  before(async () => {
    chat = await ChatPage.open('hung-page');
    await chat.workbench.page.addInitScript(HANG);
    await chat.workbench.reload();
    await chat.show();
  });

  it('is shown as plain text after the page is reopened, with all other messages rendered', async () => {
    await chat.submit('This one is **fine**.');
    await chat.page.locator('.from-user strong', { hasText: 'fine' }).waitFor();
    await chat.button('Send').waitFor();
    await chat.submit('And this is **HOLD-THE-PAGE**.');
    const { page } = chat.workbench;
    await page.locator('.notification-toast', { hasText: 'stopped responding' }).first().waitFor({ timeout: 120_000 });
    const webview = chat.page;
    const plain = webview.locator('.plain');
    // This message also blocks the page that tries each message alone. That page is replaced by one in which only this
    // message and its quotes are plain text.
    const last = webview
      .locator('.chat')
      .filter({ has: plain.filter({ hasText: '**HOLD-THE-PAGE**' }) })
      .filter({ hasNot: plain.filter({ hasNotText: 'HOLD-THE-PAGE' }) });
    await last.waitFor({ timeout: 240_000 });
    await webview.locator('.from-user strong', { hasText: 'fine' }).waitFor();
    // The page responds again: a message can be sent. Its words don't match the blocking message, so that it isn't
    // quoted and rendered again.
    await chat.send('Zebras, giraffes?', 'No model is configured');
    assert.equal(await webview.locator('strong', { hasText: 'HOLD-THE-PAGE' }).count(), 0);
  }).timeout(600_000);
});
