import type { UserMessage } from './user-message.ts';
import { deferred, type Deferred } from '../core/pace/deferred.ts';

export interface Queued {
  readonly id: string;
  readonly message: UserMessage;
}

interface Waiting extends Queued {
  readonly ended: Deferred<undefined>;
}

interface QueueDeps {
  readonly newId: () => string;
  /** Resolves when the turn has ended. */
  readonly send: (message: UserMessage) => Promise<void>;
  /** Number of messages that the session ever had. */
  readonly said: () => number;
  readonly isReplying: () => boolean;
  readonly stop: () => void;
  readonly changed: () => void;
}

/**
 * Messages written while a reply arrives. Each is sent when the previous reply is complete. If a reply is stopped or
 * fails, they are held until the user sends one of them.
 */
export class SendQueue {
  readonly #deps: QueueDeps;
  #waiting: readonly Waiting[] = [];
  #isHeld = false;
  /** The first one is sent even if the current reply is stopped or fails. */
  #isUrgent = false;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  get items(): readonly Queued[] {
    return this.#waiting;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Sends the message now or later. Settles when it's sent; also resolves when it's removed from the queue. */
  async send(message: UserMessage, whileReplying: 'queue' | 'stopAndSend'): Promise<void> {
    const isMoving = this.#waiting.length > 0 && !this.#isHeld;
    if (!this.#deps.isReplying() && !isMoving) return this.#deps.send(message);
    const item = this.#item(message);
    if (whileReplying === 'queue') {
      this.#change([...this.#waiting, item]);
    } else {
      this.#change([item, ...this.#waiting]);
      this.#hurry();
    }
    return item.ended.promise;
  }

  /** Restores messages from before a reload; they are held until the user sends them. */
  restore(messages: readonly UserMessage[]): void {
    if (messages.length === 0) return;
    this.#isHeld = true;
    this.#change(messages.map((message) => this.#item(message)));
  }

  /** Sends a message before the others, and stops the current reply. */
  async sendNow(id: string): Promise<void> {
    const item = this.#waiting.find((each) => each.id === id);
    if (!item) return undefined;
    this.#change([item, ...this.#waiting.filter((each) => each !== item)]);
    this.#hurry();
    return item.ended.promise;
  }

  /** Removes a message from the queue. */
  take(id: string): UserMessage | undefined {
    const item = this.#waiting.find((each) => each.id === id);
    if (!item) return undefined;
    this.#change(this.#waiting.filter((each) => each !== item));
    item.ended.resolve(undefined);
    return item.message;
  }

  /** Called after each turn. Sends the next message if the reply is complete or if it's urgent, or else holds all. */
  turnEnded(isComplete: boolean): void {
    if (this.#isUrgent || (isComplete && !this.#isHeld)) this.#next();
    else this.hold();
  }

  /** Holds all messages until the user sends one. */
  hold(): void {
    this.#isUrgent = false;
    if (this.#waiting.length === 0 || this.#isHeld) return;
    this.#isHeld = true;
    this.#deps.changed();
  }

  #hurry(): void {
    this.#isUrgent = true;
    if (this.#deps.isReplying()) this.#deps.stop();
    else this.#next();
  }

  #next(): void {
    const [first, ...others] = this.#waiting;
    if (!first || this.#deps.isReplying()) return;
    this.#isUrgent = false;
    this.#isHeld = false;
    this.#change(others);
    const said = this.#deps.said();
    this.#deps.send(first.message).then(
      () => first.ended.resolve(undefined),
      (error: unknown) => {
        // The message wasn't added to the session, so it goes back to the queue.
        if (this.#deps.said() === said) {
          this.#isHeld = true;
          this.#change([this.#item(first.message), ...this.#waiting]);
        }
        first.ended.reject(error);
      },
    );
  }

  #item(message: UserMessage): Waiting {
    const ended = deferred<undefined>();
    // Callers get the rejection. If there is none because the page was closed, the unanswered message shows it.
    ended.promise.catch(() => undefined);
    return { id: this.#deps.newId(), message, ended };
  }

  #change(waiting: readonly Waiting[]): void {
    this.#waiting = waiting;
    if (waiting.length === 0) {
      this.#isHeld = false;
      this.#isUrgent = false;
    }
    this.#deps.changed();
  }
}
