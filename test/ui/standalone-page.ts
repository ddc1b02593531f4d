import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/editor/find-chromium.ts';
import { root } from '../../scripts/support/paths.ts';
import { pageHtml } from '../../src/host/platform/page-html.ts';
import { eventually } from './eventually.ts';
import { INIT } from './page-states.ts';
import { LoopbackServer } from '../support/loopback-server.ts';

const FILES: Readonly<Record<string, string>> = {
  '/webview.js': 'text/javascript',
  '/webview.css': 'text/css',
  '/codicon.css': 'text/css',
  '/codicon.ttf': 'font/ttf',
};

/**
 * Serves the chat page with the host's HTML while the tests of the surrounding `describe` run. Returns a function that
 * opens it in a browser: the host restores `saved`, and `script` runs before the page's own scripts.
 */
export function servePages(): (saved?: object | null, script?: string) => Promise<StandaloneChat> {
  let server: LoopbackServer;
  let browser: Browser | undefined;

  before(async () => {
    const uri = (file: string): string => `/${file}`;
    const html = pageHtml({ nonce: 'n0nce', cspSource: "'self'", language: 'en', translations: {}, uri });
    server = await new LoopbackServer().listen((request, response) => {
      const type = FILES[request.url ?? ''];
      response.setHeader('content-type', type ?? 'text/html');
      if (type === undefined) response.end(html);
      else void readFile(path.join(root, 'dist', request.url!)).then((content) => response.end(content));
    });
    browser = await chromium.launch({ executablePath: await findChromium(console.log), args: ['--no-sandbox'] });
  });

  after(async () => {
    await browser?.close();
    await server.stop();
  });

  return async (saved = null, script = '') => {
    const page = await browser!.newPage();
    await page.addInitScript(`
      globalThis.posted = [];
      globalThis.acquireVsCodeApi = () => ({
        getState: () => (${JSON.stringify(saved)}), setState() {}, postMessage: (message) => posted.push(message),
      });
      ${script}`);
    await page.goto(`${server.url}/`);
    return new StandaloneChat(page);
  };
}

/** A message as it's sent to the page. */
export const messageView = (text: string, more: object = {}) => ({
  ...INIT.messages[0],
  ending: 'complete',
  parts: [{ type: 'text', text }],
  ...more,
});

/** Messages whose IDs are `prefix` and their position. */
export const messageViews = (prefix: string, texts: readonly string[], more: object = {}) =>
  texts.map((text, index) => messageView(text, { id: `${prefix}-${index}`, ...more }));

/** The texts of this many messages. */
export const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `The port is ${index}.`);

interface PostedRequest {
  readonly id: number;
  readonly session?: string;
  readonly text?: string;
  readonly language?: string;
  readonly href?: string;
  readonly command?: string;
  readonly pasted?: readonly string[];
}

/** The chat page alone in a browser. The test simulates the host. */
export class StandaloneChat {
  readonly page: Page;
  /** The ID of the session that was shown last: s1, s2, … */
  session = '';
  #sessions = 0;
  readonly #answered = new Set<number>();

  constructor(page: Page) {
    this.page = page;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.page.close();
  }

  composer(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The rendered message with this position in the session that was shown last. */
  row(position: number): Locator {
    return this.page.locator(`[data-message="${this.session}-${position}"]`);
  }

  waitForFocus(element: Locator): Promise<void> {
    return element.and(this.page.locator(':focus')).waitFor();
  }

  waitForDraft(text: string): Promise<void> {
    return eventually(async () => assert.equal(await this.composer().inputValue(), text));
  }

  async submit(text: string): Promise<void> {
    await this.composer().fill(text);
    await this.composer().press('Enter');
  }

  /** Waits until the page has been drawn twice. */
  async drawn(): Promise<void> {
    await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }

  /** Sends a host message. */
  post(message: object): Promise<void> {
    return this.page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
  }

  /**
   * Sends host messages and runs a script before the next frame, because a busy browser may draw none in between.
   * `settle()` in the script waits until the page has been rendered.
   */
  postAtOnce<Result>(messages: readonly object[], script: string): Promise<Result> {
    return this.page.evaluate<Result>(`(async () => {
      const settle = async () => {
        for (let turn = 0; turn < 100; turn++) await null;
      };
      for (const data of ${JSON.stringify(messages)}) {
        dispatchEvent(new MessageEvent('message', { data }));
        await settle();
      }
      ${script}
    })()`);
  }

  /** Shows a session with one message, by default a new session. Returns the message, whose ID is the session's. */
  async show(
    text: string,
    message: object = {},
    init: { readonly session?: string; readonly [field: string]: unknown } = {},
  ): Promise<Locator> {
    this.session = init.session ?? `s${++this.#sessions}`;
    const messages = [messageView(text, { id: this.session, ...message })];
    await this.post({ ...INIT, session: this.session, messages, ...init });
    const row = this.page.locator(`[data-message="${this.session}"]`);
    await row.waitFor();
    return row;
  }

  /** Shows a session with these messages, by default a new session. */
  async showAll(texts: readonly string[], message: object = {}): Promise<void> {
    const session = `s${++this.#sessions}`;
    this.session = session;
    const messages = messageViews(session, texts, message);
    await this.post({ ...INIT, session, messages, total: messages.length });
    await this.page.locator(`[data-message^="${session}-"]`).last().waitFor();
  }

  /** All requests of this type. */
  requests(type: string): Promise<PostedRequest[]> {
    return this.page.evaluate(`posted.flatMap(({ id, body }) => (body?.type === '${type}' ? [{ ...body, id }] : []))`);
  }

  /** Waits until there are this many requests of a type. */
  waitForRequests(type: string, count: number): Promise<void> {
    return eventually(async () => assert.equal((await this.requests(type)).length, count));
  }

  /** The ID of the first request of this type that hasn't been answered. The caller answers it. */
  async nextRequest(type: string): Promise<number> {
    let next: PostedRequest | undefined;
    await eventually(async () => {
      next = (await this.requests(type)).find(({ id }) => !this.#answered.has(id));
      assert.ok(next, type);
    });
    this.#answered.add(next!.id);
    return next!.id;
  }

  async answer(type: string, value: unknown): Promise<void> {
    await this.post({ type: 'answer', id: await this.nextRequest(type), value });
  }

  async refuse(type: string, fault: object = {}): Promise<void> {
    await this.post(refusal(await this.nextRequest(type), fault));
  }
}

export const refusal = (id: number, fault: object = {}) => ({
  type: 'refusal',
  id,
  fault: { reason: 'busy', text: 'Not now.', ...fault },
});
