import type { KeyEventKind } from '../model/key-event.ts';
import type { Breather } from '../pace/breather.ts';
import { atOnce, resting, type Steps } from '../pace/steps.ts';
import { nearness } from './near-terms.ts';
import { Postings } from './postings.ts';
import { readQuery, SYNONYM_WEIGHT } from './query.ts';
import { matchedTerms, TermAnswers } from './term-answers.ts';
import { visitTerms } from './terms.ts';

/** What is known of a text beside its words. */
export interface IndexedAs {
  /** What it is, for a search within one kind: 'message', 'event', 'summary'. */
  readonly kind?: string;
  /** The kind of key event that it is; a query that asks about such events favours it. */
  readonly about?: KeyEventKind;
  /** Multiplies its scores; 1 unless given. */
  readonly weight?: number;
}

export interface SearchOptions {
  /** At most this many hits; 10 unless given. */
  readonly limit?: number;
  readonly kinds?: readonly string[];
  /** Leaves out what it refuses. */
  readonly accepts?: (id: string) => boolean;
}

export interface SearchHit {
  readonly id: string;
  /** Comparable within one search only. */
  readonly score: number;
  /** The indexed terms that matched, best first. */
  readonly terms: readonly string[];
}

interface Entry {
  readonly id: string;
  readonly kind: string | undefined;
  readonly about: KeyEventKind | undefined;
  readonly weight: number;
  length: number;
  /** False while it is being added and once it is removed. */
  alive: boolean;
}

/** Saturation of repeated terms and normalization by length: Lucene's defaults (Robertson & Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;

/** So much of the score goes by how much of the query matched at all, so that one frequent word cannot win alone. */
const COVERAGE_SHARE = 0.6;

/**
 * A word that says how something was said and not what ("choose") adds little by itself, and without the thing itself
 * next to nothing, since most of the score goes by what of the query was covered. Beside the thing it lifts the whole:
 * "we decided on X" before "X is fast".
 */
const MANNER_SHARE = 0.2;
const MANNER_WEIGHT = 1.6;

/** What a key event of the kind that is asked about gains. */
const ASKED_WEIGHT = 1.5;

/** A step of indexing takes a few milliseconds: as many characters read, or terms filed. */
const STEP_CHARS = 3000;

/** Below this many entries the removed ones are no burden. */
const LEAST_TO_COMPACT = 64;

/**
 * The one ranked full-text index: BM25 over words of any script, parts of identifiers, prefixes and slips. Adding
 * costs the same however much is indexed; removing only marks, until half of the entries are gone.
 */
export class TextIndex {
  private entries: Entry[] = [];
  private readonly byId = new Map<string, number>();
  private readonly postings = new Postings();
  private totalLength = 0;
  private unfinished = 0;

