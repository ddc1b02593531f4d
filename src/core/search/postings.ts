/** A posting is entry × 64 + occurrences, one small integer; more than 63 occurrences change no BM25 score visibly. */
const MOST_OCCURRENCES = 63;
const ENTRY_UNIT = 64;

/** Terms are gathered by their first letters, where a search looks for near ones. */
const BUCKET_LETTERS = 3;

/** Which entries hold which term, and how often. */
export class Postings {
  readonly #lists = new Map<string, number[]>();
  readonly #buckets = new Map<string, string[]>();

  add(term: string, entry: number, times: number): void {
    const posting = entry * ENTRY_UNIT + Math.min(times, MOST_OCCURRENCES);
    const list = this.#lists.get(term);
    if (list !== undefined) {
      list.push(posting);
      return;
    }
    this.#lists.set(term, [posting]);
    this.#bucket(term);
  }

  /** How many entries hold a term. */
  holding(term: string): number {
    return this.#lists.get(term)?.length ?? 0;
  }

  /** Calls `visit` for each entry that holds a term. */
  each(term: string, visit: (entry: number, times: number) => void): void {
    for (const posting of this.#lists.get(term) ?? []) visit(Math.floor(posting / ENTRY_UNIT), posting % ENTRY_UNIT);
  }

  /** The terms that begin as a sought one does, so that they may be near to it. */
  beginningLike(sought: string): readonly string[] {
    return this.#buckets.get(sought.slice(0, BUCKET_LETTERS)) ?? [];
  }

  /** Renumbers the entries; those that `moved` gives -1 are dropped. */
  renumber(moved: Int32Array): void {
    this.#buckets.clear();
    for (const [term, list] of this.#lists) {
      const kept: number[] = [];
      for (const posting of list) {
        const entry = moved[Math.floor(posting / ENTRY_UNIT)]!;
        if (entry !== -1) kept.push(entry * ENTRY_UNIT + (posting % ENTRY_UNIT));
      }
      if (kept.length === 0) {
        this.#lists.delete(term);
      } else {
        this.#lists.set(term, kept);
        this.#bucket(term);
      }
    }
  }

  #bucket(term: string): void {
    const key = term.slice(0, BUCKET_LETTERS);
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, [term]);
    else bucket.push(term);
  }
}
