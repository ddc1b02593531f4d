import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/editor/find-chromium.ts';
import { root } from '../../scripts/support/paths.ts';
import { pageHtml } from '../../src/host/platform/page-html.ts';

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
export const tell = (page: Page, message: object): Promise<void> =>
  page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
