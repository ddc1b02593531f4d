/** East Asian characters and symbols, a few of which say as much as a word of other scripts. */
export const EAST_ASIAN = /[\u2e80-\uffdc]/u;

/** Han, kana, Hangul, Bopomofo, and their compatibility forms: no spaces, and about one token per character. */
export function isCjkUnit(unit: number): boolean {
  if (unit < 0x1100) return false;
  return (
    unit <= 0x11ff || // Hangul Jamo
    (unit >= 0x2e80 && unit <= 0x2fff) || // radicals
    (unit >= 0x3005 && unit <= 0x3007) || // marks of repetition, and zero
    (unit >= 0x3031 && unit <= 0x9fff) || // kana, Bopomofo, Han
    (unit >= 0xac00 && unit <= 0xd7ff) || // Hangul syllables
    (unit >= 0xf900 && unit <= 0xfaff) || // compatibility ideographs
    (unit >= 0xff66 && unit <= 0xffdc) // half-width kana and Hangul
  );
}
