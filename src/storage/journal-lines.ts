import type { FileHandle } from 'node:fs/promises';

/** A piece of a file that ends in a newline, without it. `offset` and `length` are bytes, the newline not counted. */
export interface RawLine {
  readonly offset: number;
  readonly length: number;
  /** Undefined when the line is longer than any that this product writes; its bytes stay in the file. */
  readonly text: string | undefined;
}

/** Small enough that the lines of one chunk are decoded in a few milliseconds, so that nothing else is held up. */
const CHUNK_BYTES = 64 * 1024;
/** No line that is written comes near this: it bounds the memory that a damaged file can take. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Gives the complete lines of a file from `from` (bytes) on. What follows the last newline is left. */
export async function* scanLines(file: FileHandle, from: number): AsyncGenerator<RawLine> {
  let carried: Buffer[] = [];
  let offset = from;
  for (let position = from; ;) {
    const chunk = await readRange(file, position, CHUNK_BYTES);
    if (chunk.length === 0) return;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      carried.push(chunk.subarray(start, end));
      const length = position + end - offset;
      yield { offset, length, text: length > MAX_LINE_BYTES ? undefined : Buffer.concat(carried).toString() };
      carried = [];
      start = end + 1;
      offset = position + start;
    }
    position += chunk.length;
    if (position - offset > MAX_LINE_BYTES) carried = [];
    else carried.push(chunk.subarray(start));
  }
}

/** Reads `length` bytes at `offset`, or fewer where the file ends. */
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

/** What was judged so far. `sums`: the checksums by sequence number from 1, 32 bits each, as base64; 0 where missing. */
interface StoredOrder {
  readonly sums: string;
  readonly missing: readonly number[];
  readonly void: readonly string[];
}

/** No session comes near this; a line of another file with a high number must not take the memory for all before it. */
const MAX_LINES = 5_000_000;

/**
 * Decides, from the order of the lines in the file alone, which of them count. Appends are atomic, so of two windows
 * that write the same sequence number the first in the file wins, and the other one's lines from there on are void:
 * every reader comes to the same answer, without a lock. See docs/adr/0004-two-windows.md.
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

  /** The highest sequence number that counted; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /**
   * - `next`: the line that was expected.
   * - `gap`: lines before it are missing; what follows is read on.
   * - `late`: one of the missing lines, found further down.
   * - `repeat`: a copy of a line that was read.
   * - `overtaken`: written by a window that had lost the journal to another one and did not know yet; it was never
   *   acknowledged, and counts for nobody.
   *
   * `sum` is the line's checksum as eight hex digits.
   */
  judge(seq: number, writer: string, sum: string): 'next' | 'gap' | 'late' | 'repeat' | 'overtaken' {
    if (this.#void.has(writer)) return 'overtaken';
    const value = Number.parseInt(sum, 16);
    const known = this.#sums.get(seq);
    if (known === undefined) {
      const before = this.#last;
      this.#last = Math.max(before, seq);
      this.#sums.set(seq, value);
      if (seq < before) return 'late';
      return seq === before + 1 ? 'next' : 'gap';
    }
    if (known === value) return 'repeat';
    this.#void.add(writer);
    return 'overtaken';
  }

  /** Undefined when so much is missing that it is better read again. */
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
