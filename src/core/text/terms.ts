import type { Span } from '../model/key-event.ts';
import { charClassAt, LETTER, LOWER, MARK, NUMBER, SPACE, UPPER } from './char-classes.ts';

/** `identifier` includes names in code, paths, flags, and versions. */
export type TermKind = 'word' | 'name' | 'identifier' | 'number' | 'url';

/** Scripts from this code unit on are written without spaces, or join particles to foreign words. */
const FIRST_JOINED_SCRIPT = 0x2e80;

/** For each ASCII character, 1 if it's one of these. */
const asciiSet = (chars: string): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, unit) => +chars.includes(String.fromCharCode(unit)));

const DELIMITERS = asciiSet('()[]{}<>"`=,;|');
/** Punctuation that isn't part of the adjacent word. */
const EDGES = asciiSet(".:!?*'&+#^");
/** Characters that join the parts of an identifier. */
const JOINTS = asciiSet('_/\\$@');
const CODE_MARKS = asciiSet('_/.()\\`<>{}=');
const WORD_MARKS = asciiSet('"\',;:!?-*');

const APOSTROPHE = 39;
const OPENING = 40;
const CLOSING = 41;
const HYPHEN = 45;
const DOT = 46;
const COLON = 58;
const TILDE = 126;

export interface TermPlace extends Span {
  readonly kind: TermKind;
}

/** The terms of `text[from, to)`, in order. Linear; allocates no strings. */
export function* termsOf(text: string, from = 0, to = text.length): Generator<TermPlace> {
  let end = from;
  for (let at = from; at < to; at = end) {
    end = at + 1;
    const unit = text.charCodeAt(at);
    if (isDelimiter(unit)) continue;
    const isJoined = unit >= FIRST_JOINED_SCRIPT;
    for (; end < to; end++) {
      const next = text.charCodeAt(end);
      if (isDelimiter(next) || next >= FIRST_JOINED_SCRIPT !== isJoined) break;
    }
    if (isJoined) {
      // In scripts without spaces, overlapping pairs of characters are the terms (a bigram index).
      for (let start = at; start === at || start + 1 < end; start++)
        yield { kind: 'word', start, end: Math.min(start + 2, end) };
    } else {
      const term = trimmedTerm(text, at, end);
      if (term) yield term;
    }
  }
}

function trimmedTerm(text: string, from: number, to: number): TermPlace | undefined {
  let start = from;
  let end = to;
  while (end > start && isEdge(text.charCodeAt(end - 1))) end--;
  while (start < end && isEdge(text.charCodeAt(start))) {
    // `.env` and `.github/` keep their dot.
    if (text.charCodeAt(start) === DOT && end - start > 2 && text.charCodeAt(start + 1) !== DOT) break;
    start++;
  }
  const kind = start < end ? kindOf(text, start, end) : undefined;
  return kind && { kind, start, end };
}

/** The vocabulary key of a term: names in lower case, others unchanged. */
export function termKey({ kind, start, end }: TermPlace, text: string): string {
  const name = text.slice(start, end);
  return kind === 'name' ? name.toLowerCase() : name;
}

function isDelimiter(unit: number): boolean {
  if (unit < 128) return unit <= 32 || DELIMITERS[unit] === 1;
  if (unit < 0xa0) return true;
  if (unit === 0xab || unit === 0xbb || unit === 0xa0 || unit === 0xb7) return true;
  if (unit >= 0x2000 && unit <= 0x206f) return unit !== 0x2019 && unit !== 0x2011;
  if (unit >= 0x2190 && unit <= 0x2bff) return true;
  return (unit >= 0x3000 && unit <= 0x3020) || unit === 0xff0c || unit === 0xff01 || unit === 0xff1f || unit === 0xff1a;
}

const isEdge = (unit: number): boolean => unit < 128 && EDGES[unit] === 1;

function kindOf(text: string, start: number, end: number): TermKind | undefined {
  let letters = 0;
  let digits = 0;
  let joints = 0;
  let humps = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    const charClass = charClassAt(text, at);
    if (charClass & (LETTER | MARK)) {
      letters++;
      if ((charClass & (UPPER | LOWER)) === UPPER && (previous & (UPPER | LOWER)) === LOWER) humps++;
    } else if (charClass & NUMBER) {
      digits++;
    } else if (unit === COLON && text.startsWith('://', at) && letters > 0) {
      return 'url';
    } else if (JOINTS[unit] === 1) {
      joints++;
    } else if ((unit === DOT || unit === COLON) && at > start && at + 1 < end) {
      joints++;
    }
    previous = charClass;
  }
  if (letters + digits === 0) return undefined;
  if (digits > 0 && letters <= 3 && charClassAt(text, start) & NUMBER && joints <= 3) return 'number';
  const unit = text.charCodeAt(start);
  if (joints > 0 || humps > 0 || (digits > 0 && letters > 0) || unit === DOT || unit === TILDE) return 'identifier';
  if (unit === HYPHEN && end - start > 2) return 'identifier';
  if (digits > 0) return 'number';
  return (charClassAt(text, start) & (UPPER | LOWER)) === UPPER ? 'name' : 'word';
}

export interface LineShape {
  readonly plain: number;
  readonly code: number;
}

/** Minimum number of plain words in running text, which has at most as many code-like tokens. */
const RUNNING_WORDS = 4;

/** Average characters per word in scripts without spaces. */
const JOINED_CHARS_PER_WORD = 2;

export const isRunningText = ({ plain, code }: LineShape): boolean => plain >= RUNNING_WORDS && plain >= code;

/** Counts plain words and code-like tokens of `text[start, end)`, split at white space. Allocates no strings. */
export function lineShape(text: string, start: number, end: number): LineShape {
  let plain = 0;
  let code = 0;
  let at = start;
  while (at < end) {
    while (at < end && charClassAt(text, at) & SPACE) at++;
    if (at >= end) break;
    let letters = 0;
    let joined = 0;
    let isCode = false;
    let isNeither = false;
    let afterMark = false;
    let previous = 0;
    const first = at;
    for (; at < end; at++) {
      const charClass = charClassAt(text, at);
      if (charClass & SPACE) break;
      const unit = text.charCodeAt(at);
      if (charClass & (LETTER | MARK)) {
        if (unit >= FIRST_JOINED_SCRIPT) joined++;
        if (afterMark) isNeither = true;
        letters++;
        if ((charClass & (UPPER | LOWER)) === UPPER && (previous & (UPPER | LOWER)) === LOWER) isCode = true;
      } else if (unit < 128 && CODE_MARKS[unit] === 1) {
        if (at + 1 < end && !(charClassAt(text, at + 1) & SPACE)) isCode = true;
        if (unit !== DOT && unit !== CLOSING && !(unit === OPENING && at === first)) isNeither = true;
        afterMark = letters > 0;
      } else if (unit < 128 && WORD_MARKS[unit] === 1) {
        afterMark = letters > 0 && unit !== APOSTROPHE && unit !== HYPHEN;
      } else if (charClass & NUMBER || unit < 128) {
        isNeither = true;
      }
      previous = charClass;
    }
    if (joined > 0) plain += Math.max(1, Math.round(joined / JOINED_CHARS_PER_WORD));
    else if (isCode) code++;
    else if (!isNeither && letters >= 2) plain++;
  }
  return { plain, code };
}
