import type { MessageId } from '../model/ids.ts';
import type { Message } from '../model/message.ts';

/** Where a message stands in the tree, without what it says. */
export type MessagePlace = Pick<Message, 'id' | 'parent' | 'role'>;

/** Reads a message that is not in memory; undefined for one that cannot be read (any more). */
export type ReadMessage = (id: MessageId) => Message | undefined;

/**
 * A session's messages in the order in which they came. Their places are all in memory; what they say is read when it
 * is first asked for, and kept. To be iterated like a map, which reads all of them.
 */
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

  /** Undefined for one that is not there, or whose line in the journal was damaged since it was read. */
  get(id: MessageId): Message | undefined {
    const held = this.#held.get(id);
    if (held || !this.#places.has(id)) return held;
    const read = this.#read?.(id);
    if (read) this.#held.set(id, read);
    return read;
  }

  /** What is known without reading the message. */
  place(id: MessageId): MessagePlace | undefined {
    return this.#places.get(id);
  }

  keys(): IterableIterator<MessageId> {
    return this.#places.keys();
  }

  *values(): Generator<Message> {
    for (const id of this.#places.keys()) {
      const message = this.get(id);
      if (message) yield message;
    }
  }

  *[Symbol.iterator](): Generator<[MessageId, Message]> {
    for (const message of this.values()) yield [message.id, message];
  }

  /** Takes a message in; without `message` it is one to be read when it is asked for. */
  add({ id, parent, role }: MessagePlace, message?: Message): void {
    this.#places.set(id, { id, parent, role });
    if (message) this.#held.set(id, message);
    else this.#held.delete(id);
  }
}
