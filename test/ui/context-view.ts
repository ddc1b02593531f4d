import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { eventually } from './eventually.ts';
import type { Workbench } from './workbench.ts';

/** The *Context* view of a window, and the documents that it opens. */
export class ContextView {
  readonly workbench: Workbench;

  constructor(workbench: Workbench) {
    this.workbench = workbench;
  }

  /** Compresses the imported session, and shows the view. */
  async compress(): Promise<void> {
    const { workbench } = this;
    await workbench.clearToasts();
    await workbench.compressHistory();
    await workbench.waitForNotice(/Compressed [\d,.]+ messages/, { timeout: 240_000 });
    await workbench.clearToasts();
    await workbench.openSidebar('Threadkeeper');
  }

  twistie(row: Locator): Locator {
    return row.locator('.monaco-tl-twistie');
  }

  /** Expands or collapses the first row with this text. */
  async turn(text: string | RegExp, isExpanded: boolean): Promise<void> {
    const row = this.workbench.treeRow(text).first();
    await row.and(this.workbench.page.locator('[aria-expanded]')).waitFor();
    if ((await row.getAttribute('aria-expanded')) !== String(isExpanded)) await this.twistie(row).click();
  }

  /** Expands the first collapsed row with this text, repeatedly, until the other row is visible. */
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

  /** Selects a row of the open list. */
  async pick(text: string | RegExp): Promise<void> {
    const { page } = this.workbench;
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
    await row.waitFor();
    // Moves the pointer away first: if it's over an earlier row, that row's tooltip would cover the rows below.
    await page.mouse.move(0, 0);
    await row.click();
  }

  /**
   * Selects the first row of the list with a title. The rows' text and order in the DOM don't identify the list,
   * because VS Code reuses rows, and hidden ones keep their old text.
   */
  async pickTopmost(title: string | RegExp): Promise<void> {
    const { page } = this.workbench;
    await this.workbench.listTitle(title).waitFor();
    await page.locator('.quick-input-list .monaco-list-row[data-index="0"]').click();
  }

  /** Runs a command on the first summary. */
  async onFirst(title: string): Promise<void> {
    const { workbench } = this;
    await workbench.page.keyboard.press('Escape');
    await workbench.runCommand('View: Close All Editors');
    // The command palette has no title.
    await workbench.ask(title, () => this.pickTopmost(/./));
  }

  /** Selects from the context menu of the newest compression, the first row below the tree's last section. */
  async onNewestCompression(title: string): Promise<void> {
    const { page } = this.workbench;
    await page.locator('.sidebar .monaco-list').first().focus();
    for (const key of ['End', 'ArrowRight']) await page.keyboard.press(key);
    const focused = page.locator('.sidebar .monaco-list-row.focused', { hasText: 'Manual' });
    // The rows below appear a moment after their section was expanded.
    await eventually(async () => {
      if ((await focused.count()) > 0) return;
      await page.keyboard.press('ArrowDown');
      assert.fail('no compression is reached by ArrowDown');
    });
    await focused.click({ button: 'right' });
    await this.workbench.chooseInMenu(title);
  }

  /** The session document that the reader shows, rendered. */
  reader(): Locator {
    return this.workbench.newestWebview().locator('.document');
  }

  async waitForText(text: string | RegExp): Promise<void> {
    await this.reader().getByText(text).first().waitFor();
  }

  async preview(): Promise<void> {
    await this.workbench.runCommand('Threadkeeper: Preview Next Request');
    await this.workbench.activeTab('Next Request').waitFor();
  }

  undoChange(): Promise<void> {
    return this.workbench.runCommand('Threadkeeper: Undo Context Change');
  }
}
