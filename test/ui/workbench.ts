import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { workbenchUrl } from '../../scripts/editor/workbench-url.ts';
import { outFolder } from '../../scripts/support/paths.ts';
import { closeBrowser, editorOrigin, freshWorkspace, openBrowser } from './editor.ts';
import { eventually, READY_LIMIT_MS } from './eventually.ts';

/** The list of commands is there at once, or not at all. */
const MENU_DEAF_MS = 300;
/** What is there in a moment, or has to be tried again. */
export const PATIENCE_MS = 5000;
/** A click that is given up sooner may still be done, and twice. */
const CLICK_MS = 20_000;
const EXTENSION = 'threadkeeper.threadkeeper';

export interface WorkbenchOptions {
  /** The folder or `.code-workspace` file to open; by default a fresh copy of the demo workspace; null for none. */
  readonly folder?: string | null;
  /** The browser profile, which holds `globalState`; windows of one profile share it. */
  readonly profile?: string;
  /** The editor's language, as a language pack would set it (BCP 47, lower case); English by default. */
  readonly language?: string;
}

/** Runs in the page before the editor does: what a language pack says first. The editor's own texts stay English. */
function speak(language: string): void {
  Object.defineProperty(globalThis, '_VSCODE_NLS_LANGUAGE', { get: () => language, set: () => undefined });
}

/** A window of the real workbench, in terms of what a user sees. */
export class Workbench {
  readonly page: Page;
  readonly folder: string | null;
  readonly profile: string;

  /** By itself for a page that the test has opened; else see `open`. */
  constructor(page: Page, folder: string | null, profile: string) {
    this.page = page;
    page.setDefaultTimeout(READY_LIMIT_MS);
    this.folder = folder;
    this.profile = profile;
  }

  /** Opens a window and waits until it can be used. */
  static async open(options: WorkbenchOptions = {}): Promise<Workbench> {
    const folder = options.folder === undefined ? await freshWorkspace() : options.folder;
    const profile = options.profile ?? 'default';
    const browser = await openBrowser(profile);
    // A browser starts with one blank page, and ends with its last.
    const blank = browser.pages().find((candidate) => candidate.url() === 'about:blank');
    const page = blank ?? (await browser.newPage());
    if (options.language !== undefined) await page.addInitScript(speak, options.language);
    const workbench = new Workbench(page, folder, profile);
    await page.goto(workbenchUrl(await editorOrigin(), { folder: folder ?? undefined }));
    await workbench.ready();
    return workbench;
  }

  /** A second window, by default on the same folder, sharing this one's profile. */
  openSecondWindow(folder: string | null = this.folder): Promise<Workbench> {
    return Workbench.open({ folder, profile: this.profile });
  }

  /** The window that an editor tab is moved into by what `move` does. */
  async openedBy(move: () => Promise<void>): Promise<Workbench> {
    const [page] = await Promise.all([this.page.waitForEvent('popup'), move()]);
    return new Workbench(page, this.folder, this.profile);
  }

  /** Loads the window again, as *Developer: Reload Window* does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Ends the browser with all windows of the profile, and opens this one again. */
  async restart(): Promise<Workbench> {
    await closeBrowser(this.profile);
    return Workbench.open({ folder: this.folder, profile: this.profile });
  }

  /** Lets this window die without a word to anyone, as when its process is killed. */
  async crash(): Promise<void> {
    const died = this.page.waitForEvent('crash');
    const tools = await this.page.context().newCDPSession(this.page);
    // The answer never comes: who would give it is gone.
    tools.send('Page.crash').catch(() => undefined);
    await died;
  }

  /** Closes this window alone. */
  async close(): Promise<void> {
    const { page } = this;
    if (page.isClosed()) return;
    // A browser without windows would go on taking the machine's time.
    if (page.context().pages().length === 1) await closeBrowser(this.profile);
    else await page.close();
  }

  /** Runs a command by its title, such as `Threadkeeper: Open Chat`, from the command palette. */
  async runCommand(title: string): Promise<void> {
    await this.chooseCommand(title);
    await this.quickInput().waitFor({ state: 'hidden' });
  }

