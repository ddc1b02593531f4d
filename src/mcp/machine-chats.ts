import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatHit, ChatQuery } from '../app/library/chat-index.ts';
import { Library, type CopiedSession } from '../app/library/library.ts';
import type { KeptSession } from '../app/library/library-store.ts';
import { isFileSystemError, TOOLS, type UnreadablePath } from '../app/library/source.ts';
import { errorMessage } from '../core/text/error-details.ts';
import { withSources } from '../sources/all-sources.ts';
import { editorFolders, type Home } from '../sources/home-folders.ts';
import { LibraryCopies } from '../storage/library-copies.ts';
import { HEARTBEAT_MS, WriterLock } from '../storage/writer-lock.ts';

/** The path of the extension's copies in an editor's `User` folder. */
const EDITOR_COPIES = 'globalStorage/threadkeeper.threadkeeper/all-chats';

/**
 * Bounds of the age (ms) up to which an index is searched without a check for changes, because a check takes longer.
 * The age is a multiple of the last check's duration, because tools' changed databases are read completely.
 */
const MIN_MAX_AGE_MS = 15_000;
const MAX_AGE_FACTOR = 10;
const MAX_MAX_AGE_MS = 120_000;

/** Interval for checking whether another server has finished reading, in ms. */
const LOCK_POLL_MS = 200;

/** The folder of an index. If it's temporary, it's deleted when the server ends. */
export interface IndexFolder {
  readonly path: string;
  readonly isTemporary: boolean;
}

export interface MachineChatsOptions {
  readonly home: Home;
  readonly folder: IndexFolder;
  /** Receives each problem as one line. */
  readonly warn: (message: string) => void;
}

/**
 * The chats of all tools on this machine: those that the tools have, with an index in a cache, and the copies that VS
 * Code made of others. Servers that run at the same time share the index; one of them reads the changes.
 */
export class MachineChats {
  readonly #options: MachineChatsOptions;
  readonly #copies: LibraryCopies;
  readonly #lock: WriterLock;
  readonly #library: Library;
  readonly #editorCopies: readonly Library[];
  readonly #closing = new AbortController();
  readonly #warned = new Set<string>();
  #refreshing: Promise<boolean> | undefined;
  #refreshedAt = -Infinity;
  #maxAgeMs = MIN_MAX_AGE_MS;
  /** Whether the index has to be built again. */
  #isDamaged = false;
  #unreadable: readonly UnreadablePath[] = [];
  #progress: { readonly done: number; readonly total: number } | undefined;
  #failure: string | undefined;

