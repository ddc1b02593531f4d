import type { MessageId } from '../model/ids.ts';
import type { Message } from '../model/message.ts';
import { breathe, type Breather } from '../pace/breather.ts';
import type { MessageTokens, TokenCounter } from './token-counter.ts';

/** A session's messages by id, in the order in which they came, each read when it is asked for. */
export interface CountableMessages {
  keys(): Iterable<MessageId>;
  get(id: MessageId): Message | undefined;
}

/** A part of a request's front, before it is written. */
export interface TextSource {
  /** What tells it from the other parts. */
  readonly key: string;
  /** All that its text is made from: the text stays the same while they do. */
  readonly from: readonly (string | number | boolean)[];
  readonly render: () => string;
}

/** A part as it is sent, with its tokens. */
export interface CountedText {
  readonly text: string;
  readonly tokens: number;
}

type SizedMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments'>;

/** Counts as they are kept with a session: body and attachments of each of its first messages, in the journal's order. */
export interface KeptCounts {
  readonly encoding: string;
  readonly tokens: Uint32Array;
}

/** Stands for the body of a message that has not been counted. */
const NOT_COUNTED = 0xffffffff;

export const keptCounts = (encoding: string, counts: readonly (MessageTokens | undefined)[]): KeptCounts => ({
  encoding,
  tokens: Uint32Array.from(counts.flatMap((count) => (count ? [count.body, count.attachments] : [NOT_COUNTED, 0]))),
});

/**
 * Each message and each part of the front is counted once and the count kept, so that a turn costs its new messages alone and a reload costs
 * no counting at all. A message's content never changes under its id; one that still grows must be forgotten first.
 */
export class MessageCounts {
  private readonly parts = new Map<string, CountedText & Pick<TextSource, 'from'>>();
  private readonly counts = new Map<MessageId, MessageTokens>();
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /** A part of the front, written and counted again only when what it is made from has changed; `end` is counted with it. */
  part({ key, from, render }: TextSource, end = ''): CountedText {
    const known = this.parts.get(key);
    if (known?.from.length === from.length && from.every((one, at) => one === known.from[at])) return known;
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

  /** Body and attachments of a message that has been counted, without reading it; undefined for one that has not. */
  known(id: MessageId): number | undefined {
    const count = this.counts.get(id);
    return count && count.body + count.attachments;
  }

  /** Body and attachments together. */
  total(message: SizedMessage): number {
    const { body, attachments } = this.of(message);
    return body + attachments;
  }

  /** Counts what is not known yet, resting as it goes; what is known is not read. Resolves to how many were counted. */
  async warm(messages: CountableMessages, breather: Breather): Promise<number> {
    let counted = 0;
    for (const id of [...messages.keys()]) {
      const message = this.counts.has(id) ? undefined : messages.get(id);
      if (!message) continue;
      this.keep(id, await this.counter.whole(message, breather));
      counted++;
      await breathe(breather);
    }
    return counted;
  }

  /** Takes over what was counted elsewhere. */
  keep(id: MessageId, count: MessageTokens): void {
    this.counts.set(id, count);
  }

  forget(id: MessageId): void {
    this.counts.delete(id);
  }

  /** The counts of these messages, to be kept. */
  export(messages: readonly MessageId[]): KeptCounts {
    return keptCounts(
      this.counter.encoding,
      messages.map((id) => this.counts.get(id)),
    );
  }

  /**
   * Takes the stored counts of a session's first messages, given all of them in the journal's order. Counts of another
   * encoding are ignored, so their messages are counted again.
   */
  import({ encoding, tokens }: KeptCounts, messages: readonly MessageId[]): void {
    if (encoding !== this.counter.encoding) return;
    for (const [row, id] of messages.entries()) {
      const body = tokens[2 * row] ?? NOT_COUNTED;
      if (body !== NOT_COUNTED) this.keep(id, { body, attachments: tokens[2 * row + 1] ?? 0 });
    }
  }
}
