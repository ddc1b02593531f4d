import { rarityAmong, type Corpus } from './corpus.ts';
import type { Pace, SourceMessage } from './source.ts';

/** Terms that are remembered; beyond it those that were used least are forgotten, and count as new again. */
const MAX_TERMS = 60_000;

/**
 * How often each term is used in a whole session, counted as its messages are read for the first time. What a few
 * messages or their summaries say in words of their own is told by it from what is said everywhere: a summary of a few
 * messages alone cannot know. Grows with each run by what the run reads, and never beyond a bound.
 */
export class TermUsage {
  private readonly used = new Map<string, number>();
  private messages = 0;
  /** What was read last may be read once more: a run that came to nothing, or that is made anew with more. */
  private last: ReadonlySet<string> = new Set();

  get isEmpty(): boolean {
    return this.messages === 0;
  }

  /** Counts messages that a corpus holds from `offset` on; those that were read last are not counted again. */
  async add(corpus: Corpus, messages: readonly SourceMessage[], offset: number, pace: Pace): Promise<void> {
    const { vocabulary, terms, passages, firstOf } = corpus;
    const counts = new Int32Array(terms.length);
    const seenIn = new Int32Array(terms.length).fill(-1);
    const read = new Set<string>();
    let overlaps = false;
    for (const [at, { id }] of messages.entries()) {
      read.add(id);
      if (this.last.has(id)) {
        overlaps = true;
        continue;
      }
      this.messages++;
      const position = offset + at;
      for (let index = firstOf[position]!; index < firstOf[position + 1]!; index++) {
        for (const term of passages[index]!.terms) {
          if (seenIn[term] === position) continue;
          seenIn[term] = position;
          counts[term]!++;
        }
      }
      if (pace.isDue(MESSAGE_CHARS)) await pace.rest();
    }
    for (const [name, term] of vocabulary) {
      const count = counts[term]!;
      if (count > 0) this.used.set(name, (this.used.get(name) ?? 0) + count);
      if (pace.isDue(TERM_CHARS)) await pace.rest();
    }
    this.last = overlaps ? new Set([...this.last, ...read]) : read;
    this.forget();
  }

  /** The corpus with each of its terms as rare as the whole session makes it. */
  async over(corpus: Corpus, pace: Pace): Promise<Corpus> {
    if (this.messages <= corpus.texts.length) return corpus;
    const rarity = Float64Array.from(corpus.rarity);
    for (const [name, term] of corpus.vocabulary) {
      const { user, assistant, tool } = corpus.terms[term]!;
      rarity[term] = rarityAmong(Math.max(user + assistant + tool, this.used.get(name) ?? 0), this.messages);
      if (pace.isDue(TERM_CHARS)) await pace.rest();
    }
    return { ...corpus, rarity };
  }

  private forget(): void {
    for (let least = 1; this.used.size > MAX_TERMS; least++) {
      for (const [name, count] of this.used) if (count <= least) this.used.delete(name);
    }
  }
}

/** What counting a message's terms, and looking up a term, takes beside reading so many characters. */
const MESSAGE_CHARS = 100;
const TERM_CHARS = 2;
