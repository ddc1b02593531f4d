import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../app/library/source.ts';

/** What changes together is read together, in ms. */
const TOGETHER_MS = 400;
/** A database is read as a whole whenever something in it changed, so it is looked at no more often than this (ms). */
const DATABASE_EVERY_MS = 30_000;
const DATABASE_TOOLS: ReadonlySet<Tool> = new Set(['cursor', 'opencode', 'goose', 'zed']);
/** New chats may lie in a folder beside the known ones: of a project, a day, a window. */
const FOLDERS_UP = 3;

/** Tells which tool has changed something in the folders of its chats. */
export class FolderWatch {
  readonly #home: string;
  readonly #changed: (tool: Tool) => void;
  readonly #watchers = new Map<Tool, Map<string, FSWatcher>>();
  readonly #timers = new Map<Tool, NodeJS.Timeout>();
  readonly #toldAt = new Map<Tool, number>();

  constructor(home: string, changed: (tool: Tool) => void) {
    this.#home = home;
    this.#changed = changed;
  }

  /** Watches the folders of these files, and those above them inside the home, in place of what was watched. */
  watch(tool: Tool, files: readonly string[]): void {
    const wanted = new Set<string>();
    for (const file of files) {
      let folder = path.dirname(file);
      wanted.add(folder);
      for (let up = 0; up < FOLDERS_UP; up++) {
        folder = path.dirname(folder);
        if (isInside(folder, this.#home)) wanted.add(folder);
      }
    }
    const watchers = this.#watchers.get(tool) ?? new Map<string, FSWatcher>();
    this.#watchers.set(tool, watchers);
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of wanted) if (!watchers.has(folder)) this.#add(tool, watchers, folder);
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

  #add(tool: Tool, watchers: Map<string, FSWatcher>, folder: string): void {
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

  #soon(tool: Tool): void {
    if (this.#timers.has(tool)) return;
    const since = Date.now() - (this.#toldAt.get(tool) ?? 0);
    const pause = DATABASE_TOOLS.has(tool) ? Math.max(TOGETHER_MS, DATABASE_EVERY_MS - since) : TOGETHER_MS;
    const timer = setTimeout(() => {
      this.#timers.delete(tool);
      this.#toldAt.set(tool, Date.now());
      this.#changed(tool);
    }, pause);
    timer.unref();
    this.#timers.set(tool, timer);
  }
}

function isInside(folder: string, home: string): boolean {
  const relative = path.relative(home, folder);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
