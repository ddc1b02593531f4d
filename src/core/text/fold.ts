const NOT_ASCII = /[^\0-\x7f]/;
const LATIN_MARKS = /[\u0300-\u036f]/g;

/**
 * Lower case, Latin accents dropped, curly apostrophes made straight. Offsets do not survive: for looking things up only.
 * Kana keep their voicing marks, because only U+0300…036F go.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!NOT_ASCII.test(lower)) return lower;
  return lower
    .replace(/[’‘＇]/g, "'")
    .normalize('NFD')
    .replace(LATIN_MARKS, '')
    .normalize('NFC');
}
