import type { MessageId } from '../core/model/ids.ts';

/** The text of the reply that is arriving. It grows outside the page's state, so that a token redraws nothing else. */
export class LiveReply {
  readonly id: MessageId;
  #text: string;
  readonly #listeners = new Set<() => void>();

  constructor(id: MessageId, text: string) {
    this.id = id;
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /**
   * Adds text that starts at `offset` (UTF-16 units). Text that was there already is replaced. False, and nothing
   * changed, when something before it is missing.
   */
  add(offset: number, text: string): boolean {
    if (offset > this.#text.length) return false;
    this.#text = offset === this.#text.length ? this.#text + text : this.#text.slice(0, offset) + text;
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
