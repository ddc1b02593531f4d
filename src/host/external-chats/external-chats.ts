import { existsSync } from 'node:fs';
import os from 'node:os';
import * as vscode from 'vscode';
import { Worker } from 'node:worker_threads';
import {
  CHAT_LIBRARY_METHODS,
  type ChatCall,
  type ChatLibrary,
  type ChatList,
  type ChatLibraryEvent,
  type ChatReply,
} from '../../app/library/chat-library-calls.ts';
import { TOOL_NAMES } from '../../app/library/source.ts';
import { StoreFault } from '../../app/ports.ts';
import type { Citation } from '../../app/workspace-recall.ts';
import { readSettings } from '../platform/settings.ts';
import { translated } from '../platform/l10n.ts';
import { openFolders } from '../platform/workspace-files.ts';
import { phrase } from '../../core/text/phrase.ts';

const NO_CHATS: ChatList = { chats: [], unreadable: [], copied: [], bytes: 0 };
const DAY_MS = 24 * 3_600_000;
/** Pause before a thread that has ended is restarted (ms); doubles each time up to the maximum. */
const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 5 * 60_000;
/** If a thread has run for this long (ms), the pause starts over from the minimum. */
const STABLE_MS = 15 * 60_000;

/** This window's access to chats from other tools, which a worker thread copies as configured. */
export class ExternalChats implements vscode.Disposable {
  readonly #folder: string;
  readonly #thread: ReturnType<typeof libraryThread>;
  readonly library: ChatLibrary;
  readonly #warn: (message: string) => void;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChange = this.#changed.event;
  readonly #libraryEvents = new vscode.EventEmitter<ChatLibraryEvent>();
  readonly onLibraryEvent = this.#libraryEvents.event;
  /** The call of `library.follow` in progress, shared by callers with the same options (`key`). */
  #following: { readonly key: string; readonly done: Promise<unknown> } | undefined;
  #isFollowing = false;
  #endedAt = -Infinity;
  #restartTimer: NodeJS.Timeout | undefined;
  #restartMs = MIN_RESTART_MS;
  #hasWarned = false;

