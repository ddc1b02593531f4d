import type { KeyEventId, MessageId } from '../model/ids.ts';
import { messageText, type Message } from '../model/message.ts';
import { breathe, type Breather } from '../pace/breather.ts';
import { cjkUnits } from './script.ts';
import type { MessageTokens, TokenCounter } from './token-counter.ts';

/** Tokens of one message: `body` with its framing, its attachments apart; `cjk` UTF-16 units of both are CJK text. */
export interface MessageCount {
  readonly body: number;
  readonly attachments: number;
  readonly cjk: number;
}

/** Counts as they are kept with a session; what is 0 at the end is left out. */
export interface StoredCounts {
  readonly encoding: string;
  readonly counts: readonly (readonly [id: MessageId, body: number, attachments?: number, cjk?: number])[];
}

/** Messages by id, each read when it is asked for. */
export interface CountableMessages {
  keys(): Iterable<MessageId>;
  get(id: MessageId): Message | undefined;
}

/**
 * Each message is counted once and the count kept, so that a turn costs its new messages alone and a reload costs
 * no counting at all. A message's content never changes under its id; one that still grows must be forgotten first.
 */
export class MessageCounts {
  private readonly counts = new Map<MessageId, MessageCount>();
  private readonly lines = new Map<KeyEventId, { readonly line: string; readonly tokens: number }>();
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  of(message: Message): MessageCount {
    const known = this.counts.get(message.id);
    if (known) return known;
    const attached = message.attachments ?? [];
    return this.keep(message, {
      body: this.counter.message(message),
      attachments: attached.reduce((sum, attachment) => sum + this.counter.attachment(attachment), 0),
    });
  }

  /** Body and attachments of a message that has been counted, without reading it; undefined for one that has not. */
  known(id: MessageId): number | undefined {
    const count = this.counts.get(id);
    return count && count.body + count.attachments;
  }

  /** Body and attachments together. */
  total(message: Message): number {
    const { body, attachments } = this.of(message);
    return body + attachments;
  }

  /** Counts what is not known yet, resting as it goes; what is known is not read. Resolves to how many were counted. */
  async warm(messages: CountableMessages, breather: Breather): Promise<number> {
    let counted = 0;
    for (const id of messages.keys()) {
      const message = this.counts.has(id) ? undefined : messages.get(id);
      if (!message) continue;
      this.keep(message, await this.counter.whole(message, breather));
      counted++;
      await breathe(breather);
    }
    return counted;
  }

  private keep(message: Message, { body, attachments }: MessageTokens): MessageCount {
    const attached = message.attachments ?? [];
    const cjk = attached.reduce((sum, { text }) => sum + cjkUnits(text), cjkUnits(messageText(message)));
    const count = { body, attachments, cjk };
    this.counts.set(message.id, count);
    return count;
  }

  /** Tokens of a key event's line in the ledger, its line break included; counted again only when the line is another. */
  ledgerLine(id: KeyEventId, line: string): number {
    const known = this.lines.get(id);
    if (known?.line === line) return known.tokens;
    const tokens = this.counter.text(`${line}\n`);
    this.lines.set(id, { line, tokens });
    return tokens;
  }

  forget(id: MessageId): void {
    this.counts.delete(id);
  }

  export(): StoredCounts {
    const counts: StoredCounts['counts'] = Array.from(this.counts, ([id, { body, attachments, cjk }]) => {
      if (cjk > 0) return [id, body, attachments, cjk];
      return attachments > 0 ? [id, body, attachments] : [id, body];
    });
    return { encoding: this.counter.encoding, counts };
  }

  /** Takes counts of the same encoding; those of another are left, and their messages will be counted anew. */
  import(stored: StoredCounts): void {
    if (stored.encoding !== this.counter.encoding) return;
    for (const [id, body, attachments = 0, cjk = 0] of stored.counts) this.counts.set(id, { body, attachments, cjk });
  }
}
