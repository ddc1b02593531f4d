import os from 'node:os';
import * as vscode from 'vscode';
import type { ChatLibrary, ChatList, ChatNews } from '../../app/library/chat-library.ts';
import { readSettings } from '../platform/settings.ts';
import { LibraryThread } from './library-thread.ts';

export interface AllChatsOptions {
  readonly extensionUri: vscode.Uri;
  /** Where our copies are kept. */
  readonly storage: vscode.Uri;
  /** Identity of this window. */
  readonly window: string;
  readonly warn: (message: string) => void;
}

const NONE: ChatList = { chats: [], refused: [], bytes: 0 };
const DAY_MS = 24 * 3_600_000;

/** The chats from other tools in this window: followed as far as the settings say, in a thread of their own. */
export class AllChats implements vscode.Disposable {
  readonly #thread: LibraryThread;
  readonly #warn: AllChatsOptions['warn'];
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChange = this.#changed.event;
  readonly onNews: vscode.Event<ChatNews>;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  #followed: Promise<unknown> | undefined;

  constructor({ extensionUri, storage, window, warn }: AllChatsOptions) {
    this.#warn = warn;
    this.#thread = new LibraryThread({
      file: vscode.Uri.joinPath(extensionUri, 'dist/all-chats.cjs').fsPath,
      data: () => ({ folder: vscode.Uri.joinPath(storage, 'all-chats').fsPath, home: os.homedir(), window }),
    });
    this.onNews = this.#thread.onNews;
    this.#subscriptions = [
      this.#thread,
      this.#changed,
      this.onNews((news) => {
        if (news.type === 'changed') this.#changed.fire(undefined);
        if (news.type === 'failed') this.#failed(news.message);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('threadkeeper.sources')) void this.follow();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.follow()),
    ];
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
  }

  /** Ends what runs and lets go of the copies. */
  close(): Promise<void> {
    return this.#thread.end();
  }

  get library(): ChatLibrary {
    return this.#thread.library;
  }

  /** Nothing is read in Restricted Mode, nor before the user has chosen a tool. */
  get isOn(): boolean {
    return vscode.workspace.isTrusted && readSettings().sources.tools.length > 0;
  }

  /** Follows the chosen tools from now on; the first call begins. Never rejects: what fails is tried again. */
  async follow(): Promise<void> {
    if (!this.isOn && !this.#thread.isRunning) return this.#changed.fire(undefined);
    const { tools, keepDays } = readSettings().sources;
    try {
      await (this.#followed = this.library.follow({ tools: this.isOn ? tools : [], keepMs: keepDays * DAY_MS }));
    } catch (error) {
      this.#failed(String(error));
    }
    this.#changed.fire(undefined);
  }

  /** What our copies take on disk, also of tools that are followed no more. */
  async keptBytes(): Promise<number> {
    return vscode.workspace.isTrusted ? (await this.library.list()).bytes : 0;
  }

  #failed(why: string): void {
    this.#warn(`The chats from other tools could not be read: ${why}`);
  }

  /** What is kept; nothing while no tool is chosen. */
  async list(): Promise<ChatList> {
    if (!this.isOn) return NONE;
    this.#followed ??= this.follow();
    return this.library.list();
  }
}
