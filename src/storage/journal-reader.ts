import { closeSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import { sessionEventSchema, type SessionEvent } from '../core/journal/schema.ts';
import { amountSchema, countSchema, timestampSchema, type ReadonlyOutput } from '../core/model/field-schemas.ts';
import type { MessageId } from '../core/model/ids.ts';
import { ROLES, type Message } from '../core/model/message.ts';
import { yieldIfDue, type Yielder } from '../core/pace/yielder.ts';
import { SessionState } from '../core/state/session-state.ts';
import { errorCode } from '../core/text/error-details.ts';
import { decodeLine } from './journal-line.ts';
import { LineOrder, MAX_LINE_BYTES, readRange, scanLines, storedOrderSchema, type RawLine } from './journal-lines.ts';

const damageSchema = v.object({ offset: countSchema, length: countSchema, reason: v.string() });
/** An invalid line. `offset` and `length` are bytes of the journal. */
export type Damage = ReadonlyOutput<typeof damageSchema>;

/** A message without its content. `parent` is 0 if it follows the head; `offset` and `length` are those of its line. */
type MessageLocation = readonly [
  id: MessageId,
  parent: MessageId | null | 0,
  role: number,
  offset: number,
  length: number,
];
// The numbers aren't validated, because the checksum of the checkpoint's line covers them.
const locationSchema = v.custom<MessageLocation>((value) => Array.isArray(value) && value.length === 5);
const eventEntrySchema = v.object({ at: timestampSchema, body: sessionEventSchema });
type FoldEntry = MessageLocation | ReadonlyOutput<typeof eventEntrySchema>;
/** A part of a fold, which has an entry per message: parsing all at once would block for too long. */
const pieceSchema = v.pipe(v.string(), v.parseJson(), v.array(v.union([locationSchema, eventEntrySchema])));
const ENTRIES_PER_PIECE = 1_000;

/**
 * The contents of a journal from which the state is rebuilt. Messages are represented by the locations of their lines.
 * Partial texts of finished replies are omitted, and usage is summed up.
 */
export const foldSchema = v.object({
  /** Each is parsed by `pieceSchema`. */
  pieces: v.array(v.string()),
  /** Parts of replies that were streaming when the journal ended. */
  replies: v.array(eventEntrySchema),
  /** Types of lines that this version doesn't know. A version that knows one must read the journal again. */
  unknown: v.array(v.string()),
  updatedAt: timestampSchema,
  spent: v.object({
    chatTokens: amountSchema,
    chatCostUsd: amountSchema,
    compressionTokens: amountSchema,
    compressionCostUsd: amountSchema,
  }),
  events: countSchema,
  missing: countSchema,
  damage: v.array(damageSchema),
  order: storedOrderSchema,
});
export type StoredFold = ReadonlyOutput<typeof foldSchema>;

/** A valid line. `event` is undefined if this version doesn't know its type. */
export interface CountedLine {
  readonly seq: number;
  readonly writer: string;
  readonly event: SessionEvent | undefined;
}

/** A line with a larger jump in its number is damaged; otherwise, all later lines would seem to be old. */
const MAX_GAP = 1_000_000;
/** Size in bytes from which a line is decoded in a step of its own. */
const LONG_LINE_BYTES = 1024 * 1024;
/** Size of the chunks in which consecutive messages are read, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/** Folds a journal into a state. `readNewLines` continues when more lines have been written. */
export class JournalReader {
  readonly state = new SessionState((id) => this.#readMessage(id));
  readonly file: FileHandle;
  readonly damage: Damage[] = [];
  order = new LineOrder();
  /** Offset of the first incomplete line, in bytes. */
  offset = 0;
  /** Number of valid lines, including those of unknown types. */
  events = 0;
  /** Number of missing sequence numbers. */
  missing = 0;
  /** Whether a line was written by a later version of the format. */
  newer = false;
  /** The offset of the newest checkpoint, in bytes, or 0. */
  checkpointOffset = 0;
  /** Whether the journal ends before the checkpoint's offset, because another program has truncated it. */
  endsBeforeCheckpoint = false;
  readonly #path: string;
  readonly #yielder: Yielder;
  readonly #onDamage: () => void;
  /** Pieces of `StoredFold`; newer entries are in `#entries`. */
  readonly #pieces: string[] = [];
  #entries: FoldEntry[] = [];
  /** Parts of replies that were streaming when the journal ended. */
  readonly #replies = new Map<MessageId, Extract<FoldEntry, { body: unknown }>[]>();
  readonly #unknown = new Set<string>();
  readonly #locations = new Map<MessageId, MessageLocation>();
  #chunk: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  /** `onDamage` is called if a message's line has changed since the checkpoint was made. */
  constructor(path: string, file: FileHandle, yielder: Yielder, onDamage: () => void = () => undefined) {
    this.#path = path;
    this.file = file;
    this.#yielder = yielder;
    this.#onDamage = onDamage;
  }

  /** Reads new lines since the last call, and adds the valid ones to `counted`, also if it fails after some of them. */
  async readNewLines(counted: CountedLine[] = []): Promise<CountedLine[]> {
    for await (const line of scanLines(this.file, this.offset)) {
      // Reading such a line already took a while, and decoding it takes longer.
      if (line.length > LONG_LINE_BYTES) await yieldIfDue(this.#yielder);
      const one = this.#foldLine(line);
      if (one) counted.push(one);
      this.offset = line.offset + line.length + 1;
      await yieldIfDue(this.#yielder);
    }
    return counted;
  }

  /** Whether the `length` bytes after `offset` are a complete line that only lacks its newline. */
  async lacksOnlyNewline(length: number): Promise<boolean> {
    if (length > MAX_LINE_BYTES) return false;
    return decodeLine((await readRange(this.file, this.offset, length)).toString()).kind !== 'bad';
  }

  /** Resumes from a stored fold, as if everything before `offset` (bytes) was read; does nothing if it's damaged. */
  async resume(stored: StoredFold, offset: number): Promise<void> {
    const entries: FoldEntry[] = [];
    for (const piece of stored.pieces) {
      const parsed = v.safeParse(pieceSchema, piece);
      if (!parsed.success) return;
      entries.push(...parsed.output);
      await yieldIfDue(this.#yielder);
    }
    for (const entry of entries) {
      this.#keep(entry);
      if ('body' in entry) this.state.apply(entry.body, entry.at);
      else {
        const [id, parent, role] = entry;
        this.#locations.set(id, entry);
        this.state.addMessage({ id, parent: parent === 0 ? this.state.head : parent, role: ROLES[role]! });
      }
      await yieldIfDue(this.#yielder);
    }
    for (const { at, body } of stored.replies) {
      this.#record(at, body, 0, 0);
      this.state.apply(body, at);
    }
    for (const type of stored.unknown) this.#unknown.add(type);
    this.state.updatedAt = stored.updatedAt;
    Object.assign(this.state.counters, stored.spent);
    this.damage.push(...stored.damage);
    this.order = new LineOrder(stored.order);
    [this.offset, this.events, this.missing] = [offset, stored.events, stored.missing];
  }

  /** The state for resuming later; undefined if it can't be stored. */
  export(): StoredFold | undefined {
    const order = this.order.export();
    if (!order || this.newer) return undefined;
    const { messagesEver: _messagesEver, compressions: _compressions, ...spent } = this.state.counters;
    return {
      pieces: [...this.#pieces, JSON.stringify(this.#entries)],
      replies: [...this.#replies.values()].flat(),
      unknown: [...this.#unknown],
      updatedAt: this.state.updatedAt,
      spent,
      events: this.events,
      missing: this.missing,
      damage: this.damage,
      order,
    };
  }

  #foldLine({ offset, length, text }: RawLine): CountedLine | undefined {
    if (length === 0) return undefined;
    const line = text === undefined ? ({ kind: 'bad', reason: 'the line is too long' } as const) : decodeLine(text);
    if (line.kind === 'newer') this.newer = true;
    if (line.kind === 'bad') this.damage.push({ offset, length, reason: line.reason });
    if (line.kind === 'newer' || line.kind === 'bad') return undefined;
    const { seq, at, writer } = line.envelope;
    const before = this.order.last;
    if (seq > before + MAX_GAP) {
      this.damage.push({ offset, length, reason: 'its sequence number is out of range' });
      return undefined;
    }
    const verdict = this.order.classify(seq, writer, line.sum);
    if (verdict === 'overtaken' || verdict === 'repeat') return undefined;
    if (verdict === 'gap') this.missing += seq - before - 1;
    if (verdict === 'late') this.missing--;
    this.events++;
    if (line.kind === 'unknown') {
      this.#unknown.add(line.envelope.body.type);
      return { seq, writer, event: undefined };
    }
    const event = line.envelope.body;
    this.#record(at, event, offset, length);
    this.state.apply(event, at);
    return { seq, writer, event };
  }

  /** Must be called before the event is applied, because it compares the parent with the head before it. */
  #record(at: number, body: SessionEvent, offset: number, length: number): void {
    switch (body.type) {
      case 'message_added': {
        const { id, parent, role } = body.message;
        this.#replies.delete(id);
        this.#keep([id, parent === this.state.head ? 0 : parent, ROLES.indexOf(role), offset, length]);
        return;
      }
      case 'reply_partial':
        this.#replies.set(body.id, [...(this.#replies.get(body.id) ?? []), { at, body }]);
        return;
      case 'usage_recorded':
        return;
      default:
        this.#keep({ at, body });
    }
  }

  #keep(entry: FoldEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length < ENTRIES_PER_PIECE) return;
    this.#pieces.push(JSON.stringify(this.#entries));
    this.#entries = [];
  }

  /** Synchronous, like its callers: a message's few kilobytes are usually in the system's cache. */
  #readMessage(id: MessageId): Message | undefined {
    const location = this.#locations.get(id);
    if (!location) return undefined;
    const [, , , offset, length] = location;
    let { start, bytes } = this.#chunk;
    if (offset < start || offset + length > start + bytes.length) {
      start = offset;
      bytes = this.#readChunk(offset, Math.max(length, CHUNK_BYTES));
      this.#chunk = { start, bytes };
    }
    const line = decodeLine(bytes.toString('utf8', offset - start, offset - start + length));
    const body = line.kind === 'event' ? line.envelope.body : undefined;
    if (body?.type === 'message_added' && body.message.id === id) return body.message;
    this.#onDamage();
    return undefined;
  }

  /** Reads from the open file, which may have been deleted, or from the path if the file was closed. */
  #readChunk(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let filled = 0;
    try {
      const file = this.file.fd >= 0 ? this.file.fd : openSync(this.#path, 'r');
      try {
        for (let read = -1; read !== 0; filled += read)
          read = readSync(file, bytes, filled, length - filled, offset + filled);
      } finally {
        if (file !== this.file.fd) closeSync(file);
      }
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
    return bytes.subarray(0, filled);
  }
}
