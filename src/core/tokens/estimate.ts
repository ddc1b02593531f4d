/**
 * What each kind of run costs in o200k_base tokens, fitted by least squares on 3,400 developer messages and the
 * TypeScript compiler's messages in 13 languages. Mean error a message: 7.5 % on the former (length / 4: 17 %),
 * 3 to 12 % on each of the latter (length / 4: 59 % in Chinese, 57 % in Japanese).
 */
const WORD = 0.78;
const WORD_LETTER_PAST_FIVE = 0.28;
const CAMEL_HUMP = 0.15;
const THREE_DIGITS = 1.69;
const PUNCTUATION_RUN = 0.66;
const PUNCTUATION = 0.03;
const SPACES = 1.12;
const LINE_BREAKS = 0.51;
const ACCENTED_RUN = 0.81;
const CYRILLIC_OR_GREEK_RUN = 0.29;
const CYRILLIC_OR_GREEK = 0.22;
const HAN = 0.83;
const KANA = 0.63;
const HANGUL = 0.71;
const OTHER = 1.03;

type Kind = 'none' | 'letter' | 'digit' | 'punctuation' | 'space' | 'break' | 'accented' | 'cyrillic';

/**
 * Tokens of a text by its script and shape, without a vocabulary: for the time before one is loaded, never for
 * whether a request fits.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let kind: Kind = 'none';
  let run = 0;
  let wasLower = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const next = kindOf(unit);
    run = next === kind ? run + 1 : 1;
    const begins = run === 1;
    kind = next;
    switch (next) {
      case 'letter': {
        const lower = unit >= 97;
        if (begins) tokens += WORD;
        else if (!lower && wasLower) tokens += CAMEL_HUMP;
        if (run > 5) tokens += WORD_LETTER_PAST_FIVE;
        wasLower = lower;
        break;
      }
      case 'digit':
        if (run % 3 === 1) tokens += THREE_DIGITS;
        break;
      case 'punctuation':
        tokens += PUNCTUATION + (begins ? PUNCTUATION_RUN : 0);
        break;
      case 'space':
        if (run === 2) tokens += SPACES;
        break;
      case 'break':
        if (begins) tokens += LINE_BREAKS;
        break;
      case 'accented':
        if (begins) tokens += ACCENTED_RUN;
        break;
      case 'cyrillic':
        tokens += CYRILLIC_OR_GREEK + (begins ? CYRILLIC_OR_GREEK_RUN : 0);
        break;
      case 'none':
        tokens += unit >= 0xdc00 && unit < 0xe000 ? 0 : letterCost(unit);
        break;
    }
  }
  return Math.ceil(tokens);
}

function kindOf(unit: number): Kind {
  if (unit < 128) {
    const lower = unit | 32;
    if (lower >= 97 && lower <= 122) return 'letter';
    if (unit >= 48 && unit <= 57) return 'digit';
    if (unit === 32 || unit === 9) return 'space';
    if (unit === 10 || unit === 13) return 'break';
    return 'punctuation';
  }
  if (unit >= 0xc0 && unit < 0x250) return 'accented';
  if (unit >= 0x370 && unit < 0x530) return 'cyrillic';
  return 'none';
}

function letterCost(unit: number): number {
  if (unit >= 0x3400 && unit < 0xa000) return HAN;
  if (unit >= 0x3040 && unit < 0x3100) return KANA;
  if (unit >= 0xac00 && unit < 0xd7b0) return HANGUL;
  return OTHER;
}
