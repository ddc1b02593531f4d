/** Endings of English and the larger Romance and Germanic languages that carry no meaning of their own, longest first. */
const ENDINGS = [
  'ations',
  'ation',
  'ments',
  'ment',
  'ingly',
  'ings',
  'ing',
  'ions',
  'ion',
  'ies',
  'ied',
  'ers',
  'er',
  'ed',
  'es',
  'ly',
  'en',
  's',
  'e',
  'y',
] as const;

const SHORTEST_STEM = 4;

/**
 * A crude stem: enough that "added", "adding" and "adds" meet. Not Porter's; a stem that is wrong does no harm here,
 * since both sides are cut alike.
 */
export function stemOf(word: string): string {
  for (const ending of ENDINGS) {
    if (word.length - ending.length >= SHORTEST_STEM && word.endsWith(ending)) return word.slice(0, -ending.length);
  }
  return word;
}
