import { unwatchFile, watch, watchFile, type FSWatcher } from 'node:fs';
import path from 'node:path';
import type { SourceFile, Tool } from '../app/library/source.ts';
import { errorCode } from '../core/text/error-details.ts';

/** Delay in ms between a change and reading it, so that changes in quick succession are read together. */
const BATCH_DELAY_MS = 400;
/** Minimum pause after reading a tool's chats, as a multiple of the time it took, because databases are read whole. */
const PAUSE_FACTOR = 10;
/** Interval for polling databases, in ms. Some systems don't report writes to open files. */
const POLL_INTERVAL_MS = 1000;
/** Number of watched parent folders. New chats may be in a sibling folder for another project, day, or window. */
const WATCHED_PARENTS = 3;

type Watcher = Pick<FSWatcher, 'close'>;

/** Watches the folders of each tool's chats, and reports changes in batches. */
export class FolderWatcher {
  readonly #home: string;
  readonly #onChange: (tool: Tool) => Promise<number>;
  readonly #watchers = new Map<Tool, Map<string, Watcher>>();
  readonly #timers = new Map<Tool, NodeJS.Timeout>();
  /** Tools for which `onChange` runs, and whether there was a change meanwhile. */
  readonly #running = new Map<Tool, boolean>();
  /** When a tool's chats may be read again, on the clock of `performance.now()`. */
  readonly #pausedUntil = new Map<Tool, number>();

  /** `onChange` reads the tool's changes and resolves to the time it took, in ms. */
  constructor(home: string, onChange: (tool: Tool) => Promise<number>) {
    this.#home = home;
    this.#onChange = onChange;
  }

  /** Replaces a tool's watched folders by those of these files and their parents within the home folder. */
  watch(tool: Tool, files: readonly SourceFile[]): void {
    const folders = new Set<string>();
    const databases = new Set(files.flatMap(({ key, path: file }) => (key === undefined ? [] : [file])));
    for (const { path: file } of files) {
      let folder = path.dirname(file);
      folders.add(folder);
      for (let up = 0; up < WATCHED_PARENTS; up++) {
        folder = path.dirname(folder);
        if (isInside(folder, this.#home)) folders.add(folder);
      }
    }
    const watchers = this.#watchers.get(tool) ?? new Map<string, Watcher>();
    this.#watchers.set(tool, watchers);
    for (const [watched, watcher] of watchers) {
      if (folders.has(watched) || databases.has(watched)) continue;
      watcher.close();
      watchers.delete(watched);
    }
    for (const folder of folders) if (!watchers.has(folder)) this.#watchFolder(tool, watchers, folder);
    for (const file of databases) if (!watchers.has(file)) watchers.set(file, this.#watchDatabase(tool, file));
  }

  keepOnly(tools: readonly Tool[]): void {
    for (const [tool, watchers] of this.#watchers) {
      if (tools.includes(tool)) continue;
      for (const watcher of watchers.values()) watcher.close();
      this.#watchers.delete(tool);
      clearTimeout(this.#timers.get(tool));
      this.#timers.delete(tool);
    }
  }

  #watchFolder(tool: Tool, watchers: Map<string, Watcher>, folder: string): void {
    const stop = (): void => {
      watchers.get(folder)?.close();
      watchers.delete(folder);
    };
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#schedule(tool));
      watcher.on('error', stop);
      watchers.set(folder, watcher);
    } catch (error) {
      // The folder was deleted, or the system has no more watchers. `FollowedChats` also reads it at regular intervals.
      if (errorCode(error) === undefined) throw error;
    }
  }

  /** Polls a database and its write-ahead log. */
  #watchDatabase(tool: Tool, file: string): Watcher {
    const files = [file, `${file}-wal`];
    const onChange = (): void => this.#schedule(tool);
    for (const watched of files) watchFile(watched, { interval: POLL_INTERVAL_MS, persistent: false }, onChange);
    return { close: () => files.forEach((watched) => unwatchFile(watched, onChange)) };
  }

  /** Reports a change to `onChange` once the pause is over. A change while it runs is reported after the next pause. */
  #schedule(tool: Tool): void {
    if (this.#running.has(tool)) this.#running.set(tool, true);
    if (this.#timers.has(tool) || this.#running.has(tool)) return;
    const pause = Math.max(BATCH_DELAY_MS, (this.#pausedUntil.get(tool) ?? 0) - performance.now());
    const timer = setTimeout(() => {
      this.#timers.delete(tool);
      this.#running.set(tool, false);
      void this.#onChange(tool).then((duration) => {
        this.#pausedUntil.set(tool, performance.now() + duration * PAUSE_FACTOR);
        const changedMeanwhile = this.#running.get(tool) === true;
        this.#running.delete(tool);
        if (changedMeanwhile) this.#schedule(tool);
      });
    }, pause);
    timer.unref();
    this.#timers.set(tool, timer);
  }
}

function isInside(folder: string, home: string): boolean {
  const relative = path.relative(home, folder);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
