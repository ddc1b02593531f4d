import { plain } from './closed-words.ts';
import { clauseEnds } from './denials.ts';
import { oppositesOf } from './opposites.ts';
import type { PassageIndex } from './passage-index.ts';
import type { SourceSentence } from './sentence-index.ts';
import { slotOf, wordsInOrder, type Slot, type WordsInOrder } from './slots.ts';
import type { StatementTerm } from './statement-terms.ts';

/** A term that stands so many terms farther off counts 1/e. */
const SPAN = 5;
/** What stands in another clause of the statement counts so much. */
const OTHER_CLAUSE = 0.5;
/** What stands in a neighbour of a sentence counts so much. */
const NEIGHBOUR = 0.5;
/** Sentences read closely: in and beside so many passages, and where each term stands nearest to the others. */
const MOST_PASSAGES = 40;
const MOST_OF_TERM = 10;
/** Sentences whose words are looked at one by one. */
const MOST_CLOSE = 14;
/** A sentence that holds less, of the most that one holds, is not looked at so. */
const CLOSE = 0.5;

/** How near to the rest of its statement the messages have a term; shares of the nearest that the rest stands without it. */
export interface Near {
  /** In one sentence, what stands close to the term in the statement counting most. */
  readonly sentence: number;
  /** In a message, or in the one before it: a path heads the listing that is spoken of. */
  readonly message: number;
  /** How well the neighbours on both sides stand around it, and around another word. */
  readonly slot: Slot;
}

interface Candidate {
  readonly at: number;
  readonly message: number;
  readonly text: string;
}

/** How near to one another the terms of a statement stand in the messages. */
export class Nearness {
  readonly #index: PassageIndex;
  readonly #terms: readonly StatementTerm[];
  readonly #candidates: readonly Candidate[];
  readonly #own: readonly Float64Array[];
  readonly #beside: readonly Float64Array[];
  readonly #clauses: readonly number[];
  readonly #words: WordsInOrder;

