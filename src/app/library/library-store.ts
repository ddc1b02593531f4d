import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import type { LibraryEntry, PlacedCompaction } from './read-session.ts';
import type { Relation } from './relations.ts';
import type { Resume, Tool } from './source.ts';

/** A line of our copy of a session. */
export type CopyRecord =
  | { readonly message: TranscriptMessage }
  | { readonly compaction: PlacedCompaction }
  /** The tool rewrote the session from this message on; what followed is kept, and is no longer its current course. */
  | { readonly rewrittenFrom: number };

/** A part of a copy that is read by itself. `first`: the index of the first message in it or after it. */
export interface CopyPiece {
  readonly offset: number;
  readonly bytes: number;
  readonly first: number;
}

/** A session that we keep a copy of. */
export interface KeptSession {
  readonly key: string;
  readonly entry: LibraryEntry;
  /** What the source looked like when it was read. */
  readonly source: { readonly bytes: number; readonly modifiedAt: number };
  readonly resume?: Resume;
  /** How much of the copy is valid: what follows was written by a pass that did not end. */
  readonly copyBytes: number;
  /** The same of its index. */
  readonly indexBytes: number;
  /** The fingerprint of its first message: chats that begin alike are compared. */
  readonly first: number;
  readonly relation?: Relation;
  /** The tool no longer has it. */
  readonly isGone: boolean;
}

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
