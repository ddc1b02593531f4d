import { open, stat, truncate } from 'node:fs/promises';
import { StoreFault, type Clock } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { breathe } from '../core/pace/breather.ts';
import { phrase } from '../core/text/phrase.ts';
import { OWNER_ONLY } from './disk-errors.ts';
import { encodeLine, JOURNAL_VERSION } from './journal-line.ts';
import { MAX_LINE_BYTES } from './journal-lines.ts';
import type { JournalReader } from './journal-reader.ts';
import type { WriterLock } from './writer-lock.ts';

/** The end of a file, for appending: the one seam through which a journal's bytes go to disk. */
export interface AppendFile {
  /** Writes at the file's end, wherever that is by now, in one piece where the system can; returns the bytes written. */
  write(bytes: Uint8Array): Promise<number>;
  /** Resolves when what was written survives a power failure. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type OpenForAppend = (path: string) => Promise<AppendFile>;

/** Opens a file in append mode, in which concurrent writes of two processes never interleave on a local disk. */
export const openForAppend: OpenForAppend = async (path) => {
  const file = await open(path, 'a', OWNER_ONLY);
  return {
    write: async (bytes) => (await file.write(bytes)).bytesWritten,
    flush: () => file.datasync(),
    close: () => file.close(),
  };
};

const TOO_LARGE = phrase('This message is larger than 128 MB and can’t be saved. Split it into smaller messages.');

/** Writes events at a journal's end and makes sure, before it says so, that they count for every reader. */
export class JournalWriter {
  readonly #path: string;
  readonly #append: AppendFile;
  readonly #lock: WriterLock;
  readonly #clock: Clock;

  constructor(path: string, append: AppendFile, lock: WriterLock, clock: Clock) {
    this.#path = path;
    this.#append = append;
    this.#lock = lock;
    this.#clock = clock;
  }

  close(): Promise<void> {
    return this.#append.close();
  }

  /**
   * Writes, and folds what is at the file's end then, in its order: `folded`, lines of other windows among them where
   * they came first. `isWriter` is false when another window writes by now: then nothing of this counts. Throws the file
   * system's error with nothing folded, and the file as it was if that can be done.
   */
  async write(
    reader: JournalReader,
    events: readonly SessionEvent[],
  ): Promise<{ readonly isWriter: boolean; readonly folded: readonly SessionEvent[] }> {
    const lines = await reader.readOn();
    let open = events;
    while (open.length > 0 && (await this.#lock.isHeld())) {
      const { token } = this.#lock;
      const first = reader.order.last + 1;
      const batch = await this.#encode(open, first, token);
      const { size } = await reader.file.stat();
      // A newline first closes off what another writer left unfinished.
      await this.#put(size > reader.offset ? Buffer.concat([NEWLINE, batch]) : batch, size);
      // If others wrote as well, the file's order says whose lines count: they are read back as by any reader.
      const news = await reader.readOn();
      lines.push(...news);
      const counted = new Set(news.flatMap(({ seq, writer }) => (writer === token ? [seq] : [])));
      open = open.filter((_, index) => !counted.has(first + index));
      if (open.length > 0 && (await this.#lock.isHeld())) await this.#lock.renew();
    }
    return { isWriter: open.length === 0, folded: lines.flatMap(({ event }) => event ?? []) };
  }

  /** The events as lines from the sequence number `first` on. Throws when one cannot be written. */
  async #encode(events: readonly SessionEvent[], first: number, writer: string): Promise<Buffer> {
    const at = this.#clock.now();
    const pieces: Buffer[] = [];
    for (const [index, body] of events.entries()) {
      const line = Buffer.from(`${encodeLine({ v: JOURNAL_VERSION, seq: first + index, at, writer, body })}\n`);
      if (line.length > MAX_LINE_BYTES) throw new StoreFault('too_large', TOO_LARGE);
      pieces.push(line);
      await breathe(this.#clock.breather);
    }
    return Buffer.concat(pieces);
  }

  async #put(bytes: Buffer, start: number): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) written += await this.#append.write(bytes.subarray(written));
      await this.#append.flush();
    } catch (error) {
      // If it cannot be taken back either, the next write finds what is there and goes on behind it.
      await this.#takeBack(start, written).catch(() => undefined);
      throw error;
    }
  }

  // Only while the lock is held and nothing else was written: what is not cut away is read on as what it is.
  async #takeBack(start: number, written: number): Promise<void> {
    if (written === 0 || !(await this.#lock.isHeld())) return;
    if ((await stat(this.#path)).size === start + written) await truncate(this.#path, start);
  }
}

const NEWLINE = Buffer.from('\n');
