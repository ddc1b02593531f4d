import type { MessageId } from '../model/ids.ts';
import { messageText, type Message } from '../model/message.ts';
import { breathe, type Breather } from '../pace/breather.ts';
import { cjkUnits } from '../text/script.ts';
import { columnsOf, KeptCounts, type CountColumns, type MessageCount, type MessageOrder } from './count-columns.ts';
import { CountedTexts } from './counted-texts.ts';
import type { MessageTokens, TokenCounter } from './token-counter.ts';

/** A session's messages by id, in the order in which they came, each read when it is asked for. */
export interface CountableMessages extends MessageOrder {
  keys(): Iterable<MessageId>;
  get(id: MessageId): Message | undefined;
}

type SizedMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments'>;

/**
 * Each message is counted once and the count kept, so that a turn costs its new messages alone and a reload costs
 * no counting at all. A message's content never changes under its id; one that still grows must be forgotten first.
 */
export class MessageCounts {
  /** The blocks before the messages in a request, counted once while they stay the same. */
  readonly front: CountedTexts;
  private readonly counts = new Map<MessageId, MessageCount>();
  private kept: KeptCounts | undefined;
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
    this.front = new CountedTexts(counter);
  }

  of(message: SizedMessage): MessageCount {
    const known = this.find(message.id);
    if (known) return known;
    const attached = message.attachments ?? [];
    return this.keep(message, {
      body: this.counter.message(message),
      attachments: attached.reduce((sum, attachment) => sum + this.counter.attachment(attachment), 0),
    });
  }

  /** Body and attachments of a message that has been counted, without reading it; undefined for one that has not. */
  known(id: MessageId): number | undefined {
    const count = this.find(id);
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
    for (const id of [...messages.keys()].slice(this.kept?.settledIn(messages))) {
      const message = this.find(id) ? undefined : messages.get(id);
      if (!message) continue;
      this.keep(message, await this.counter.whole(message, breather));
      counted++;
      await breathe(breather);
    }
    return counted;
  }

  private find(id: MessageId): MessageCount | undefined {
    return this.counts.get(id) ?? this.kept?.get(id);
  }

  /** Takes over what was counted elsewhere. */
  keep(message: SizedMessage, { body, attachments }: MessageTokens): MessageCount {
    const attached = message.attachments ?? [];
    const cjk = attached.reduce((sum, { text }) => sum + cjkUnits(text), cjkUnits(messageText(message)));
    const count = { body, attachments, cjk };
    this.counts.set(message.id, count);
    return count;
  }

  forget(id: MessageId): void {
    this.counts.delete(id);
    this.kept?.delete(id);
  }

  /** The counts of these messages, to be kept. */
  export(messages: readonly MessageId[]): CountColumns {
    return columnsOf(
      this.counter.encoding,
      messages.map((id) => this.find(id)),
    );
  }

  /**
   * Takes the stored counts of a session's first messages. Counts of another encoding are ignored, so their messages are
   * counted again.
   */
  import(columns: CountColumns, order: MessageOrder): void {
    if (columns.encoding === this.counter.encoding) this.kept = new KeptCounts(columns, order);
  }
}
