/** Words shorter than this are only ever matched as they are. */
const SHORTEST_PREFIX = 3;
const SHORTEST_TYPO = 4;
/** From this length two slips are forgiven. */
const TWO_TYPOS = 9;

/** A prefix's match counts as much less as it leaves letters open; a misspelling counts this much. */
const PREFIX_WEIGHT = 0.7;
const TYPO_WEIGHT = 0.5;

/**
 * How well an indexed term answers a sought one: 1 for itself, less for one that begins with it or differs by a slip
 * of the keyboard (one edit, two in long words), 0 for no answer. Both begin with the same letters, by the caller.
 */
export function nearness(sought: string, term: string): number {
  if (sought === term) return 1;
  if (sought.length < SHORTEST_PREFIX) return 0;
  if (term.startsWith(sought)) return PREFIX_WEIGHT * Math.sqrt(sought.length / term.length);
  if (sought.length < SHORTEST_TYPO) return 0;
  // Numbers that differ are different things.
  if (/\d/.test(sought)) return 0;
  const allowed = sought.length >= TWO_TYPOS ? 2 : 1;
  return Math.abs(sought.length - term.length) <= allowed && isWithin(sought, term, allowed) ? TYPO_WEIGHT : 0;
}

/** Whether two words are at most `allowed` insertions, deletions or replacements apart (Levenshtein, cut off early). */
function isWithin(left: string, right: string, allowed: number): boolean {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  return differs(left, right, start, start, allowed);
}

function differs(left: string, right: string, i: number, j: number, allowed: number): boolean {
  while (i < left.length && j < right.length && left[i] === right[j]) {
    i++;
    j++;
  }
  if (i === left.length && j === right.length) return true;
  if (allowed === 0) return false;
  return (
    (i < left.length && differs(left, right, i + 1, j, allowed - 1)) ||
    (j < right.length && differs(left, right, i, j + 1, allowed - 1)) ||
    (i < left.length && j < right.length && differs(left, right, i + 1, j + 1, allowed - 1))
  );
}
