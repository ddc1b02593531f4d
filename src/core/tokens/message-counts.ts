import type { MessageId } from '../model/ids.ts';
import type { Attachment, Message } from '../model/message.ts';
import type { TokenCounter } from './token-counter.ts';

/** Tokens of one message: `body` with its framing, and its attachments apart. */
export interface MessageCount {
  readonly body: number;
  readonly attachments: number;
}

/** Counts as they are kept with a session: `[id, body, attachments]`, the last left out when it is 0. */
export interface StoredCounts {
  readonly encoding: string;
  readonly counts: readonly (readonly [id: MessageId, body: number, attachments?: number])[];
}

/**
 * Each message is counted once and the count kept, so that a turn costs its new messages alone and a reload costs
 * no counting at all. A message's content never changes under its id; one that still grows must be forgotten first.
 */
export class MessageCounts {
  private readonly counts = new Map<MessageId, MessageCount>();
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  of(message: Message): MessageCount {
    const known = this.counts.get(message.id);
    if (known) return known;
    const count = {
      body: this.counter.message(message),
      attachments: (message.attachments ?? []).reduce(
        (sum: number, one: Attachment) => sum + this.counter.attachment(one),
        0,
      ),
    };
    this.counts.set(message.id, count);
    return count;
  }

  /** Body and attachments together. */
  total(message: Message): number {
    const { body, attachments } = this.of(message);
    return body + attachments;
  }

  forget(id: MessageId): void {
    this.counts.delete(id);
  }

  export(): StoredCounts {
    const counts: StoredCounts['counts'] = Array.from(this.counts, ([id, { body, attachments }]) =>
      attachments === 0 ? ([id, body] as const) : ([id, body, attachments] as const),
    );
    return { encoding: this.counter.encoding, counts };
  }

  /** Takes counts of the same encoding; those of another are left, and their messages will be counted anew. */
  import(stored: StoredCounts): void {
    if (stored.encoding !== this.counter.encoding) return;
    for (const [id, body, attachments = 0] of stored.counts) this.counts.set(id, { body, attachments });
  }
}
