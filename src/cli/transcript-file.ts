import { createReadStream } from 'node:fs';
import type { SourceMessage } from '../core/compress/source-message.ts';
import { messageId } from '../core/model/ids.ts';
import { TranscriptReader, type TranscriptTotals } from '../core/transcript/transcript-reader.ts';
import { contentOf, type TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { UsageError } from './command.ts';

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

/** Streams a transcript's messages; the generator returns the totals. Throws `UsageError` or `TranscriptError`. */
export async function* streamTranscript(file: string): AsyncGenerator<TranscriptMessage, TranscriptTotals> {
  const reader = new TranscriptReader();
  for await (const chunk of readText(file)) yield* reader.push(chunk);
  yield* reader.end();
  return reader.totals();
}

/** Reads a whole transcript. Throws `UsageError` or `TranscriptError`. */
export async function readTranscriptFile(file: string): Promise<readonly TranscriptMessage[]> {
  const transcript: TranscriptMessage[] = [];
  for await (const message of streamTranscript(file)) transcript.push(message);
  return transcript;
}

/** A transcript's messages for compression; their IDs are their indexes. */
export function sourceMessages(transcript: readonly TranscriptMessage[]): SourceMessage[] {
  return transcript.map((message, index) => ({
    id: messageId(String(index)),
    role: message.role,
    content: contentOf(message),
  }));
}
