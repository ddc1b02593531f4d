/** Upper-case letters. Marks and letters without case are both `UPPER` and `LOWER`. */
export const UPPER = 1;
/** Lower-case letters. */
export const LOWER = 2;
export const LETTER = 4;
export const MARK = 8;
export const NUMBER = 16;
export const SPACE = 32;
/** None of the above. */
export const OTHER = 64;

/** Unicode classes of characters, looked up once per code point. */
export class CharClasses {
  /** 0: not looked up yet. */
  private readonly known = new Uint8Array(0x110000);

  /** The classes of the code point at a UTF-16 offset, which must be within the text. */
  at(text: string, offset: number): number {
    // Always 0 for surrogates, because half of a pair doesn't determine the class.
    return this.known[text.charCodeAt(offset)]! || this.lookUp(text, offset);
  }

  private lookUp(text: string, offset: number): number {
    const code = text.codePointAt(offset)!;
    const known = this.known[code]! || classify(code);
    if (code < 0xd800 || code > 0xdfff) this.known[code] = known;
    return known;
  }
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
