import * as v from 'valibot';
import { count, type Read } from '../../core/model/fields.ts';
import { messageSchema } from '../../core/model/message.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { entrySchema } from './read-session.ts';
import { relationSchema } from './relations.ts';
import { resumeSchema, type Tool } from './source.ts';

const { role, content, usage } = messageSchema.entries;

/** A line of a session's copy. */
export const copyRecordSchema = v.union([
  v.object({
    message: v.object({
      role,
      text: v.string(),
      at: v.optional(v.number()),
      model: v.optional(v.string()),
      usage,
      blocks: v.optional(content),
    }),
  }),
  v.object({ compaction: v.object({ summary: v.string(), at: v.optional(v.number()), before: count }) }),
  /**
   * The tool rewrote the session from this message on. The previous messages are kept, but aren't part of it anymore.
   */
  v.object({ rewrittenFrom: count }),
]);
export type CopyRecord = Read<typeof copyRecordSchema>;

/** A part of a copy that can be read separately. `first`: the index of its first message or the next one. */
export interface CopyPiece {
  readonly offset: number;
  readonly bytes: number;
  readonly first: number;
}

/** A session of which a copy is kept. */
export const keptSessionSchema = v.object({
  key: v.string(),
  entry: entrySchema,
  /** The source's size and time when it was read. */
  source: v.object({ bytes: count, modifiedAt: v.number() }),
  resume: v.optional(resumeSchema),
  /** Size of the valid part of the copy. The rest was written by a pass that didn't finish. */
  copyBytes: count,
  /** The same for its index. */
  indexBytes: count,
  /** Fingerprint of its first message, to find sessions with the same beginning. */
  first: v.number(),
  relation: v.optional(relationSchema),
  /** The tool no longer has it. */
  isGone: v.boolean(),
});
export type KeptSession = Read<typeof keptSessionSchema>;

/** Storage of copies. The catalog lists which are valid, and up to which size. */
export interface LibraryStore {
  catalog(): Promise<readonly KeptSession[]>;
  saveCatalog(sessions: readonly KeptSession[]): Promise<void>;
  /**
   * Appends records to a copy of `bytes` bytes, after truncating it to that size. `from` is the index of the first
   * message. Returns the new size and the written pieces.
   */
  append(
    key: string,
    bytes: number,
    records: readonly CopyRecord[],
    from: number,
  ): Promise<{ readonly bytes: number; readonly pieces: readonly CopyPiece[] }>;
  read(key: string, bytes: number): Promise<readonly CopyRecord[]>;
  /** A message of a piece, by its index in the session. */
  readMessage(key: string, piece: CopyPiece, message: number): Promise<TranscriptMessage | undefined>;
  /** Appends to an index; returns its new size. */
  appendIndex(key: string, bytes: number, block: Uint8Array): Promise<number>;
  readIndex(key: string, bytes: number): Promise<Uint8Array>;
  remove(key: string): Promise<void>;
  /** Removes all copies of a tool's chats. */
  removeAll(tool: Tool): Promise<void>;
}
