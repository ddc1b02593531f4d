import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ChatPage } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { PATIENCE_MS } from './workbench.ts';

/** What of a browser's page the tests touch. */
interface Focusable {
  readonly ownerDocument: { readonly activeElement: Focusable | null };
  /** 4: what is given follows in the document. */
  compareDocumentPosition(other: Focusable): number;
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
  getSelection(): { toString(): string };
}

/** More stops of the Tab key than the page has. */
const MAX_TABS = 60;
/** More rows than are on the page at once. */
const MAX_ROWS = 200;

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

  /** Types as by one key what is searched for with each: of what was typed before its end nothing is found. */
  async seek(text: string): Promise<void> {
    await this.#chat.workbench.page.keyboard.insertText(text);
  }

  /** Goes to the composer by the chat's own key, from wherever the keyboard is, and empties it. */
  async toComposer(): Promise<void> {
    // Not once more before the first had its time: with text selected in a file, each attaches that text.
    await eventually(async () => {
      if (await this.has(this.#chat.composer())) return;
      await this.press('Shift+Alt+t');
      await this.#at(this.#chat.composer()).waitFor({ timeout: PATIENCE_MS });
    });
    await this.clear();
  }

  /** Empties the field that has the keyboard. Not by Ctrl+A, which the editor carries out when it comes to it. */
  async clear(): Promise<void> {
    await this.press('Control+End', 'Control+Shift+Home', 'Delete');
  }

  /** Waits until the composer holds this. */
  async reads(text: string): Promise<void> {
    await eventually(async () => assert.equal((await this.#chat.composer().inputValue()).trim(), text.trim()));
  }

  /** Writes a message and waits until the reply to it has ended. */
  async send(text: string, reply: string | RegExp): Promise<void> {
    await this.toComposer();
    await this.#chat.answered(reply, async () => {
      await this.type(text);
      await this.press('Enter');
    });
  }

  /** The element while it has the keyboard; not while the page does not have it, or is behind another tab. */
  #at(element: Locator): Locator {
    return element.and(this.#chat.workbench.webview().locator(':focus'));
  }

  async has(element: Locator): Promise<boolean> {
    return (await this.#at(element).count()) === 1;
  }

  /** Waits until this has the keyboard. */
  async isAt(element: Locator): Promise<void> {
    await eventually(async () =>
      assert.ok(await this.has(element), `${String(element)} has the keyboard, not ${await this.place()}`),
    );
  }

  /** Presses Tab, or Shift and Tab, until this has the keyboard. */
  async tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    // A button that rests until a reply has ended would be passed over.
    await element.and(this.#chat.workbench.webview().locator(':not(:disabled)')).waitFor({ state: 'attached' });
    for (let tabs = 0; !(await this.has(element)); tabs++) {
      if (tabs > MAX_TABS) assert.fail(`${String(element)} is reached by ${key}, not ${await this.place()}`);
      await this.press(key);
    }
  }

  /** Goes by Shift and Tab from the composer into the transcript, and by arrows to a row that is on the page. */
  async toRow(row: Locator): Promise<void> {
    await this.toComposer();
    // Not before: a page behind another tab is not loaded.
    await row.waitFor();
    const transcript = this.#chat.workbench.webview().locator('.transcript:focus, .transcript [role="article"]:focus');
    for (let tabs = 0; (await transcript.count()) === 0; tabs++) {
      if (tabs > MAX_TABS) assert.fail(`the transcript is reached by Shift+Tab, not ${await this.place()}`);
      await this.press('Shift+Tab');
    }
    for (let steps = 0; !(await this.has(row)); steps++) {
      if (steps > MAX_ROWS) assert.fail(`${String(row)} is reached by arrows, not ${await this.place()}`);
      // A row that has left the page is above: whoever comes into the transcript comes to its lowest row.
      const isBelow = await row.evaluateAll(([one]: Focusable[]) => {
        const here = one?.ownerDocument.activeElement;
        return here ? (here.compareDocumentPosition(one) & 4) !== 0 && !here.matches('[role="feed"]') : false;
      });
      await this.press(isBelow ? 'ArrowDown' : 'ArrowUp');
    }
  }

  /** Selects words of the row that has the keyboard, by the arrow keys. */
  async selectWords(words: readonly string[]): Promise<void> {
    const root = this.#chat.workbench.webview().locator('#root');
    const selected = (): Promise<string> =>
      root.evaluate(() => (globalThis as unknown as PageGlobals).getSelection().toString().trim());
    for (let steps = 0; (await selected()) !== words[0]; steps++) {
      assert.ok(steps < MAX_TABS, `“${words[0]}” is selected, not “${await selected()}”`);
      await this.press('ArrowRight');
    }
    for (let steps = 1; steps < words.length; steps++) await this.press('Shift+ArrowRight');
    assert.equal(await selected(), words.join(' '));
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
    if ((await root.count()) === 0) return 'anything of the page, which is not shown';
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