  /** The copies are stored in the folder `all-chats` of the global storage. */
  constructor(
    { extensionUri, globalStorageUri }: Pick<vscode.ExtensionContext, 'extensionUri' | 'globalStorageUri'>,
    window: string,
    warn: (message: string) => void,
  ) {
    this.#warn = warn;
    this.#folder = vscode.Uri.joinPath(globalStorageUri, 'all-chats').fsPath;
    const file = vscode.Uri.joinPath(extensionUri, 'dist/all-chats.cjs').fsPath;
    // The home folder as of the thread's start, because tests change it.
    const data = (): object => ({ folder: this.#folder, home: os.homedir(), window });
    const onEvent = (event: ChatLibraryEvent): void => {
      if (event.type === 'changed') this.#changed.fire(undefined);
      if (event.type === 'failed') this.#warnOf(event.message);
      this.#libraryEvents.fire(event);
    };
    this.#thread = libraryThread(file, data, onEvent, (fault) => this.#ended(fault));
    this.library = this.#thread.library;
  }

  dispose(): void {
    this.#isFollowing = false;
    clearTimeout(this.#restartTimer);
    this.#libraryEvents.dispose();
    this.#changed.dispose();
  }

  /** Ends the thread and closes the copies. */
  close(): Promise<void> {
    return this.#thread.end();
  }

  /** False in Restricted Mode, and until the user has selected a tool. */
  get isOn(): boolean {
    return vscode.workspace.isTrusted && readSettings().sources.tools.length > 0;
  }

  /** Whether to delete expired copies, which also happens if no tool is selected anymore. */
  get #deletesExpired(): boolean {
    // Whether there are copies, whatever has become of their catalog.
    return vscode.workspace.isTrusted && readSettings().sources.keepDays > 0 && existsSync(this.#folder);
  }

  /** Follows the selected tools from now on. Never rejects; failures are logged. */
  async follow(): Promise<void> {
    try {
      const { isOn } = this;
      this.#isFollowing = isOn;
      if (isOn || this.#deletesExpired || this.#thread.isRunning()) await this.#read(isOn);
    } catch (error) {
      this.#warnOf(String(error));
    }
    this.#changed.fire(undefined);
  }

  async #read(isOn: boolean): Promise<void> {
    const { tools, keepDays } = readSettings().sources;
    const options = { tools: isOn ? tools : [], keepMs: isOn || this.#deletesExpired ? keepDays * DAY_MS : 0 };
    const key = JSON.stringify(options);
    if (this.#following?.key !== key) this.#following = { key, done: this.library.follow(options) };
    const following = this.#following;
    await following.done.finally(() => {
      if (this.#following === following) this.#following = undefined;
    });
  }

  /** Restarts the thread after a pause that grows with each recent failure. */
  #ended(fault: StoreFault): void {
    this.#warnOf(fault.message);
    if (!this.#isFollowing) return;
    if (!this.#hasWarned) void vscode.window.showWarningMessage(translated(fault.phrase));
    this.#hasWarned = true;
    const now = performance.now();
    this.#restartMs = now - this.#endedAt > STABLE_MS ? MIN_RESTART_MS : Math.min(this.#restartMs * 2, MAX_RESTART_MS);
    this.#endedAt = now;
    clearTimeout(this.#restartTimer);
    this.#restartTimer = setTimeout(() => void this.follow(), this.#restartMs);
  }

  /** Size of the copies on disk, including those of tools that aren't followed anymore. */
  async copiedBytes(): Promise<number> {
    return vscode.workspace.isTrusted ? (await this.library.list()).bytes : 0;
  }

  #warnOf(reason: string): void {
    this.#warn(`The chats from other tools could not be read: ${reason}`);
  }

  /** The copied chats; empty if `isOn` is false. */
  async list(): Promise<ChatList> {
    if (!this.isOn) return NO_CHATS;
    if (!this.#isFollowing) void this.follow();
    return this.library.list();
  }
}

/** The best quotes for a query from the copied chats of the open folders. Secrets are masked. */
export async function quoteChats(
  chats: Pick<ExternalChats, 'list' | 'library'>,
  query: string,
  limit: number,
): Promise<readonly Citation[]> {
  const folders = openFolders();
  const { chats: copied } = folders.length === 0 ? { chats: [] } : await chats.list();
  if (copied.length === 0) return [];
  const titles = new Map(copied.map(({ key, entry }) => [key, `${TOOL_NAMES[entry.tool]}: ${entry.title}`]));
  const hits = await chats.library.search({ text: query, limit, folders, redact: true });
  return hits.flatMap(({ key, message, role, text }) => {
    const session = titles.get(key);
    return session === undefined ? [] : [{ session, message: message + 1, role, text }];
  });
}

/** Maximum heap of the thread, more than reading 200 chats (1 GB in total) takes. Exceeding it ends only the thread. */
const MAX_HEAP_MB = 2048;

/**
 * Runs the library in a worker thread, so that reading chats never blocks the extension host. `onEnd` is called when the
 * thread ends unexpectedly.
 */
function libraryThread(
  file: string,
  data: () => object,
  onEvent: (event: ChatLibraryEvent) => void,
  onEnd: (fault: StoreFault) => void,
) {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let lastId = 0;
  const rejectAll = (fault: StoreFault): void => {
    for (const call of pending.values()) call.reject(fault);
    pending.clear();
  };
  const handleEnd = (ending: Worker, reason: string): void => {
    // A failing thread emits two events, and a new one may have started in between.
    if (worker !== ending) return;
    worker = undefined;
    const fault = faultOf(reason);
    rejectAll(fault);
    onEnd(fault);
  };
  const handleReply = (reply: ChatReply): void => {
    if ('event' in reply) return onEvent(reply.event);
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if ('result' in reply) call?.resolve(reply.result);
    else call?.reject(new StoreFault('other', reply.fault));
  };
  const start = (): Worker => {
    const started = new Worker(file, {
      workerData: data(),
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      // Node warns that SQLite is experimental each time it's loaded.
      execArgv: ['--no-warnings'],
    });
    started.on('message', handleReply);
    started.on('error', (error: Error) => handleEnd(started, error.message));
    started.on('exit', (code) => handleEnd(started, `exit ${code}`));
    return started;
  };
  const callWorker = (method: ChatCall['method'], args: readonly unknown[]): Promise<unknown> => {
    const id = ++lastId;
    const call = Promise.withResolvers<unknown>();
    pending.set(id, call);
    worker ??= start();
    worker.postMessage({ id, method, args });
    return call.promise;
  };
  const methods = CHAT_LIBRARY_METHODS.map(
    (method) => [method, (...args: readonly unknown[]) => callWorker(method, args)] as const,
  );
  // The compiler can't see that every method is included.
  const library = Object.fromEntries(methods) as unknown as ChatLibrary;
  /** Ends the thread once it has released its resources. */
  const end = async (): Promise<void> => {
    const ending = worker;
    if (!ending) return;
    try {
      await library.close();
    } finally {
      worker = undefined;
      rejectAll(faultOf('closed'));
      await ending.terminate();
    }
  };
  return { library, isRunning: () => worker !== undefined, end };
}

function faultOf(reason: string): StoreFault {
  return new StoreFault(
    'other',
    phrase('Reading chats from other tools stopped unexpectedly ({0}). It restarts automatically.', reason),
  );
}
