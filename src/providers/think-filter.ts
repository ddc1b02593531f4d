const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Takes a model's thinking off the front of its reply. Local servers send the thinking of reasoning models as text
 * between `<think>` and `</think>` before the answer; elsewhere in a reply the tag is what the answer says, and stays.
 */
export class ThinkFilter {
  #state: 'start' | 'thinking' | 'answer' = 'start';
  #held = '';

  /** The part of the answer that this piece of text completes; empty while it may still be thinking. */
  take(text: string): string {
    if (this.#state === 'answer') return text;
    this.#held += text;
    if (this.#state === 'start') {
      const begin = this.#held.trimStart();
      if (OPEN.startsWith(begin)) return '';
      if (!begin.startsWith(OPEN)) return this.#release(this.#held);
      this.#state = 'thinking';
    }
    const end = this.#held.indexOf(CLOSE);
    if (end >= 0) return this.#release(this.#held.slice(end + CLOSE.length).trimStart());
    // What has been thought so far is not kept; only a tag torn between two pieces matters.
    this.#held = this.#held.slice(-CLOSE.length);
    return '';
  }

  /** What was held back when the reply ended: text that only looked like the beginning of the tag. */
  end(): string {
    return this.#state === 'start' ? this.#release(this.#held) : '';
  }

  #release(text: string): string {
    this.#state = 'answer';
    this.#held = '';
    return text;
  }
}
