import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import { isRemembered, memoryLine, memoryText, type MemoryEntry, type SentMemory } from '../../core/memory/memory.ts';
import type { TokenCounter } from '../../core/tokens/token-counter.ts';
import type { MemoryFile } from '../../storage/memory-file.ts';
import { KIND_ICON, kindName, statusName } from '../platform/key-event-kinds.ts';
import { dateTimeText } from '../platform/l10n.ts';

interface CachedText extends SentMemory {
  readonly entries: readonly MemoryEntry[];
  readonly budget: number;
  readonly counter: Pick<TokenCounter, 'text'>;
}

/** The workspace memory as last read, with change notifications. */
export class WorkspaceMemory implements vscode.Disposable {
  readonly #file: MemoryFile;
  readonly #clock: Pick<Clock, 'id' | 'now'>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #entries: readonly MemoryEntry[] = [];
  #loaded: Promise<void> | undefined;
  #cached: CachedText | undefined;
  readonly #focused: vscode.Disposable;

  constructor(file: MemoryFile, clock: Pick<Clock, 'id' | 'now'>) {
    this.#file = file;
    this.#clock = clock;
    // Another window may have changed the file. If reading fails, the next `load` reports the error.
    this.#focused = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && this.#loaded) (this.#loaded = this.#read()).catch(() => undefined);
    });
  }

  dispose(): void {
    this.#focused.dispose();
    this.#changed.dispose();
  }

  get entries(): readonly MemoryEntry[] {
    return this.#entries;
  }

  /** Reads the file once, or again after a failure. An opened session needs it before its first request. */
  load(): Promise<void> {
    return (this.#loaded ??= this.#read());
  }

  async #read(): Promise<void> {
    try {
      this.#set(await this.#file.read());
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
  }

  /** The memory for the system prompt in at most `budget` tokens. Cached, because assembling a context needs it. */
  text(budget: number, counter: Pick<TokenCounter, 'text'>): string {
    const cached = this.#cached;
    if (cached?.entries === this.#entries && cached.budget === budget && cached.counter === counter) return cached.text;
    const before = this.omittedIds;
    const sent = memoryText(this.#entries, budget, (line) => counter.text(line));
    this.#cached = { entries: this.#entries, budget, counter, ...sent };
    // Delayed, because the caller is rendering the views that this event refreshes.
    const { omittedIds } = sent;
    if (before.size !== omittedIds.size || [...omittedIds].some((id) => !before.has(id)))
      setImmediate(() => this.#changed.fire());
    return sent.text;
  }

  /** IDs of the entries that didn't fit in the latest text. */
  get omittedIds(): ReadonlySet<string> {
    return this.#cached?.omittedIds ?? new Set();
  }

  /** Adds the lines that aren't in the memory yet; resolves to their number. Rejects with `StoreFault`. */
  async add(lines: readonly Pick<MemoryEntry, 'kind' | 'text'>[]): Promise<number> {
    let added = 0;
    await this.#change((entries) => {
      const all = [...entries];
      for (const { kind, text } of lines) {
        const line = memoryLine(text);
        if (line === '' || isRemembered(all, line)) continue;
        all.push({ id: this.#clock.id(), kind, text: line, at: this.#clock.now() });
      }
      added = all.length - entries.length;
      return all;
    });
    return added;
  }

  async remove(id: string): Promise<void> {
    await this.#change((entries) => entries.filter((one) => one.id !== id));
  }

  /** Replaces the entry with the same ID. If it was removed, adds it again, unless another entry has the same text. */
  async put(entry: MemoryEntry): Promise<void> {
    await this.#change((entries) => {
      if (entries.some(({ id }) => id === entry.id)) return entries.map((one) => (one.id === entry.id ? entry : one));
      return isRemembered(entries, entry.text) ? entries : [...entries, entry].sort((a, b) => a.at - b.at);
    });
  }

  async #change(change: (entries: readonly MemoryEntry[]) => readonly MemoryEntry[]): Promise<void> {
    this.#set(await this.#file.change(change));
  }

  #set(entries: readonly MemoryEntry[]): void {
    if (JSON.stringify(entries) === JSON.stringify(this.#entries)) return;
    this.#entries = entries;
    this.#changed.fire();
  }
}

/** @param copy the new path of the unreadable file */
export const reportDamagedMemory = (copy: string): void =>
  void vscode.window.showWarningMessage(
    vscode.l10n.t('The workspace memory couldn’t be read and is now empty. The damaged file was moved to {0}.', copy),
  );

/** The view of the workspace memory, with a row per line. */
export const memoryTree = (memory: WorkspaceMemory): vscode.TreeDataProvider<MemoryEntry> => ({
  onDidChangeTreeData: memory.onDidChange,
  getChildren: async (row) => {
    if (row) return [];
    await memory.load();
    return [...memory.entries];
  },
  getTreeItem: (entry) => {
    const { id, kind, text, at } = entry;
    const isOmitted = memory.omittedIds.has(id);
    return Object.assign(new vscode.TreeItem(text), {
      id,
      description: isOmitted ? `${kindName(kind)} · ${statusName('dropped')}` : kindName(kind),
      tooltip: `${text}\n${dateTimeText(at)}`,
      iconPath: new vscode.ThemeIcon(KIND_ICON[kind]),
      contextValue: 'threadkeeper.memory',
      command: { command: 'threadkeeper.editMemory', title: vscode.l10n.t('Edit'), arguments: [entry] },
    });
  },
});
