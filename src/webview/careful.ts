import type { MessageId } from '../core/model/ids.ts';

/** So long (ms) the host is given to hear which message comes next, before that one may hold the page. */
const HEARD_AFTER = 60;

/**
 * After the page has hung, messages are drawn one at a time, each announced to the host first: if the page hangs again,
 * the host knows which message it was.
 */
export class CarefulDrawing {
  readonly #announce: (message: MessageId | null) => void;
  readonly #waiting: { readonly message: MessageId; readonly draw: () => void }[] = [];
  #drawing = false;

  constructor(announce: (message: MessageId | null) => void) {
    this.#announce = announce;
  }

  /** Calls `draw` when it is this message's turn, unless the returned function was called before. */
  queue(message: MessageId, draw: () => void): () => void {
    const one = { message, draw };
    this.#waiting.push(one);
    if (!this.#drawing) void this.#run();
    return () => {
      const at = this.#waiting.indexOf(one);
      if (at !== -1) this.#waiting.splice(at, 1);
    };
  }

  async #run(): Promise<void> {
    this.#drawing = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#announce(next.message);
      await new Promise((resolve) => setTimeout(resolve, HEARD_AFTER));
      next.draw();
      // The next announcement is posted behind what this one draws.
      await new Promise((resolve) => setTimeout(resolve, HEARD_AFTER));
    }
    this.#announce(null);
    this.#drawing = false;
  }
}
