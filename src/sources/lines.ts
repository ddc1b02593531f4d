import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ReadEnd, Resume, SourceFile } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { TranscriptError, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { ofRecords, type RecordImporter } from '../core/transcript/recognize.ts';
import { readSlice } from './files.ts';

/**
 * How much of a file's beginning and of the part before an offset is compared, to tell whether the file was only
 * appended to.
 */
const PREFIX_BYTES = 4096;
/** Longer lines aren't records of a conversation and are skipped. */
const MAX_LINE_BYTES = 100_000_000;
const NEWLINE = 10;

/**
 * Reads a file with one JSON record per line, and resumes where reading stopped if the file was only appended to. A
 * last line without a newline is left for the next time unless it's complete, because the tool may still be writing it.
 */
export async function readRecords(
  file: SourceFile,
  sink: TranscriptSink,
  importerOf: (sink: TranscriptSink, model: string | undefined) => RecordImporter,
  from?: Resume,
): Promise<ReadEnd> {
  const start = from && (await prefixOf(file.path, from.offset)) === from.prefix ? from : undefined;
  const passed = { messages: start?.messages ?? 0, compactions: start?.compactions ?? 0, model: start?.model };
  const counting: TranscriptSink = {
    add(message) {
      passed.messages++;
      sink.add(message);
    },
    skip: (reason) => sink.skip(reason),
    about(facts) {
      passed.model = facts.model ?? passed.model;
      sink.about?.(facts);
    },
    compacted(compaction) {
      passed.compactions++;
      sink.compacted?.(compaction);
    },
  };
  const importer = ofRecords(importerOf(counting, start?.model), counting);
  let offset = start?.offset ?? 0;
  let settled = { ...passed, offset };
  for await (const { line, bytes, isWhole } of linesOf(file.path, offset)) {
    // Complete JSON ends with a bracket; anything else may continue.
    if (!isWhole && !/[}\]]\s*$/.test(line ?? '')) break;
    if (line === undefined) counting.skip(phrase('line longer than {0} MB', MAX_LINE_BYTES / 1_000_000));
    else importer.line(line);
    offset += bytes;
    if (importer.isSettled && isWhole) settled = { ...passed, offset };
  }
  importer.end();
  if (offset === 0) throw new TranscriptError(phrase('The file is empty.'));
  return {
    resumed: start !== undefined,
    resume: { ...settled, prefix: await prefixOf(file.path, settled.offset) },
  };
}

interface Line {
  /** Undefined if the line is too long. */
  readonly line: string | undefined;
  /** Including its newline. */
  readonly bytes: number;
  /** Whether it ended with a newline. */
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

/** A hash of a file's first bytes and of those before an offset. */
async function prefixOf(file: string, offset: number): Promise<string> {
  const head = await readSlice(file, 0, Math.min(PREFIX_BYTES, offset));
  const tail = await readSlice(file, Math.max(0, offset - PREFIX_BYTES), offset);
  return createHash('sha256').update(head).update(tail).digest('hex').slice(0, 32);
}
