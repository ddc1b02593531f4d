import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type {
  ChatLibrary,
  ChatList,
  ChatLibraryEvent,
  FollowOptions,
  FoundChats,
} from '../app/library/chat-library-calls.ts';
import type { ChatHit, ChatQuery, FileEffect } from '../app/library/chat-index.ts';
import { unlessRemoved } from '../app/library/library-store.ts';
import { Library, type CopiedSession, type SyncReport } from '../app/library/library.ts';
import { TOOLS, type UnreadablePath, type Source, type SourceFile, type Tool } from '../app/library/source.ts';
import { withSources } from '../sources/all-sources.ts';
import type { Home } from '../sources/home-folders.ts';
import { ifExists } from '../sources/read-files.ts';
import { makeFolder } from '../storage/disk-errors.ts';
import { LibraryCopies } from '../storage/library-copies.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import { errorMessage } from '../core/text/error-details.ts';
import { HEARTBEAT_MS, WriterLock } from '../storage/writer-lock.ts';
import { FolderWatcher } from './folder-watcher.ts';

export interface FollowedChatsOptions {
  readonly folder: string;
  readonly home: Home;
  /** Identifies this window. One window follows the chats; the others show the library that it writes. */
  readonly window: string;
  readonly onLibraryEvent: (event: ChatLibraryEvent) => void;
}

/** Interval for syncing the chats of all tools, in ms, to find new tools and changes that weren't reported. */
const FULL_SYNC_INTERVAL_MS = 10 * 60_000;

/** Interval for trying again if that failed, for example because the disk is full, in ms. */
const RETRY_INTERVAL_MS = 30_000;

/** Interval for updating the list of chats during a sync, in ms. */
const LIST_UPDATE_INTERVAL_MS = 2_000;

/** Prefix of the names of temporary folders for copies of databases, which exist while chats are read. */
const SCRATCH = 'scratch-';

/** Age in ms from which such a folder is deleted, because its thread must have been killed. */
const MAX_SCRATCH_AGE_MS = 24 * 3_600_000;

const EMPTY_REPORT: SyncReport = { read: 0, unchanged: 0, gone: 0, unreadable: [] };

/** Copies the chats from other tools to the library whenever they change. */
export class FollowedChats implements ChatLibrary {
  readonly #options: FollowedChatsOptions;
  readonly #copies: LibraryCopies;
  readonly #lock: WriterLock;
  readonly #sequencer = new Sequencer();
  readonly #watcher: FolderWatcher;
  readonly #unreadable = new Map<Tool, readonly UnreadablePath[]>();
  #followOptions: FollowOptions = { tools: [], keepMs: 0 };
  #library: Promise<Library> | undefined;
  #isWriter = false;
  /** Cancels the syncs that were requested since the last cancellation. */
  #cancellation = new AbortController();
  /** The modification time of the catalog that was last read, in ms since the epoch; 0 if there was none. */
  #readCatalogMtime = 0;
  /** When the chats of all tools are read next, on the clock of `performance.now()`. */
  #nextFullSyncAt = FULL_SYNC_INTERVAL_MS;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #lastHeartbeat: Promise<unknown> = Promise.resolve();
  #polling: Promise<void> | undefined;

  constructor(options: FollowedChatsOptions) {
    this.#options = options;
    this.#lock = new WriterLock(path.join(options.folder, 'library.lock'), options.window);
    const reportDamage = (): void =>
      options.onLibraryEvent({ type: 'failed', message: 'the catalog is damaged, so an older one is used' });
    this.#copies = new LibraryCopies(options.folder, () => this.#mayWrite(), reportDamage);
    this.#watcher = new FolderWatcher(options.home.folder, (tool) => this.#readChanges(tool));
  }

