import { CharClasses, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER } from './char-classes.ts';

/**
 * Where the piece that begins at `at` ends (UTF-16 offsets; `at` is below `text.length`).
 * Pieces follow each other without a gap, and no token spans two of them.
 */
export type PieceEnd = (text: string, at: number) => number;

const CONTRACTIONS = "'s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D";
const UPPERS = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWERS = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const BEFORE_WORD = String.raw`[^\r\n\p{L}\p{N}]?`;
const SPACES = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;

/** OpenAI's two patterns, as the rank files spell them. */
const O200K_PATTERN =
  `${BEFORE_WORD}${UPPERS}*${LOWERS}+(${CONTRACTIONS})?|${BEFORE_WORD}${UPPERS}+${LOWERS}*(${CONTRACTIONS})?|` +
  String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${SPACES}`;
const CL100K_PATTERN =
  String.raw`(${CONTRACTIONS})|${BEFORE_WORD}\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|` + SPACES;

/**
 * The splitter for a vocabulary's pattern. The patterns in use are written out by hand: V8 runs them at a third
 * of the speed, and its backtracking stack overflows on runs of some ten million characters.
 *
 * @throws {Error} for a pattern that is none of those
 */
export function pieceEndFor(pattern: string): PieceEnd {
  switch (pattern) {
    case O200K_PATTERN:
      return o200kPieceEnd;
    case CL100K_PATTERN:
      return cl100kPieceEnd;
    default:
      throw new Error(`No splitter for the pattern ${pattern}`);
  }
}

const classes = new CharClasses();

const APOSTROPHE = 39;
const SLASH = 47;
const BLANK = 32;

function o200kPieceEnd(text: string, at: number): number {
  const first = classes.at(text, at);
  if ((first & (LETTER | NUMBER | NEWLINE)) === 0) {
    // What is neither letter, number nor line break may lead a word.
    const lead = at + width(text, at);
    if (lead < text.length) {
      const end = mixedWordEnd(text, lead);
      if (end !== -1) return contractionEnd(text, end);
      if ((first & MARK) === 0) {
        const upper = runEnd(text, lead, UPPER);
        if (upper > lead) return contractionEnd(text, upper);
      }
    }
  }
  if (first & (LETTER | MARK)) {
    const end = mixedWordEnd(text, at);
    return contractionEnd(text, end === -1 ? runEnd(text, at, UPPER) : end);
  }
  return restEnd(text, at, first, true);
}

/**
 * The first alternative of the pattern, uppers* lowers+, with its backtracking: letters without case and marks belong
 * to both sets, so where no lower-case letter follows the run of uppers, the match ends after the last of those.
 * -1 when there is no match.
 */
function mixedWordEnd(text: string, at: number): number {
  let end = at;
  let lastCaseless = -1;
  while (end < text.length) {
    const here = classes.at(text, end);
    if ((here & UPPER) === 0) {
      if (here & LOWER) return runEnd(text, end, LOWER);
      break;
    }
    end += width(text, end);
    if (here & LOWER) lastCaseless = end;
  }
  return lastCaseless;
}

function cl100kPieceEnd(text: string, at: number): number {
  const first = classes.at(text, at);
  if (text.charCodeAt(at) === APOSTROPHE) {
    const end = contractionEnd(text, at);
    if (end > at) return end;
  }
  if (first & LETTER) return runEnd(text, at, LETTER);
  if ((first & (NUMBER | NEWLINE)) === 0) {
    const lead = at + width(text, at);
    const end = runEnd(text, lead, LETTER);
    if (end > lead) return end;
  }
  return restEnd(text, at, first, false);
}

/** What the two patterns share: numbers by threes, runs of other characters, white space. */
function restEnd(text: string, at: number, first: number, slashes: boolean): number {
  if (first & NUMBER) {
    let end = at + width(text, at);
    for (let more = 0; more < 2 && end < text.length && classes.at(text, end) & NUMBER; more++) end += width(text, end);
    return end;
  }
  if ((first & SPACE) === 0) return otherEnd(text, at, slashes);
  if (text.charCodeAt(at) === BLANK && at + 1 < text.length && classes.at(text, at + 1) & (OTHER | MARK)) {
    return otherEnd(text, at + 1, slashes);
  }
  return spaceEnd(text, at);
}

function otherEnd(text: string, at: number, slashes: boolean): number {
  let end = runEnd(text, at, OTHER | MARK);
  while (end < text.length) {
    const char = text.charCodeAt(end);
    if (char !== 10 && char !== 13 && !(slashes && char === SLASH)) break;
    end++;
  }
  return end;
}

/** Up to the last line break of the run; else the run without its last blank, which leads the next word. */
function spaceEnd(text: string, at: number): number {
  let end = at;
  let afterBreak = -1;
  while (end < text.length) {
    const here = classes.at(text, end);
    if ((here & SPACE) === 0) break;
    end++;
    if (here & NEWLINE) afterBreak = end;
  }
  if (afterBreak !== -1) return afterBreak;
  return end === text.length || end === at + 1 ? end : end - 1;
}

function runEnd(text: string, at: number, wanted: number): number {
  let end = at;
  while (end < text.length && classes.at(text, end) & wanted) end += width(text, end);
  return end;
}

function width(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return (unit & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}

/** `at`, or the end of an English contraction ('s 't 'm 'd 're 've 'll, any case) that begins there. */
function contractionEnd(text: string, at: number): number {
  // Reading beyond the end would be answered, and the compiled code thrown away for it.
  if (at + 1 >= text.length || text.charCodeAt(at) !== APOSTROPHE) return at;
  // Only ASCII letters reach a lower-case letter by this bit.
  const one = text.charCodeAt(at + 1) | 32;
  if (text.charCodeAt(at + 1) > 127) return at;
  if (one === 115 || one === 116 || one === 109 || one === 100) return at + 2;
  const unit = at + 2 < text.length ? text.charCodeAt(at + 2) : 128;
  if (unit > 127) return at;
  const two = unit | 32;
  if (((one === 114 || one === 118) && two === 101) || (one === 108 && two === 108)) return at + 3;
  return at;
}
