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
  /** How many messages were ever said. */
  readonly said: () => number;
  readonly isReplying: () => boolean;
  readonly stop: () => void;
  readonly changed: () => void;
}

/**
 * Messages written while a reply arrives. They are sent one after another, each when the reply before it is complete;
 * after a reply that was stopped or failed they are held until the user sends one of them.
 */
export class SendQueue {
  readonly #deps: QueueDeps;
  #waiting: readonly Waiting[] = [];
  #isHeld = false;
  /** The first one is sent whatever becomes of the reply that is arriving. */
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

  /** Sends at once, or when its turn comes. Resolves and rejects as the sending does; resolves when it is taken back. */
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

  /** Keeps messages of an earlier run until the user sends them. */
  restore(messages: readonly UserMessage[]): void {
    if (messages.length === 0) return;
    this.#isHeld = true;
    this.#change(messages.map((message) => this.#item(message)));
  }

  /** Sends one before the others, and ends the reply that is arriving. */
  async sendNow(id: string): Promise<void> {
    const item = this.#waiting.find((each) => each.id === id);
    if (!item) return undefined;
    this.#change([item, ...this.#waiting.filter((each) => each !== item)]);
    this.#hurry();
    return item.ended.promise;
  }

  /** Takes one back. */
  take(id: string): UserMessage | undefined {
    const item = this.#waiting.find((each) => each.id === id);
    if (!item) return undefined;
    this.#change(this.#waiting.filter((each) => each !== item));
    item.ended.resolve(undefined);
    return item.message;
  }

  /** Called when a turn has ended: sends the next one, or holds them all. */
  turnEnded(isComplete: boolean): void {
    if (this.#isUrgent || (isComplete && !this.#isHeld)) this.#next();
    else this.hold();
  }

  /** Sends none of them until the user says so. */
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
        // It became no message: it waits here again, until the user sends it once more.
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
    // Whoever waits for it is told; a page that has gone meanwhile sees the unanswered message.
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
