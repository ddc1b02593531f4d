const NOT_ASCII = /[^\0-\x7f]/;
const LATIN_MARKS = /[\u0300-\u036f]/g;

/** Normalizes text for lookups: lower case, no Latin accents, straight apostrophes. Offsets change. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!NOT_ASCII.test(lower)) return lower;
  return lower
    .replace(/[’‘＇]/g, "'")
    .normalize('NFD')
    .replace(LATIN_MARKS, '')
    .normalize('NFC');
}
