import { TermCursor, type TermKind } from '../compress/terms.ts';
import { clauseEnds, denialsIn, deniesSoftly } from './denials.ts';
import { identifierKey, isHyphenated, keysOfTerm } from './term-keys.ts';

/** A word of a sentence, with whether it is denied. */
export interface SpokenWord {
  readonly keys: ReadonlySet<string>;
  /** UTF-16 offset into its sentence. */
  readonly start: number;
  /** Which clause of the sentence it stands in. */
  readonly clause: number;
  /** It is the first thing that a denial denies. */
  readonly denied: boolean;
  /** Its clause denies something, in whatever way. */
  readonly within: boolean;
  /** Nothing is said of whether it is so. */
  readonly open: boolean;
}

/** A denial reaches so far, in UTF-16 units. */
const REACH = 28;
/** What stands behind such a word may be so or not. */
const OPEN = /\b(?:if|whether|ob|falls|wenn|si|caso)\b/i;

interface Word {
  readonly keys: ReadonlySet<string>;
  readonly start: number;
  readonly end: number;
}

/** The words of a sentence that mean something, in order. */
export function spokenWords(text: string): SpokenWord[] {
  const denials = denialsIn(text);
  const starts = [0, ...clauseEnds(text)];
  const clauseOf = (at: number): number => starts.findLastIndex((start) => start <= at);
  const soft = starts.map((start, nth) => deniesSoftly(text.slice(start, starts[nth + 1])));
  const words = wordsOf(text, denials);
  return words.map(({ keys, start, end }, nth) => {
    const clause = clauseOf(start);
    const near = denials.filter((denial) => clauseOf(denial.start) === clause);
    const denied = near.some((denial) => {
      if (denial.start >= end) return denial.follows && (words[nth + 1]?.start ?? text.length) >= denial.end;
      const first = words[nth - denial.reach]?.end ?? 0;
      return first <= denial.start && start - denial.end <= REACH;
    });
    const open = OPEN.test(text.slice(starts[clause], start));
    return { keys, start, clause, denied, within: near.length > 0 || soft[clause]!, open };
  });
}

function wordsOf(text: string, denials: ReturnType<typeof denialsIn>): Word[] {
  const words: Word[] = [];
  const term = new TermCursor(text, 0, text.length);
  while (term.next()) {
    const { kind, start, end } = term;
    const denial = denials.find((one) => start < one.end && end > one.start);
    // "Non-blocking" denies what follows the hyphen.
    const from = denial === undefined ? start : text[denial.end] === '-' ? denial.end + 1 : end;
    if (from >= end) continue;
    const keys =
      denial === undefined ? keysIn(kind, text.slice(start, end)) : keysOfTerm('word', text.slice(from, end));
    if (keys.size > 0) words.push({ keys, start: from, end });
  }
  return words;
}

function keysIn(kind: TermKind, written: string): ReadonlySet<string> {
  if (kind === 'number') return new Set([`#${written}`]);
  // The words that a name in code is made of affirm nothing.
  if (kind === 'identifier' && !isHyphenated(written)) return new Set([identifierKey(written)]);
  return keysOfTerm(kind, written);
}
