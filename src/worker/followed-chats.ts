import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ChatLibrary, ChatList, ChatNews, FollowOptions, FoundChats } from '../app/library/chat-library-calls.ts';
import type { ChatHit, ChatQuery, FileDeed } from '../app/library/chat-index.ts';
import { Library, type CopiedSession, type PassReport } from '../app/library/library.ts';
import { TOOLS, type Refused, type Source, type SourceFile, type Tool } from '../app/library/source.ts';
import { allSources } from '../sources/all-sources.ts';
import { Databases } from '../sources/databases.ts';
import type { Home } from '../sources/files.ts';
import { LibraryCopies } from '../storage/library-copies.ts';
import { Serial } from '../storage/serial.ts';
import { HEARTBEAT_MS, WriterLock } from '../storage/writer-lock.ts';
import { FolderWatch } from './folder-watch.ts';

export interface FollowedChatsOptions {
  /** The folder of the copies. */
  readonly folder: string;
  readonly home: Home;
  /** Identifies this window. One window follows the chats; the others show what it has read. */
  readonly window: string;
  readonly tell: (news: ChatNews) => void;
}

/**
 * Interval for reading all stores, in ms, regardless of file system events, because a tool may be installed at any
 * time.
 */
const LOOKED_THROUGH_EVERY_MS = 10 * 60_000;

/** Interval for showing intermediate results during a long pass, in ms. */
const SHOWN_EVERY_MS = 2_000;

const NOTHING: PassReport = { read: 0, unchanged: 0, gone: 0, refused: [] };

/** Follows the chats from other tools and keeps them in the library. */
export class FollowedChats implements ChatLibrary {
  readonly #options: FollowedChatsOptions;
  readonly #copies: LibraryCopies;
  readonly #lock: WriterLock;
  readonly #serial = new Serial();
  readonly #watch: FolderWatch;
  readonly #refused = new Map<Tool, readonly Refused[]>();
  #wanted: FollowOptions = { tools: [], keepMs: 0 };
  #library: Promise<Library> | undefined;
  #isWriter = false;
  /** Cancels all passes that were requested so far. */
  #cancellation = new AbortController();
  #seenCatalog = 0;
  /** In the time of `performance.now()`, which doesn't depend on the system clock. */
  #lookedThroughAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastBeat: Promise<unknown> = Promise.resolve();
  #looking: Promise<void> | undefined;

  constructor(options: FollowedChatsOptions) {
    this.#options = options;
    this.#lock = new WriterLock(path.join(options.folder, 'library.lock'), options.window);
    this.#copies = new LibraryCopies(options.folder, () => this.#mayWrite());
    this.#watch = new FolderWatch(options.home.folder, (tool) => this.#changed(tool));
  }

