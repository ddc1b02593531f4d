import * as v from 'valibot';
import { count, type Read } from '../../core/model/fields.ts';
import { messageSchema } from '../../core/model/message.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { entrySchema } from './read-session.ts';
import { relationSchema } from './relations.ts';
import { resumeSchema, type Tool } from './source.ts';

const { role, content, usage } = messageSchema.entries;

/** A line of our copy of a session. */
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
  /** The tool rewrote the session from this message on; what followed is kept, and is no longer its current course. */
  v.object({ rewrittenFrom: count }),
]);
export type CopyRecord = Read<typeof copyRecordSchema>;

/** A part of a copy that is read by itself. `first`: the index of the first message in it or after it. */
export interface CopyPiece {
  readonly offset: number;
  readonly bytes: number;
  readonly first: number;
}

/** A session that we keep a copy of. */
export const keptSessionSchema = v.object({
  key: v.string(),
  entry: entrySchema,
  /** What the source looked like when it was read. */
  source: v.object({ bytes: count, modifiedAt: v.number() }),
  resume: v.optional(resumeSchema),
  /** How much of the copy is valid: what follows was written by a pass that did not end. */
  copyBytes: count,
  /** The same of its index. */
  indexBytes: count,
  /** The fingerprint of its first message: chats that begin alike are compared. */
  first: v.number(),
  relation: v.optional(relationSchema),
  /** The tool no longer has it. */
  isGone: v.boolean(),
});
export type KeptSession = Read<typeof keptSessionSchema>;

/** Where copies are kept. The catalog says which are valid, and up to where. */
export interface LibraryStore {
  catalog(): Promise<readonly KeptSession[]>;
  saveCatalog(sessions: readonly KeptSession[]): Promise<void>;
  /**
   * Appends records to a copy of `bytes` bytes, cutting off what lies beyond. `from` is the index of the first message
   * among them. Returns the new size, and where they stand.
   */
  append(
    key: string,
    bytes: number,
    records: readonly CopyRecord[],
    from: number,
  ): Promise<{ readonly bytes: number; readonly pieces: readonly CopyPiece[] }>;
  read(key: string, bytes: number): Promise<readonly CopyRecord[]>;
  /** One message of a piece, by its index in the session. */
  readMessage(key: string, piece: CopyPiece, message: number): Promise<TranscriptMessage | undefined>;
  /** The same for the index; returns its new size. */
  appendIndex(key: string, bytes: number, block: Uint8Array): Promise<number>;
  readIndex(key: string, bytes: number): Promise<Uint8Array>;
  remove(key: string): Promise<void>;
  /** Removes all copies of a tool's chats. */
  removeAll(tool: Tool): Promise<void>;
}
