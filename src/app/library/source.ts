import * as v from 'valibot';
import { count, type Read } from '../../core/model/fields.ts';
import { phrase, type Phrase } from '../../core/text/phrase.ts';
import { TranscriptError, type SessionFacts, type TranscriptSink } from '../../core/transcript/transcript-message.ts';

/** The tools whose chats can be read. */
export const TOOLS = [
  'claude-code',
  'codex',
  'copilot-chat',
  'copilot-cli',
  'cline',
  'roo',
  'kilo',
  'gemini',
  'qwen',
  'opencode',
  'goose',
  'aider',
  'continue',
  'cursor',
  'zed',
] as const;
export type Tool = (typeof TOOLS)[number];

/** The tools by the names that they give themselves, which are the same in every language. */
export const TOOL_NAMES: Readonly<Record<Tool, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'copilot-chat': 'GitHub Copilot Chat',
  'copilot-cli': 'GitHub Copilot CLI',
  cline: 'Cline',
  roo: 'Roo Code',
  kilo: 'Kilo Code',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  opencode: 'opencode',
  goose: 'Goose',
  aider: 'aider',
  continue: 'Continue',
  cursor: 'Cursor',
  zed: 'Zed',
};

/** A file that holds one session, or one session of a database. */
export interface SourceFile {
  readonly tool: Tool;
  readonly path: string;
  /** Which session of a database. */
  readonly key?: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** What is known from the file's name and neighbours; what the file itself tells goes first. */
  readonly facts: SessionFacts;
}

/** A file or database that was found and is not read, and why. */
export interface Refused {
  readonly tool: Tool;
  readonly path: string;
  readonly reason: Phrase;
}

export interface FoundFiles {
  readonly files: readonly SourceFile[];
  readonly refused: readonly Refused[];
}

/** Where reading an append-only file stopped, and what the file looked like up to there. */
export const resumeSchema = v.object({
  /** In bytes. */
  offset: count,
  /** Of the beginning of the file and of what precedes `offset`: differs when the file was rewritten. */
  prefix: v.string(),
  /** How many messages and compactions were read up to `offset`. */
  messages: count,
  compactions: count,
  /** The model in use at `offset`. */
  model: v.optional(v.string()),
});
export type Resume = Read<typeof resumeSchema>;

export interface ReadEnd {
  /** Whether reading went on from where it had stopped; otherwise it began anew. */
  readonly resumed: boolean;
  /** Where to go on; absent for files that are rewritten as a whole. */
  readonly resume?: Resume;
}

/** One tool's store. Reading never writes to it. */
export interface Source {
  readonly tool: Tool;
  find(): Promise<FoundFiles>;
  /** Tells the sink what the file holds. Throws `TranscriptError` for what is not understood. */
  read(file: SourceFile, sink: TranscriptSink, from?: Resume): Promise<ReadEnd>;
}

/** Why a file or a place is not read. One that makes our reader fail does not keep the others from being read. */
export function refusalOf(error: unknown): Phrase {
  if (TranscriptError.is(error)) return error.phrase;
  return phrase('The file can’t be read: {0}.', error instanceof Error ? error.message : String(error));
}

/** The disk may answer another time. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}
