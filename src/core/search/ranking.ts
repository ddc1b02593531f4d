/** BM25 parameters for saturation and length normalization: Lucene's defaults (Robertson & Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;

/** BM25 score of a word that occurs `times` in a passage. Lengths are in words. */
export function termScore(weight: number, times: number, length: number, averageLength: number): number {
  return (weight * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / averageLength));
}

/** Share of the score that depends on how much of the query matches, so that one frequent word isn't enough. */
export const COVERAGE_SHARE = 0.8;

/** Weight of words in code and output, which repeat a question's words more often than they answer it. */
export const CODE_WEIGHT = 0.3;

/** Share of the score of a word that only names a kind of event ("choose"), which says little on its own. */
export const KIND_TERM_SHARE = 0.2;
/** Factor for a text with such a word and the subject: "we decided on X" ranks above "X is fast". */
export const KIND_TERM_WEIGHT = 1.6;

/** Inverse document frequency, at least 0. */
export function rarityOf(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

/** Minimum lengths of words for a prefix match, one typo, and two, in UTF-16 units. Others must match exactly. */
const MIN_PREFIX_LENGTH = 3;
const MIN_TYPO_LENGTH = 4;
const MIN_TWO_TYPOS_LENGTH = 9;

/** Maximum weight of a prefix match; it decreases with the number of missing letters. */
const MAX_PREFIX_WEIGHT = 0.7;
const TYPO_WEIGHT = 0.5;

/** How well a term matches a query term, 0…1: less than 1 for a prefix or a typo (two edits in long words). */
export function matchSimilarity(sought: string, term: string): number {
  if (sought === term) return 1;
  if (sought.length < MIN_PREFIX_LENGTH) return 0;
  if (term.startsWith(sought)) return MAX_PREFIX_WEIGHT * Math.sqrt(sought.length / term.length);
  if (sought.length < MIN_TYPO_LENGTH) return 0;
  const allowed = sought.length >= MIN_TWO_TYPOS_LENGTH ? 2 : 1;
  const isTypo =
    Math.abs(sought.length - term.length) <= allowed &&
    isWithinDistance(sought, term, 0, 0, allowed) &&
    // Similar numbers have different meanings.
    !/\d/.test(sought);
  return isTypo ? TYPO_WEIGHT : 0;
}

/** Whether the Levenshtein distance of the rests from `i` and `j` is at most `allowed`, with early exit. */
function isWithinDistance(left: string, right: string, i: number, j: number, allowed: number): boolean {
  while (i < left.length && j < right.length && left[i] === right[j]) {
    i++;
    j++;
  }
  if (i === left.length && j === right.length) return true;
  if (allowed === 0) return false;
  return (
    (i < left.length && isWithinDistance(left, right, i + 1, j, allowed - 1)) ||
    (j < right.length && isWithinDistance(left, right, i, j + 1, allowed - 1)) ||
    (i < left.length && j < right.length && isWithinDistance(left, right, i + 1, j + 1, allowed - 1))
  );
}
