import os from 'node:os';
import * as vscode from 'vscode';
import type { ChatLibrary, ChatList, ChatNews } from '../../app/library/chat-library.ts';
import type { StoreFault } from '../../app/ports.ts';
import { readSettings } from '../platform/settings.ts';
import { translated } from '../platform/translated.ts';
import { LibraryThread } from './library-thread.ts';

export interface AllChatsOptions {
  readonly extensionUri: vscode.Uri;
  /** Where our copies are kept. */
  readonly storage: vscode.Uri;
  /** Identity of this window. */
  readonly window: string;
  readonly warn: (message: string) => void;
}

const NONE: ChatList = { chats: [], refused: [], copied: [], bytes: 0 };
const DAY_MS = 24 * 3_600_000;
/** A thread that ended is started again after this pause (ms), which doubles each time. */
const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 5 * 60_000;
/** A thread that has worked for so long (ms) since another one ended is sound. */
const STEADY_MS = 15 * 60_000;

/** The chats from other tools in this window: followed as far as the settings say, in a thread of their own. */
export class AllChats implements vscode.Disposable {
  readonly #thread: LibraryThread;
  readonly #warn: AllChatsOptions['warn'];
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChange = this.#changed.event;
  readonly onNews: vscode.Event<ChatNews>;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  /** The pass that runs, for all who ask for the same. */
  #pass: { readonly wanted: string; readonly done: Promise<unknown> } | undefined;
  #isFollowing = false;
  #endedAt = -Infinity;
  #restart: NodeJS.Timeout | undefined;
  #restartMs = MIN_RESTART_MS;
  #hasWarned = false;

  constructor({ extensionUri, storage, window, warn }: AllChatsOptions) {
    this.#warn = warn;
    this.#thread = new LibraryThread({
      file: vscode.Uri.joinPath(extensionUri, 'dist/all-chats.cjs').fsPath,
      data: () => ({ folder: vscode.Uri.joinPath(storage, 'all-chats').fsPath, home: os.homedir(), window }),
      ended: (fault) => this.#ended(fault),
    });
    this.onNews = this.#thread.onNews;
    this.#subscriptions = [
      this.#thread,
      this.#changed,
      this.onNews((news) => {
        if (news.type === 'changed') this.#changed.fire(undefined);
        if (news.type === 'failed') this.#failed(news.message);
      }),
    ];
  }

  dispose(): void {
    this.#isFollowing = false;
    clearTimeout(this.#restart);
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
    try {
      const { isOn } = this;
      this.#isFollowing = isOn;
      if (isOn || this.#thread.isRunning) await this.#read(isOn);
    } catch (error) {
      this.#failed(String(error));
    }
    this.#changed.fire(undefined);
  }

  async #read(isOn: boolean): Promise<void> {
    const { tools, keepDays } = readSettings().sources;
    const options = { tools: isOn ? tools : [], keepMs: keepDays * DAY_MS };
    const wanted = JSON.stringify(options);
    if (this.#pass?.wanted !== wanted) this.#pass = { wanted, done: this.library.follow(options) };
    const pass = this.#pass;
    try {
      await pass.done;
    } finally {
      if (this.#pass === pass) this.#pass = undefined;
    }
  }

  /** Begins anew, the later the more often the thread has ended of late. */
  #ended(fault: StoreFault): void {
    this.#failed(fault.message);
    if (!this.#isFollowing) return;
    if (!this.#hasWarned) void vscode.window.showWarningMessage(translated(fault.phrase));
    this.#hasWarned = true;
    const now = performance.now();
    this.#restartMs = now - this.#endedAt > STEADY_MS ? MIN_RESTART_MS : Math.min(this.#restartMs * 2, MAX_RESTART_MS);
    this.#endedAt = now;
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => void this.follow(), this.#restartMs);
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
    if (!this.#isFollowing) void this.follow();
    return this.library.list();
  }
}
