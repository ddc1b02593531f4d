import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ChatPage } from './chat-page.ts';

/** What of a browser's page the tests touch. */
interface Focusable {
  readonly ownerDocument: { hasFocus(): boolean };
  matches(selector: string): boolean;
}
interface Described {
  readonly tagName: string;
  readonly className: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
}
interface PageGlobals {
  readonly document: { readonly activeElement: Described | null; hasFocus(): boolean };
}

/** More stops of the Tab key than the page has. */
const MOST_TABS = 60;
/** A key goes through the page at once; what it asks the host for takes a moment. */
const MOMENT_MS = 50;
const PATIENCE_MS = 20_000;

/** The keyboard, and nothing else: what the page is told by keys, and where the keyboard is. */
export class Keyboard {
  readonly #chat: ChatPage;

  constructor(chat: ChatPage) {
    this.#chat = chat;
  }

  /** Presses keys, one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#chat.workbench.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#chat.workbench.page.keyboard.type(text);
  }

  /** Goes to the composer by the chat's own key, from wherever the keyboard is, and empties it. */
  async toComposer(): Promise<void> {
    const { page } = this.#chat.workbench;
    for (const deadline = Date.now() + PATIENCE_MS; !(await this.has(this.#chat.composer()));) {
      assert.ok(Date.now() < deadline, `the composer has the keyboard, not ${await this.place()}`);
      await this.press('Control+Alt+t');
      await page.waitForTimeout(4 * MOMENT_MS);
    }
    await this.clear();
  }

  /** Empties the field that has the keyboard. Not by Ctrl+A, which the editor carries out when it comes to it. */
  async clear(): Promise<void> {
    await this.press('Control+End', 'Control+Shift+Home', 'Delete');
  }

  /** Waits until the composer holds this. */
  async reads(text: string): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; ;) {
      const value = await this.#chat.composer().inputValue();
      if (value.trim() === text.trim()) return;
      assert.ok(Date.now() < deadline, `the composer holds ${JSON.stringify(value)}, not ${JSON.stringify(text)}`);
      await this.#chat.workbench.page.waitForTimeout(MOMENT_MS);
    }
  }

  /** Writes a message and waits until the reply to it has ended. */
  async send(text: string, reply: string | RegExp): Promise<void> {
    await this.toComposer();
    await this.type(text);
    await this.press('Enter');
    await this.#chat.message(reply).last().waitFor();
    await this.#chat.button('Send').waitFor();
  }

  /** Whether this has the keyboard. */
  async has(element: Locator): Promise<boolean> {
    if ((await element.count()) !== 1) return false;
    // A page that is behind another tab keeps its focus to itself.
    return element.evaluate((one: Focusable) => one.matches(':focus') && one.ownerDocument.hasFocus());
  }

  /** Waits until this has the keyboard. */
  async isAt(element: Locator): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; !(await this.has(element));) {
      assert.ok(Date.now() < deadline, `${String(element)} has the keyboard, not ${await this.place()}`);
      await this.#chat.workbench.page.waitForTimeout(MOMENT_MS);
    }
  }

  /** Presses Tab, or Shift and Tab, until this has the keyboard. */
  async tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await element.waitFor({ state: 'attached' });
    const passed: string[] = [];
    while (!(await this.has(element))) {
      assert.ok(passed.length < MOST_TABS, `${String(element)} is reached by ${key}: ${passed.join(' · ')}`);
      await this.press(key);
      passed.push(await this.place());
    }
  }

  /** Goes by Shift and Tab from the composer into the transcript, and by arrows to a row that is on the page. */
  async toRow(row: Locator): Promise<void> {
    await row.waitFor();
    await this.toComposer();
    const transcript = this.#chat.workbench.webview().locator('.transcript:focus, .transcript [role="article"]:focus');
    for (let tabs = 0; (await transcript.count()) === 0; tabs++) {
      assert.ok(tabs < MOST_TABS, `the transcript is reached by Shift+Tab, not ${await this.place()}`);
      await this.press('Shift+Tab');
    }
    // Down to the last row, then up: whichever row had the keyboard before.
    for (const key of ['ArrowDown', 'ArrowUp']) {
      for (let before = ''; !(await this.has(row));) {
        const here = await this.place();
        if (here === before) break;
        before = here;
        await this.press(key);
      }
    }
    await this.isAt(row);
  }

  /** Presses Enter on a button of a row. */
  async act(row: Locator, action: string | RegExp): Promise<void> {
    await this.toRow(row);
    await this.tabTo(row.getByRole('button', { name: action, exact: typeof action === 'string' }).first());
    await this.press('Enter');
  }

  /** What has the keyboard, in words for a failure; differs from element to element. */
  async place(): Promise<string> {
    const root = this.#chat.workbench.webview().locator('#root');
    return root.evaluate(() => {
      const { document } = globalThis as unknown as PageGlobals;
      const element = document.activeElement;
      if (!document.hasFocus() || !element) return 'nothing of the page';
      const name = element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ?? '';
      const position = element.getAttribute('aria-posinset') ?? '';
      const words = (element.textContent ?? '').slice(0, 20);
      return `${element.tagName}.${element.className.split(' ')[0] ?? ''} ${name} ${position} ${words}`.trim();
    });
  }
}
