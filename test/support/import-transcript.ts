import assert from 'node:assert/strict';
import type { ContentBlock } from '../../src/core/model/message.ts';
import { inEnglish } from '../../src/core/text/phrase.ts';
import { contentOf, type TranscriptFormat } from '../../src/core/transcript/transcript-message.ts';
import { readTranscript } from './read-transcript.ts';

/** An imported transcript in a form that is easy to compare; messages are in order. */
export interface Imported {
  /** Each message as “role: text”. */
  readonly said: readonly string[];
  /** The time of each message in ms since the epoch; undefined if the transcript has none. */
  readonly moments: readonly (number | undefined)[];
  readonly content: readonly (readonly ContentBlock[])[];
  /** How often content was skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Imports a transcript that must be recognized as `expected`. */
export function importTranscript(expected: TranscriptFormat, text: string): Imported {
  const { format, transcript, skipped } = readTranscript(text);
  assert.equal(format, expected);
  return {
    said: transcript.map((message) => `${message.role}: ${message.text}`),
    moments: transcript.map(({ at }) => at),
    content: transcript.map(contentOf),
    skipped: Object.fromEntries(skipped.map(({ reason, count }) => [inEnglish(reason), count])),
  };
}

/** The same with a transcript of one JSON value per line. */
export const importRecords = (expected: TranscriptFormat, records: readonly unknown[]): Imported =>
  importTranscript(expected, records.map((one) => JSON.stringify(one)).join('\n'));
