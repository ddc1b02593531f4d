import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { memoryEntrySchema, type MemoryEntry } from '../core/memory/memory.ts';
import { phrase } from '../core/text/phrase.ts';
import { withAccessFaults, ifExists, makeFolder, renameFile, replaceFile, withWriteFaults } from './disk-errors.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import { withLock } from './writer-lock.ts';
import { withoutAddress } from './workspace-key.ts';

const schema = v.pipe(v.string(), v.parseJson(), v.object({ workspace: v.string(), entries: v.array(v.unknown()) }));

/** When an entry was added, in milliseconds since the epoch. */
const timeOf = (entry: unknown): number => (v.is(v.object({ at: v.number() }), entry) ? entry.at : Infinity);

const isKnown = (entry: unknown) => v.is(memoryEntrySchema, entry);

const separate = (stored: readonly unknown[]) => ({
  entries: stored.filter(isKnown),
  /** What this version doesn't understand, such as kinds of a newer version. It's written back unchanged. */
  unknown: stored.filter((entry) => !isKnown(entry)),
});
type StoredEntries = ReturnType<typeof separate>;

const WORKSPACE_MEMORY = phrase('the workspace memory');

/** A workspace's memory in a small file, which is read before each change, as another window may have changed it. */
export class MemoryFile {
  readonly #path: string;
  readonly #workspace: string;
  readonly #onDamage: (copy: string) => void;
  readonly #sequencer = new Sequencer();
  /** The entries that were stored under earlier keys of the workspace. Read once, because they don't change anymore. */
  #earlier: StoredEntries | undefined;

  /** @param onDamage called with the new path of an unreadable file */
  constructor(folder: string, workspace: string, onDamage: (copy: string) => void) {
    this.#workspace = workspace;
    this.#onDamage = onDamage;
    const name = createHash('sha256').update(workspace).digest('hex').slice(0, 24);
    this.#path = path.join(folder, `${name}.json`);
  }

  /** The entries, oldest first. An unreadable file is quarantined. Rejects with `StoreFault`. */
  read(): Promise<readonly MemoryEntry[]> {
    return this.#sequencer.queue(async () => (await this.#read()).entries);
  }

  #read(): Promise<StoredEntries> {
    return withAccessFaults(WORKSPACE_MEMORY, async () => {
      const text = await ifExists(readFile(this.#path, 'utf8'));
      if (text === undefined) return (this.#earlier ??= await this.#readWithAddress());
      const parsed = v.safeParse(schema, text);
      if (parsed.success) return separate(parsed.output.entries);
      const sum = createHash('sha256').update(text).digest('hex').slice(0, 8);
      const copy = `${this.#path}.unreadable-${sum}`;
      await renameFile(this.#path, copy);
      this.#onDamage(copy);
      return separate([]);
    });
  }

  /** The entries that were stored when the workspace's key contained the address of a server. */
  async #readWithAddress(): Promise<StoredEntries> {
    const folder = path.dirname(this.#path);
    const names = ((await ifExists(readdir(folder))) ?? []).filter((name) => name.endsWith('.json'));
    const texts = await Promise.all(names.map((name) => ifExists(readFile(path.join(folder, name), 'utf8'))));
    const stored = texts.flatMap((text) => {
      const { success, output } = v.safeParse(schema, text);
      return success && withoutAddress(output.workspace) === this.#workspace ? output.entries : [];
    });
    return separate(stored);
  }

  /** Replaces the current entries by the result of `change` and returns them. Rejects with `StoreFault`. */
  change(change: (entries: readonly MemoryEntry[]) => readonly MemoryEntry[]): Promise<readonly MemoryEntry[]> {
    const replace = async (): Promise<readonly MemoryEntry[]> => {
      const stored = await this.#read();
      const entries = change(stored.entries);
      const all = [...entries, ...stored.unknown].sort((a, b) => timeOf(a) - timeOf(b));
      const text = JSON.stringify({ workspace: this.#workspace, entries: all }, null, 1);
      await replaceFile(this.#path, text, { flush: true });
      return entries;
    };
    return this.#sequencer.queue(() =>
      withWriteFaults(WORKSPACE_MEMORY, async () => {
        await makeFolder(path.dirname(this.#path));
        return withLock(`${this.#path}.lock`, replace);
      }),
    );
  }
}