  find(): Promise<readonly FoundChats[]> {
    return this.#serial.run(() =>
      this.#withSources(TOOLS, async (sources) => {
        const found: FoundChats[] = [];
        for (const source of sources) {
          const { files, refused } = await source.find();
          found.push({
            tool: source.tool,
            sessions: files.length,
            bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
            newestAt: files.reduce((newest, { modifiedAt }) => Math.max(newest, modifiedAt), 0),
            refused,
          });
        }
        return found;
      }),
    );
  }

  follow(options: FollowOptions): Promise<PassReport> {
    const { signal } = this.#cancellation;
    return this.#serial.run(async () => {
      this.#wanted = options;
      this.#watch.only(options.tools);
      for (const tool of this.#refused.keys()) if (!options.tools.includes(tool)) this.#refused.delete(tool);
      // Without tools, a pass only removes old copies.
      if (options.tools.length === 0 && options.keepMs === 0) return NOTHING;
      this.#timer ??= setInterval(() => this.#beat(), HEARTBEAT_MS);
      return (await this.#becomeWriterIfFree()) ? this.#pass(options.tools, signal) : NOTHING;
    });
  }

  cancel(): Promise<void> {
    this.#cancellation.abort();
    this.#cancellation = new AbortController();
    return Promise.resolve();
  }

  async list(): Promise<ChatList> {
    const kept = (await this.#opened()).sessions();
    const bytes = kept.reduce((sum, { copyBytes, indexBytes }) => sum + copyBytes + indexBytes, 0);
    const chats = kept.map(({ key, entry, relation, isGone }) => ({ key, entry, relation, isGone }));
    return { chats, refused: [...this.#refused.values()].flat(), copied: await this.#copies.tools(), bytes };
  }

  async read(key: string): Promise<CopiedSession | undefined> {
    const library = await this.#opened();
    const session = library.sessions().find((one) => one.key === key);
    return session && library.read(session);
  }

  async search(query: ChatQuery): Promise<readonly ChatHit[]> {
    const library = await this.#opened();
    return library.index.search(library.sessions(), query);
  }

  async fileDeeds(file: string): Promise<readonly FileDeed[]> {
    const library = await this.#opened();
    return library.index.deedsOn(library.sessions(), file);
  }

  forget(tool: Tool): Promise<void> {
    return this.#serial.run(async () => {
      await this.#folder();
      if (!this.#isWriter) {
        // The previous window notices before it writes again.
        await this.#lock.seize();
        this.#isWriter = true;
        this.#library = undefined;
      }
      this.#refused.delete(tool);
      await (await this.#opened()).forget(tool);
      this.#options.tell({ type: 'changed' });
    });
  }

  close(): Promise<void> {
    this.#cancellation.abort();
    clearInterval(this.#timer);
    this.#watch.only([]);
    return this.#serial.run(async () => {
      await this.#lastBeat;
      if (this.#isWriter) await this.#lock.release();
      this.#isWriter = false;
    });
  }

  #opened(): Promise<Library> {
    return (this.#library ??= (async () => {
      this.#seenCatalog = await this.#catalogChangedAt();
      return Library.open(this.#copies);
    })());
  }

  /** Reads what has changed in these tools. */
  async #pass(tools: readonly Tool[], signal = this.#cancellation.signal): Promise<PassReport> {
    const { keepMs } = this.#wanted;
    return this.#withSources(tools, async (sources) => {
      const library = await this.#opened();
      const found = new Map<Tool, readonly SourceFile[]>();
      const seen = sources.map((source): Source => ({
        ...source,
        find: async () => {
          const result = await source.find();
          found.set(source.tool, result.files);
          return result;
        },
      }));
      let [shown, drawn] = [-Infinity, performance.now()];
      const report = await library.follow(seen, {
        isCancelled: () => signal.aborted,
        onDefect: ({ path: file }, error) =>
          this.#options.tell({
            type: 'failed',
            message: `${file}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          }),
        ...(keepMs > 0 && { keptSince: Date.now() - keepMs }),
        onProgress: (done, total) => {
          const now = performance.now();
          if (now - shown < 100 && done < total) return;
          shown = now;
          this.#options.tell({ type: 'progress', done, total });
          if (now - drawn < SHOWN_EVERY_MS) return;
          drawn = now;
          this.#options.tell({ type: 'changed' });
        },
      });
      for (const tool of tools) {
        const refused = report.refused.filter((one) => one.tool === tool);
        this.#refused.set(tool, refused);
        this.#watch.watch(tool, found.get(tool) ?? []);
      }
      if (tools.length === this.#wanted.tools.length) this.#lookedThroughAt = performance.now();
      this.#seenCatalog = await this.#catalogChangedAt();
      this.#options.tell({ type: 'changed' });
      return report;
    });
  }

  /** Resolves to the time it took, in ms. */
  #changed(tool: Tool): Promise<number> {
    return this.#serial.run(async () => {
      const since = performance.now();
      if (this.#isWriter && this.#wanted.tools.includes(tool)) await this.#quietly(() => this.#pass([tool]));
      return performance.now() - since;
    });
  }

  /** Writes a heartbeat, also during a pass, which may take longer than a lock stays valid without one. */
  #beat(): void {
    if (this.#isWriter) this.#lastBeat = this.#quietly(() => this.#lock.beat());
    this.#looking ??= this.#serial.run(() => this.#look()).finally(() => (this.#looking = undefined));
  }

  /** Reads all stores at regular intervals, or checks whether the following window has news or is gone. */
  async #look(): Promise<void> {
    await this.#quietly(async () => {
      if (await this.#mayWrite()) {
        if (performance.now() - this.#lookedThroughAt > LOOKED_THROUGH_EVERY_MS) await this.#pass(this.#wanted.tools);
        return;
      }
      if (await this.#becomeWriterIfFree()) await this.#pass(this.#wanted.tools);
      else if ((await this.#catalogChangedAt()) !== this.#seenCatalog) {
        this.#library = undefined;
        this.#options.tell({ type: 'changed' });
      }
    });
  }

  async #becomeWriterIfFree(): Promise<boolean> {
    if (this.#isWriter) return true;
    await this.#folder();
    this.#isWriter = (await this.#lock.acquire(true)).held;
    // The catalog contains what the previous window has read.
    if (this.#isWriter) this.#library = undefined;
    return this.#isWriter;
  }

  async #mayWrite(): Promise<boolean> {
    if (this.#isWriter) this.#isWriter = await this.#lock.isHeld();
    return this.#isWriter;
  }

  /** Runs background work. Errors are reported, and the work is repeated with the next news. */
  async #quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#library = undefined;
      this.#options.tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #withSources<Result>(
    tools: readonly Tool[],
    use: (sources: readonly Source[]) => Promise<Result>,
  ): Promise<Result> {
    const scratch = path.join(await this.#folder(), 'scratch');
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const databases = new Databases(scratch);
    try {
      return await use(allSources(this.#options.home, databases).filter(({ tool }) => tools.includes(tool)));
    } finally {
      await databases.close();
      await rm(scratch, { recursive: true, force: true });
    }
  }

  async #folder(): Promise<string> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    return this.#options.folder;
  }

  async #catalogChangedAt(): Promise<number> {
    const found = await stat(path.join(this.#options.folder, 'catalog.json')).catch(() => undefined);
    return found?.mtimeMs ?? 0;
  }
}