  find(): Promise<readonly FoundChats[]> {
    return this.#sequencer.queue(() =>
      this.#withSources(TOOLS, async (sources) => {
        const found: FoundChats[] = [];
        for (const source of sources) {
          const { files, unreadable } = await source.find();
          found.push({
            tool: source.tool,
            sessions: files.length,
            bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
            newestAt: files.reduce((newest, { modifiedAt }) => Math.max(newest, modifiedAt), 0),
            unreadable,
          });
        }
        return found;
      }),
    );
  }

  follow(options: FollowOptions): Promise<SyncReport> {
    const { signal } = this.#cancellation;
    return this.#sequencer.queue(async () => {
      this.#followOptions = options;
      this.#watcher.keepOnly(options.tools);
      for (const tool of this.#unreadable.keys()) if (!options.tools.includes(tool)) this.#unreadable.delete(tool);
      // Without tools, a sync only removes old copies, and `keepMs` 0 keeps all copies.
      if (options.tools.length === 0 && options.keepMs === 0) return EMPTY_REPORT;
      this.#heartbeatTimer ??= setInterval(() => this.#heartbeat(), HEARTBEAT_MS);
      return (await this.#becomeWriterIfFree()) ? this.#sync(options.tools, signal) : EMPTY_REPORT;
    });
  }

  cancel(): Promise<void> {
    this.#cancellation.abort();
    this.#cancellation = new AbortController();
    return Promise.resolve();
  }

  async list(): Promise<ChatList> {
    const kept = (await this.#openLibrary()).sessions();
    const bytes = kept.reduce((sum, { copyBytes, indexBytes }) => sum + copyBytes + indexBytes, 0);
    const chats = kept.map(({ key, entry, relation, isGone }) => ({ key, entry, relation, isGone }));
    return { chats, unreadable: [...this.#unreadable.values()].flat(), copied: await this.#copies.tools(), bytes };
  }

  async read(key: string): Promise<CopiedSession | undefined> {
    const library = await this.#openLibrary();
    const session = library.sessions().find((kept) => kept.key === key);
    return session && unlessRemoved(this.#copies, session, () => library.read(session));
  }

  async search(query: ChatQuery): Promise<readonly ChatHit[]> {
    const library = await this.#openLibrary();
    return library.index.search(library.sessions(), query);
  }

  async fileEffects(file: string): Promise<readonly FileEffect[]> {
    const library = await this.#openLibrary();
    return library.index.effectsOn(library.sessions(), file);
  }

  forget(tool: Tool): Promise<void> {
    return this.#sequencer.queue(async () => {
      await this.#ensureFolder();
      if (!this.#isWriter) {
        // The window that held the lock checks it before each write.
        await this.#lock.seize();
        this.#isWriter = true;
        this.#library = undefined;
      }
      this.#unreadable.delete(tool);
      await (await this.#openLibrary()).forget(tool);
      this.#options.onLibraryEvent({ type: 'changed' });
    });
  }

  close(): Promise<void> {
    this.#cancellation.abort();
    clearInterval(this.#heartbeatTimer);
    return this.#sequencer.queue(async () => {
      // A sync that was in progress may have started to watch folders again.
      this.#watcher.keepOnly([]);
      await this.#lastHeartbeat;
      if (this.#isWriter) await this.#lock.release();
      this.#isWriter = false;
    });
  }

  #openLibrary(): Promise<Library> {
    if (this.#library) return this.#library;
    const opening = (async () => {
      this.#readCatalogMtime = await this.#catalogMtime();
      return Library.open(this.#copies);
    })();
    this.#library = opening;
    // The next call retries after a failure.
    opening.catch(() => {
      if (this.#library === opening) this.#library = undefined;
    });
    return opening;
  }

  async #sync(tools: readonly Tool[], signal = this.#cancellation.signal): Promise<SyncReport> {
    const { keepMs } = this.#followOptions;
    return this.#withSources(tools, async (sources) => {
      const library = await this.#openLibrary();
      const found = new Map<Tool, readonly SourceFile[]>();
      let [progressSentAt, listSentAt] = [-Infinity, performance.now()];
      const report = await library.sync(sources, {
        onFound: (tool, files) => found.set(tool, files),
        isCancelled: () => signal.aborted,
        onUnexpectedError: ({ path: file }, error) =>
          this.#options.onLibraryEvent({
            type: 'failed',
            message: `${file}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          }),
        ...(keepMs > 0 && { retention: { now: Date.now(), keepMs } }),
        onProgress: (done, total) => {
          const now = performance.now();
          if (now - progressSentAt < 100 && done < total) return;
          progressSentAt = now;
          this.#options.onLibraryEvent({ type: 'progress', done, total });
          if (now - listSentAt < LIST_UPDATE_INTERVAL_MS) return;
          listSentAt = now;
          this.#options.onLibraryEvent({ type: 'changed' });
        },
      });
      for (const tool of tools) {
        const refused = report.unreadable.filter((each) => each.tool === tool);
        this.#unreadable.set(tool, refused);
        this.#watcher.watch(tool, found.get(tool) ?? []);
      }
      if (tools.length === this.#followOptions.tools.length)
        this.#nextFullSyncAt = performance.now() + FULL_SYNC_INTERVAL_MS;
      this.#readCatalogMtime = await this.#catalogMtime();
      this.#options.onLibraryEvent({ type: 'changed' });
      return report;
    });
  }

  /** Reads the changed chats of a tool. Resolves to the time it took, in ms. */
  #readChanges(tool: Tool): Promise<number> {
    return this.#sequencer.queue(async () => {
      const since = performance.now();
      if (this.#isWriter && this.#followOptions.tools.includes(tool))
        await this.#reportErrors(() => this.#sync([tool]));
      return performance.now() - since;
    });
  }

  /** Writes a heartbeat, even during a sync, which may take longer than the lock is valid, and polls after the sync. */
  #heartbeat(): void {
    if (this.#isWriter) this.#lastHeartbeat = this.#reportErrors(() => this.#lock.beat());
    this.#polling ??= this.#sequencer.queue(() => this.#poll()).finally(() => (this.#polling = undefined));
  }

  /**
   * In the window with the lock, reads the chats of all tools at regular intervals. In others, checks for changes in
   * the library, and takes the lock if it's free.
   */
  async #poll(): Promise<void> {
    await this.#reportErrors(async () => {
      if (await this.#mayWrite()) {
        if (this.#readCatalogMtime > 0 && (await this.#catalogMtime()) === 0) {
          // The folder was deleted, so all chats are copied again. Reading the library sets the time to 0.
          this.#library = undefined;
          this.#nextFullSyncAt = 0;
        }
        const now = performance.now();
        if (now < this.#nextFullSyncAt) return;
        this.#nextFullSyncAt = now + RETRY_INTERVAL_MS;
        await this.#sync(this.#followOptions.tools);
        return;
      }
      if (await this.#becomeWriterIfFree()) await this.#sync(this.#followOptions.tools);
      else if ((await this.#catalogMtime()) !== this.#readCatalogMtime) {
        this.#library = undefined;
        this.#options.onLibraryEvent({ type: 'changed' });
      }
    });
  }

  async #becomeWriterIfFree(): Promise<boolean> {
    if (this.#isWriter) return true;
    await this.#ensureFolder();
    this.#isWriter = (await this.#lock.acquire(true)).held;
    // Read the library again, because another window may have changed it.
    if (this.#isWriter) this.#library = undefined;
    return this.#isWriter;
  }

  async #mayWrite(): Promise<boolean> {
    if (this.#isWriter) this.#isWriter = await this.#lock.isHeld();
    return this.#isWriter;
  }

  /** Reports errors of background work instead of throwing them. The work is repeated later. */
  async #reportErrors(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#library = undefined;
      this.#options.onLibraryEvent({ type: 'failed', message: errorMessage(error) });
    }
  }

  async #withSources<Result>(
    tools: readonly Tool[],
    use: (sources: readonly Source[]) => Promise<Result>,
  ): Promise<Result> {
    const scratch = await this.#createScratch();
    try {
      const useOwn = (all: readonly Source[]): Promise<Result> => use(all.filter(({ tool }) => tools.includes(tool)));
      return await withSources(this.#options.home, useOwn, scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Creates a folder for copies of databases. Windows don't share one, because they read at the same time. */
  async #createScratch(): Promise<string> {
    const folder = await this.#ensureFolder();
    for (const name of await readdir(folder)) {
      if (!name.startsWith(SCRATCH)) continue;
      const existing = path.join(folder, name);
      const stats = await ifExists(stat(existing));
      if (stats && Date.now() - stats.mtimeMs > MAX_SCRATCH_AGE_MS)
        await rm(existing, { recursive: true, force: true });
    }
    return mkdtemp(path.join(folder, SCRATCH));
  }

  async #ensureFolder(): Promise<string> {
    await makeFolder(this.#options.folder, 0o700);
    return this.#options.folder;
  }

  async #catalogMtime(): Promise<number> {
    return (await stat(path.join(this.#options.folder, 'catalog.json')).catch(() => undefined))?.mtimeMs ?? 0;
  }
}
