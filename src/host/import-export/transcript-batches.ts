import type * as vscode from 'vscode';
import type { Message } from '../../core/model/message.ts';
import type { Skipped, TranscriptFormat, TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { textOf } from './file-text.ts';

/** What came out of one piece of a file. `share`: how much of the file is read (0 to 1). */
interface Batch<T> {
  readonly messages: readonly T[];
  readonly share: number;
}

/** What was read of a transcript, known at its end. */
export interface TranscriptEnd {
  readonly format: TranscriptFormat;
  readonly skipped: readonly Skipped[];
}

/** Messages of one batch, at most: what is done with them takes a few milliseconds. */
const BATCH = 200;

/** Reads a transcript of any known format. Throws `TranscriptError`. */
export async function* transcriptBatches(uri: vscode.Uri): AsyncGenerator<Batch<TranscriptMessage>, TranscriptEnd> {
  const { TranscriptReader } = await import('../../core/transcript/transcript-reader.ts');
  const reader = new TranscriptReader();
  for await (const { text, share } of textOf(uri)) yield* inBatches(reader.push(text), share);
  yield* inBatches(reader.end(), 1);
  const { format, skipped } = reader.summary();
  return { format, skipped };
}

/** Reads an exported session, every message as it was. Throws `TranscriptError` for a line that is none. */
export async function* exportedBatches(uri: vscode.Uri): AsyncGenerator<Batch<Message>> {
  const { sessionFromJsonl } = await import('../../core/transcript/session-jsonl.ts');
  let rest = '';
  for await (const { text, share } of textOf(uri)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield { messages: sessionFromJsonl(`${lines.join('\n')}\n`), share };
  }
  if (rest !== '') yield { messages: sessionFromJsonl(rest), share: 1 };
}

function* inBatches<T>(messages: readonly T[], share: number): Generator<Batch<T>> {
  for (let from = 0; from < messages.length; from += BATCH)
    yield { messages: messages.slice(from, from + BATCH), share };
}
