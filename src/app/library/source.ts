import * as v from 'valibot';
import { countSchema, type ReadonlyOutput } from '../../core/model/field-schemas.ts';
import { errorCode, errorMessage } from '../../core/text/error-details.ts';
import { skippedSchema } from '../../core/transcript/skipped-content.ts';
import { phrase, type Phrase } from '../../core/text/phrase.ts';
import { TranscriptError, type SessionFacts, type TranscriptSink } from '../../core/transcript/transcript-message.ts';

/** The names of the tools whose chats can be read, by ID. They aren't translated. */
export const TOOL_NAMES = {
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
} as const;
export type Tool = keyof typeof TOOL_NAMES;
export const TOOLS = Object.keys(TOOL_NAMES) as readonly Tool[];

/** A file with one session, or one session in a database. */
export interface SourceFile {
  readonly tool: Tool;
  readonly path: string;
  /** The session's key in a database. */
  readonly key?: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Facts from the file's name and folder. Facts in the file itself take precedence. */
  readonly facts: SessionFacts;
}

/** A file, database, or folder that can't be read, and why. */
export interface UnreadablePath {
  readonly tool: Tool;
  readonly path: string;
  readonly reason: Phrase;
}

export interface FoundFiles {
  readonly files: readonly SourceFile[];
  readonly unreadable: readonly UnreadablePath[];
}

/** The state at the end of reading an append-only file, from which reading is resumed. */
export const resumeSchema = v.object({
  /** In bytes. */
  offset: countSchema,
  /** Hash of the file's beginning and of the bytes before `offset`, to detect that the file was rewritten. */
  prefix: v.string(),
  /** Number of messages before `offset`. */
  messages: countSchema,
  compactions: countSchema,
  /** The parts of the conversation before `offset` that couldn't be read. */
  lost: v.optional(skippedSchema),
  /** The model in use at `offset`. */
  model: v.optional(v.string()),
  /** The ID of the newest message before `offset`. */
  leaf: v.optional(v.string()),
});
export type Resume = ReadonlyOutput<typeof resumeSchema>;

export interface ReadEnd {
  /** Whether reading was resumed; false if the file was read from the beginning. */
  readonly resumed: boolean;
  /** Absent for files that are rewritten as a whole. */
  readonly resume?: Resume;
}

/** One tool's chats on disk, read-only. */
export interface Source {
  readonly tool: Tool;
  find(): Promise<FoundFiles>;
  /** Passes the file's content to the sink. Throws `TranscriptError` if the format isn't recognized. */
  read(file: SourceFile, sink: TranscriptSink, from?: Resume): Promise<ReadEnd>;
}

export function readFailureReason(error: unknown): Phrase {
  if (TranscriptError.is(error)) return error.phrase;
  return phrase('The file can’t be read: {0}.', errorMessage(error));
}

/** Whether an error is from the file system, so that it may be temporary. */
export const isFileSystemError = (error: unknown): boolean => /^E[A-Z]+$/.test(errorCode(error) ?? '');
