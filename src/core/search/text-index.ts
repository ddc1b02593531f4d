import type { KeyEventKind } from '../model/key-event.ts';
import type { Yielder } from '../pace/yielder.ts';
import { runSynchronously, runYielding, type Steps } from '../pace/steps.ts';
import { copiedSlice } from '../text/copied-slice.ts';
import { isOutputOrCodeLine, lineSteps } from '../text/lines.ts';
import { markPastedCode } from '../text/pasted-code.ts';
import { passagesOf, visitWords } from '../text/words.ts';
import {
  CODE_WEIGHT,
  COVERAGE_SHARE,
  KIND_TERM_SHARE,
  KIND_TERM_WEIGHT,
  matchSimilarity,
  rarityOf,
  termScore,
} from './ranking.ts';
import { parseQuery, SYNONYM_WEIGHT, type QueryTerm } from './query.ts';

export interface IndexedTextProperties {
  /** The kind of text, such as 'message', 'event', or 'summary', by which searches can be restricted. */
  readonly kind?: string;
  /** The kind of key event, which gets a higher score if the query asks for it. */
  readonly about?: KeyEventKind;
  /** Factor for the text's scores; default 1. */
  readonly weight?: number;
  /** Whether code and output in the text have a lower weight than its prose. */
  readonly discountsCode?: boolean;
}

export interface SearchOptions {
  /** Maximum number of hits; default 10. */
  readonly limit?: number;
  readonly kinds?: readonly string[];
  /** Excludes texts for which it returns false. */
  readonly accepts?: (id: string) => boolean;
}

export interface SearchHit {
  readonly id: string;
  /** Only comparable within one search. */
  readonly score: number;
}

interface Entry {
  readonly id: string;
  readonly properties: IndexedTextProperties;
  /** Increases with each added text. */
  readonly order: number;
  /** A text isn't found until it's completely added. Postings of removed texts are dropped later. */
  state: 'adding' | 'found' | 'removed';
}

interface Passage {
  readonly entry: Entry;
  readonly weight: number;
  /** Number of words. */
  readonly length: number;
}

/** An entry's match with the query terms that were processed so far. */
interface Match {
  score: number;
  /** Summed rarity of the words that it contains. */
  covered: number;
  /** Whether it contains a query word that only names a kind of event, such as "choose" (`QueryTerm.isKindTerm`). */
  hasKindTerm: boolean;
}

/** A posting is one integer: passage × 64 + occurrences. More than 63 occurrences hardly change a score. */
const PASSAGE_UNIT = 64;

/** Factor for key events of the kind that the query asks for. */
const ASKED_WEIGHT = 1.5;

/** Minimum number of removed texts at which compacting is worth it. */
const MIN_COMPACTED = 64;

