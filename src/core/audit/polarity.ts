import { denies, deniesSoftly } from './denials.ts';
import { saysOpposite } from './opposites.ts';
import type { Passage, PassageIndex } from './passage-index.ts';
import { spokenWords, type SpokenWord } from './spoken-words.ts';
import type { StatementTerm } from './statement-terms.ts';

/** What holds so much less of a statement than the closest does not tell what is denied. */
const CLOSE = 0.85;
/** Of the closest mentions, by what they hold, so many must deny what a statement affirms. */
const MOST = 0.75;
/** What stands around a mention must hold so much of the statement to speak of the same, by weight. */
const SAME = 0.25;
/** What the closest sentence that denies something must hold, of what the closest that does not holds. */
const ECHO = 0.83;
/** So many sentences that hold a term are read closely. */
const MOST_READ = 12;
/** A question, a row of a table: they tell neither. */
const TELLS_NEITHER = /[?？]\s*$|^\s*[|│║]/;

/** A place where a source speaks of a term, with what of the statement stands in its clause and around it. */
interface Mention {
  readonly held: number;
  readonly denied: boolean;
}

/**
 * Whether a statement denies what the sentences closest to it affirm, or the other way round; `passages` are its best.
 * Each word is looked up by itself: the sentence that speaks of it most closely need not be the statement's closest.
 */
export function denialDiffers(
  text: string,
  terms: readonly StatementTerm[],
  passages: readonly Passage[],
  index: PassageIndex,
): boolean {
  if (denies(text)) return deniesAlone(terms, passages, index);
  const said = spokenWords(text);
  return terms.some((term) => {
    const word = said.find(({ start }) => Math.abs(start - term.start) <= 1);
    if (word === undefined || word.within) return false;
    const rest = terms.filter((other) => other !== term);
    const known = rest.filter((other) => index.count(other) > 0);
    const mentions = mentionsOf(term, rest, index);
    const most = Math.max(0, ...mentions.map(({ held }) => held));
    if (most < SAME * known.reduce((sum, other) => sum + index.weight(other), 0)) return false;
    const closest = mentions.filter(({ held }) => held >= CLOSE * most);
    return heldBy(closest.filter(({ denied }) => denied)) > MOST * heldBy(closest);
  });
}

const heldBy = (mentions: readonly Mention[]): number => mentions.reduce((sum, { held }) => sum + held, 0);

function mentionsOf(term: StatementTerm, rest: readonly StatementTerm[], index: PassageIndex): Mention[] {
  const places = index.placesBeside(term, rest).slice(0, MOST_READ);
  return places.flatMap(({ at, held: around }) => {
    if (TELLS_NEITHER.test(index.sentences[at]!.text)) return [];
    const words = wordsAt(at, index);
    const spoken = words.filter(({ keys, open }) => !open && isAmong(term, keys));
    return spoken.map(({ clause, denied }) => {
      const beside = words.filter((word) => word.clause === clause);
      const held = rest.filter((other) => beside.some(({ keys }) => isAmong(other, keys)));
      return { held: (around + held.reduce((sum, other) => sum + index.weight(other), 0)) / 2, denied };
    });
  });
}

const isAmong = (term: StatementTerm, keys: ReadonlySet<string>): boolean => term.keys.some(([key]) => keys.has(key));

const read = new WeakMap<PassageIndex, Map<number, SpokenWord[]>>();

/** The words of a source's sentence; each is read once, however many statements ask for it. */
function wordsAt(at: number, index: PassageIndex): SpokenWord[] {
  const known = read.get(index) ?? new Map<number, SpokenWord[]>();
  read.set(index, known);
  let words = known.get(at);
  if (words === undefined) {
    words = spokenWords(index.sentences[at]!.text);
    known.set(at, words);
  }
  return words;
}

/** Whether a statement that denies something is told by sentences that deny nothing. */
function deniesAlone(terms: readonly StatementTerm[], passages: readonly Passage[], index: PassageIndex): boolean {
  let denying = 0;
  let affirming = 0;
  const places = new Set(passages.flatMap(({ at }) => [at - 1, at, at + 1]));
  for (const at of places) {
    const sentence = index.sentences[at]?.text;
    if (sentence === undefined) continue;
    const held = index.heldSharply(terms, at);
    if (denies(sentence) || deniesSoftly(sentence)) denying = Math.max(denying, held);
    else affirming = Math.max(affirming, held);
  }
  return denying < ECHO * affirming;
}

/** Whether a statement has the opposite of a word that one of its closest sources has, and none has the word. */
export function meansOpposite(text: string, passages: readonly Passage[], index: PassageIndex): boolean {
  const denied = denies(text);
  const best = passages[0]?.held ?? 0;
  const near = passages.flatMap(({ at }) => index.around(at)).map((sentence) => sentence.text);
  return passages.some(({ at, held }) => {
    const sentence = index.sentences[at]!.text;
    return held >= CLOSE * best && saysOpposite(text, sentence, near.join('\n'), denies(sentence) === denied);
  });
}
