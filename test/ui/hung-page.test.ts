import assert from 'node:assert/strict';
import { ChatPage } from './chat-page.ts';

/** Longer than a page may be silent. It ends, since the editor in a browser may share its thread with the page. */
const HANGS_FOR_MS = 15_000;

/** Runs in every frame before its own scripts: whoever draws these words in bold holds the page. */
function hang(ms: number): void {
  interface Drawn {
    readonly textContent?: string | null;
    readonly querySelector?: (selector: string) => unknown;
  }
  // Types of the page's own world, which this file is not compiled for.
  const world = globalThis as unknown as {
    Element: { prototype: { replaceChildren: (this: unknown, ...nodes: Drawn[]) => void } };
  };
  const { prototype } = world.Element;
  const draw = prototype.replaceChildren;
  prototype.replaceChildren = function (...nodes) {
    const holds = nodes.some((node) => node.textContent?.includes('HOLD-THE-PAGE') && node.querySelector?.('strong'));
    for (const end = Date.now() + ms; holds && Date.now() < end;);
    draw.apply(this, nodes);
  };
}

describe('a message that hangs the page', () => {
  let chat: ChatPage;

  before(async () => {
    chat = await ChatPage.open('hung-page');
    await chat.workbench.page.addInitScript(hang, HANGS_FOR_MS);
    await chat.workbench.reload();
    await chat.show();
  });

  after(() => chat.workbench.close());

  it('is shown as plain text after the page was reopened, with all others drawn', async () => {
    await chat.write('This one is **fine**.');
    await chat.workbench.webview().locator('.from-user strong', { hasText: 'fine' }).waitFor();
    await chat.button('Send').waitFor();
    await chat.write('And this is **HOLD-THE-PAGE**.');
    const { page } = chat.workbench;
    await page.locator('.notification-toast', { hasText: 'stopped responding' }).first().waitFor({ timeout: 120_000 });
    const webview = chat.workbench.webview();
    const plain = webview.locator('.plain');
    // The page that tries each message alone hangs over this one too, and is replaced by one in which this one alone,
    // and what quotes it, stays plain.
    const last = webview
      .locator('.chat')
      .filter({ has: plain.filter({ hasText: '**HOLD-THE-PAGE**' }) })
      .filter({ hasNot: plain.filter({ hasNotText: 'HOLD-THE-PAGE' }) });
    await last.waitFor({ timeout: 240_000 });
    await webview.locator('.from-user strong', { hasText: 'fine' }).waitFor();
    // It answers: what is written goes. Of words that were not said nothing is quoted, and so drawn once more.
    await chat.send('Zebras, giraffes?', 'No model is configured');
    assert.equal(await webview.locator('strong', { hasText: 'HOLD-THE-PAGE' }).count(), 0);
  }).timeout(600_000);
});
