import type { FileHandle } from 'node:fs/promises';

/** A piece of a file that ends in a newline, without it. `offset` and `length` are bytes, the newline not counted. */
export interface RawLine {
  readonly offset: number;
  readonly length: number;
  /** Undefined when the line is longer than any that this product writes; its bytes stay in the file. */
  readonly bytes: Buffer | undefined;
}

/** A line that could not be trusted. `offset` and `length` are bytes of the journal. */
export interface Damage {
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
}

/** Small enough that the lines of one chunk are decoded in a few milliseconds, so that nothing else is held up. */
const CHUNK_BYTES = 64 * 1024;
/** No line that is written comes near this: it bounds the memory that a damaged file can take. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** Gives the complete lines of a file from `from` (bytes) on, a chunk at a time. What follows the last newline is left. */
export async function* scanLines(file: FileHandle, from: number): AsyncGenerator<readonly RawLine[]> {
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let lineStart = from;
  for (let position = from; ;) {
    // A fresh buffer for each chunk: the lines that are handed out point into it.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      const length = position + end - lineStart;
      const whole = carried.length === 0 ? piece : Buffer.concat([...carried, piece]);
      lines.push({ offset: lineStart, length, bytes: length > MAX_LINE_BYTES ? undefined : whole });
      carried = [];
      carriedBytes = 0;
      start = end + 1;
      lineStart = position + start;
    }
    if (start < bytesRead) {
      carriedBytes += bytesRead - start;
      if (carriedBytes > MAX_LINE_BYTES) carried = [];
      else carried.push(chunk.subarray(start));
    }
    position += bytesRead;
    if (lines.length > 0) yield lines;
  }
}

const NEWLINE = 0x0a;

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