  /** How many texts can be found. */
  get size(): number {
    return this.byId.size;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** Adds a text, in place of what stood under its id. */
  add(id: string, text: string, as: IndexedAs = {}): void {
    atOnce(this.addSteps(id, text, as, text.length));
  }

  /**
   * As `add`, resting between steps when it is due. Until it is done the text is not found, and what stood under its
   * id is.
   */
  addResting(id: string, text: string, as: IndexedAs, breather: Breather): Promise<void> {
    // Should the wait be cancelled, the half-added entry stays dead and may be compacted away.
    return resting(this.addSteps(id, text, as, STEP_CHARS), breather);
  }

  remove(id: string): void {
    const at = this.byId.get(id);
    if (at === undefined) return;
    const entry = this.entries[at]!;
    entry.alive = false;
    this.totalLength -= entry.length;
    this.byId.delete(id);
    this.compactIfHalfEmpty();
  }

  /** The texts that answer a query best, best first; of equals the latest added. */
  search(query: string, options: SearchOptions = {}): readonly SearchHit[] {
    const { limit = 10, kinds, accepts } = options;
    const { sought, kinds: asked } = readQuery(query);
    const scores = new Float64Array(this.entries.length);
    const covered = new Float64Array(this.entries.length);
    const isSaidSo = new Uint8Array(this.entries.length);
    const found: number[] = [];
    const answers: TermAnswers[] = [];
    let total = 0;
    for (const { term, synonyms, isManner } of sought) {
      const answer = this.answersTo(term, synonyms);
      answers.push(answer);
      const rarity = isManner ? 0 : this.rarity(term);
      total += rarity;
      for (const at of answer.entries) {
        if (scores[at] === 0) found.push(at);
        scores[at]! += answer.best(at) * (isManner ? MANNER_SHARE : 1);
        covered[at]! += rarity;
        if (isManner) isSaidSo[at] = 1;
      }
    }
    for (const at of found) {
      const { about, weight } = this.entries[at]!;
      const coverage = 1 - COVERAGE_SHARE + COVERAGE_SHARE * (covered[at]! / total);
      const isAsked = about !== undefined && asked.has(about);
      const favour = isAsked ? ASKED_WEIGHT : isSaidSo[at] === 1 && covered[at]! > 0 ? MANNER_WEIGHT : 1;
      scores[at] = scores[at]! * coverage * weight * favour;
    }
    found.sort((a, b) => scores[b]! - scores[a]! || b - a);
    const hits: SearchHit[] = [];
    for (const at of found) {
      if (hits.length === limit) break;
      const { id, kind } = this.entries[at]!;
      if (kinds !== undefined && (kind === undefined || !kinds.includes(kind))) continue;
      if (accepts !== undefined && !accepts(id)) continue;
      hits.push({ id, score: scores[at]!, terms: matchedTerms(answers, at) });
    }
    return hits;
  }

  private *addSteps(id: string, text: string, as: IndexedAs, stepChars: number): Steps<void> {
    const occurrences = new Map<string, number>();
    for (let from = 0; from < text.length;) {
      const to = cutAfter(text, from + stepChars);
      visitTerms(text, (term) => occurrences.set(term, (occurrences.get(term) ?? 0) + 1), from, to);
      from = to;
      if (from < text.length) yield;
    }
    const at = this.entries.length;
    const entry: Entry = { id, kind: as.kind, about: as.about, weight: as.weight ?? 1, length: 0, alive: false };
    this.entries.push(entry);
    this.unfinished++;
    try {
      let posted = 0;
      for (const [term, times] of occurrences) {
        entry.length += times;
        this.postings.add(term, at, times);
        if (++posted % stepChars === 0) yield;
      }
      this.remove(id);
    } finally {
      this.unfinished--;
    }
    entry.alive = true;
    this.byId.set(id, at);
    this.totalLength += entry.length;
  }

  /** For each entry that has the term, one near to it or another word for it: the best score among those. */
  private answersTo(sought: string, synonyms: readonly string[]): TermAnswers {
    const answers = new TermAnswers(this.entries.length);
    for (const term of this.postings.beginningLike(sought)) {
      const near = nearness(sought, term);
      if (near === 0) continue;
      const rarity = Math.min(this.rarity(term), near === 1 ? Infinity : this.rarity(sought));
      this.score(term, near * rarity, answers);
    }
    for (const term of synonyms) this.score(term, SYNONYM_WEIGHT * this.rarity(term), answers);
    return answers;
  }

  private score(term: string, worth: number, answers: TermAnswers): void {
    const average = this.totalLength / Math.max(1, this.byId.size);
    answers.begin(term);
    this.postings.each(term, (at, times) => {
      const entry = this.entries[at]!;
      if (!entry.alive) return;
      const saturated = (times * (K1 + 1)) / (times + K1 * (1 - B + (B * entry.length) / average));
      answers.add(at, worth * saturated);
    });
  }

  /** Inverse document frequency, never negative. What was removed still counts until the next compaction. */
  private rarity(term: string): number {
    const holding = this.postings.holding(term);
    return Math.log(1 + (Math.max(this.entries.length, holding) - holding + 0.5) / (holding + 0.5));
  }

  /** Drops what was removed. Not while a text is being added, whose postings would lose their entry. */
  private compactIfHalfEmpty(): void {
    if (this.unfinished > 0 || this.entries.length < LEAST_TO_COMPACT || this.byId.size > this.entries.length / 2)
      return;
    const moved = new Int32Array(this.entries.length).fill(-1);
    const alive: Entry[] = [];
    this.entries.forEach((entry, at) => {
      if (!entry.alive) return;
      moved[at] = alive.length;
      this.byId.set(entry.id, alive.length);
      alive.push(entry);
    });
    this.entries = alive;
    this.postings.renumber(moved);
  }
}

/** The first white space from an offset on, so that no word is cut; far off, the offset itself. */
function cutAfter(text: string, offset: number): number {
  const end = Math.min(text.length, offset + 1000);
  for (let at = offset; at < end; at++) if (/\s/.test(text[at]!)) return at;
  return Math.min(text.length, offset);
}
