import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isFileSystemError, type ReadEnd, type Resume, type SourceFile } from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { addSkipped, lostContent } from '../core/transcript/skipped-content.ts';
import { TranscriptError, type TranscriptSink } from '../core/transcript/transcript-message.ts';
import { recordLineImporter, type RecordImporter } from '../core/transcript/transcript-reader.ts';
import { damagedFile, readSlice, zstd } from './read-files.ts';

/** Bytes at the beginning of a file and before an offset that are compared to detect that the file was rewritten. */
const PREFIX_BYTES = 4096;
/** Longer lines aren't records of a conversation and are skipped. */
const MAX_LINE_BYTES = 100_000_000;
const NEWLINE = 10;

/** The beginning of a file, up to an offset in bytes (exclusive). */
export interface FilePart {
  readonly path: string;
  readonly end: number;
}

/**
 * Reads a file with one JSON record per line. If it was only appended to, reading resumes at `from`. An incomplete last
 * line is ignored until the next call, because the tool may still be writing it. A compressed file (`.zst`), or one that
 * continues the parts in `before`, is always read from the beginning. The first record of the file itself comes before
 * the parts, because it describes the session.
 */
export async function readRecords(
  file: SourceFile,
  sink: TranscriptSink,
  importerOf: (sink: TranscriptSink, resumed: Resume | undefined) => RecordImporter,
  from?: Resume,
  before: readonly FilePart[] = [],
): Promise<ReadEnd> {
  const canResume = before.length === 0 && !isCompressed(file.path);
  const isUnchanged = canResume && from !== undefined && (await prefixHash(file.path, from.offset)) === from.prefix;
  const resumed = isUnchanged ? from : undefined;
  const records = importerOf(sink, resumed);
  const importer = recordLineImporter(records, sink);
  if (before.length > 0) importer.line((await readFirstLine(file.path)) ?? '');
  for (const part of before)
    for await (const { text } of readLines(part.path, 0, part.end)) if (text !== undefined) importer.line(text);
  let offset = resumed?.offset ?? 0;
  const resumePointAt = (bytes: number): Omit<Resume, 'prefix'> => ({
    offset: bytes,
    messages: (resumed?.messages ?? 0) + (sink.position?.messages ?? 0),
    compactions: (resumed?.compactions ?? 0) + (sink.position?.compactions ?? 0),
    lost: addSkipped([...(resumed?.lost ?? []), ...lostContent(sink.skipped)]),
    model: sink.facts.model ?? resumed?.model,
    leaf: records.leaf,
  });
  let resumePoint = resumePointAt(offset);
  for await (const { text, bytes, isTerminated } of readLines(file.path, offset)) {
    // Without a newline, a line is complete only if it ends like a JSON object or list.
    if (!isTerminated && !/[}\]]\s*$/.test(text ?? '')) break;
    if (text === undefined) sink.skip(phrase('line longer than {0} MB', MAX_LINE_BYTES / 1_000_000));
    else importer.line(text);
    offset += bytes;
    if (records.isSettled !== false && isTerminated) resumePoint = resumePointAt(offset);
  }
  importer.flush();
  if (offset === 0) throw file.bytes > 0 ? damagedFile() : new TranscriptError(phrase('The file is empty.'));
  if (!canResume) return { resumed: false };
  return {
    resumed: resumed !== undefined,
    resume: { ...resumePoint, prefix: await prefixHash(file.path, resumePoint.offset) },
  };
}

interface Line {
  /** Undefined if it's too long. */
  readonly text: string | undefined;
  /** Including its newline. */
  readonly bytes: number;
  /** Whether it ends with a newline. */
  readonly isTerminated: boolean;
}

/** The first line of a file, or undefined if it's empty or too long. */
export async function readFirstLine(file: string): Promise<string | undefined> {
  for await (const { text } of readLines(file, 0)) return text;
  return undefined;
}

const isCompressed = (file: string): boolean => file.endsWith('.zst');

/** The content of a file, decompressed. Offsets are those of the decompressed content. */
async function* readChunks(file: string, start: number, end: number): AsyncGenerator<Buffer> {
  const stream = createReadStream(file, { start: isCompressed(file) ? 0 : start, highWaterMark: 1 << 18 });
  const chunks = isCompressed(file) ? stream.pipe(zstd().createZstdDecompress()) : stream;
  stream.on('error', (error) => chunks.destroy(error));
  try {
    let offset = start;
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      yield chunk.subarray(0, end - offset);
      offset += chunk.length;
      if (offset >= end) return;
    }
  } catch (error) {
    throw isCompressed(file) && !isFileSystemError(error) ? damagedFile() : error;
  } finally {
    stream.destroy();
  }
}

async function* readLines(file: string, start: number, end = Infinity): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const takeLine = (isTerminated: boolean): Line => {
    const text = bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
    const line = { text, bytes: bytes + (isTerminated ? 1 : 0), isTerminated };
    parts = [];
    bytes = 0;
    return line;
  };
  const append = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  };
  for await (const chunk of readChunks(file, start, end)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      append(chunk.subarray(from, end));
      yield takeLine(true);
      from = end + 1;
    }
    append(chunk.subarray(from));
  }
  if (bytes > 0) yield takeLine(false);
}

/** A hash of a file's first bytes and of the bytes before an offset. */
async function prefixHash(file: string, offset: number): Promise<string> {
  const head = await readSlice(file, 0, Math.min(PREFIX_BYTES, offset));
  const tail = await readSlice(file, Math.max(0, offset - PREFIX_BYTES), offset);
  return createHash('sha256').update(head).update(tail).digest('hex').slice(0, 32);
}
