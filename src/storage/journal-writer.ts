import { stat, truncate, type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { encodeBatch } from './batch.ts';
import { OWNER_ONLY } from './disk-errors.ts';
import type { CountedLine, JournalReader } from './journal-reader.ts';
import { readRange } from './line-scanner.ts';
import type { WriterLock } from './writer-lock.ts';

/** Whether this window is still the writer (else nothing that was to be written counts), and all that was folded. */
export interface WriteOutcome {
  readonly kind: 'written' | 'lost';
  /** In the order of the file; lines of other windows among them where they came first. */
  readonly folded: readonly SessionEvent[];
}

interface WriterParts {
  readonly path: string;
  readonly file: FileHandle;
  readonly append: AppendFile;
  readonly reader: JournalReader;
  readonly lock: WriterLock;
  readonly clock: Clock;
}

/** Writes events at a journal's end and makes sure, before it says so, that they count for every reader. */
export class JournalWriter {
  readonly #parts: WriterParts;
  /** Bytes after the last complete line, as far as known; undefined: look before the next write. */
  #tail: number | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  close(): Promise<void> {
    return this.#parts.append.close();
  }

  /** Throws the file system's error with nothing folded, and the file as it was if that can be done. */
  async write(events: readonly SessionEvent[]): Promise<WriteOutcome> {
    const { file, reader, lock, clock } = this.#parts;
    const folded: SessionEvent[] = [];
    const readOn = async (): Promise<CountedLine[]> => {
      const lines = await reader.readOn();
      for (const { event } of lines) if (event) folded.push(event);
      return lines;
    };
    let open = events;
    while ((await lock.check()) === 'held') {
      if (this.#tail === undefined) {
        await readOn();
        this.#tail = (await file.stat()).size - reader.offset;
      }
      const first = reader.order.last + 1;
      const batch = await encodeBatch(open, first - 1, lock.token, clock);
      // A newline first closes off what another writer left unfinished.
      const bytes = this.#tail > 0 ? Buffer.concat([NEWLINE, batch.bytes]) : batch.bytes;
      const start = reader.offset + this.#tail;
      await this.#put(bytes, start);
      if ((await file.stat()).size === start + bytes.length && this.#tail === 0) {
        reader.adopt(batch.lines);
        for (const event of open) folded.push(event);
        return { kind: 'written', folded };
      }
      // Others wrote as well. The file's order says whose lines count: read them back like any reader.
      this.#tail = undefined;
      const token = lock.token;
      const mine = (await readOn()).filter((line) => line.writer === token);
      const counted = new Set(mine.map((line) => line.seq));
      open = open.filter((_, index) => !counted.has(first + index));
      if (open.length === 0) return { kind: 'written', folded };
      if ((await lock.check()) === 'held') await lock.renew();
    }
    return { kind: 'lost', folded };
  }

  async #put(bytes: Buffer, start: number): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) written += await this.#parts.append.write(bytes.subarray(written));
      await this.#parts.append.flush();
    } catch (error) {
      this.#tail = undefined;
      // If it cannot be taken back either, the next write finds what is there and goes on behind it.
      await this.#takeBack(bytes.subarray(0, written), start).catch(() => undefined);
      throw error;
    }
  }

  // Only while the lock is held and nothing else was written: what is not cut away is read on as what it is.
  async #takeBack(written: Buffer, start: number): Promise<void> {
    const { path, file, lock } = this.#parts;
    if (written.length === 0 || (await lock.check()) === 'lost') return;
    const { size } = await stat(path);
    if (size !== start + written.length) return;
    if ((await readRange(file, start, written.length)).equals(written)) await truncate(path, start);
  }
}

const NEWLINE = Buffer.from('\n');

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
