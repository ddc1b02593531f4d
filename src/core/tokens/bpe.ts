import type { Breather } from '../pace/breather.ts';
import { atOnce, resting, type Steps } from '../pace/steps.ts';
import { asciiPieceEnd, hasAsciiPieces } from './ascii-pieces.ts';
import { countMerged } from './merge-pairs.ts';
import { Vocabulary, type BpeRanks } from './vocabulary.ts';

/** A step of counting takes a millisecond or so: about as many characters, or a part of a long piece. */
const STEP_CHARS = 5000;

/** A longer piece is seldom met again. */
const MAX_CACHED_UNITS = 128;
const MAX_CACHED_PIECES = 50_000;

/** A summary is counted again and again on its way into a request; what is shorter is soon counted, and what is longer takes memory. */
const MIN_KEPT_UNITS = 200;
const MAX_KEPT_UNITS = 20_000;
const MAX_KEPT_TEXTS = 64;

/**
 * Counts tokens by a byte-pair vocabulary, as js-tiktoken's `encode(text, [], []).length` does: special tokens in a text
 * count as text. Time grows as n log n with the longest unbroken run, and linearly otherwise.
 */
export class BpeCounter {
  private readonly vocabulary: Vocabulary;
  private readonly pattern: string;
  /** For counts that nothing interrupts: making a pattern takes as long as a short text. */
  private readonly atOncePattern: RegExp;
  private readonly takesAscii: boolean;
  private readonly cache = new Map<string, number>();
  private readonly texts = new Map<string, number>();

  constructor(ranks: BpeRanks) {
    this.vocabulary = new Vocabulary(ranks.bpe_ranks);
    this.pattern = ranks.pat_str;
    this.atOncePattern = new RegExp(ranks.pat_str, 'uy');
    this.takesAscii = hasAsciiPieces(ranks.pat_str);
  }

  /** Tokens of a text, at once: for large texts on a thread that others wait for, see `countResting`. */
  count(text: string): number {
    const isKept = text.length >= MIN_KEPT_UNITS && text.length <= MAX_KEPT_UNITS;
    const known = isKept ? this.texts.get(text) : undefined;
    if (known !== undefined) return known;
    const tokens = atOnce(this.countSteps(text, text.length, this.atOncePattern));
    if (!isKept) return tokens;
    if (this.texts.size >= MAX_KEPT_TEXTS) this.texts.clear();
    this.texts.set(text, tokens);
    return tokens;
  }

  /** Tokens of a text, resting between steps when it is due, so that the caller's thread is never held for long. */
  countResting(text: string, breather: Breather): Promise<number> {
    return resting(this.countSteps(text, STEP_CHARS), breather);
  }

  /** The pattern is sticky, so that each test takes the next piece. Not shared where another count may run between two steps. */
  private *countSteps(text: string, stepChars: number, pattern = new RegExp(this.pattern, 'uy')): Steps<number> {
    pattern.lastIndex = 0;
    let tokens = 0;
    while (pattern.lastIndex < text.length) {
      const stop = Math.min(text.length, pattern.lastIndex + stepChars);
      const short = this.countShortPieces(text, pattern, stop);
      tokens += short.tokens;
      if (short.long !== undefined) tokens += yield* this.countPiece(short.long);
      yield;
    }
    return tokens;
  }

  /** Counts until `stop`, or until a piece that is too long to be cached. A plain loop runs faster than a generator. */
  private countShortPieces(text: string, pattern: RegExp, stop: number): { tokens: number; long?: string } {
    let tokens = 0;
    let at = pattern.lastIndex;
    while (at < stop) {
      let end = this.takesAscii ? asciiPieceEnd(text, at) : -1;
      if (end === -1) {
        pattern.lastIndex = at;
        if (!pattern.test(text)) throw new Error(`The vocabulary's pattern stops at ${at}.`);
        end = pattern.lastIndex;
      }
      const piece = text.slice(at, end);
      at = end;
      if (piece.length > MAX_CACHED_UNITS) {
        pattern.lastIndex = at;
        return { tokens, long: piece };
      }
      tokens += this.cache.get(piece) ?? this.countAndCache(piece);
    }
    pattern.lastIndex = at;
    return { tokens };
  }

  private countAndCache(piece: string): number {
    const count = atOnce(this.countPiece(piece));
    if (this.cache.size >= MAX_CACHED_PIECES) this.cache.clear();
    // A copy: a slice of the text would keep all of it in memory.
    this.cache.set(piece.split('').join(''), count);
    return count;
  }

  private *countPiece(piece: string): Steps<number> {
    const bytes = utf8(piece);
    if (this.vocabulary.rankOf(bytes, 0, bytes.length) !== -1) return 1;
    return yield* countMerged(bytes, this.vocabulary);
  }
}

/** Written out because `core` has no TextEncoder. An unpaired surrogate becomes U+FFFD, as in the Encoding Standard. */
function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let used = 0;
  const continuation = (code: number, shift: number): void => {
    bytes[used++] = 0x80 | ((code >> shift) & 63);
  };
  for (let at = 0; at < text.length; at++) {
    let code = text.codePointAt(at)!;
    if (code > 0xffff) at++;
    else if ((code & 0xf800) === 0xd800) code = 0xfffd;
    if (code < 0x80) {
      bytes[used++] = code;
    } else if (code < 0x800) {
      bytes[used++] = 0xc0 | (code >> 6);
      continuation(code, 0);
    } else if (code < 0x10000) {
      bytes[used++] = 0xe0 | (code >> 12);
      continuation(code, 6);
      continuation(code, 0);
    } else {
      bytes[used++] = 0xf0 | (code >> 18);
      continuation(code, 12);
      continuation(code, 6);
      continuation(code, 0);
    }
  }
  return bytes.subarray(0, used);
}
