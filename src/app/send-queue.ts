import { messageId, type MessageId } from '../core/model/ids.ts';
import type { UserMessage } from './user-message.ts';

/** A message that isn't in the session yet. */
export interface UnsentMessage extends UserMessage {
  /** It didn't wait in the queue. If it can't be added to the session, it returns to the composer. */
  readonly isDirect?: true;
}

export interface QueuedMessage {
  readonly id: string;
  readonly message: UserMessage;
}

interface Entry extends QueuedMessage {
  readonly ended: PromiseWithResolvers<undefined>;
}

interface QueueDeps {
  readonly newId: () => string;
  /** Resolves when the turn has ended. `onAdded` is called once the message is in the session. */
  readonly send: (message: UserMessage, onAdded?: () => void) => Promise<void>;
  readonly isReplying: () => boolean;
  readonly isInSession: (id: MessageId) => boolean;
  readonly stop: () => void;
  readonly onChange: () => void;
}

/**
 * Messages that the user sent while a reply arrived. Each is sent when the previous reply is complete. If a reply is
 * stopped or fails, they are held until the user sends one of them.
 */
export class SendQueue {
  readonly #deps: QueueDeps;
  #entries: readonly Entry[] = [];
  /** The message that is being sent and isn't in the session yet. */
  #sending: UnsentMessage | undefined;
  #isHeld = false;
  /** Whether the first message is sent even if the current reply is stopped or fails. */
  #isUrgent = false;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  get items(): readonly QueuedMessage[] {
    return this.#entries;
  }

  /** All messages that aren't in the session, so that a crash loses none, with the IDs that they will have there. */
  get unsent(): readonly UnsentMessage[] {
    return [...(this.#sending ? [this.#sending] : []), ...this.#entries.map(withId)];
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Sends a message now or queues it. Resolves when its turn has ended or it's removed; rejects like the turn. */
  async send(message: UserMessage, whileReplying: 'queue' | 'stopAndSend'): Promise<void> {
    const isSending = this.#entries.length > 0 && !this.#isHeld;
    if (!this.#deps.isReplying() && !isSending) {
      const direct = { ...message, id: messageId(this.#deps.newId()), isDirect: true } as const;
      return this.#send(direct, this.#entries, () => this.#change(this.#entries));
    }
    const item = this.#newEntry(message);
    if (whileReplying === 'queue') {
      this.#change([...this.#entries, item]);
    } else {
      this.#change([item, ...this.#entries]);
      this.#sendUrgently();
    }
    return item.ended.promise;
  }

  /** Adds the messages from before a reload, and holds all. */
  restore(messages: readonly UserMessage[]): void {
    if (messages.length === 0) return;
    this.#isHeld = true;
    this.#change([...this.#entries, ...messages.map(({ id, ...message }) => this.#newEntry(message, id))]);
  }

  /** Removes messages that are in the session, because another window has sent them. */
  dropSent(): void {
    if (this.#entries.some((one) => this.#isSent(one))) this.#change(this.#entries);
  }

  /** Sends a message before the others, and stops the current reply. Settles like `send`. */
  async sendNow(id: string): Promise<void> {
    const item = this.#entries.find((each) => each.id === id);
    if (!item) return undefined;
    this.#change([item, ...this.#entries.filter((each) => each !== item)]);
    this.#sendUrgently();
    return item.ended.promise;
  }

  remove(id: string): UserMessage | undefined {
    const item = this.#entries.find((each) => each.id === id);
    if (!item) return undefined;
    // An urgent message is always the first.
    if (item === this.#entries[0]) this.#isUrgent = false;
    this.#change(this.#entries.filter((each) => each !== item));
    item.ended.resolve(undefined);
    return item.message;
  }

  /** Removes all messages. */
  clear(): void {
    const removed = this.#entries;
    this.#change([]);
    for (const { ended } of removed) ended.resolve(undefined);
  }

  /** Sends the next message if the reply is complete or the message is urgent; otherwise, holds all. */
  turnEnded(isComplete: boolean): void {
    if (this.#isUrgent || (isComplete && !this.#isHeld)) this.#next();
    else this.hold();
  }

  /** Holds all messages until the user sends one. */
  hold(): void {
    this.#isUrgent = false;
    if (this.#entries.length === 0 || this.#isHeld) return;
    this.#isHeld = true;
    this.#deps.onChange();
  }

  #sendUrgently(): void {
    this.#isUrgent = true;
    if (this.#deps.isReplying()) this.#deps.stop();
    else this.#next();
  }

  #next(): void {
    const [first, ...others] = this.#entries;
    if (!first || this.#deps.isReplying()) return;
    this.#isUrgent = false;
    this.#isHeld = false;
    const hold = (): void => {
      this.#isHeld = true;
      this.#change([this.#newEntry(first.message, first.id), ...this.#entries]);
    };
    this.#send(withId(first), others, hold).then(
      () => first.ended.resolve(undefined),
      (error: unknown) => first.ended.reject(error),
    );
  }

  /** Calls `onRejected` if the message can't be added to the session. Settles like the turn. */
  async #send(sending: UnsentMessage, others: readonly Entry[], onRejected: () => void): Promise<void> {
    this.#sending = sending;
    this.#change(others);
    const progress = { isAdded: false };
    const added = (): void => {
      progress.isAdded = true;
      this.#sending = undefined;
      this.#deps.onChange();
    };
    try {
      await this.#deps.send(sending, added);
    } catch (error) {
      if (this.#sending === sending) this.#sending = undefined;
      if (!progress.isAdded) onRejected();
      throw error;
    }
  }

  #newEntry(message: UserMessage, id = this.#deps.newId()): Entry {
    const ended = Promise.withResolvers<undefined>();
    // There may be no caller to handle a rejection, for example after the page was closed.
    ended.promise.catch(() => undefined);
    return { id, message, ended };
  }

  #isSent({ id }: QueuedMessage): boolean {
    return this.#deps.isInSession(messageId(id));
  }

  #change(waiting: readonly Entry[]): void {
    const { sent = [], unsent = [] } = Object.groupBy(waiting, (one) => (this.#isSent(one) ? 'sent' : 'unsent'));
    this.#entries = unsent;
    for (const { ended } of sent) ended.resolve(undefined);
    if (this.#entries.length === 0) {
      this.#isHeld = false;
      this.#isUrgent = false;
    }
    this.#deps.onChange();
  }
}

const withId = ({ id, message }: QueuedMessage): UserMessage => ({ ...message, id: messageId(id) });
