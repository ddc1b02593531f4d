import { createReadStream } from 'node:fs';
import { decodedText } from '../storage/decoded-text.ts';
import type { SourceMessage } from '../core/compress/source-message.ts';
import { messageId } from '../core/model/ids.ts';
import { errorCode, errorMessage } from '../core/text/error-details.ts';
import { TranscriptReader } from '../core/transcript/transcript-reader.ts';
import { lostContent } from '../core/transcript/skipped-content.ts';
import { contentOf, type TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { inEnglish } from '../core/text/phrase.ts';
import { UsageError } from './command.ts';
import type { Output } from './output.ts';

/** A file's text in chunks; `-` is standard input. Throws `UsageError` if it can't be read. */
export async function* readText(file: string): AsyncGenerator<string> {
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* decodedText(stream);
  } catch (error) {
    throw unreadableFile(file, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file doesn’t exist',
  EISDIR: 'it’s a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

export function unreadableFile(file: string, error: unknown): UsageError {
  const reason = REASONS[errorCode(error) ?? ''] ?? errorMessage(error);
  return new UsageError(`Can’t read ${file}: ${reason}.`);
}

/** Streams a transcript's messages through `reader`, which then has the totals. Throws `UsageError` or `TranscriptError`. */
export async function* streamTranscript(file: string, reader: TranscriptReader): AsyncGenerator<TranscriptMessage> {
  for await (const chunk of readText(file)) yield* reader.push(chunk);
  yield* reader.end();
}

/** Streams a transcript's messages, and lists lost ones on standard error. Throws like `streamTranscript`. */
export async function* transcriptMessages(file: string, output?: Output): AsyncGenerator<TranscriptMessage> {
  const reader = new TranscriptReader();
  yield* streamTranscript(file, reader);
  const { skipped, conversations } = reader.totals();
  if (conversations.length > 1) await output?.note(severalConversationsLine(conversations.length));
  const lost = lostContent(skipped);
  if (lost.length > 0) await output?.note(skippedLine(lost.map(({ reason, count }) => [inEnglish(reason), count])));
}

export const severalConversationsLine = (count: number): string =>
  `The file has ${count} conversations, which are read as one, oldest first.`;

export const skippedLine = (skipped: readonly (readonly [reason: string, count: number])[]): string =>
  `Skipped: ${skipped.map(([reason, count]) => `${count} × ${reason}`).join(', ')}.`;

/** Reads a whole transcript. Throws `UsageError` or `TranscriptError`. */
export async function readTranscriptFile(file: string, output?: Output): Promise<readonly TranscriptMessage[]> {
  const transcript: TranscriptMessage[] = [];
  for await (const message of transcriptMessages(file, output)) transcript.push(message);
  return transcript;
}

export function sourceMessages(transcript: readonly TranscriptMessage[]): SourceMessage[] {
  return transcript.map((message, index) => ({
    id: messageId(String(index)),
    role: message.role,
    content: contentOf(message),
    ...(message.model !== undefined && { model: message.model }),
  }));
}
