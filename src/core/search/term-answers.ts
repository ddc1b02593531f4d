/**
 * The entries that answer one sought term, with the best score of each. Kept in columns by entry: a frequent word
 * answers with every entry there is, and an object for each would be felt.
 */
export class TermAnswers {
  /** Each entry once, in the order of the first answer. */
  readonly entries: number[] = [];
  readonly #best: Float64Array;
  /** The term that gave the best score, as its place in `#terms`. */
  readonly #matched: Int32Array;
  readonly #terms: string[] = [];

  /** `size`: how many entries there are. */
  constructor(size: number) {
    this.#best = new Float64Array(size);
    this.#matched = new Int32Array(size);
  }

  /** The answers that follow are by this term. */
  begin(term: string): void {
    this.#terms.push(term);
  }

  /** `score` is above 0. */
  add(entry: number, score: number): void {
    const known = this.#best[entry]!;
    if (score <= known) return;
    if (known === 0) this.entries.push(entry);
    this.#best[entry] = score;
    this.#matched[entry] = this.#terms.length - 1;
  }

  /** 0 for an entry that does not answer. */
  best(entry: number): number {
    return this.#best[entry]!;
  }

  matched(entry: number): string {
    return this.#terms[this.#matched[entry]!]!;
  }
}

/** The terms by which an entry was found, best first. */
export function matchedTerms(answers: readonly TermAnswers[], entry: number): readonly string[] {
  const matched = answers.filter((one) => one.best(entry) > 0).sort((a, b) => b.best(entry) - a.best(entry));
  return [...new Set(matched.map((one) => one.matched(entry)))];
}
