import type { Nearness } from './nearness.ts';
import type { PassageIndex } from './passage-index.ts';
import type { StatementTerm } from './statement-terms.ts';

/** Sentences; in a conversation so short everything stands near everything. */
const SHORT = 400;
/** What is said in more sentences is said often. */
const OFTEN = 30;

/**
 * What must stand around an anchor, of the most that stands together anywhere without it. Where an anchor was put in
 * another's place, something of the statement stands around it by chance: the more, the more often it is said, or the
 * shorter all is. Fitted to the statements in test/fixtures that are not held back.
 */
const LEAST = { number: 0.5, identifier: 0.5, name: 0.7, word: 0 } as const;

function leastAround(anchor: StatementTerm, index: PassageIndex): number {
  if (index.sentences.length < SHORT) return LEAST[anchor.kind];
  const often = Math.log(Math.max(1, index.count(anchor) / OFTEN));
  switch (anchor.kind) {
    case 'number':
      return Math.min(0.9, 0.5 + 0.11 * often);
    case 'name':
      return Math.min(0.75, 0.5 + 0.08 * often);
    default:
      return Math.min(0.6, 0.48 + 0.04 * often);
  }
}

/** From here on an anchor stands with its own neighbours on one side, another word with the statement's on both. */
const OWN_SLOT = 1;
const OTHERS_SLOT = 2;
/** A path or a name in code heads what is told of it: so near it must stand in the message. */
const HEADS = 0.7;

/** Whether an anchor of a statement stands in the messages, near what else the statement speaks of. */
export function anchorHolds(
  anchor: StatementTerm,
  terms: readonly StatementTerm[],
  nearness: Nearness,
  index: PassageIndex,
): boolean {
  if (index.count(anchor) === 0) return !/\p{L}|\d/u.test(anchor.text);
  const { sentence, message, slot } = nearness.of(anchor);
  if (slot.own >= OWN_SLOT) return true;
  if (slot.other >= OTHERS_SLOT && sentence < ALL) return false;
  if (anchor.kind === 'identifier' && message >= HEADS) return true;
  const least = leastAround(anchor, index);
  if (sentence >= least) return true;
  const rest = terms.filter((term) => term !== anchor);
  const most = index.mostOf(rest);
  return most === 0 || index.mostBeside(anchor, terms) >= least * most;
}

/** From here on an anchor stands with the rest in one sentence. */
const ALL = 0.8;

/** Behind it stand the two words that stand behind another in a sentence. */
const BESIDE_SLOT = 1.5;
/** Two anchors with more terms between them tell nothing of one another. */
const MOST_BETWEEN = 3;

/** Whether two anchors stand in one another's place: "A calls B", "from A to B". */
export function exchangesPlaces(text: string, terms: readonly StatementTerm[], nearness: Nearness): boolean {
  return terms.some((one, nth) => {
    if (one.kind === 'word') return false;
    const next = terms.slice(nth + 1, nth + 1 + MOST_BETWEEN).filter(({ kind }) => kind !== 'word');
    return next.some((other) => nearness.turned(one, other, text.slice(one.start + one.text.length, other.start)));
  });
}

/** From here on a word that nobody knows is one put in another's place. */
const CLOSE_SHARE = 0.8;

/** Whether a statement that is otherwise told closely starts with a capitalized word that stands nowhere. */
export function opensWithStranger(
  text: string,
  terms: readonly StatementTerm[],
  nearness: Nearness,
  index: PassageIndex,
): boolean {
  const [first, ...rest] = terms;
  if (first?.kind !== 'word' || first.start > 0 || !/^\p{Lu}[\p{L}\p{N}]{2,} /u.test(text)) return false;
  if (index.count(first) > 0 || nearness.of(first).slot.other < BESIDE_SLOT) return false;
  const total = rest.reduce((sum, term) => sum + index.weight(term), 0);
  return index.mostOf(rest) >= CLOSE_SHARE * total;
}
