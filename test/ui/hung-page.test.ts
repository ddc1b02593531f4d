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
    const plain = chat.workbench.webview().locator('.from-user .plain', { hasText: '**HOLD-THE-PAGE**' });
    await plain.waitFor({ timeout: 120_000 });
    await chat.workbench.webview().locator('.from-user strong', { hasText: 'fine' }).waitFor();
    // It answers: what is written goes.
    await chat.write('And on.');
    await chat.message('And on.').first().waitFor();
    // The page that tries each message alone hangs over this one too, and is replaced by one that leaves it plain.
    await page.waitForTimeout(2 * HANGS_FOR_MS);
    const drawn = chat.workbench.webview().locator('strong', { hasText: 'HOLD-THE-PAGE' });
    await drawn.waitFor({ state: 'detached', timeout: 120_000 });
    await plain.waitFor();
  }).timeout(300_000);
});
