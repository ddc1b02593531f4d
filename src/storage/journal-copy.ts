import { open, type FileHandle } from 'node:fs/promises';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { Breather } from '../core/pace/breather.ts';
import { dropCheckpoint, endsBeforeCheckpoint, resumeReader, saveCheckpoint } from './checkpoint.ts';
import { JournalReader } from './journal-reader.ts';
import { writeAnew } from './set-aside.ts';

/** How much may be written before there is a new checkpoint, in bytes; closing writes one as well. */
const CHECKPOINT_EVERY_BYTES = 512 * 1024;
/** The same as a share of the journal: a checkpoint grows with it, and writing it should cost little beside the lines. */
const CHECKPOINT_EVERY_SHARE = 1 / 8;

/** What a window has of a journal: the open file, what was read of it so far, and the checkpoint that was kept of that. */
export class JournalCopy {
  readonly #path: string;
  readonly #id: SessionId;
  readonly #breather: Breather;
  #file: FileHandle;
  #reader: JournalReader;
  #checkpointAt = 0;
  #shorter = false;

  private constructor(path: string, id: SessionId, breather: Breather, file: FileHandle) {
    this.#path = path;
    this.#id = id;
    this.#breather = breather;
    this.#file = file;
    this.#reader = new JournalReader(file, breather);
  }

  static async open(path: string, id: SessionId, breather: Breather): Promise<JournalCopy> {
    return new JournalCopy(path, id, breather, await open(path, 'r'));
  }

  get file(): FileHandle {
    return this.#file;
  }

  /** Another one after each `readAgain`. */
  get reader(): JournalReader {
    return this.#reader;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Reads from the checkpoint on, if there is one that can be trusted. `onDamage`: later it turned out that it cannot. */
  async load(onDamage: () => void): Promise<void> {
    const resumed = await resumeReader(this.#path, this.#file, this.#id, this.#breather, onDamage);
    if (resumed) {
      this.#reader = resumed;
      this.#checkpointAt = resumed.offset;
    } else if (await endsBeforeCheckpoint(this.#path, this.#file, this.#id)) {
      this.#shorter = true;
      // It is told once.
      await this.dropCheckpoint();
    }
    await this.#reader.readOn();
  }

  /** Whether the journal ended before its checkpoint when it was opened. */
  get shorter(): boolean {
    return this.#shorter;
  }

  /** Reads all of the file once more. */
  async readAgain(): Promise<void> {
    this.#checkpointAt = 0;
    this.#reader = new JournalReader(this.#file, this.#breather);
    await this.#reader.readOn();
  }

  /** Folds what others have written: its events, or `anew` when what had been read was no longer there. */
  async pull(): Promise<readonly SessionEvent[] | 'anew'> {
    const { size } = await this.#file.stat();
    if (size === this.#reader.offset) return [];
    const sound = this.#reader.damage.length;
    const lines = size < this.#reader.offset ? undefined : await this.#reader.readOn();
    if (lines && this.#reader.damage.length === sound) return lines.flatMap(({ event }) => (event ? [event] : []));
    // The writer has taken back what it could not finish, and this window had read some of it.
    await this.readAgain();
    return 'anew';
  }

  /** Whether somebody has deleted the file: as long as it is open, its content is still there. */
  async isDeleted(): Promise<boolean> {
    return (await this.#file.stat()).nlink === 0;
  }

  /** Writes a deleted file once more under its name. */
  async putBack(): Promise<void> {
    await writeAnew(this.#path, this.#file);
    const deleted = this.#file;
    this.#file = await open(this.#path, 'r');
    await deleted.close();
    await this.readAgain();
  }

  async saveCheckpointIfDue(): Promise<void> {
    const { offset } = this.#reader;
    const every = Math.max(CHECKPOINT_EVERY_BYTES, offset * CHECKPOINT_EVERY_SHARE);
    if (offset - this.#checkpointAt > every) await this.saveCheckpoint();
  }

  async saveCheckpoint(): Promise<void> {
    const { state, offset } = this.#reader;
    if (offset === this.#checkpointAt || state.id === undefined) return;
    this.#checkpointAt = offset;
    await saveCheckpoint(this.#path, this.#file, this.#id, this.#reader);
  }

  /** For a checkpoint that has been found to be wrong. */
  dropCheckpoint(): Promise<void> {
    return dropCheckpoint(this.#path);
  }
}
