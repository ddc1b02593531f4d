import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { workbenchUrl } from '../../scripts/editor/workbench-url.ts';
import { outFolder } from '../../scripts/support/paths.ts';
import { closeBrowser, editorOrigin, freshWorkspace, openBrowser } from './editor.ts';
import { eventually, READY_LIMIT_MS } from './eventually.ts';

/** How long to wait before a menu accepts clicks, in ms. */
const MENU_DELAY_MS = 300;
/** Timeout of an attempt that is repeated if it fails, in ms. */
export const ATTEMPT_TIMEOUT_MS = 5000;
/** Long, because a click that times out may still happen, and would be repeated. */
const CLICK_MS = 20_000;
const EXTENSION = 'threadkeeper.threadkeeper';

export interface WorkbenchOptions {
  /** The folder or `.code-workspace` file to open; by default, a new copy of the demo workspace; null for none. */
  readonly folder?: string | null;
  /** The browser profile, which contains `globalState`. Windows of one profile share it. */
  readonly profile?: string;
  /** The display language, as set by a language pack (BCP 47, lower case); by default, English. */
  readonly language?: string;
}

/** Runs in the page before VS Code, and does what a language pack does first. VS Code's own texts stay English. */
function setDisplayLanguage(language: string): void {
  Object.defineProperty(globalThis, '_VSCODE_NLS_LANGUAGE', { get: () => language, set: () => undefined });
}

/** A window of the real workbench. */
export class Workbench {
  readonly page: Page;
  readonly folder: string | null;
  readonly profile: string;

  /** Only for pages that a test has opened. Otherwise, use `open`. */
  constructor(page: Page, folder: string | null, profile: string) {
    this.page = page;
    page.setDefaultTimeout(READY_LIMIT_MS);
    this.folder = folder;
    this.profile = profile;
  }

  /** Opens a window and waits until it's ready. */
  static async open(options: WorkbenchOptions = {}): Promise<Workbench> {
    const folder = options.folder === undefined ? await freshWorkspace() : options.folder;
    const profile = options.profile ?? 'default';
    const browser = await openBrowser(profile);
    // A browser starts with a blank page, and closes with its last page.
    const blank = browser.pages().find((candidate) => candidate.url() === 'about:blank');
    const page = blank ?? (await browser.newPage());
    if (options.language !== undefined) await page.addInitScript(setDisplayLanguage, options.language);
    const workbench = new Workbench(page, folder, profile);
    await page.goto(workbenchUrl(await editorOrigin(), { folder: folder ?? undefined }));
    await workbench.ready();
    return workbench;
  }

  /** A second window with the same profile, by default on the same folder. */
  openSecondWindow(): Promise<Workbench> {
    return Workbench.open({ folder: this.folder, profile: this.profile });
  }

  /** The window that opens when `move` moves an editor tab into a new window. */
  async openedBy(move: () => Promise<void>): Promise<Workbench> {
    const [page] = await Promise.all([this.page.waitForEvent('popup'), move()]);
    return new Workbench(page, this.folder, this.profile);
  }

