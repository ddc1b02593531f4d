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
function leastAround(anchor: StatementTerm, index: PassageIndex): number {
  if (index.sentences.length < SHORT) return 0.76;
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

/** Whether an anchor of a statement stands in the messages, near what else the statement speaks of. */
export function anchorHolds(anchor: StatementTerm, terms: readonly StatementTerm[], index: PassageIndex): boolean {
  if (index.count(anchor) === 0) return !/\p{L}|\d/u.test(anchor.text);
  const rest = terms.filter((term) => term !== anchor);
  const most = index.mostOf(rest);
  return most === 0 || index.mostBeside(anchor, rest) >= leastAround(anchor, index) * most;
}

/** From here on a word that nobody knows is one put in another's place. */
const CLOSE_SHARE = 0.8;

/** Whether a statement that is otherwise told closely starts with a capitalized word that stands nowhere. */
export function opensWithStranger(text: string, terms: readonly StatementTerm[], index: PassageIndex): boolean {
  const [first, ...rest] = terms;
  if (first?.kind !== 'word' || first.start > 0 || !/^\p{Lu}[\p{L}\p{N}]{2,} /u.test(text)) return false;
  if (index.count(first) > 0) return false;
  const total = rest.reduce((sum, term) => sum + index.weight(term), 0);
  return index.mostOf(rest) >= CLOSE_SHARE * total;
}