  /** Chooses a command in the palette; for one that opens a list or a dialog in the palette's place. */
  async chooseCommand(title: string): Promise<void> {
    await this.insist(async () => {
      await this.#openPalette('F1', `>${title}`);
      await this.#chooseFound(title);
    });
  }

  /**
   * Runs a command that opens a list or an input box, and answers in it. Does both again where the page behind, to
   * which the editor gives the focus back when it closes the palette, has closed what came in the palette's place.
   */
  async ask(title: string, answer: () => Promise<void>): Promise<void> {
    await this.insist(async () => {
      await this.chooseCommand(title);
      this.page.setDefaultTimeout(CLICK_MS);
      try {
        await answer();
      } finally {
        this.page.setDefaultTimeout(READY_LIMIT_MS);
      }
    });
  }

  /** Chooses a quick fix at the cursor. */
  async chooseQuickFix(title: RegExp): Promise<void> {
    await this.insist(async () => {
      await this.page.keyboard.press('Control+.');
      await this.page
        .locator('.action-widget')
        .getByText(title)
        .click({ timeout: PATIENCE_MS * 2 });
    });
  }

  /** Chooses from the context menu that is open. */
  async chooseInMenu(title: string): Promise<void> {
    const item = this.page.locator('.monaco-menu').getByText(title);
    await item.hover();
    // The editor lets a menu take no click in its first tenth of a second: it may be the end of the one that opened it.
    await this.page.waitForTimeout(MENU_DEAF_MS);
    await item.click();
    await item.waitFor({ state: 'detached' });
  }

  /** Opens a file of the workspace by its name, with the keyboard in it. */
  async openFile(name: string): Promise<void> {
    await this.insist(async () => {
      await this.#openPalette('Control+p', name);
      await this.#chooseFound(name);
    });
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
  }

  /** Opens the palette at a command, by its title. */
  async findCommand(title: string): Promise<void> {
    await this.insist(async () => {
      await this.#openPalette('F1', `>${title}`);
      await this.paletteRow(title).waitFor({ timeout: PATIENCE_MS });
    });
  }

