import { createHash } from 'node:crypto';
import { readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { memoryEntrySchema, type MemoryEntry } from '../core/memory/memory.ts';
import { phrase } from '../core/text/phrase.ts';
import { withAccessFaults, ifExists, makeFolder, replaceFile, withWriteFaults } from './disk-errors.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import { withoutAddress } from './workspace-key.ts';

const schema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ workspace: v.string(), entries: v.array(memoryEntrySchema) }),
);

const WORKSPACE_MEMORY = phrase('the workspace memory');

/**
 * A workspace's memory: a small file that is replaced atomically. It's read again before each change, because another
 * window of the workspace may have changed it.
 */
export class MemoryFile {
  readonly #path: string;
  readonly #workspace: string;
  readonly #sequencer = new Sequencer();
  /** The entries that were stored under earlier keys of the workspace. Read once, because they don't change anymore. */
  #earlier: readonly MemoryEntry[] | undefined;

  constructor(folder: string, workspace: string) {
    this.#workspace = workspace;
    const name = createHash('sha256').update(workspace).digest('hex').slice(0, 24);
    this.#path = path.join(folder, `${name}.json`);
  }

  /** The entries, oldest first. An invalid file is quarantined. Rejects with `StoreFault`. */
  read(): Promise<readonly MemoryEntry[]> {
    return this.#sequencer.queue(() => this.#read());
  }

  #read(): Promise<readonly MemoryEntry[]> {
    return withAccessFaults(WORKSPACE_MEMORY, async () => {
      const text = await ifExists(readFile(this.#path, 'utf8'));
      if (text === undefined) return (this.#earlier ??= await this.#readWithAddress());
      const parsed = v.safeParse(schema, text);
      if (parsed.success) return parsed.output.entries;
      const sum = createHash('sha256').update(text).digest('hex').slice(0, 8);
      await rename(this.#path, `${this.#path}.unreadable-${sum}`);
      return [];
    });
  }

  /** The entries that were stored when the workspace's key contained the address of a server. */
  async #readWithAddress(): Promise<readonly MemoryEntry[]> {
    const folder = path.dirname(this.#path);
    const names = ((await ifExists(readdir(folder))) ?? []).filter((name) => name.endsWith('.json'));
    const texts = await Promise.all(names.map((name) => ifExists(readFile(path.join(folder, name), 'utf8'))));
    return texts.flatMap((text) => {
      const { success, output } = v.safeParse(schema, text);
      return success && withoutAddress(output.workspace) === this.#workspace ? output.entries : [];
    });
  }

  /** Replaces the current entries by the result of `change` and returns them. Rejects with `StoreFault`. */
  change(change: (entries: readonly MemoryEntry[]) => readonly MemoryEntry[]): Promise<readonly MemoryEntry[]> {
    return this.#sequencer.queue(async () => {
      const entries = change(await this.#read());
      const text = JSON.stringify({ workspace: this.#workspace, entries }, null, 1);
      await withWriteFaults(WORKSPACE_MEMORY, async () => {
        await makeFolder(path.dirname(this.#path));
        await replaceFile(this.#path, text, { flush: true });
      });
      return entries;
    });
  }
}
