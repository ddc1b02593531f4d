import { inEnglish, phrase, type Phrase } from '../text/phrase.ts';
import { messageText, type ContentBlock, type Role, type Usage } from '../model/message.ts';

/**
 * One message of an imported transcript. `text` is what offsets count in; it equals the text of `blocks` where those
 * are given, which is when the message holds more than plain text. `at` is milliseconds since the epoch.
 */
export interface TranscriptMessage {
  readonly role: Role;
  readonly text: string;
  readonly at?: number;
  readonly blocks?: readonly ContentBlock[];
  /** The model that wrote it, and what the provider counted, where the file tells. */
  readonly model?: string;
  readonly usage?: Usage;
}

/** What a transcript tells of its session beside the messages. */
export interface SessionFacts {
  readonly id?: string;
  readonly title?: string;
  /** The folder that was open, as a path. */
  readonly workspace?: string;
  /** The model in use, for messages that name none. */
  readonly model?: string;
  /** The session that this one was forked from, or whose subagent it is. */
  readonly parent?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
}

/** A compaction by the tool itself. `summary` is what it wrote in place of the messages before. */
export interface Compaction {
  readonly summary: string;
  readonly at?: number;
}

export const TRANSCRIPT_FORMATS = [
  'messages',
  'vscode-chat',
  'aider',
  'specstory',
  'claude-code',
  'codex',
  'copilot',
  'gemini',
  'qwen',
  'continue',
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
  /** Later facts replace earlier ones. */
  about?(facts: SessionFacts): void;
  compacted?(compaction: Compaction): void;
}

/** Tells of a compaction, or counts its summary as left out where nobody asks for it. */
export function addCompaction(sink: TranscriptSink, compaction: Compaction): void {
  if (sink.compacted) sink.compacted(compaction);
  else sink.skip(phrase('summary made by the tool'));
}

/** What is known of a message beside its content. */
export interface MessageFacts {
  readonly at?: number | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
}

/** The message as content blocks, as a session keeps it. */
export function contentOf(message: TranscriptMessage): readonly ContentBlock[] {
  return message.blocks ?? [{ type: 'text', text: message.text }];
}

/** A message from its blocks; a single text block is kept as plain text. */
export function messageOfBlocks(
  role: Role,
  blocks: readonly ContentBlock[],
  { at, model, usage }: MessageFacts = {},
): TranscriptMessage {
  const text = messageText({ content: blocks });
  const plain = blocks.length === 0 || (blocks.length === 1 && blocks[0]?.type === 'text');
  return {
    role,
    text,
    ...(at !== undefined && { at }),
    ...(!plain && { blocks }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
  };
}

/** Token figures of a record, where it has both; `cached` ones are part of `input`. */
export function usageOf(figures: {
  readonly input: unknown;
  readonly output: unknown;
  readonly cached?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
}): Usage | undefined {
  const count = (value: unknown): number | undefined =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
  const [input, output] = [count(figures.input), count(figures.output)];
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  const [cachedInput, cacheWrite, reasoning] = [
    count(figures.cached),
    count(figures.cacheWrite),
    count(figures.reasoning),
  ];
  return {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

/** A message of this size is 200 times the largest context window; the page takes no larger one. */
export const MAX_MESSAGE_UNITS = 20_000_000;

/** The message, without its end and images if it is too large. */
export function shortened(message: TranscriptMessage, skip: TranscriptSink['skip']): TranscriptMessage {
  const { role, at, text, blocks = [] } = message;
  const size = blocks.reduce((sum, block) => sum + (block.type === 'image' ? block.base64.length : 0), text.length);
  if (size <= MAX_MESSAGE_UNITS) return message;
  skip(phrase('end of a message longer than {0} million characters', MAX_MESSAGE_UNITS / 1_000_000));
  return { role, text: text.slice(0, MAX_MESSAGE_UNITS), ...(at !== undefined && { at }) };
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
