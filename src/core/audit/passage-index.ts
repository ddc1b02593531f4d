import { SentenceIndex, type SourceSentence } from './sentence-index.ts';
import type { StatementTerm } from './statement-terms.ts';

/** How much a term counts that stands so many sentences from a passage's middle. */
const DECAY = [1, 0.9, 0.75, 0.6] as const;
/** The same where it matters which of two neighbours speaks. */
const SHARP = [1, 0.6, 0.4, 0.2] as const;
const RADIUS = DECAY.length - 1;
/** An anchor that stands this far from a passage's middle, in sentences, stands in it. */
const BESIDE = 2;
/** A term held by more sentences tells nothing about where a statement comes from. */
const MOST_PLACES = 600;
const MOST_PASSAGES = 60;
/** Passages read for a term that many sentences hold. */
const MOST_READ = 200;
/** Passages named for a statement. */
const MOST_SOURCES = 3;
/** A passage that holds so much less than the closest is no source. */
const NEAR = 0.7;

/** A sentence and those around it. */
export interface Passage {
  /** The sentence in its middle. */
  readonly at: number;
  /** Weight of the terms that it holds, less for those farther from its middle. */
  readonly held: number;
}

type Counts = (sentence: SourceSentence) => boolean;
const always: Counts = () => true;

const byHeld = (one: Passage, other: Passage): number => other.held - one.held || other.at - one.at;

/** The passages of messages that hold a statement's terms. A look-up costs what its rarer terms cost. */
export class PassageIndex extends SentenceIndex {
  /** The best passages of a statement's terms. */
  private readonly best = new WeakMap<readonly StatementTerm[], readonly Passage[]>();

  /** The passages that hold most of the terms, the best first; `counts` says which sentences are read. */
  passages(terms: readonly StatementTerm[], most = MOST_PASSAGES, counts = always): Passage[] {
    const scores = new Map<number, number>();
    for (const { term, places } of this.telling(terms)) {
      const own = new Map<number, number>();
      for (const at of places) {
        const credit = counts(this.sentences[at]!) ? this.creditIn(term, at) : 0;
        if (credit === 0) continue;
        for (let near = Math.max(0, at - RADIUS); near <= at + RADIUS; near++) {
          const value = credit * DECAY[Math.abs(near - at)]!;
          if (value > (own.get(near) ?? 0)) own.set(near, value);
        }
      }
      for (const [at, value] of own) scores.set(at, (scores.get(at) ?? 0) + value * this.weight(term));
    }
    return [...scores]
      .filter(([at]) => at < this.sentences.length)
      .sort(([a, x], [b, y]) => y - x || b - a)
      .slice(0, most * 3)
      .map(([at]) => ({ at, held: this.held(terms, at, DECAY, counts) }))
      .sort(byHeld)
      .slice(0, most);
  }

  /** The terms that tell where to look; where all are worn, the newest places of the rarest. */
  private telling(terms: readonly StatementTerm[]): { term: StatementTerm; places: readonly number[] }[] {
    const all = terms.map((term) => ({ term, places: this.placesOf(term) })).filter(({ places }) => places.length > 0);
    const rare = all.filter(({ term }) => this.count(term) <= MOST_PLACES);
    if (rare.length > 0 || all.length === 0) return rare;
    const rarest = all.reduce((one, other) => (other.places.length < one.places.length ? other : one));
    return [{ term: rarest.term, places: rarest.places.slice(-MOST_PLACES) }];
  }

  private held(
    terms: readonly StatementTerm[],
    at: number,
    decays: readonly number[] = DECAY,
    counts = always,
  ): number {
    let held = 0;
    for (const term of terms) {
      let most = 0;
      for (let near = at - RADIUS; near <= at + RADIUS; near++) {
        const decay = decays[Math.abs(near - at)]!;
        const sentence = this.sentences[near];
        if (decay > most && sentence && counts(sentence)) most = Math.max(most, decay * this.creditIn(term, near));
      }
      held += most * this.weight(term);
    }
    return held;
  }

  /** The most that a passage holds of the terms. */
  mostOf(terms: readonly StatementTerm[], counts?: Counts): number {
    const [best] = counts ? this.passages(terms, MOST_READ, counts) : this.passages(terms, MOST_SOURCES * 3);
    return best?.held ?? 0;
  }

  /** What a sentence holds of the terms, its neighbours counting little. */
  heldSharply(terms: readonly StatementTerm[], at: number): number {
    return this.held(terms, at, SHARP);
  }

  /** Where a term stands, with what of a statement's others stands around it, the most first. */
  placesBeside(term: StatementTerm, terms: readonly StatementTerm[]): Passage[] {
    const places = this.placesAmong(term, terms, MOST_READ, (at) => this.creditIn(term, at) > 0);
    const others = terms.filter((other) => other !== term);
    return places.map((at) => ({ at, held: this.heldSharply(others, at) })).sort(byHeld);
  }

  /** The most of a statement's other terms that stand around one. */
  mostBeside(term: StatementTerm, terms: readonly StatementTerm[]): number {
    const others = terms.filter((other) => other !== term);
    const stands = (at: number): boolean => {
      for (let near = at - BESIDE; near <= at + BESIDE; near++) if (this.creditIn(term, near) > 0) return true;
      return false;
    };
    let most = 0;
    for (const at of this.placesAmong(term, terms, MOST_PLACES, stands)) most = Math.max(most, this.held(others, at));
    return most;
  }

  /** Where a term stands; only among the best passages of all terms where it stands in more places. */
  private placesAmong(
    term: StatementTerm,
    terms: readonly StatementTerm[],
    most: number,
    stands: (at: number) => boolean,
  ): readonly number[] {
    const places = this.placesOf(term);
    if (places.length <= most) return places;
    let best = this.best.get(terms);
    if (best === undefined) {
      best = this.passages(terms, MOST_READ);
      this.best.set(terms, best);
    }
    return best.map(({ at }) => at).filter(stands);
  }

  /** The passages among the best that are no neighbours of one another, and all sentences in and beside them. */
  sources(ranked: readonly Passage[]): { readonly passages: readonly Passage[]; readonly near: string } {
    const passages: Passage[] = [];
    const texts = new Set<string>();
    for (const passage of ranked) {
      if (passage.held < ranked[0]!.held * NEAR || passages.length >= MOST_SOURCES) break;
      if (passages.some(({ at }) => Math.abs(at - passage.at) <= 1)) continue;
      passages.push(passage);
      for (const { text } of this.around(passage.at)) texts.add(text);
    }
    return { passages, near: [...texts].join('\n') };
  }

  /** A sentence and its neighbours. */
  around(at: number): readonly SourceSentence[] {
    return this.sentences.slice(Math.max(0, at - 1), at + 2);
  }
}