  /** Reloads the window, like *Developer: Reload Window*. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Reloads the window so that it stores its open tabs first. The browser's own reload may be too fast for that. */
  async reloadByCommand(): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), this.runCommand('Developer: Reload Window')]);
    await this.ready();
  }

  /** Closes the browser with all of the profile's windows, and reopens this one. */
  async restart(): Promise<Workbench> {
    await closeBrowser(this.profile);
    return Workbench.open({ folder: this.folder, profile: this.profile });
  }

  async crash(): Promise<void> {
    const died = this.page.waitForEvent('crash');
    const tools = await this.page.context().newCDPSession(this.page);
    // Never answered, because the process is gone.
    tools.send('Page.crash').catch(() => undefined);
    await died;
  }

  async close(): Promise<void> {
    const { page } = this;
    if (page.isClosed()) return;
    // A browser without windows would keep using CPU time.
    if (page.context().pages().length === 1) await closeBrowser(this.profile);
    else await page.close();
  }

  /** Runs a command by its title, such as `Threadkeeper: Open Chat`, from the command palette. */
  async runCommand(title: string): Promise<void> {
    await this.chooseCommand(title);
    await this.quickInput().waitFor({ state: 'hidden' });
  }

  /** Selects a command in the palette, for commands that open a list or a dialog in its place. */
  async chooseCommand(title: string): Promise<void> {
    await this.retry(async () => {
      await this.#openPalette('F1', `>${title}`);
      await this.#chooseFound(title);
    });
  }

  /**
   * Runs a command that opens a list or an input box, and answers it. Tries again if the list was closed, which happens
   * when VS Code returns the focus from the command palette to a page too late.
   */
  async ask(title: string, answer: () => Promise<void>): Promise<void> {
    await this.retry(async () => {
      await this.chooseCommand(title);
      this.page.setDefaultTimeout(CLICK_MS);
      try {
        await answer();
      } finally {
        this.page.setDefaultTimeout(READY_LIMIT_MS);
      }
    });
  }

  /** Selects a quick fix at the cursor. */
  async chooseQuickFix(title: RegExp): Promise<void> {
    await this.retry(async () => {
      await this.page.keyboard.press('Control+.');
      await this.page
        .locator('.action-widget')
        .getByText(title)
        .click({ timeout: ATTEMPT_TIMEOUT_MS * 2 });
    });
  }

  /** Selects an item of the open context menu. */
  async chooseInMenu(title: string): Promise<void> {
    const item = this.page.locator('.monaco-menu').getByText(title);
    await item.hover();
    // VS Code's menus ignore clicks for 100 ms, because they could belong to the click that opened the menu.
    await this.page.waitForTimeout(MENU_DELAY_MS);
    await item.click();
    await item.waitFor({ state: 'detached' });
  }

  /** Opens a file of the workspace by name, with the focus in the editor. */
  async openFile(name: string): Promise<void> {
    await this.retry(async () => {
      await this.#openPalette('Control+p', name);
      await this.#chooseFound(name);
    });
    await this.activeTab(name).waitFor();
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
  }

  /** Opens the command palette and finds a command by title. */
  async findCommand(title: string): Promise<void> {
    await this.retry(async () => {
      await this.#openPalette('F1', `>${title}`);
      await this.paletteRow(title).waitFor({ timeout: ATTEMPT_TIMEOUT_MS });
    });
  }

  async #openPalette(key: string, text: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.quickInput().fill(text, { timeout: ATTEMPT_TIMEOUT_MS });
  }

  /** Clicks the row with the highlighted text. VS Code reuses rows, so a row without a highlight may still change. */
  async #chooseFound(text: string): Promise<void> {
    const mark = this.page.locator('.highlight').getByText(text, { exact: true });
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ has: mark }).first();
    await row.waitFor({ timeout: ATTEMPT_TIMEOUT_MS });
    await row.click({ timeout: CLICK_MS });
  }

  /**
   * Repeats an attempt until it succeeds, like a person would. Keys can be lost while a webview is loading, a page that
   * takes the focus closes the palette, and a list that was opened before the extensions were loaded doesn't contain
   * their commands.
   */
  async retry(attempt: () => Promise<void>): Promise<void> {
    await eventually(async () => {
      try {
        await attempt();
      } catch (error) {
        // Not if nothing is open, because Escape in the chat would stop the reply.
        if (await this.page.locator('.quick-input-widget:visible, .action-widget:visible').count())
          await this.page.keyboard.press('Escape');
        throw error;
      }
    });
  }

  /** A row of the palette, or of another open quick pick. */
  paletteRow(text: string | RegExp): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  }

  /**
   * Selects an item from the list with this title by keyboard, after filtering by `typed`. Reused rows may still show
   * another list's text.
   */
  async chooseListed(title: RegExp, text: string, typed = text): Promise<void> {
    await this.listTitle(title).waitFor();
    await this.quickInput().fill(typed);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** The title of the open list or input box. */
  listTitle(text: string | RegExp): Locator {
    return this.page.locator('.quick-input-title:visible', { hasText: text });
  }

  /** The input of the open quick pick or input box. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget .quick-input-filter input').first();
  }

  /** Answers the input box that replaces a list. Until the list is hidden, the input is the list's own. */
  async answerInputBox(text: string): Promise<void> {
    await this.page.locator('.quick-input-list').waitFor({ state: 'hidden' });
    await this.quickInput().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** The extension's page in the visible webview; if there are two, in the one that was opened first. */
  webview(): FrameLocator {
    return this.page.locator('iframe.webview.ready').first().contentFrame().frameLocator('iframe#active-frame');
  }

  /** The same for the one that was opened last. */
  newestWebview(): FrameLocator {
    return this.page.locator('iframe.webview.ready').last().contentFrame().frameLocator('iframe#active-frame');
  }

  /** A status bar item by the extension's ID, such as `threadkeeper.gauge`. */
  statusBarItem(id: string): Locator {
    return this.page.locator(`.statusbar-item[id="${EXTENSION}.${id}"]`);
  }

  /** Shows a view container by its title. Uses its command, because clicking its icon would close it if it's open. */
  async openSidebar(title: string): Promise<void> {
    await this.runCommand(`View: Show ${title}`);
    await this.page.locator('.sidebar .composite.title', { hasText: new RegExp(title, 'i') }).waitFor();
  }

  /** Sets the Side Bar's width in pixels. */
  async widenSidebar(pixels: number): Promise<void> {
    const { mouse } = this.page;
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (!box) return;
    await mouse.move(box.x + box.width, box.y + box.height / 2);
    await mouse.down();
    await mouse.move(box.x + pixels, box.y + box.height / 2, { steps: 5 });
    await mouse.up();
    // The sash stays highlighted until the pointer is elsewhere.
    await this.page.locator('.part.statusbar').hover();
    await this.page.locator('.monaco-sash:is(.active, .hover)').first().waitFor({ state: 'detached' });
  }

  /**
   * Hovers over an element until a tooltip appears. If the element is rendered again under the pointer, the pointer
   * must leave it first.
   */
  async hoverUntil(element: Locator, tooltip: Locator): Promise<void> {
    await this.retry(async () => {
      await this.page.locator('.part.statusbar').hover();
      await element.hover();
      await tooltip.waitFor({ timeout: ATTEMPT_TIMEOUT_MS });
    });
  }

  treeRow(text: string | RegExp): Locator {
    return this.page.locator('.sidebar .pane-body .monaco-list-row', { hasText: text });
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  async openSampleSession(): Promise<void> {
    await this.runCommand('Threadkeeper: Open Sample Session');
    await this.waitForNotice(/Imported \d+ messages/);
    await this.clearToasts();
    // The page may still show the previous session, which ends with a different message.
    await this.webview().getByRole('article').getByText('fair winds to Rita').waitFor();
  }

  /** Imports a transcript with this many messages. */
  async importTranscript(name: string, text: string, messages: number): Promise<void> {
    await writeFile(path.join(this.folder ?? '', name), text);
    await this.ask('Threadkeeper: Import Transcript…', () => this.paletteRow(name).click());
    // Imports are previewed first.
    await this.paletteRow(`Import ${messages.toLocaleString('en')} messages`).click();
    await this.waitForNotice(/Imported [\d,.]+ messages/, { timeout: 240_000 });
    await this.clearToasts();
  }

  async compressHistory(): Promise<void> {
    await this.runCommand('Threadkeeper: Compress History');
    await this.confirmCompression();
  }

  /**
   * Opens the preview until it shows this cost, because it shows another provider's cost until VS Code has read the
   * settings.
   */
  async previewCompression(cost: RegExp): Promise<void> {
    const preview = this.webview().locator('.preview');
    const leave = preview.getByRole('button').first();
    await eventually(async () => {
      await this.runCommand('Threadkeeper: Compress History');
      await leave.waitFor();
      const shown = await preview.innerText();
      if (cost.test(shown)) return;
      await leave.click();
      await preview.waitFor({ state: 'detached' });
      throw new Error(`the preview says: ${shown}`);
    });
  }

  async confirmCompression(): Promise<void> {
    await this.webview().locator('.preview').getByRole('button', { name: 'Compress', exact: true }).click();
  }

  /** Waits for a notice, which appears in the chat if it's visible, and as a notification otherwise. */
  async waitForNotice(
    text: string | RegExp,
    { timeout = READY_LIMIT_MS }: { readonly timeout?: number } = {},
  ): Promise<void> {
    const onPage = this.webview().locator('.toast', { hasText: text });
    await Promise.any([this.toast(text).first().waitFor({ timeout }), onPage.first().waitFor({ timeout })]);
  }

  dialog(text: string | RegExp): Locator {
    return this.page.locator('.monaco-dialog-box', { hasText: text });
  }

  activeTab(title: string | RegExp): Locator {
    return this.page.locator('.tab.active', { hasText: title });
  }

  /** The visible text of the active editor tab. */
  editorText(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor .view-lines');
  }

  /** Closes all notifications, so that they don't cover anything. */
  async clearToasts(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
    await this.page.locator('.notification-toast').first().waitFor({ state: 'detached' });
  }

  /** Saves a screenshot to `SCREENSHOTS_DIR` or `out/screenshots`, and returns its path. */
  async screenshot(name: string): Promise<string> {
    const folder = process.env.SCREENSHOTS_DIR ?? path.join(outFolder, 'screenshots');
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** Waits until the window is rendered and connected, and the extensions are loaded. */
  private async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    // The remote indicator shows the host's name once the window is connected.
    await this.page.locator('.statusbar-item[id="status.host"]').waitFor();
    await this.page.locator('.activitybar [class*="workbench-view-extension-threadkeeper"]').first().waitFor();
  }
}
