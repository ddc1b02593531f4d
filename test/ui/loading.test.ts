import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/editor/find-chromium.ts';
import { root } from '../../scripts/support/paths.ts';
import { pageHtml } from '../../src/host/platform/page-html.ts';
import { INIT, PAGE_STATES } from './page-states.ts';

const FILES: Readonly<Record<string, string>> = {
  '/webview.js': 'text/javascript',
  '/webview.css': 'text/css',
  '/codicon.css': 'text/css',
  '/codicon.ttf': 'font/ttf',
};

/** Stands in for the editor, which never answers. */
const editor = (saved: object | null): string =>
  `globalThis.acquireVsCodeApi = () => ({ getState: () => (${JSON.stringify(saved)}), setState() {}, postMessage() {} });`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

// The workbench's webview brings its session within moments, so the page stands alone here, as the host writes it.
describe('the chat page on its own', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let axe: string;

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const uri = (file: string): string => `/${file}`;
    const html = pageHtml({ nonce: 'n0nce', cspSource: "'self'", language: 'en', translations: {}, uri });
    server = createServer((request, response) => {
      const type = FILES[request.url ?? ''];
      response.setHeader('content-type', type ?? 'text/html');
      if (type === undefined) response.end(html);
      else void readFile(path.join(root, 'dist', request.url!)).then((content) => response.end(content));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath: await findChromium(console.log), args: ['--no-sandbox'] });
    page = await browser.newPage();
    await page.addInitScript(editor(null));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  async function violations(): Promise<string[]> {
    await page.evaluate(axe);
    const found = await page.evaluate<{ violations: Violation[] }>('axe.run()');
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
  }

  it('says that it is loading, with no accessibility violation', async () => {
    const main = page.getByRole('main', { name: 'Chat' });
    await main.getByText('Opening session…').waitFor();
    assert.equal(await main.getAttribute('aria-busy'), 'true');
    assert.deepEqual(await violations(), []);
  });

  for (const [state, { seen, data }] of Object.entries(PAGE_STATES)) {
    it(`has none with ${state}`, async () => {
      await page.evaluate(`postMessage(${JSON.stringify(data)}, '*')`);
      await page.getByText(seen).first().waitFor();
      assert.deepEqual(await violations(), []);
    });
  }

  for (const [what, host, shown] of [
    ['what was typed last', 'One thing', 'One thing and another'],
    ['the draft of the host where that has changed since', 'One thing\n\nWhy?', 'One thing\n\nWhy?'],
  ] as const)
    it(`is loaded again with ${what}`, async () => {
      const again = await browser.newPage();
      const saved = { session: INIT.session, draft: 'One thing and another', told: 'One thing', place: null };
      await again.addInitScript(editor(saved));
      await again.goto(page.url());
      await again.getByText('Opening session…').waitFor();
      await again.evaluate(`postMessage(${JSON.stringify({ ...INIT, draft: { text: host, attachments: [] } })}, '*')`);
      assert.equal(await again.getByRole('textbox', { name: 'Message', exact: true }).inputValue(), shown);
      await again.close();
    });
});
