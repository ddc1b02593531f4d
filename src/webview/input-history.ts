/** The composer's texts for the arrow keys: the sent ones, oldest first, and then the unsent one. All can be edited. */
export class InputHistory {
  readonly #sent: readonly string[];
  #texts: string[] = [];
  #index = 0;

  constructor(sent: readonly string[]) {
    this.#sent = sent;
    this.reset();
  }

  /** Forgets edits to sent texts and shows an empty unsent one. Must be called when the shown text is sent. */
  reset(): void {
    this.#texts = [...this.#sent, ''];
    this.#index = this.#sent.length;
  }

  get isBrowsing(): boolean {
    return this.#index < this.#texts.length - 1;
  }

  /**
   * Returns the text to show after an arrow key, or undefined if the key only moves the caret: ArrowUp moves from an
   * empty text to the newest sent one, and from the first line of a sent text to the previous one; ArrowDown from the
   * last line to the next one. The selection reaches from `start` to `end` (UTF-16 offsets).
   */
  textAfterKey(key: string, current: string, start: number, end: number): string | undefined {
    if (current !== '' && !this.isBrowsing) return undefined;
    if (key === 'ArrowUp' && !current.slice(0, start).includes('\n')) return this.step(-1, current);
    if (key === 'ArrowDown' && !current.slice(end).includes('\n')) return this.step(1, current);
    return undefined;
  }

  /** Moves to the previous (-1) or next (1) text and returns it; undefined if there is none. */
  step(by: -1 | 1, current: string): string | undefined {
    const next = this.#texts[this.#index + by];
    if (next === undefined) return undefined;
    this.#texts[this.#index] = current;
    this.#index += by;
    return next;
  }
}
