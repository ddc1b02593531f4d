import type { MessageId } from '../model/ids.ts';
import type { Message } from '../model/message.ts';

/** A message's place in the tree, without its content. */
export type MessagePlace = Pick<Message, 'id' | 'parent' | 'role'>;

/** Reads a message that isn't in memory; undefined if it can't be read. */
export type ReadMessage = (id: MessageId) => Message | undefined;

/** A session's messages in order. Their places are in memory; contents are read on first use and cached. */
export class MessageLog {
  readonly #places = new Map<MessageId, MessagePlace>();
  readonly #held = new Map<MessageId, Message>();
  readonly #read: ReadMessage | undefined;

  constructor(read?: ReadMessage) {
    this.#read = read;
  }

  get size(): number {
    return this.#places.size;
  }

  has(id: MessageId): boolean {
    return this.#places.has(id);
  }

  /** Undefined if the message doesn't exist, or if its line in the journal is damaged. */
  get(id: MessageId): Message | undefined {
    const held = this.#held.get(id);
    if (held || !this.#places.has(id)) return held;
    const read = this.#read?.(id);
    if (read) this.#held.set(id, read);
    return read;
  }

  place(id: MessageId): MessagePlace | undefined {
    return this.#places.get(id);
  }

  keys(): IterableIterator<MessageId> {
    return this.#places.keys();
  }

  /** All messages, which reads those that aren't in memory. */
  *values(): Generator<Message> {
    for (const id of this.keys()) {
      const message = this.get(id);
      if (message) yield message;
    }
  }

  /** Adds a message. Without `message`, its content is read on first use. */
  add({ id, parent, role }: MessagePlace, message?: Message): void {
    this.#places.set(id, { id, parent, role });
    if (message) this.#held.set(id, message);
    else this.#held.delete(id);
  }
}

/**
 * The tree of a session's messages and its active branch: the path from the root to the head, without deleted messages.
 * Appending at the head takes constant time; switching branches takes time proportional to the new one.
 */
export class Branches {
  head: MessageId | null = null;
  path: MessageId[] = [];
  readonly #log: MessageLog;
  readonly #deleted = new Set<MessageId>();
  readonly #children = new Map<MessageId | null, MessageId[]>();
  /** For messages that are missing because their lines are damaged: the head when their first child was added. */
  readonly #bridges = new Map<MessageId, MessageId | null>();
  #position = new Map<MessageId, number>();

  constructor(log: MessageLog) {
    this.#log = log;
  }

  positionOf(message: MessageId): number | undefined {
    return this.#position.get(message);
  }

  childrenOf(message: MessageId | null): readonly MessageId[] {
    return this.#children.get(message) ?? [];
  }

  /**
   * A message's parent. If that's missing, the message before the gap, so that one damaged line doesn't hide everything
   * before it.
   */
  parentOf(message: MessageId): MessageId | null {
    const parent = this.#log.place(message)?.parent ?? null;
    return parent === null || this.#log.has(parent) ? parent : (this.#bridges.get(parent) ?? null);
  }

  isDeleted(message: MessageId): boolean {
    return this.#deleted.has(message);
  }

  setDeleted(message: MessageId, deleted: boolean): void {
    if (deleted) this.#deleted.add(message);
    else this.#deleted.delete(message);
    this.moveHead(this.head);
  }

  /** Adds a message of the log, new or not. Returns false if that didn't append it to the active branch. */
  add({ id, parent }: MessagePlace, isNew: boolean): boolean {
    if (isNew) {
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(id);
      else this.#children.set(parent, [id]);
    }
    if (parent !== null && !this.#log.has(parent) && !this.#bridges.has(parent)) this.#bridges.set(parent, this.head);
    if (parent !== this.head || !isNew) {
      this.moveHead(id);
      return false;
    }
    this.head = id;
    this.#position.set(id, this.path.length);
    this.path.push(id);
    return true;
  }

  moveHead(to: MessageId | null): void {
    this.head = to === null || this.#log.has(to) ? to : (this.#bridges.get(to) ?? this.head);
    this.path = [...this.#up(this.head)].filter((id) => !this.#deleted.has(id)).reverse();
    this.#position = new Map(this.path.map((id, position) => [id, position]));
  }

  /** The deleted messages from `last` back to `first`, if both are on the active branch. */
  deletedBetween(first: MessageId, last: MessageId): MessageId[] {
    const found: MessageId[] = [];
    if (this.#deleted.size === 0 || !this.#position.has(first)) return found;
    for (const at of this.#up(last)) {
      if (at === first) break;
      if (this.#deleted.has(at)) found.push(at);
    }
    return found;
  }

  /** A message and its ancestors. A cycle in damaged data ends the branch. */
  *#up(from: MessageId | null): Generator<MessageId> {
    const seen = new Set<MessageId>();
    for (let at = from; at !== null && this.#log.has(at) && !seen.has(at);) {
      seen.add(at);
      yield at;
      at = this.parentOf(at);
    }
  }
}
