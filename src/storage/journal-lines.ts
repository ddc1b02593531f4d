import type { FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import { countSchema, type ReadonlyOutput } from '../core/model/field-schemas.ts';

/** A line of a file without its newline. `offset` and `length` are in bytes. */
export interface RawLine {
  readonly offset: number;
  readonly length: number;
  /** Undefined if the line is longer than `MAX_LINE_BYTES`. */
  readonly text: string | undefined;
}

/** Small enough that decoding the lines of a chunk takes a few milliseconds. */
const CHUNK_BYTES = 64 * 1024;
/** Maximum length of a line, which bounds the memory that a damaged file can take. Longer lines are never written. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Iterates over the complete lines of a file from an offset in bytes. An incomplete last line is left out. */
export async function* scanLines(file: FileHandle, from: number): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let offset = from;
  for (let position = from; ;) {
    const chunk = await readRange(file, position, CHUNK_BYTES);
    if (chunk.length === 0) return;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      pieces.push(chunk.subarray(start, end));
      const length = position + end - offset;
      yield { offset, length, text: length > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces).toString() };
      pieces = [];
      start = end + 1;
      offset = position + start;
    }
    position += chunk.length;
    if (position - offset > MAX_LINE_BYTES) pieces = [];
    else pieces.push(chunk.subarray(start));
  }
}

/** Reads `length` bytes at `offset`, or fewer at the end of the file. */
export async function readRange(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/**
 * The state of a `LineOrder`, as stored. `sums`: the lines' checksums by sequence number from 1, 32 bits each, in
 * base64; 0 for those in `missing`. `void`: the writers whose further lines are ignored.
 */
export const storedOrderSchema = v.object({
  sums: v.string(),
  missing: v.array(countSchema),
  void: v.array(v.string()),
});
type StoredOrder = ReadonlyOutput<typeof storedOrderSchema>;

/** Maximum number of exported lines, so that a line with a wrong, high number doesn't take memory for all before it. */
const MAX_LINES = 5_000_000;

/**
 * Decides which lines of a file are valid, based on their order alone. Appends are atomic, so if two windows write the
 * same sequence number, the first line in the file wins, and the other window's lines from there on are ignored. Every
 * reader comes to the same result without a lock. See docs/adr/0004-two-windows.md.
 */
export class LineOrder {
  readonly #sums = new Map<number, number>();
  readonly #void: Set<string>;
  #last = 0;

  constructor(stored?: StoredOrder) {
    const sums = Buffer.from(stored?.sums ?? '', 'base64');
    for (let at = 0; at + 4 <= sums.length; at += 4) this.#sums.set(++this.#last, sums.readUInt32LE(at));
    for (const seq of stored?.missing ?? []) this.#sums.delete(seq);
    this.#void = new Set(stored?.void);
  }

  /** The highest valid sequence number; 0 if there is none. */
  get last(): number {
    return this.#last;
  }

  /**
   * - `next`: the expected line.
   * - `gap`: lines before it are missing; reading continues.
   * - `late`: one of the missing lines, found further down.
   * - `repeat`: a copy of a line that was already read.
   * - `overtaken`: written by a window that didn't know yet that another one had become the writer. It was never
   *   acknowledged and is ignored.
   *
   * `sum` is the line's checksum as eight hex digits.
   */
  classify(seq: number, writer: string, sum: string): 'next' | 'gap' | 'late' | 'repeat' | 'overtaken' {
    if (this.#void.has(writer)) return 'overtaken';
    const value = Number.parseInt(sum, 16);
    const known = this.#sums.get(seq);
    if (known === undefined) {
      const last = this.#last;
      this.#last = Math.max(last, seq);
      this.#sums.set(seq, value);
      if (seq < last) return 'late';
      return seq === last + 1 ? 'next' : 'gap';
    }
    if (known === value) return 'repeat';
    this.#void.add(writer);
    return 'overtaken';
  }

  /** Undefined if there are too many lines. The journal is then read from its beginning. */
  export(): StoredOrder | undefined {
    if (this.#last > MAX_LINES) return undefined;
    const sums = Buffer.alloc(this.#last * 4);
    const missing: number[] = [];
    for (let seq = 1; seq <= this.#last; seq++) {
      const sum = this.#sums.get(seq);
      if (sum === undefined) missing.push(seq);
      else sums.writeUInt32LE(sum, (seq - 1) * 4);
    }
    return { sums: sums.toString('base64'), missing, void: [...this.#void] };
  }
}
