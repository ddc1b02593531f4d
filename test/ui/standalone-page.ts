import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/editor/find-chromium.ts';
import { root } from '../../scripts/support/paths.ts';
import { pageHtml } from '../../src/host/platform/page-html.ts';
import { eventually } from './eventually.ts';
import { INIT } from './page-states.ts';

const FILES: Readonly<Record<string, string>> = {
  '/webview.js': 'text/javascript',
  '/webview.css': 'text/css',
  '/codicon.css': 'text/css',
  '/codicon.ttf': 'font/ttf',
};

/** The chat page alone in a browser, with the host's HTML. The test simulates the host. */
export class StandalonePages {
  readonly #server: Server;
  readonly #browser: Browser;

  private constructor(server: Server, browser: Browser) {
    this.#server = server;
    this.#browser = browser;
  }

  static async start(): Promise<StandalonePages> {
    const uri = (file: string): string => `/${file}`;
    const html = pageHtml({ nonce: 'n0nce', cspSource: "'self'", language: 'en', translations: {}, uri });
    const server = createServer((request, response) => {
      const type = FILES[request.url ?? ''];
      response.setHeader('content-type', type ?? 'text/html');
      if (type === undefined) response.end(html);
      else void readFile(path.join(root, 'dist', request.url!)).then((content) => response.end(content));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await chromium.launch({ executablePath: await findChromium(console.log), args: ['--no-sandbox'] });
    return new StandalonePages(server, browser);
  }

  /**
   * Opens a page whose host restores `saved`, records posted messages in `posted`, and never answers. `script` runs
   * before the page's own scripts.
   */
  async open(saved: object | null = null, script = ''): Promise<Page> {
    const page = await this.#browser.newPage();
    await page.addInitScript(`
      globalThis.posted = [];
      globalThis.acquireVsCodeApi = () => ({
        getState: () => (${JSON.stringify(saved)}), setState() {}, postMessage: (message) => posted.push(message),
      });
      ${script}`);
    await page.goto(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`);
    return page;
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}

/** Sends a host message to a page. */
export const postToPage = (page: Page, message: object): Promise<void> =>
  page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);

/** A message as it's sent to the page. */
export const messageView = (text: string, more: object = {}) => ({
  ...INIT.messages[0],
  ending: 'complete',
  parts: [{ type: 'text', text }],
  ...more,
});

/** Shows a session with one message, which has the session's ID. */
export async function showMessage(page: Page, session: string, text: string, more = {}, fields = {}): Promise<Locator> {
  await postToPage(page, { ...INIT, session, messages: [messageView(text, { id: session, ...more })], ...fields });
  const row = page.locator(`[data-message="${session}"]`);
  await row.waitFor();
  return row;
}

/** Shows a session with these messages, whose IDs are the session's with their index. */
export async function showMessages(page: Page, session: string, texts: readonly string[]): Promise<void> {
  const messages = texts.map((text, index) => messageView(text, { id: `${session}-${index}` }));
  await postToPage(page, { ...INIT, session, messages, total: messages.length });
  await page.locator(`[data-message^="${session}-"]`).last().waitFor();
}

interface PostedRequest {
  readonly id: number;
  readonly text?: string;
  readonly language?: string;
  readonly href?: string;
  readonly command?: string;
}

/** The page's requests of this type after the first `after` posted messages. */
export const requestsOf = (page: Page, type: string, after = 0): Promise<PostedRequest[]> =>
  page.evaluate(
    `posted.slice(${after}).flatMap(({ id, body }) => (body?.type === '${type}' ? [{ ...body, id }] : []))`,
  );

export const postedCount = (page: Page): Promise<number> => page.evaluate<number>('posted.length');

/** Answers or refuses (`failed`: with a button to try again) the first request of this type after the first `after` posted messages. */
export async function answerRequest(
  page: Page,
  type: string,
  after: number,
  result: { readonly value: unknown } | 'busy' | 'elsewhere' | 'failed',
): Promise<void> {
  await eventually(async () => assert.notEqual((await requestsOf(page, type, after)).length, 0));
  const [{ id }] = (await requestsOf(page, type, after)) as [PostedRequest];
  const action = result === 'failed' ? { label: 'Try Again', command: 'retry' } : undefined;
  const refusal = { type: 'refusal', id, fault: { reason: result, text: 'Not now.', action } };
  await postToPage(page, typeof result === 'string' ? refusal : { type: 'answer', id, ...result });
}
