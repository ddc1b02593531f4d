import { unwatchFile, watch, watchFile } from 'node:fs';
import path from 'node:path';
import type { SourceFile, Tool } from '../app/library/source.ts';

/** What changes together is read together, in ms. */
const TOGETHER_MS = 400;
/** Databases are looked through as a whole, so between two looks there is so many times what the last one took. */
const PAUSE_PER_LOOK = 10;
/** Some systems do not tell that a file that is open was written to: databases are asked so often (ms). */
const ASKED_EVERY_MS = 1000;
/** New chats may lie in a folder beside the known ones: of a project, a day, a window. */
const FOLDERS_UP = 3;

/** Tells which tool has changed something in the folders of its chats. */
export class FolderWatch {
  readonly #home: string;
  readonly #changed: (tool: Tool) => Promise<number>;
  readonly #watchers = new Map<Tool, Map<string, Watched>>();
  readonly #timers = new Map<Tool, NodeJS.Timeout>();
  /** When a tool's chats may be looked through again, as `performance.now()` tells it. */
  readonly #restsUntil = new Map<Tool, number>();

  /** `changed` reads what has changed, and tells how long it took, in ms. */
  constructor(home: string, changed: (tool: Tool) => Promise<number>) {
    this.#home = home;
    this.#changed = changed;
  }

  /** Watches the folders of these files, and those above them inside the home, in place of what was watched. */
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
      // The folder has gone, or the system has no more watchers: the store is looked through now and then all the same.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  /** Asks for the times of a database and of its log, to which it is written first. */
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
