import type { MessageId } from '../../core/model/ids.ts';

/** How often a page that is shown is asked whether it still answers, in ms. */
const ASK_EVERY_MS = 2_000;
/** So many questions without an answer, and the page has hung: ten seconds in which this process was not asleep. */
const UNANSWERED = 5;

export interface Watched {
  readonly isShown: () => boolean;
  readonly ask: () => void;
  /** The page has hung while it drew this message, if that is known. Called once. */
  readonly hung: (drawing: MessageId | undefined) => void;
}

/** Asks a page again and again whether it answers. */
export class Watchdog {
  readonly #watched: Watched;
  readonly #timer: NodeJS.Timeout;
  #unanswered = 0;
  #drawing: MessageId | undefined;

  constructor(watched: Watched, everyMs = ASK_EVERY_MS) {
    this.#watched = watched;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  /** Anything the page says shows that it lives. */
  heard(): void {
    this.#unanswered = 0;
  }

  /** What the page is about to draw; null for nothing more. */
  draws(message: MessageId | null): void {
    this.#drawing = message ?? undefined;
  }

  #look(): void {
    if (!this.#watched.isShown()) {
      this.#unanswered = 0;
    } else if (this.#unanswered < UNANSWERED) {
      this.#unanswered++;
      this.#watched.ask();
    } else {
      this.dispose();
      this.#watched.hung(this.#drawing);
    }
  }
}
