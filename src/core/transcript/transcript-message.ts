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

/**
 * A moment as it is written in transcripts, in milliseconds since the epoch: ISO 8601, milliseconds, or seconds
 * (numbers below 10¹¹, which as milliseconds would lie before March 1973).
 */
export function parseMoment(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) {
    return Math.round(value < 1e11 ? value * 1000 : value);
  }
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}