/** A ranked full-text index: BM25 over words of any script, parts of identifiers, prefixes, and typos. */
export class TextIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #postings = new Map<string, number[]>();
  /** The indexed words by their first letter, to find prefixes and typos. */
  readonly #byInitial = new Map<string, string[]>();
  readonly #passages = new Map<number, Passage>();
  #totalLength = 0;
  #nextPassage = 0;
  /** Number of removed texts whose postings still exist. */
  #removed = 0;

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  ids(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Adds a text, or replaces the one with the same ID. */
  add(id: string, text: string, properties: IndexedTextProperties = {}): void {
    runSynchronously(this.#addSteps(id, text, properties));
  }

  /** Like `add`, but yields between passages. Until it's done, the previous text with this ID stays searchable. */
  addYielding(id: string, text: string, properties: IndexedTextProperties, yielder: Yielder): Promise<void> {
    return runYielding(this.#addSteps(id, text, properties), yielder);
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    entry.state = 'removed';
    if (++this.#removed >= Math.max(MIN_COMPACTED, this.size)) this.#compact();
  }

  /** The best hits for a query, best first; among equals, the newest first. */
  search(query: string, { limit = 10, kinds, accepts }: SearchOptions = {}): readonly SearchHit[] {
    const { terms, kinds: askedKinds } = parseQuery(query);
    const matches = new Map<Entry, Match>();
    let total = 0;
    for (const term of terms) {
      const scores = this.#scores(term);
      const rarity = term.isKindTerm ? 0 : rarityOf(scores.size, this.size);
      total += rarity;
      for (const [entry, score] of scores) {
        const match = matches.get(entry) ?? { score: 0, covered: 0, hasKindTerm: false };
        match.score += score * (term.isKindTerm ? KIND_TERM_SHARE : 1);
        match.covered += rarity;
        match.hasKindTerm ||= term.isKindTerm;
        matches.set(entry, match);
      }
    }
    const scoreOf = ({ properties }: Entry, { score, covered, hasKindTerm }: Match): number => {
      const isAsked = properties.about !== undefined && askedKinds.has(properties.about);
      const factor = (isAsked ? ASKED_WEIGHT : 1) * (hasKindTerm && covered > 0 ? KIND_TERM_WEIGHT : 1);
      return score * (1 - COVERAGE_SHARE + (COVERAGE_SHARE * covered) / total) * factor * (properties.weight ?? 1);
    };
    const ranked = [...matches]
      .filter(([{ properties }]) => kinds?.includes(properties.kind ?? '') !== false)
      .map(([entry, match]) => ({ entry, score: scoreOf(entry, match) }))
      .sort((a, b) => b.score - a.score || b.entry.order - a.entry.order);
    const hits: SearchHit[] = [];
    for (const { entry, score } of ranked) {
      if (hits.length === limit) break;
      if (accepts?.(entry.id) !== false) hits.push({ id: entry.id, score });
    }
    return hits;
  }

  *#addSteps(id: string, text: string, properties: IndexedTextProperties): Steps<void> {
    const entry: Entry = { id, properties, order: this.#nextPassage, state: 'adding' };
    try {
      const parts = properties.discountsCode === true ? yield* proseAndCode(text) : [{ text, weight: 1 }];
      for (const part of parts)
        for (const passage of passagesOf(part.text)) {
          this.#addPassage(entry, passage, part.weight);
          yield;
        }
      this.remove(id);
      entry.state = 'found';
      this.#entries.set(id, entry);
    } finally {
      // The caller canceled between two steps.
      if (entry.state === 'adding') entry.state = 'removed';
    }
  }

  #addPassage(entry: Entry, text: string, weight: number): void {
    const passage = this.#nextPassage++;
    const occurrences = new Map<string, number>();
    let length = 0;
    visitWords(text, (word) => {
      occurrences.set(word, (occurrences.get(word) ?? 0) + 1);
      length++;
    });
    for (const [word, times] of occurrences) {
      const posting = passage * PASSAGE_UNIT + Math.min(times, PASSAGE_UNIT - 1);
      const list = this.#postings.get(word);
      if (list) list.push(posting);
      else this.#addWord(copiedSlice(word), [posting]);
    }
    this.#passages.set(passage, { entry, length, weight });
    this.#totalLength += length;
  }

  #addWord(word: string, postings: number[]): void {
    this.#postings.set(word, postings);
    const sameInitial = this.#byInitial.get(word[0]!);
    if (sameInitial) sameInitial.push(word);
    else this.#byInitial.set(word[0]!, [word]);
  }

  /** For each text, the score of its best passage with the term, a synonym, or a similar word. */
  #scores({ term, synonyms }: QueryTerm): ReadonlyMap<Entry, number> {
    const best = new Map<Entry, number>();
    const rarity = this.#rarity(term);
    this.#score(term, rarity, best);
    for (const synonym of synonyms) this.#score(synonym, SYNONYM_WEIGHT * this.#rarity(synonym), best);
    for (const word of this.#byInitial.get(term[0]!) ?? []) {
      const near = word === term ? 0 : matchSimilarity(term, word);
      if (near > 0) this.#score(word, near * Math.min(this.#rarity(word), rarity), best);
    }
    return best;
  }

  #score(word: string, weight: number, best: Map<Entry, number>): void {
    const average = this.#totalLength / this.#passages.size;
    for (const posting of this.#postings.get(word) ?? []) {
      const { entry, length, weight: share } = this.#passages.get(Math.floor(posting / PASSAGE_UNIT))!;
      if (entry.state !== 'found') continue;
      const times = posting % PASSAGE_UNIT;
      const score = share * termScore(weight, times, length, average);
      if (score > (best.get(entry) ?? 0)) best.set(entry, score);
    }
  }

  #rarity(word: string): number {
    return rarityOf(this.#postings.get(word)?.length ?? 0, this.#passages.size);
  }

  /** Drops the postings of removed texts once they are the majority. */
  #compact(): void {
    this.#removed = 0;
    for (const [number, { entry, length }] of this.#passages) {
      if (entry.state !== 'removed') continue;
      this.#passages.delete(number);
      this.#totalLength -= length;
    }
    this.#byInitial.clear();
    for (const [word, postings] of this.#postings) {
      const kept = postings.filter((posting) => this.#passages.has(Math.floor(posting / PASSAGE_UNIT)));
      if (kept.length > 0) this.#addWord(word, kept);
      else this.#postings.delete(word);
    }
  }
}

/** The text's prose, and its code and output, with their weights. */
function* proseAndCode(text: string): Steps<readonly { readonly text: string; readonly weight: number }[]> {
  const lines = yield* lineSteps(text, { tool: false });
  yield* markPastedCode(text, lines);
  const joined = (isCode: boolean): string =>
    // Each with its list marker or line number, which precede `start`.
    lines
      .flatMap(({ kind, end }, at) =>
        isOutputOrCodeLine(kind) === isCode ? [text.slice(lines[at - 1]?.end ?? 0, end)] : [],
      )
      .join('');
  return [
    { text: joined(false), weight: 1 },
    { text: joined(true), weight: CODE_WEIGHT },
  ];
}