  constructor(text: string, terms: readonly StatementTerm[], index: PassageIndex) {
    this.#index = index;
    this.#terms = terms;
    this.#words = wordsInOrder(text);
    const ends = [...clauseEnds(text), ...Array.from(text.matchAll(/\s[→—–]\s/g), ({ index: at }) => at + 1)];
    this.#clauses = [0, ...ends].sort((a, b) => a - b);
    const places = new Set<number>();
    for (const { at } of index.passages(terms, MOST_PASSAGES))
      for (const near of [at - 1, at, at + 1]) places.add(near);
    for (const term of terms) {
      for (const { at } of index.placesBeside(term, terms).slice(0, MOST_OF_TERM)) places.add(at);
    }
    this.#candidates = [...places].flatMap((at) => {
      const sentence = index.sentences[at];
      return sentence ? [{ at, message: sentence.message, text: sentence.text }] : [];
    });
    const credits = (of: (at: number, term: StatementTerm) => number): Float64Array[] =>
      terms.map((term) => Float64Array.from(this.#candidates, ({ at }) => of(at, term)));
    this.#own = credits((at, term) => index.creditIn(term, at));
    this.#beside = credits((at, term) =>
      Math.max(
        index.creditIn(term, at),
        NEIGHBOUR * Math.max(index.creditIn(term, at - 1), index.creditIn(term, at + 1)),
      ),
    );
  }

  of(term: StatementTerm): Near {
    const scores = this.#scoresAround(term);
    const most = Math.max(0, ...scores);
    const own = this.#own[this.#terms.indexOf(term)]!;
    const messages = new Set(this.#index.placesOf(term).map((at) => this.#index.sentences[at]!.message));
    const heads = ({ message }: Candidate): boolean => messages.has(message) || messages.has(message - 1);
    let sentence = 0;
    let message = 0;
    for (const [c, candidate] of this.#candidates.entries()) {
      if (own[c]! > 0) sentence = Math.max(sentence, scores[c]!);
      if (heads(candidate)) message = Math.max(message, scores[c]!);
    }
    const share = (part: number): number => (most === 0 ? 1 : part / most);
    return { sentence: share(sentence), message: share(message), slot: this.#slotOf(term, scores, most) };
  }

  /** How near to the rest a sentence has the opposite of a term and not the term, and how near one has the term. */
  opposed(term: StatementTerm): { readonly opposite: number; readonly own: number } {
    const isOpposite = oppositesOf(term.text);
    if (isOpposite === undefined) return { opposite: 0, own: 1 };
    const scores = this.#scoresAround(term);
    const most = Math.max(0, ...scores);
    if (most === 0) return { opposite: 0, own: 1 };
    const own = this.#own[this.#terms.indexOf(term)]!;
    let opposite = 0;
    let mine = 0;
    for (const [c, { text }] of this.#candidates.entries()) {
      const score = scores[c]! / most;
      if (own[c]! > 0) mine = Math.max(mine, score);
      else if (score > opposite && isOpposite(text)) opposite = score;
    }
    return { opposite, own: mine };
  }

  /** How near to what stands around a place of the statement a sentence is that fulfils a condition. */
  around(
    start: number,
    fulfils: (sentence: SourceSentence) => boolean,
  ): { readonly share: number; readonly cover: number } {
    const { scores, total } = this.#scoresAt(start);
    const most = Math.max(0, ...scores);
    let nearest = 0;
    for (const [c, { at }] of this.#candidates.entries())
      if (scores[c]! > nearest && fulfils(this.#index.sentences[at]!)) nearest = scores[c]!;
    return { share: most === 0 ? 1 : nearest / most, cover: total === 0 ? 0 : most / total };
  }

  /**
   * Whether the sentences nearest to two terms have them the other way round, with a word of the statement between them
   * between them too: "A calls B", where the messages say that B calls A.
   */
  turned(one: StatementTerm, other: StatementTerm, between: string): boolean {
    const links = linksIn(between);
    if (links.size === 0) return false;
    const [first, second] = [one, other].map((term) => this.#own[this.#terms.indexOf(term)]!);
    const scores = this.#scoresAround(one);
    const most = Math.max(0, ...scores.filter((_, c) => first![c]! > 0 && second![c]! > 0));
    let turned = false;
    for (const [c, { text }] of this.#candidates.entries()) {
      if (first![c] === 0 || second![c] === 0 || scores[c]! < TURNED * most) continue;
      const [from, to] = [one, other].map((term) => placesOf(term.text, text));
      if (from!.length === 0 || to!.length === 0) continue;
      if (from!.some((a) => to!.some((b) => a < b))) return false;
      turned ||= from!.some((a) =>
        to!.some(
          (b) =>
            a - b < LONGEST_LINK && [...linksIn(text.slice(b + other.text.length, a))].some((link) => links.has(link)),
        ),
      );
    }
    return turned;
  }

  /** What each sentence holds of the terms but one, those close to a place in the statement counting most. */
  #scoresAt(start: number, without?: StatementTerm): { readonly scores: Float64Array; readonly total: number } {
    const scores = new Float64Array(this.#candidates.length);
    const place = this.#terms.filter((term) => term.start < start).length;
    const clause = this.#clauseAt(start);
    let total = 0;
    for (const [nth, term] of this.#terms.entries()) {
      if (term === without) continue;
      const near = Math.exp(-Math.abs(nth - place) / SPAN);
      const weight = this.#index.weight(term) * near * (this.#clauseAt(term.start) === clause ? 1 : OTHER_CLAUSE);
      total += weight;
      const credits = this.#beside[nth]!;
      for (let c = 0; c < scores.length; c++) scores[c]! += weight * credits[c]!;
    }
    return { scores, total };
  }

  #scoresAround(term: StatementTerm): Float64Array {
    return this.#scoresAt(term.start, term).scores;
  }

  #clauseAt(start: number): number {
    return this.#clauses.findLastIndex((from) => from <= start);
  }

  #slotOf(term: StatementTerm, scores: Float64Array, most: number): Slot {
    const close = [...scores.keys()].filter((c) => scores[c]! >= CLOSE * most);
    close.sort((a, b) => scores[b]! - scores[a]!);
    let own = 0;
    let other = 0;
    for (const c of close.slice(0, MOST_CLOSE)) {
      const slot = slotOf(this.#words, term.start, this.#candidates[c]!.text);
      own = Math.max(own, slot.own);
      other = Math.max(other, slot.other);
    }
    return { own, other };
  }
}

/** A sentence that holds less of what stands around two terms, of the most that one with both holds, is not looked at. */
const TURNED = 0.7;
const LONGEST_LINK = 60;
const NO_LINK = new Set(
  'and or the a an of in on e o a y la le der die und et for that which is are was were'.split(' '),
);

const linksIn = (text: string): Set<string> =>
  new Set((plain(text).match(/\p{L}+|→|->/gu) ?? []).filter((word) => !NO_LINK.has(word)));

function placesOf(term: string, text: string): number[] {
  const places: number[] = [];
  const [sought, whole] = [plain(term), plain(text)];
  for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + 1)) {
    if (!/[\p{L}\p{N}_]/u.test((whole[at - 1] ?? '') + (whole[at + sought.length] ?? ''))) places.push(at);
  }
  return places;
}
