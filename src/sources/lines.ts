import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { ReadEnd, Resume, SourceFile } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { TranscriptError, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { ofRecords, type LineImporter, type RecordImporter } from '../core/transcript/recognize.ts';

/** How much of the beginning and of what precedes an offset tells that a file was only appended to. */
const PREFIX_BYTES = 4096;
/** A longer line is no record of a conversation; it is left out. */
const MAX_LINE_BYTES = 100_000_000;
const NEWLINE = 10;

/**
 * Reads a file line by line, going on where reading stopped if the file was only appended to. A last line without its
 * newline is left for the next time unless it is complete: the tool may be in the middle of writing it.
 */
async function readLines(
  file: SourceFile,
  sink: TranscriptSink,
  importerOf: (sink: TranscriptSink, model: string | undefined) => LineImporter,
  from?: Resume,
): Promise<ReadEnd> {
  const start = from && (await isSamePrefix(file.path, from)) ? from : undefined;
  const counting = new CountingSink(sink, start);
  const importer = importerOf(counting.sink, start?.model);
  let settled = counting.at(start?.offset ?? 0);
  let offset = settled.offset;
  for await (const { line, bytes, isWhole } of linesOf(file.path, offset)) {
    // JSON that ends is complete; anything else may go on.
    if (!isWhole && !/[}\]]\s*$/.test(line ?? '')) break;
    if (line === undefined) counting.sink.skip(phrase('line longer than {0} MB', MAX_LINE_BYTES / 1_000_000));
    else importer.line(line);
    offset += bytes;
    if (importer.isSettled && isWhole) settled = counting.at(offset);
  }
  importer.end();
  if (offset === 0) throw new TranscriptError(phrase('The file is empty.'));
  const prefix = await prefixOf(file.path, settled.offset);
  return { resumed: start !== undefined, resume: { ...settled, prefix } };
}

/** As `readLines`, of a file that has a JSON record on each line. */
export const readRecords = (
  file: SourceFile,
  sink: TranscriptSink,
  importerOf: (sink: TranscriptSink, model: string | undefined) => RecordImporter,
  from?: Resume,
): Promise<ReadEnd> => readLines(file, sink, (to, model) => ofRecords(importerOf(to, model), to), from);

/** Counts what passes on to a sink, so that reading can be resumed. */
class CountingSink {
  readonly sink: TranscriptSink;
  #messages: number;
  #compactions: number;
  #model: string | undefined;

  constructor(inner: TranscriptSink, from: Resume | undefined) {
    this.#messages = from?.messages ?? 0;
    this.#compactions = from?.compactions ?? 0;
    this.#model = from?.model;
    this.sink = {
      add: (message) => {
        this.#messages++;
        inner.add(message);
      },
      skip: (reason) => inner.skip(reason),
      about: (facts) => {
        this.#model = facts.model ?? this.#model;
        inner.about?.(facts);
      },
      compacted: (compaction) => {
        this.#compactions++;
        inner.compacted?.(compaction);
      },
    };
  }

  at(offset: number): Omit<Resume, 'prefix'> {
    const model = this.#model;
    const [messages, compactions] = [this.#messages, this.#compactions];
    return { offset, messages, compactions, ...(model !== undefined && { model }) };
  }
}

interface Line {
  /** Undefined for a line that is too long. */
  readonly line: string | undefined;
  /** With its newline. */
  readonly bytes: number;
  /** Whether the newline was there. */
  readonly isWhole: boolean;
}

async function* linesOf(file: string, start: number): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const line = (isWhole: boolean): Line => {
    const text = bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces).toString('utf8').replace(/\r$/, '');
    const result = { line: text, bytes: bytes + (isWhole ? 1 : 0), isWhole };
    pieces = [];
    bytes = 0;
    return result;
  };
  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of createReadStream(file, { start, highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      yield line(true);
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (bytes > 0) yield line(false);
}

async function isSamePrefix(file: string, { offset, prefix }: Resume): Promise<boolean> {
  return (await prefixOf(file, offset)) === prefix;
}

async function prefixOf(file: string, offset: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const head = await slice(handle, 0, Math.min(PREFIX_BYTES, offset));
    const tail = await slice(handle, Math.max(0, offset - PREFIX_BYTES), offset);
    return createHash('sha256').update(head).update(tail).digest('hex').slice(0, 32);
  } finally {
    await handle.close();
  }
}

async function slice(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}
