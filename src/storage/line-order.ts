/**
 * - `next`: the line that was expected.
 * - `gap`: lines before it are missing; what follows is read on.
 * - `late`: one of the missing lines, found further down.
 * - `repeat`: a copy of a line that was read.
 * - `overtaken`: written by a window that had lost the journal to another one and did not know yet; it was never
 *   acknowledged, and counts for nobody.
 */
export type Place = 'next' | 'gap' | 'late' | 'repeat' | 'overtaken';

/**
 * Decides, from the order of the lines in the file alone, which of them count. Appends are atomic, so of two windows
 * that write the same sequence number the first in the file wins, and the other one's lines from there on are void:
 * every reader comes to the same answer, without a lock. See docs/adr/0004-two-windows.md.
 */
export class LineOrder {
  readonly #sums: (string | undefined)[] = [];
  readonly #void = new Set<string>();
  #last = 0;

  /** The highest sequence number that counted; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  judge(seq: number, writer: string, sum: string): Place {
    if (this.#void.has(writer)) return 'overtaken';
    if (seq > this.#last) {
      const place = seq === this.#last + 1 ? 'next' : 'gap';
      this.#last = seq;
      this.#sums[seq] = sum;
      return place;
    }
    const known = this.#sums[seq];
    if (known === undefined) {
      this.#sums[seq] = sum;
      return 'late';
    }
    if (known === sum) return 'repeat';
    this.#void.add(writer);
    return 'overtaken';
  }
}
