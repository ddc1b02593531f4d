import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ChatPage } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { ATTEMPT_TIMEOUT_MS } from './workbench.ts';

/** More than the page's number of tab stops. */
const MAX_TABS = 60;
/** More than the number of rendered rows. */
const MAX_ROWS = 200;

/** Controls the page by keyboard only. */
export class Keyboard {
  readonly #chat: ChatPage;

  constructor(chat: ChatPage) {
    this.#chat = chat;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#chat.workbench.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#chat.workbench.page.keyboard.type(text);
  }

  /** Enters a search text in one step, because each key starts a search, and partial words have no results. */
  async enterQuery(text: string): Promise<void> {
    await this.#chat.workbench.page.keyboard.insertText(text);
  }

  /** Focuses the composer with the chat's keybinding from anywhere, and clears it. */
  async toComposer(): Promise<void> {
    // Doesn't press the key again too early: if text is selected in a file, each press attaches it.
    await eventually(async () => {
      if (await this.has(this.#chat.composer())) return;
      await this.press('Shift+Alt+t');
      await this.#at(this.#chat.composer()).waitFor({ timeout: ATTEMPT_TIMEOUT_MS });
    });
    await this.clear();
  }

  /** Clears the focused field. Doesn't use Ctrl+A, which may reach VS Code instead. */
  async clear(): Promise<void> {
    await this.press('Control+End', 'Control+Shift+Home', 'Delete');
  }

  async waitForDraft(text: string): Promise<void> {
    await eventually(async () => assert.equal((await this.#chat.composer().inputValue()).trim(), text.trim()));
  }

  /** Sends a message and waits until the reply has ended. */
  async send(text: string, reply: string | RegExp): Promise<void> {
    await this.toComposer();
    await this.#chat.waitForReply(reply, async () => {
      await this.type(text);
      await this.press('Enter');
    });
  }

  /** Matches the element only while it has the focus and the page is visible. */
  #at(element: Locator): Locator {
    return element.and(this.#chat.page.locator(':focus'));
  }

  async has(element: Locator): Promise<boolean> {
    return (await this.#at(element).count()) === 1;
  }

  async waitForFocus(element: Locator): Promise<void> {
    await eventually(async () =>
      assert.ok(await this.has(element), `${String(element)} has the keyboard, not ${await this.describeFocus()}`),
    );
  }

  /** Presses Tab or Shift+Tab until the element has the focus. */
  async tabTo(element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    // A button that is disabled until a reply has ended would be skipped.
    await element.and(this.#chat.page.locator(':not(:disabled)')).waitFor({ state: 'attached' });
    for (let tabs = 0; !(await this.has(element)); tabs++) {
      if (tabs > MAX_TABS) assert.fail(`${String(element)} is reached by ${key}, not ${await this.describeFocus()}`);
      await this.press(key);
    }
  }

  /** Moves from the composer into the transcript with Shift+Tab, and to a rendered row with arrow keys. */
  async toRow(row: Locator): Promise<void> {
    await this.toComposer();
    // Waits first, because a page behind another tab isn't loaded.
    await row.waitFor();
    const transcript = this.#chat.page.locator('.transcript:focus, .transcript [role="article"]:focus');
    for (let tabs = 0; (await transcript.count()) === 0; tabs++) {
      if (tabs > MAX_TABS) assert.fail(`the transcript is reached by Shift+Tab, not ${await this.describeFocus()}`);
      await this.press('Shift+Tab');
    }
    for (let steps = 0; !(await this.has(row)); steps++) {
      if (steps > MAX_ROWS) assert.fail(`${String(row)} is reached by arrows, not ${await this.describeFocus()}`);
      // A row that isn't rendered anymore is above, because the transcript is entered at its lowest row.
      const isBelow = await row.evaluateAll(([one]) => {
        const here = document.activeElement;
        if (!one || !here || here.matches('[role="feed"]')) return false;
        return (here.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
      });
      await this.press(isBelow ? 'ArrowDown' : 'ArrowUp');
    }
  }

  /** Selects words in the focused row with the arrow keys. */
  async selectWords(words: readonly string[]): Promise<void> {
    const root = this.#chat.page.locator('#root');
    const selected = (): Promise<string> => root.evaluate(() => String(getSelection()).trim());
    for (let steps = 0; (await selected()) !== words[0]; steps++) {
      assert.ok(steps < MAX_TABS, `“${words[0]}” is selected, not “${await selected()}”`);
      await this.press('ArrowRight');
    }
    for (let steps = 1; steps < words.length; steps++) await this.press('Shift+ArrowRight');
    assert.equal(await selected(), words.join(' '));
  }

  async pressButton(row: Locator, action: string | RegExp): Promise<void> {
    await this.toRow(row);
    await this.tabTo(row.getByRole('button', { name: action, exact: typeof action === 'string' }).first());
    await this.press('Enter');
  }

  /** Describes the focused element for error messages. Different elements have different descriptions. */
  async describeFocus(): Promise<string> {
    const root = this.#chat.page.locator('#root');
    if ((await root.count()) === 0) return 'anything of the page, which is not shown';
    return root.evaluate(() => {
      const element = document.activeElement;
      if (!document.hasFocus() || !element) return 'nothing of the page';
      const name = element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ?? '';
      const position = element.getAttribute('aria-posinset') ?? '';
      const words = (element.textContent ?? '').slice(0, 20);
      return `${element.tagName}.${element.className.split(' ')[0] ?? ''} ${name} ${position} ${words}`.trim();
    });
  }
}
