/** Upper-case letters. Marks and letters without case are both `UPPER` and `LOWER`. */
export const UPPER = 1;
/** Lower-case letters. */
export const LOWER = 2;
export const LETTER = 4;
export const MARK = 8;
export const NUMBER = 16;
export const SPACE = 32;
/** None of the above. */
const OTHER = 64;

/** The classes of UTF-16 units other than surrogates, determined on first use; 0 until then. */
const known = new Uint8Array(1 << 16);

/** The Unicode classes of the code point at a UTF-16 offset, which must be within the text. */
export function charClassAt(text: string, offset: number): number {
  const code = text.codePointAt(offset)!;
  const isSurrogate = (text.charCodeAt(offset) & 0xf800) === 0xd800;
  return isSurrogate ? classify(code) : (known[code] ||= classify(code));
}

function classify(code: number): number {
  const char = String.fromCodePoint(code);
  if (/\s/u.test(char)) return SPACE;
  if (/\p{N}/u.test(char)) return NUMBER;
  if (/\p{M}/u.test(char)) return MARK | UPPER | LOWER;
  if (/[\p{Lu}\p{Lt}]/u.test(char)) return LETTER | UPPER;
  if (/\p{Ll}/u.test(char)) return LETTER | LOWER;
  if (/\p{L}/u.test(char)) return LETTER | UPPER | LOWER;
  return OTHER;
}
