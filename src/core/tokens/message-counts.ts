import type { MessageId } from '../model/ids.ts';
import type { Message } from '../model/message.ts';
import { yieldIfDue, type Yielder } from '../pace/yielder.ts';
import type { MessageTokens, TokenCounter } from './token-counter.ts';

/** A session's messages by ID, in order. `get` may read from disk. */
export interface CountableMessages {
  keys(): Iterable<MessageId>;
  get(id: MessageId): Message | undefined;
}

/** A part of a request's prefix that may not be rendered yet. */
export interface TextSource {
  readonly key: string;
  /** Everything that the text depends on. While it's unchanged, so is the text. */
  readonly from: readonly (string | number | boolean)[];
  readonly render: () => string;
}

export interface CountedText {
  readonly text: string;
  readonly tokens: number;
}

type SizedMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments'>;

/** Counts as stored with a session: body and attachments of each of its first messages, in the journal's order. */
export interface StoredCounts {
  readonly encoding: string;
  readonly tokens: Uint32Array;
}

/** Marks the body of a message that isn't counted yet. */
const NOT_COUNTED = 0xffffffff;

export const storedCounts = (encoding: string, counts: readonly (MessageTokens | undefined)[]): StoredCounts => ({
  encoding,
  tokens: Uint32Array.from(counts.flatMap((count) => (count ? [count.body, count.attachments] : [NOT_COUNTED, 0]))),
});

/**
 * Caches the counts of messages and of the parts of the prefix, so that a turn only counts its new messages and a
 * reload counts nothing. Call `forget` when the content of a message changes, which only happens while it's streaming.
 */
export class MessageCounts {
  private readonly parts = new Map<string, CountedText & Pick<TextSource, 'from'>>();
  private readonly counts = new Map<MessageId, MessageTokens>();
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /**
   * Renders and counts a part of the prefix, or returns the cached one if its inputs are unchanged. `end` follows the
   * part in the prefix. It's counted as well, but isn't part of the returned text.
   */
  part({ key, from, render }: TextSource, end = ''): CountedText {
    const cached = this.parts.get(key);
    if (cached?.from.length === from.length && from.every((one, at) => one === cached.from[at])) return cached;
    const text = render();
    const part = { from, text, tokens: this.counter.text(text + end) };
    this.parts.set(key, part);
    return part;
  }

  of(message: SizedMessage): MessageTokens {
    const known = this.counts.get(message.id);
    if (known) return known;
    const count = {
      body: this.counter.message(message),
      attachments: (message.attachments ?? []).reduce((sum, one) => sum + this.counter.attachment(one), 0),
    };
    this.keep(message.id, count);
    return count;
  }

  /** Like `total`, but without reading the message; undefined if it isn't counted yet. */
  known(id: MessageId): number | undefined {
    const count = this.counts.get(id);
    return count && count.body + count.attachments;
  }

  total(message: SizedMessage): number {
    const { body, attachments } = this.of(message);
    return body + attachments;
  }

  /** Like `total`, but only reads the message if it isn't counted yet; 0 if it doesn't exist. */
  totalOf(id: MessageId, messages: Pick<CountableMessages, 'get'>): number {
    const known = this.known(id);
    const message = known === undefined ? messages.get(id) : undefined;
    return known ?? (message ? this.total(message) : 0);
  }

  /** Counts the other messages without reading counted ones, yielding when due. Resolves to how many it counted. */
  async warm(messages: CountableMessages, yielder: Yielder): Promise<number> {
    let counted = 0;
    for (const id of [...messages.keys()]) {
      const message = this.counts.has(id) ? undefined : messages.get(id);
      if (!message) continue;
      this.keep(id, await this.counter.messageYielding(message, yielder));
      counted++;
      await yieldIfDue(yielder);
    }
    return counted;
  }

  keep(id: MessageId, count: MessageTokens): void {
    this.counts.set(id, count);
  }

  forget(id: MessageId): void {
    this.counts.delete(id);
  }

  export(messages: readonly MessageId[]): StoredCounts {
    return storedCounts(
      this.counter.encoding,
      messages.map((id) => this.counts.get(id)),
    );
  }

  /**
   * Restores stored counts of a session's first messages, given the IDs of all of them in the journal's order. Counts
   * of another encoding are ignored, so those messages are counted again.
   */
  import({ encoding, tokens }: StoredCounts, messages: readonly MessageId[]): void {
    if (encoding !== this.counter.encoding) return;
    for (const [row, id] of messages.entries()) {
      const body = tokens[2 * row] ?? NOT_COUNTED;
      if (body !== NOT_COUNTED) this.keep(id, { body, attachments: tokens[2 * row + 1] ?? 0 });
    }
  }
}
