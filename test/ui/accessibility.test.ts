import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { freshWorkspace } from './editor.ts';
import { Workbench } from './workbench.ts';

const THEMES = [
  { name: 'light', setting: 'Default Light Modern', kind: 'vscode-light' },
  { name: 'dark', setting: 'Default Dark Modern', kind: 'vscode-dark' },
  { name: 'high-contrast', setting: 'Default High Contrast', kind: 'vscode-high-contrast' },
  { name: 'high-contrast-light', setting: 'Default High Contrast Light', kind: 'vscode-high-contrast-light' },
];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe('the chat page', () => {
  let workbench: Workbench;
  let folder: string;
  let axe: string;

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = await freshWorkspace();
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    workbench = await Workbench.open({ folder, profile: 'accessibility' });
  });

  after(() => workbench.close());

  /** The frame of our page: the innermost one that holds its root. */
  async function pageFrame(): Promise<Frame> {
    for (const frame of workbench.page.frames()) {
      if ((await frame.locator('#root').count()) > 0) return frame;
    }
    return assert.fail('the chat page is not there');
  }

  async function violations(): Promise<string[]> {
    const frame = await pageFrame();
    await frame.evaluate(axe);
    const found = await frame.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe.run(),
    );
    return found.violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => node.html).join('\n')}`);
  }

  it('has no accessibility violation while it is empty', async () => {
    await workbench.runCommand('Threadkeeper: Open Chat');
    await workbench.webview().getByRole('textbox').waitFor();
    assert.deepEqual(await violations(), []);
  });

  for (const { name, setting, kind } of THEMES) {
    it(`has none with a long session in ${name}, and looks native in it`, async () => {
      await writeFile(
        path.join(folder, '.vscode/settings.json'),
        JSON.stringify({ 'workbench.colorTheme': setting, 'workbench.preferredDarkColorTheme': setting }),
      );
      if (name === 'light') {
        await workbench.runCommand('Threadkeeper: Open Sample Session');
        await workbench.toast(/Imported/).waitFor();
        await workbench.runCommand('Threadkeeper: Compress History');
        await workbench.toast(/Compressed/).waitFor({ timeout: 60_000 });
        await workbench.clearToasts();
      }
      await workbench.webview().locator(`body.${kind}`).waitFor();
      await workbench.webview().getByRole('article').first().waitFor();
      await workbench.screenshot(`theme-${name}`);
      assert.deepEqual(await violations(), []);
    });
  }

  it('can be used by keyboard alone: write, send, reach the reply', async () => {
    const composer = workbench.webview().getByRole('textbox');
    await workbench.runCommand('Threadkeeper: Open Chat');
    await workbench.page.keyboard.type('Which ports did we use?');
    assert.equal(await composer.inputValue(), 'Which ports did we use?');
    await workbench.page.keyboard.press('Enter');
    await workbench.webview().getByRole('article').getByText('No model is configured').last().waitFor();
  });
});
