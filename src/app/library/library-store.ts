import * as v from 'valibot';
import { countSchema, type ReadonlyOutput } from '../../core/model/field-schemas.ts';
import { skippedSchema } from '../../core/transcript/skipped-content.ts';
import { transcriptMessageSchema, type TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { entrySchema } from './read-session.ts';
import { relationSchema } from './session-relations.ts';
import { resumeSchema, type Tool } from './source.ts';

/** A line in the copy of a session. */
export const copyRecordSchema = v.union([
  v.object({ message: transcriptMessageSchema }),
  v.object({ compaction: v.object({ summary: v.string(), at: v.optional(v.number()), before: countSchema }) }),
  /** The tool rewrote the session from this message on. The replaced messages stay in the copy. */
  v.object({ rewrittenFrom: countSchema }),
]);
export type CopyRecord = ReadonlyOutput<typeof copyRecordSchema>;

/** A part of a copy that can be read separately. `first`: the index of the first message in the piece or after it. */
export interface CopyPiece {
  readonly offset: number;
  readonly bytes: number;
  readonly first: number;
}

/** The catalog entry of a session that has a copy. */
export const keptSessionSchema = v.object({
  key: v.string(),
  entry: entrySchema,
  /** The size and time of the tool's file when it was read. */
  source: v.object({ bytes: countSchema, modifiedAt: v.number() }),
  resume: v.optional(resumeSchema),
  /** The parts of the conversation that couldn't be read. */
  lost: v.optional(skippedSchema),
  /** Size of the valid part of the copy. Later bytes were written by a `sync` that didn't finish. */
  copyBytes: countSchema,
  /** Size of the valid part of its index. */
  indexBytes: countSchema,
  /** Fingerprint of the first message, to find sessions with the same beginning. */
  first: v.number(),
  relation: v.optional(relationSchema),
  /** Whether the tool has deleted the session. */
  isGone: v.boolean(),
  /** When it was first noticed that the session's retention is over, in ms since the epoch. */
  expiredAt: v.optional(v.number()),
});
export type KeptSession = ReadonlyOutput<typeof keptSessionSchema>;

/** Storage of copies. The catalog lists the valid ones and their sizes. */
export interface LibraryStore {
  catalog(): Promise<readonly KeptSession[]>;
  saveCatalog(sessions: readonly KeptSession[]): Promise<void>;
  /** Whether a session's files have all their bytes. They may have been shortened or deleted from outside. */
  isComplete(session: KeptSession): Promise<boolean>;
  /** Truncates a copy to `bytes`, and appends records from message `from` on. Resolves to size and pieces. */
  append(
    key: string,
    bytes: number,
    records: readonly CopyRecord[],
    from: number,
  ): Promise<{ readonly bytes: number; readonly pieces: readonly CopyPiece[] }>;
  read(key: string, bytes: number): Promise<readonly CopyRecord[]>;
  /** A message of a piece, by its index in the session. */
  readMessage(key: string, piece: CopyPiece, message: number): Promise<TranscriptMessage | undefined>;
  /** Truncates an index to `bytes`, and appends a block. Resolves to the new size. */
  appendIndex(key: string, bytes: number, block: Uint8Array): Promise<number>;
  readIndex(key: string, bytes: number): Promise<Uint8Array>;
  remove(key: string): Promise<void>;
  /** Removes the files that aren't `listed` in the catalog and were last changed before a time (ms since the epoch). */
  removeUnlisted(listed: ReadonlySet<string>, before: number): Promise<void>;
  removeAll(tool: Tool): Promise<void>;
}

/**
 * Reads a chat's files. Resolves to undefined if that fails because another process has removed the chat, or unless
 * `isStrict`, because its files have been shortened or deleted from outside.
 */
export async function unlessRemoved<T>(
  store: LibraryStore,
  session: KeptSession,
  read: () => Promise<T>,
  isStrict = false,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    // A chat is removed from the catalog before its files are.
    const isListed = (await store.catalog()).some(({ key }) => key === session.key);
    if (isListed && (isStrict || (await store.isComplete(session)))) throw error;
    return undefined;
  }
}
