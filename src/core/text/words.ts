import { isCjkUnit } from './cjk.ts';

/** Receives each word in normalized form, with the UTF-16 offsets of the original. */
export type WordVisitor = (term: string, start: number, end: number) => void;

/** Longer runs are hashes, keys, or encoded data, which nobody searches for. */
const MAX_WORD_UNITS = 64;

const WORD = 1;
/** Scripts without spaces: indexed as overlapping pairs of characters. */
const UNSPACED = 2;
const UPPER = 4;
const UNDERSCORE = 8;
const DIGIT = 16;
const WIDE = 32;
/** Set for a name with capitals within it, such as camelCase. */
const HUMPS = 256;
/** Characters that form words of their own, such as emoji. Adjacent ones are one word. */
const SYMBOL = 64;

/** Classes of UTF-16 units other than surrogates, determined on first use. */
const classes = new Uint8Array(1 << 16);
/** Set once the class is determined. */
const KNOWN = 128;

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return (unit & 0xf800) === 0xd800 ? classOfSurrogate(text, at) : classOf(unit);
}

/** A surrogate is half of a letter in a rare script, or of a symbol such as an emoji. */
function classOfSurrogate(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  const char = String.fromCodePoint(text.codePointAt(isLow && at > 0 ? at - 1 : at)!);
  return (/[\p{L}\p{N}\p{M}]/u.test(char) ? WORD : SYMBOL) | WIDE;
}

function classOf(unit: number): number {
  const known = classes[unit]!;
  return known === 0 ? (classes[unit] = classify(unit) | KNOWN) : known;
}

function classify(unit: number): number {
  const char = String.fromCharCode(unit);
  if (unit < 128) {
    if (/[a-z]/.test(char)) return WORD;
    if (/[A-Z]/.test(char)) return WORD | UPPER;
    if (/\d/.test(char)) return WORD | DIGIT;
    return char === '_' ? WORD | UNDERSCORE : 0;
  }
  if (!/[\p{L}\p{N}\p{M}]/u.test(char)) return 0;
  if (isCjkUnit(unit) || /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(char)) return UNSPACED | WIDE;
  return WORD | WIDE | (/\p{Lu}/u.test(char) ? UPPER : 0);
}

/**
 * Visits the words of a text: in lower case and without accents, the parts of camelCase and snake_case names in
 * addition to the whole name, and pairs of characters in scripts without spaces. Positions ascend, except that a name's
 * parts come before the name.
 */
export function visitWords(text: string, visit: WordVisitor): void {
  let at = 0;
  while (at < text.length) {
    const kind = classAt(text, at) & (WORD | UNSPACED | SYMBOL);
    if (kind === 0) {
      at++;
      continue;
    }
    const start = at;
    let seen = 0;
    let previous = 0;
    while (at < text.length) {
      const here = classAt(text, at);
      if ((here & kind) === 0) break;
      // Boundaries within a name: aB, or before the last capital of ABc.
      if (here & UPPER ? at > start && (previous & UPPER) === 0 : previous & UPPER && at - start > 1) seen |= HUMPS;
      seen |= here;
      previous = here;
      at++;
    }
    if (kind === UNSPACED) visitPairs(text, start, at, visit);
    else if (at - start <= MAX_WORD_UNITS) visitWord(text, start, at, seen, visit);
  }
}

/** The distinct words of a text; see `visitWords`. */
export function wordsIn(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  visitWords(text, (word) => words.add(word));
  return words;
}

/**
 * Length of a passage, in UTF-16 units. A long text is indexed passage by passage, so that adding it doesn't block the
 * thread, and ranked by its best passage, so that matches far from each other don't add up.
 */
const PASSAGE_UNITS = 6_000;
/** Maximum extension of a passage to the next white space, in UTF-16 units. */
const MAX_PASSAGE_OVERHANG = 1_000;

/** The passages of a text, which end at white space if possible. */
export function* passagesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const minEnd = Math.min(text.length, from + PASSAGE_UNITS);
    const space = text.slice(minEnd, minEnd + MAX_PASSAGE_OVERHANG).search(/\s/);
    const to = minEnd + Math.max(0, space);
    yield text.slice(from, to);
    from = to;
  }
}

function visitPairs(text: string, start: number, end: number, visit: WordVisitor): void {
  if (end - start === 1) return visit(text.slice(start, end).normalize('NFKC'), start, end);
  for (let at = start; at + 1 < end; at++) {
    const pair = text.slice(at, at + 2);
    const plain = isComposed(text.charCodeAt(at)) && isComposed(text.charCodeAt(at + 1));
    visit(plain ? pair : pair.normalize('NFKC').toLowerCase(), at, at + 2);
  }
}

function visitWord(text: string, start: number, end: number, seen: number, visit: WordVisitor): void {
  const whole = text.slice(start, end);
  if (seen & (UNDERSCORE | HUMPS)) {
    let parts = 0;
    // Boundaries of parts: an underscore, a lower-case letter before a capital, the last capital before a lower-case
    // letter.
    for (const match of whole.matchAll(/\p{Lu}+(?![^\p{Lu}_\d])[\d]*|\p{Lu}?[^\p{Lu}_]+|\p{Lu}+/gu)) {
      const at = start + match.index;
      parts++;
      if (match[0].length < whole.length) visitOne(match[0], at, at + match[0].length, seen, visit);
    }
    if (parts === 0) return;
  }
  visitOne(seen & UNDERSCORE ? whole.replaceAll('_', '') : whole, start, end, seen, visit);
}

function visitOne(word: string, start: number, end: number, seen: number, visit: WordVisitor): void {
  // Single Latin letters are meaningless: loop variables, list labels, the "t" of "don't".
  if (word.length === 1 && (classOf(word.charCodeAt(0)) & (DIGIT | WIDE)) === 0) return;
  const term = seen & WIDE ? normalizedWord(word) : seen & UPPER ? word.toLowerCase() : word;
  // Empty for a single accent.
  if (term !== '') visit(term, start, end);
}

/** Kana, Han, and Hangul that `normalize` doesn't change. Calling it for each pair would be ten times as slow. */
function isComposed(unit: number): boolean {
  return (
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    unit === 0x30fc ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}

/** Normalizes compatibility forms and case, and removes accents, but not vowel signs of other scripts. */
function normalizedWord(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}
