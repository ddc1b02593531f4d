import { denialsIn, denies } from './denials.ts';
import type { Nearness } from './nearness.ts';
import type { PassageIndex } from './passage-index.ts';
import { spokenWords, type SpokenWord } from './spoken-words.ts';
import type { StatementTerm } from './statement-terms.ts';

/** What holds so much less of a statement than the closest does not tell what is denied. */
const CLOSE = 0.85;
/** Of the closest mentions, by what they hold, so many must deny what a statement affirms. */
const MOST = 0.75;
/** What stands around a mention must hold so much of the statement to speak of the same, by weight. */
const SAME = 0.25;
/** So many sentences that hold a term are read closely. */
const MOST_READ = 12;
/** A question, a row of a table: they tell neither. */
const TELLS_NEITHER = /[?？]\s*$|^\s*[|│║]/;

/** A place where a source speaks of a term, with what of the statement stands in its clause and around it. */
interface Mention {
  readonly held: number;
  readonly denied: boolean;
}

/** From here on a sentence with the opposite of a word, and below that none with the word, tells the opposite. */
const OPPOSED = 0.9;
const OPPOSED_OWN = 0.7;

/** Whether the messages have the opposite of a word where the statement has the word. */
export function isOpposed(term: StatementTerm, nearness: Nearness): boolean {
  const { opposite, own } = nearness.opposed(term);
  return opposite >= OPPOSED && own <= OPPOSED_OWN;
}

/** What denies something must stand so near to what a statement denies, where that much of it stands anywhere. */
const DENIED = 0.65;
const DENIED_COVER = 0.4;

/** Whether a statement denies something that no sentence near it denies. */
export function denialMissing(text: string, nearness: Nearness): boolean {
  return denialsIn(text).some(({ start }) => {
    const { share, cover } = nearness.around(start, (sentence) => denies(sentence.text));
    return share <= DENIED && cover >= DENIED_COVER;
  });
}

/**
 * Whether the sentences closest to something that a statement affirms deny it. Each word is looked up by itself: the
 * sentence that speaks of it most closely need not be the statement's closest.
 */
export function affirmationMissing(text: string, terms: readonly StatementTerm[], index: PassageIndex): boolean {
  const said = spokenWords(text);
  return terms.some((term) => {
    const word = said.find(({ start }) => Math.abs(start - term.start) <= 1);
    if (word === undefined || word.within) return false;
    const rest = terms.filter((other) => other !== term);
    const known = rest.filter((other) => index.count(other) > 0);
    const mentions = mentionsOf(term, terms, rest, index);
    const most = Math.max(0, ...mentions.map(({ held }) => held));
    if (most < SAME * known.reduce((sum, other) => sum + index.weight(other), 0)) return false;
    const closest = mentions.filter(({ held }) => held >= CLOSE * most);
    return heldBy(closest.filter(({ denied }) => denied)) > MOST * heldBy(closest);
  });
}

const heldBy = (mentions: readonly Mention[]): number => mentions.reduce((sum, { held }) => sum + held, 0);

function mentionsOf(
  term: StatementTerm,
  terms: readonly StatementTerm[],
  rest: readonly StatementTerm[],
  index: PassageIndex,
): Mention[] {
  const places = index.placesBeside(term, terms).slice(0, MOST_READ);
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
