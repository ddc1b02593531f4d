import { inEnglish, type Phrase } from '../text/phrase.ts';
import { messageText, type ContentBlock, type Role } from '../model/message.ts';

/**
 * One message of an imported transcript. `text` is what offsets count in; it equals the text of `blocks` where those
 * are given, which is when the message holds more than plain text. `at` is milliseconds since the epoch.
 */
export interface TranscriptMessage {
  readonly role: Role;
  readonly text: string;
  readonly at?: number;
  readonly blocks?: readonly ContentBlock[];
}

export const TRANSCRIPT_FORMATS = [
  'messages',
  'vscode-chat',
  'aider',
  'specstory',
  'claude-code',
  'codex',
  'chatgpt',
  'threadkeeper',
] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** What an import left out, in words for the user, and how often. */
export interface Skipped {
  readonly reason: Phrase;
  readonly count: number;
}

/** The transcript cannot be read; `phrase` is one sentence for the user. */
export class TranscriptError extends Error {
  readonly phrase: Phrase;

  constructor(said: Phrase) {
    super(inEnglish(said));
    this.name = 'TranscriptError';
    this.phrase = said;
  }

  static is(error: unknown): error is TranscriptError {
    return error instanceof TranscriptError;
  }
}

/** Where an importer puts what it finds. */
export interface TranscriptSink {
  add(message: TranscriptMessage): void;
  skip(reason: Phrase): void;
}

/** The message as content blocks, as a session keeps it. */
export function contentOf(message: TranscriptMessage): readonly ContentBlock[] {
  return message.blocks ?? [{ type: 'text', text: message.text }];
}

/** A message from its blocks; a single text block is kept as plain text. */
export function messageOfBlocks(role: Role, blocks: readonly ContentBlock[], at?: number): TranscriptMessage {
  const text = messageText({ content: blocks });
  const plain = blocks.length === 0 || (blocks.length === 1 && blocks[0]?.type === 'text');
  return { role, text, ...(at !== undefined && { at }), ...(!plain && { blocks }) };
}

/** Moments between 1973 and 5138 as seconds, ms, µs and ns do not overlap. */
const UNITS = [
  { below: 1e11, ms: 1000 },
  { below: 1e14, ms: 1 },
  { below: 1e17, ms: 1e-3 },
  { below: 1e20, ms: 1e-6 },
] as const;

/**
 * A moment as it is written in transcripts, in milliseconds since the epoch: ISO 8601, or a number of seconds, milli-,
 * micro- or nanoseconds, told apart by its size. Undefined for what is none of these.
 */
export function parseMoment(value: unknown): number | undefined {
  if (typeof value === 'number' && value > 0) {
    const unit = UNITS.find(({ below }) => value < below);
    return unit && Math.round(value * unit.ms);
  }
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}