  async #openPalette(key: string, text: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.quickInput().fill(text, { timeout: PATIENCE_MS });
  }

  /** Clicks the row that was found. Rows are used again: one that does not mark what was sought may become another. */
  async #chooseFound(text: string): Promise<void> {
    const mark = this.page.locator('.highlight').getByText(text, { exact: true });
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ has: mark }).first();
    await row.waitFor({ timeout: PATIENCE_MS });
    await row.click({ timeout: CLICK_MS });
  }

  /**
   * Tries again what is asked of the editor, as a person would. A key that is pressed while a page is being loaded
   * into a webview can be lost; a page that takes the focus closes the palette; and a list that was opened before the
   * extensions had been read does not learn of them.
   */
  async insist(attempt: () => Promise<void>): Promise<void> {
    for (const deadline = Date.now() + READY_LIMIT_MS; ;) {
      try {
        await attempt();
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** A row of the palette, or of any other quick pick that is open. */
  paletteRow(text: string | RegExp): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  }

  /**
   * Chooses from the list with a title by keyboard, where `typed` finds it: rows that the editor uses again may still
   * show another list's.
   */
  async chooseListed(title: RegExp, text: string, typed = text): Promise<void> {
    await this.page.locator('.quick-input-title:visible', { hasText: title }).waitFor();
    await this.quickInput().fill(typed);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** The input of the quick pick or input box that is open. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget .quick-input-filter input').first();
  }

  /** Writes into the input box that comes in the place of a list: until then the list's own input stands there. */
  async fillInputBox(text: string): Promise<void> {
    await this.page.locator('.quick-input-list').waitFor({ state: 'hidden' });
    await this.quickInput().fill(text);
  }

  /** The extension's page in the webview that is shown; where two are, in the one that was opened first. */
  webview(): FrameLocator {
    return this.page.locator('iframe.webview.ready').first().contentFrame().frameLocator('iframe#active-frame');
  }

  /** The same in the one that was opened last. */
  newestWebview(): FrameLocator {
    return this.page.locator('iframe.webview.ready').last().contentFrame().frameLocator('iframe#active-frame');
  }

  /** A status bar item by the id that the extension gave it, such as `threadkeeper.gauge`. */
  statusBarItem(id: string): Locator {
    return this.page.locator(`.statusbar-item[id="${EXTENSION}.${id}"]`);
  }

  /** Shows a container of the sidebar by its title. By its command: the icon of one that is open would close it. */
  async openSidebar(title: string): Promise<void> {
    await this.runCommand(`View: Show ${title}`);
    await this.page.locator('.sidebar .composite.title', { hasText: new RegExp(title, 'i') }).waitFor();
  }

  /** Makes the sidebar so many pixels wide. */
  async widenSidebar(pixels: number): Promise<void> {
    const { mouse } = this.page;
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (!box) return;
    await mouse.move(box.x + box.width, box.y + box.height / 2);
    await mouse.down();
    await mouse.move(box.x + pixels, box.y + box.height / 2, { steps: 5 });
    await mouse.up();
    // What is dragged stays lit until the pointer rests elsewhere.
    await this.page.locator('.part.statusbar').hover();
    await this.page.locator('.monaco-sash:is(.active, .hover)').first().waitFor({ state: 'detached' });
  }

  /** Rests the pointer on something until more is told: what is drawn again under it says nothing until it comes back. */
  async restOn(element: Locator, told: Locator): Promise<void> {
    await this.insist(async () => {
      await this.page.locator('.part.statusbar').hover();
      await element.hover();
      await told.waitFor({ timeout: PATIENCE_MS });
    });
  }

  /** A row of a tree in the sidebar. */
  treeRow(text: string | RegExp): Locator {
    return this.page.locator('.sidebar .pane-body .monaco-list-row', { hasText: text });
  }

  /** A notification that is shown. */
  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  /** Compresses, and agrees to what the preview says. */
  async compressHistory(): Promise<void> {
    await this.runCommand('Threadkeeper: Compress History');
    await this.agreeToCompress();
  }

  /** Previews a compression that tells of such a cost: until the editor has read the settings it is another's. */
  async previewCompression(cost: RegExp): Promise<void> {
    const preview = this.webview().locator('.preview');
    const leave = preview.getByRole('button').first();
    await eventually(async () => {
      await this.runCommand('Threadkeeper: Compress History');
      await leave.waitFor();
      const told = await preview.innerText();
      if (cost.test(told)) return;
      await leave.click();
      await preview.waitFor({ state: 'detached' });
      throw new Error(`the preview says: ${told}`);
    });
  }

  async agreeToCompress(): Promise<void> {
    await this.webview().locator('.preview').getByRole('button', { name: 'Compress', exact: true }).click();
  }

  /** Waits until a short message says this: at the foot of the chat while that is in sight, else in a notification. */
  async told(text: string | RegExp, { timeout = READY_LIMIT_MS }: { readonly timeout?: number } = {}): Promise<void> {
    const onPage = this.webview().locator('.toast', { hasText: text });
    await Promise.any([this.toast(text).first().waitFor({ timeout }), onPage.first().waitFor({ timeout })]);
  }

  /** A modal dialog that is shown. */
  dialog(text: string | RegExp): Locator {
    return this.page.locator('.monaco-dialog-box', { hasText: text });
  }

  /** The text of the editor tab that is active, as far as it is scrolled into view. */
  editorText(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor .view-lines');
  }

  /** Closes all notifications, so that they cover nothing. */
  async clearToasts(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
    await this.page.locator('.notification-toast').first().waitFor({ state: 'detached' });
  }

  /** Keeps a picture of the window under `SCREENSHOTS_DIR`, or `out/screenshots`. Gives back its path. */
  async screenshot(name: string): Promise<string> {
    const folder = process.env.SCREENSHOTS_DIR ?? path.join(outFolder, 'screenshots');
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** Waits until the window is drawn, its connection stands, and the extensions have been read: see `insist`. */
  private async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    // The remote indicator names its host once the connection stands.
    await this.page.locator('.statusbar-item[id="status.host"]').waitFor();
    await this.page.locator('.activitybar [class*="workbench-view-extension-threadkeeper"]').first().waitFor();
  }
}
