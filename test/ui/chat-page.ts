import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { WireServer } from '../support/wire-server.ts';
import { closeAfterFile, freshWorkspace, replaceFile } from './editor.ts';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Writes the workspace's settings. VS Code notices the change after a moment. */
export async function writeSettings(folder: string, settings: Settings): Promise<void> {
  await mkdir(path.join(folder, '.vscode'), { recursive: true });
  await replaceFile(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));
}

/** A reply that takes minutes, so that a test can stop it in time even on a busy machine. */
export const SLOW_REPLY = { text: 'Drop by drop. '.repeat(400), dripMs: 200 };

/** Starts a model server, which is stopped after all tests of the file. */
export async function startModelServer(): Promise<WireServer> {
  const server = await WireServer.start();
  closeAfterFile(() => server.stop());
  return server;
}

/** Settings for chat replies from a server on loopback. */
export function chatServerSettings(server: WireServer): Settings {
  return {
    'threadkeeper.chat.provider': 'compatible',
    'threadkeeper.chat.model': 'test-model',
    'threadkeeper.chat.baseUrl': `${server.url}/v1`,
    'threadkeeper.models.overrides': { 'test-model': { contextWindow: 8192, maxOutput: 2048 } },
  };
}

/**
 * Scrolls a transcript back until a row is rendered, starting again from the end when it reaches the beginning. Each
 * part is rendered before the next. Keys and the wheel would scroll past the row.
 */
export async function scrollBackTo(transcript: Locator, row: Locator): Promise<void> {
  while ((await row.count()) === 0)
    await transcript.evaluate(async (feed) => {
      const drawn = (): Promise<unknown> => new Promise(requestAnimationFrame);
      await drawn();
      feed.scrollTop = feed.scrollTop > 0 ? feed.scrollTop - 600 : feed.scrollHeight;
      await drawn();
      await drawn();
    });
}

/** The chat page in a window of the workbench. */
export class ChatPage {
  readonly workbench: Workbench;
  /** The workspace's settings when the chat was opened. */
  readonly settings: Settings;

  constructor(workbench: Workbench, settings: Settings = {}) {
    this.workbench = workbench;
    this.settings = settings;
  }

  /** Opens the chat in a window on a new workspace, which `prepare` can change before. */
  static async open(
    profile: string,
    settings: Settings = {},
    prepare: (folder: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<ChatPage> {
    const folder = await freshWorkspace();
    await prepare(folder);
    await writeSettings(folder, settings);
    const chat = new ChatPage(await Workbench.open({ folder, profile }), settings);
    await chat.show();
    return chat;
  }

  /** Writes the settings with which the chat was opened, and these. */
  changeSettings(more: Settings): Promise<void> {
    return writeSettings(this.folder, { ...this.settings, ...more });
  }

  get folder(): string {
    return this.workbench.folder ?? '';
  }

  get page(): FrameLocator {
    return this.workbench.webview();
  }

  /** Opens or reveals the chat, and waits until it has the focus. */
  async show(): Promise<void> {
    await this.workbench.runCommand('Threadkeeper: Open Chat');
    await this.composer().and(this.page.locator(':focus')).waitFor();
  }

  composer(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  /** The rendered messages, oldest first. */
  messages(): Locator {
    return this.page.locator('.message[data-message]');
  }

  message(text: string | RegExp): Locator {
    return this.messages().filter({ hasText: text });
  }

  /** The composer's attachments with this text, or all. */
  chips(hasText?: string | RegExp): Locator {
    return this.page.locator('.composer .chip', { hasText });
  }

  /** The composer's suggestions with this text, or all. */
  options(name?: string | RegExp): Locator {
    return this.page.getByRole('option', { name });
  }

  compressions(): Locator {
    return this.page.locator('.compression');
  }

  /** Scrolls the transcript from its end until the last compression is rendered. */
  async scrollToCompression(): Promise<void> {
    await scrollBackTo(this.page.getByRole('feed'), this.compressions());
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  async newSession(): Promise<void> {
    await this.page.locator('.header').getByTitle('New Session', { exact: true }).click();
    await this.page.getByText('What are you working on?').waitFor();
  }

  /** Stops the reply if a failed test has left one, which would queue the messages of later tests. */
  async stopReply(): Promise<void> {
    const stop = this.button('Stop Response');
    if (!(await stop.isVisible())) return;
    // Not by the button, which disappears if the reply ends now.
    await this.composer().press('Escape');
    await stop.waitFor({ state: 'detached' });
  }

  /** A short notice at the bottom of the page. */
  toast(text: string | RegExp): Locator {
    return this.page.locator('.toast').filter({ hasText: text });
  }

  async runAction(message: Locator, action: string): Promise<void> {
    await message.hover();
    // A long message also has its actions at its end.
    await message.getByRole('button', { name: action }).first().click();
  }

  async submit(text: string): Promise<void> {
    await this.composer().fill(text);
    await this.composer().press('Enter');
  }

  async waitForDraft(text: string | RegExp): Promise<void> {
    await eventually(async () => {
      const value = await this.composer().inputValue();
      if (typeof text === 'string') assert.equal(value, text);
      else assert.match(value, text);
    });
  }

  /** Sends a message and waits until the reply has ended. */
  async send(text: string, reply: string | RegExp): Promise<void> {
    await this.waitForReply(reply, () => this.submit(text));
  }

  /** Requests a reply and waits until it has ended, even if an earlier reply is the same. */
  async waitForReply(reply: string | RegExp, ask: () => Promise<void>): Promise<void> {
    await this.waitForNewMessage(reply, ask);
    await this.button('Send').waitFor();
  }

  /** Waits until a message with this text is shown that wasn't shown before `ask`. */
  async waitForNewMessage(text: string | RegExp, ask: () => Promise<void>): Promise<void> {
    const others = await this.messages().evaluateAll((earlier) =>
      earlier.map(({ dataset }) => `:not([data-message="${dataset['message']}"])`).join(''),
    );
    await ask();
    const added = this.page.locator(`.message[data-message]${others}`).filter({ hasText: text });
    await added.last().waitFor();
  }

  /** Selects a text in a message, as by dragging. */
  async select(message: Locator, text: string): Promise<void> {
    await message.evaluate((element, wanted) => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const at = (node.textContent ?? '').indexOf(wanted);
        if (at < 0) continue;
        getSelection()?.setBaseAndExtent(node, at, node, at + wanted.length);
        return;
      }
      throw new Error(`nothing here says ${wanted}`);
    }, text);
  }
}
