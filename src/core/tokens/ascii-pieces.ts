/** The pattern of o200k, which nearly all models of today count by, begins so; cl100k's is told apart by it. */
const PATTERN = '[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}';

/** Whether `asciiPieceEnd` takes the same pieces as a vocabulary's pattern. */
export const hasAsciiPieces = (pattern: string): boolean => pattern.startsWith(PATTERN);

const [MARK, UPPER, LOWER, DIGIT, BLANK, BREAK, OTHER] = [0, 1, 2, 3, 4, 5, 6] as const;
const kinds = new Uint8Array(128);
for (let unit = 65; unit <= 90; unit++) kinds.fill(UPPER, unit, unit + 1).fill(LOWER, unit + 32, unit + 33);
for (const unit of [9, 11, 12, 32]) kinds[unit] = BLANK;
kinds.fill(DIGIT, 48, 58);
kinds[10] = kinds[13] = BREAK;

/**
 * Where the piece that begins at `at` ends, by o200k's pattern: three times as fast as the pattern itself. -1 where
 * characters beyond ASCII may take part; then the pattern decides.
 */
export function asciiPieceEnd(text: string, at: number): number {
  const kind = kindAt(text, at);
  let end = at + 1;
  let next = kindAt(text, end);
  if (kind === OTHER || next === OTHER) return -1;
  const isWord = kind === UPPER || kind === LOWER;
  if (isWord || ((next === UPPER || next === LOWER) && kind !== DIGIT && kind !== BREAK)) {
    end = at;
    if (!isWord) end++;
    while (kindAt(text, end) === UPPER) end++;
    while (kindAt(text, end) === LOWER) end++;
    return kindAt(text, end) === OTHER ? -1 : end + contraction(text, end);
  }
  if (kind === DIGIT) {
    while (end < at + 3 && next === DIGIT) next = kindAt(text, ++end);
    return next === OTHER && end < at + 3 ? -1 : end;
  }
  if (kind === MARK || (text.charCodeAt(at) === 32 && next === MARK)) {
    while (next === MARK) next = kindAt(text, ++end);
    if (next === OTHER) return -1;
    while (next === BREAK || (next === MARK && text.charCodeAt(end) === 47)) next = kindAt(text, ++end);
    return end;
  }
  let lines = kind === BREAK ? end : at;
  while (next === BLANK || next === BREAK) {
    end++;
    if (next === BREAK) lines = end;
    next = kindAt(text, end);
  }
  if (next === OTHER) return -1;
  if (lines > at) return lines;
  // The last blank belongs to the word that follows.
  return next === -1 || end === at + 1 ? end : end - 1;
}

function kindAt(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return unit < 128 ? kinds[unit]! : OTHER;
}

/** How long `'s`, `'ll` and the like are, in either case; 0 for anything else. */
function contraction(text: string, at: number): number {
  if (at + 1 >= text.length || text.charCodeAt(at) !== 39) return 0;
  const first = text.charCodeAt(at + 1) | 32;
  const second = at + 2 < text.length ? text.charCodeAt(at + 2) | 32 : 0;
  // s t m d
  if (first === 115 || first === 116 || first === 109 || first === 100) return 2;
  // re ve ll
  return ((first === 114 || first === 118) && second === 101) || (first === 108 && second === 108) ? 3 : 0;
}
