import { createReadStream } from 'node:fs';
import { TranscriptReader, type TranscriptTotals } from '../core/transcript/transcript-reader.ts';
import { type TranscriptMessage, contentOf } from '../core/transcript/transcript-message.ts';
import { UsageError } from './command.ts';
import type { SourceMessage } from '../core/compress/source.ts';
import { messageId } from '../core/model/ids.ts';

/** A file's text in chunks; `-` is standard input. Throws `UsageError` if it can't be read. */
export async function* readText(file: string): AsyncGenerator<string> {
  const stream = file === '-' ? process.stdin.setEncoding('utf8') : createReadStream(file, { encoding: 'utf8' });
  try {
    for await (const chunk of stream) yield String(chunk);
  } catch (error) {
    throw unreadableFile(file, error);
  }
}

export const unreadableFile = (file: string, error: unknown): UsageError =>
  new UsageError(`Can’t read ${file}: ${unreadableReason(error)}.`);

function unreadableReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'the file doesn’t exist';
    case 'EISDIR':
      return 'it’s a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** Streams a transcript's messages; the generator returns the totals. */
export async function* streamTranscript(file: string): AsyncGenerator<TranscriptMessage, TranscriptTotals> {
  const reader = new TranscriptReader();
  for await (const chunk of readText(file)) yield* reader.push(chunk);
  yield* reader.end();
  return reader.summary();
}

/** Reads a whole transcript. Throws `UsageError` or `TranscriptError`. */
export async function readTranscriptFile(
  file: string,
): Promise<TranscriptTotals & { readonly transcript: readonly TranscriptMessage[] }> {
  const transcript: TranscriptMessage[] = [];
  const messages = streamTranscript(file);
  for (;;) {
    const next = await messages.next();
    if (next.done === true) return { ...next.value, transcript };
    transcript.push(next.value);
  }
}

/** What was skipped, as one line; undefined if nothing was. */
export function skippedLine(
  skipped: readonly { readonly reason: string; readonly count: number }[],
): string | undefined {
  if (skipped.length === 0) return undefined;
  return `Skipped: ${skipped.map(({ reason, count }) => `${count} × ${reason}`).join(', ')}.`;
}

/** A transcript's messages for compression; their IDs are their indexes. */
export function sourceMessages(transcript: readonly TranscriptMessage[]): SourceMessage[] {
  return transcript.map((message, index) => ({
    id: messageId(String(index)),
    role: message.role,
    content: contentOf(message),
  }));
}