  constructor(options: MachineChatsOptions) {
    const { folder, home } = options;
    this.#options = options;
    this.#lock = new WriterLock(path.join(folder.path, 'library.lock'), randomUUID());
    this.#copies = new LibraryCopies(folder.path, () => this.#lock.isHeld());
    this.#library = new Library(this.#copies, true);
    this.#editorCopies = editorFolders(home).map(
      (user) => new Library(new LibraryCopies(path.join(user, EDITOR_COPIES), () => Promise.resolve(false))),
    );
  }

  /** The home folder whose chats these are. */
  get folder(): string {
    return this.#options.home.folder;
  }

  /** Files, databases, and folders that couldn't be read. */
  get unreadable(): readonly UnreadablePath[] {
    return this.#unreadable;
  }

  /** Undefined if no chats are being read. */
  get progress() {
    return this.#progress;
  }

  /** Why the changes couldn't be read; undefined if they could. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Whether all chats have been read once. */
  get isComplete(): boolean {
    return this.#refreshedAt > -Infinity;
  }

  /** Waits up to `ms` for all changes. Resolves to whether they were read; failures are passed to `warn`. */
  async refresh(ms: number): Promise<boolean> {
    if (!this.#refreshing && performance.now() - this.#refreshedAt < this.#maxAgeMs) return true;
    this.#refreshing ??= this.#readChanges().finally(() => (this.#refreshing = undefined));
    const waiting = new AbortController();
    try {
      return await Promise.race([this.#refreshing, pause(ms, false, { signal: waiting.signal })]);
    } finally {
      waiting.abort();
    }
  }

  /** The best results, best first. Throws if the index is damaged, which is then built again. */
  async search(query: ChatQuery): Promise<readonly ChatHit[]> {
    const hits: ChatHit[] = [];
    for (const { library, sessions } of this.#chats())
      hits.push(...((await this.#readFrom(library, () => library.index.search(sessions, query))) ?? []));
    return hits.sort((a, b) => b.score - a.score).slice(0, query.limit);
  }

  /** All chats, newest first. A chat of which only VS Code has a copy was deleted by its tool. */
  list(): readonly KeptSession[] {
    return this.#chats()
      .flatMap(({ library, sessions }) => {
        const isOnlyCopy = this.isComplete && library !== this.#library;
        return sessions.map((session) => ({ ...session, isGone: session.isGone || isOnlyCopy }));
      })
      .sort((a, b) => b.entry.updatedAt - a.entry.updatedAt);
  }

  /** Undefined if the chat was removed meanwhile. Throws like `search`. */
  async read(key: string): Promise<CopiedSession | undefined> {
    for (const { library, sessions } of this.#chats()) {
      const session = sessions.find((one) => one.key === key);
      if (session) return this.#readFrom(library, () => library.read(session));
    }
    return undefined;
  }

  /** Stops reading, and deletes the index if it's temporary. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#refreshing;
    const { path: folder, isTemporary } = this.#options.folder;
    if (isTemporary) await rm(folder, { recursive: true, force: true });
  }

  /** The libraries with their chats. A chat that is in several is only in the first. */
  #chats() {
    const known = new Set<string>();
    return [this.#library, ...this.#editorCopies].map((library) => {
      const sessions = library.sessions().filter(({ key }) => !known.has(key));
      for (const { key } of sessions) known.add(key);
      return { library, sessions };
    });
  }

  /** Reads from a library. Resolves to undefined if VS Code's copies can't be read, because it may be changing them. */
  async #readFrom<Result>(library: Library, read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#warn(error);
      if (library !== this.#library) return undefined;
      this.#isDamaged = true;
      this.#refreshedAt = -Infinity;
      throw new Error('The index of the chats was damaged and is built again. Call again.', { cause: error });
    }
  }

  /** Resolves to false if the changes couldn't be read. */
  async #readChanges(): Promise<boolean> {
    try {
      for (const library of this.#editorCopies) await library.reload().catch((error: unknown) => this.#warn(error));
      if (!(await this.#acquireLock())) return false;
      const startedAt = performance.now();
      const beat = setInterval(() => void this.#lock.beat().catch((error: unknown) => this.#warn(error)), HEARTBEAT_MS);
      try {
        await this.#loadCatalog();
        await this.#sync();
      } finally {
        clearInterval(beat);
        this.#progress = undefined;
        await this.#lock.release();
      }
      this.#failure = undefined;
      this.#refreshedAt = performance.now();
      const duration = this.#refreshedAt - startedAt;
      this.#maxAgeMs = Math.min(Math.max(MIN_MAX_AGE_MS, duration * MAX_AGE_FACTOR), MAX_MAX_AGE_MS);
      return true;
    } catch (error) {
      this.#failure = errorMessage(error);
      this.#warn(error);
      // Chats that were read earlier can still be searched, for example if the disk is full now.
      if (!this.isComplete) await this.#library.reload().catch((fault: unknown) => this.#warn(fault));
      return false;
    }
  }

  /** Waits for the lock while another server reads. Meanwhile, shows what that server has read. */
  async #acquireLock(): Promise<boolean> {
    while (!this.#closing.signal.aborted) {
      if ((await this.#lock.acquire()).held) return true;
      await this.#library.reload();
      await pause(LOCK_POLL_MS);
    }
    return false;
  }

  async #loadCatalog(): Promise<void> {
    try {
      if (!this.#isDamaged) return await this.#library.reload();
    } catch (error) {
      // Otherwise, the catalog is damaged or of another version.
      if (isFileSystemError(error)) throw error;
    }
    // Everything in the index can be read again.
    for (const tool of TOOLS) await this.#copies.removeAll(tool);
    await this.#copies.saveCatalog([]);
    await this.#library.reload();
    this.#isDamaged = false;
  }

  async #sync(): Promise<void> {
    const { unreadable } = await withSources(this.#options.home, (sources) =>
      this.#library.sync(sources, {
        removesGone: true,
        isCancelled: () => this.#closing.signal.aborted,
        onProgress: (done, total) => (this.#progress = { done, total }),
        onUnexpectedError: (_, error) => this.#warn(error),
      }),
    );
    this.#unreadable = unreadable;
  }

  /** Reports each failure once, however often it recurs. */
  #warn(error: unknown): void {
    const message = errorMessage(error);
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#options.warn(message);
  }
}
