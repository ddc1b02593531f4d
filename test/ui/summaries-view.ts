import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { syntheticSession } from '../bench/data/synthetic.ts';
import { eventually } from './eventually.ts';
import type { Workbench } from './workbench.ts';

/** The *Summaries* view of a window, and the documents that it leads to. */
export class SummariesView {
  readonly workbench: Workbench;

  constructor(workbench: Workbench) {
    this.workbench = workbench;
  }

  /** Lets a session of so many messages come in; it is there once that has been said. */
  async importSynthetic(messages: number): Promise<void> {
    const { workbench } = this;
    const name = `made-of-${messages}.jsonl`;
    const lines = syntheticSession(messages).map(({ role, text }) => JSON.stringify({ role, content: text }));
    await writeFile(path.join(workbench.folder ?? '', name), `${lines.join('\n')}\n`);
    await workbench.ask('Threadkeeper: Import Transcript…', () => workbench.paletteRow(name).click());
    // What would come in is shown first.
    await workbench.paletteRow(`Import ${messages.toLocaleString('en')} messages`).click();
  }

  /** Compresses the session that has just come in, and shows the view. */
  async compress(): Promise<void> {
    const { workbench } = this;
    await workbench.clearToasts();
    await workbench.compressHistory();
    await workbench.told(/Compressed [\d,.]+ messages/, { timeout: 240_000 });
    await workbench.clearToasts();
    await workbench.openSidebar('Threadkeeper');
  }

  rows(): Locator {
    return this.workbench.page.locator('.sidebar .monaco-list-row');
  }

  twistie(row: Locator): Locator {
    return row.locator('.monaco-tl-twistie');
  }

  /** Opens closed rows that say this, the first again and again, until another row is there. */
  async openDownTo(wanted: Locator, way: RegExp): Promise<void> {
    const { page } = this.workbench;
    const closed = page.locator('.sidebar .monaco-list-row[aria-expanded="false"]', { hasText: way }).first();
    for (;;) {
      await wanted.or(closed).first().waitFor();
      if (await wanted.isVisible()) return;
      const name = (await closed.getAttribute('aria-label')) ?? '';
      await this.twistie(closed).click();
      await page
        .locator(`.sidebar .monaco-list-row[aria-expanded="true"][aria-label=${JSON.stringify(name)}]`)
        .waitFor();
    }
  }

  /** Chooses a row of the list that is open. */
  async pick(text: string | RegExp): Promise<void> {
    const { page } = this.workbench;
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
    await row.waitFor();
    // The pointer may be where a row was chosen before: the tooltip of the row there now would cover those below.
    await page.mouse.move(0, 0);
    await row.click();
  }

  /**
   * Chooses the topmost row of the list with a title. What a row says does not tell the lists apart, nor does its place
   * on the page: the editor uses its rows again, in any order, and they still hold, unseen, what stood in them before.
   */
  async pickTopmost(title: string | RegExp): Promise<void> {
    const { page } = this.workbench;
    await page.locator('.quick-input-title:visible', { hasText: title }).waitFor();
    await page.locator('.quick-input-list .monaco-list-row[data-index="0"]').click();
  }

  /** Runs a command on the first summary. */
  async onFirst(title: string): Promise<void> {
    const { workbench } = this;
    await workbench.page.keyboard.press('Escape');
    await workbench.runCommand('View: Close All Editors');
    // The palette itself has no title.
    await workbench.ask(title, () => this.pickTopmost(/./));
  }

  /** Chooses from the context menu of the newest compression, the first row below the tree's last section. */
  async onNewestCompression(title: string): Promise<void> {
    const { page } = this.workbench;
    await page.locator('.sidebar .monaco-list').first().focus();
    for (const key of ['End', 'ArrowRight']) await page.keyboard.press(key);
    const focused = page.locator('.sidebar .monaco-list-row.focused', { hasText: 'Manual' });
    // The rows below are there a moment after theirs was opened.
    await eventually(async () => {
      if ((await focused.count()) > 0) return;
      await page.keyboard.press('ArrowDown');
      assert.fail('no compression is reached by ArrowDown');
    });
    await focused.click({ button: 'right' });
    await this.workbench.chooseInMenu(title);
  }

  editor(): Locator {
    return this.workbench.page.locator('.editor-group-container.active .monaco-editor .view-lines');
  }

  tab(title: string | RegExp): Locator {
    return this.workbench.page.locator('.tab.active', { hasText: title });
  }

  /** What the reader shows: a document of the session, rendered. */
  reader(): Locator {
    return this.workbench.newestWebview().locator('.document');
  }

  /** Whether the document that the reader shows says this, once it has been drawn. */
  async reads(text: string | RegExp): Promise<void> {
    await this.reader().getByText(text).first().waitFor();
  }

  async preview(): Promise<void> {
    await this.workbench.runCommand('Threadkeeper: Preview Next Request');
    await this.tab('Next Request').waitFor();
  }

  undoChange(): Promise<void> {
    return this.workbench.runCommand('Threadkeeper: Undo Context Change');
  }
}
