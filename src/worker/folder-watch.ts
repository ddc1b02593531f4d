import { unwatchFile, watch, watchFile } from 'node:fs';
import path from 'node:path';
import type { SourceFile, Tool } from '../app/library/source.ts';

/** Changes within this time are read together, in ms. */
const TOGETHER_MS = 400;
/**
 * Minimum pause between reading a database again, as a multiple of the time it took, because databases are read
 * completely.
 */
const PAUSE_PER_LOOK = 10;
/** Interval for polling databases, in ms, because some systems don't report writes to open files. */
const ASKED_EVERY_MS = 1000;
/** How many parent folders are watched. New chats may be in a sibling folder: of another project, day, or window. */
const FOLDERS_UP = 3;

/** Reports which tool's chat folders have changed. */
export class FolderWatch {
  readonly #home: string;
  readonly #changed: (tool: Tool) => Promise<number>;
  readonly #watchers = new Map<Tool, Map<string, Watched>>();
  readonly #timers = new Map<Tool, NodeJS.Timeout>();
  /** When a tool's chats may be read again, in the time of `performance.now()`. */
  readonly #restsUntil = new Map<Tool, number>();

  /** `changed` reads what has changed and resolves to the time it took, in ms. */
  constructor(home: string, changed: (tool: Tool) => Promise<number>) {
    this.#home = home;
    this.#changed = changed;
  }

  /** Watches the folders of these files and their parents within the home folder, instead of the previous ones. */
  watch(tool: Tool, files: readonly SourceFile[]): void {
    const wanted = new Set<string>();
    const databases = new Set(files.flatMap(({ key, path: file }) => (key === undefined ? [] : [file])));
    for (const { path: file } of files) {
      let folder = path.dirname(file);
      wanted.add(folder);
      for (let up = 0; up < FOLDERS_UP; up++) {
        folder = path.dirname(folder);
        if (isInside(folder, this.#home)) wanted.add(folder);
      }
    }
    const watchers = this.#watchers.get(tool) ?? new Map<string, Watched>();
    this.#watchers.set(tool, watchers);
    for (const [watched, watcher] of watchers) {
      if (wanted.has(watched) || databases.has(watched)) continue;
      watcher.close();
      watchers.delete(watched);
    }
    for (const folder of wanted) if (!watchers.has(folder)) this.#add(tool, watchers, folder);
    for (const file of databases) if (!watchers.has(file)) watchers.set(file, this.#ask(tool, file));
  }

  /** Stops watching all other tools. */
  only(tools: readonly Tool[]): void {
    for (const [tool, watchers] of this.#watchers) {
      if (tools.includes(tool)) continue;
      for (const watcher of watchers.values()) watcher.close();
      this.#watchers.delete(tool);
      clearTimeout(this.#timers.get(tool));
      this.#timers.delete(tool);
    }
  }

  #add(tool: Tool, watchers: Map<string, Watched>, folder: string): void {
    const forget = (): void => {
      watchers.get(folder)?.close();
      watchers.delete(folder);
    };
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#soon(tool));
      watcher.on('error', forget);
      watchers.set(folder, watcher);
    } catch (error) {
      // The folder was deleted, or the system has no more watchers. The store is still read at regular intervals.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  /** Checks the modification times of a database and its log, which is written first. */
  #ask(tool: Tool, file: string): Watched {
    const files = [file, `${file}-wal`];
    const told = (): void => this.#soon(tool);
    for (const one of files) watchFile(one, { interval: ASKED_EVERY_MS, persistent: false }, told);
    return { close: () => files.forEach((one) => unwatchFile(one, told)) };
  }

  #soon(tool: Tool): void {
    if (this.#timers.has(tool)) return;
    const pause = Math.max(TOGETHER_MS, (this.#restsUntil.get(tool) ?? 0) - performance.now());
    const timer = setTimeout(() => {
      this.#timers.delete(tool);
      void this.#tell(tool);
    }, pause);
    timer.unref();
    this.#timers.set(tool, timer);
  }

  async #tell(tool: Tool): Promise<void> {
    const took = await this.#changed(tool);
    this.#restsUntil.set(tool, performance.now() + took * PAUSE_PER_LOOK);
  }
}

interface Watched {
  close(): void;
}

function isInside(folder: string, home: string): boolean {
  const relative = path.relative(home, folder);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
