import type { Yielder } from '../pace/yielder.ts';
import { runSynchronously, runYielding, type Steps } from '../pace/steps.ts';
import { copiedSlice } from '../text/copied-slice.ts';
import { MaxHeap } from './max-heap.ts';

/** Decodes base64 to one character per byte. Declared here because core is compiled without DOM and Node.js types. */
declare const atob: (base64: string) => string;
/** Encodes UTF-8. A lone surrogate becomes U+FFFD. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** A vocabulary in js-tiktoken's format: lines of `! firstRank base64 base64 …`, with ascending ranks. */
export interface BpeRanks {
  readonly pat_str: string;
  readonly bpe_ranks: string;
}

/** Work per step of about a millisecond. */
const STEP_CHARS = 5000;
const MERGES_PER_STEP = 2_000;
const TOKENS_PER_STEP = 5_000;
const ENCODED_UNITS_PER_STEP = 2_000;

/** Longer pieces rarely occur twice, so they aren't cached. */
const MAX_CACHED_PIECE_UNITS = 128;
const MAX_CACHED_PIECES = 50_000;

interface Vocabulary {
  /** The rank of each token, by its bytes (one character each). Merging only depends on the order of the ranks. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Maximum length of a token, in bytes. */
  readonly longest: number;
}

/**
 * Counts tokens with a byte-pair vocabulary, with the same result as js-tiktoken's `encode(text, [], []).length`:
 * special tokens in a text count as text. Takes n log n time in the length of the longest unbroken run, and linear time
 * otherwise.
 */
export class BpeCounter {
  private readonly vocabulary: Vocabulary;
  private readonly pattern: RegExp;
  private readonly pieces = new Map<string, number>();

  constructor(file: BpeRanks, vocabulary = runSynchronously(readVocabulary(file))) {
    this.pattern = new RegExp(file.pat_str, 'uy');
    this.vocabulary = vocabulary;
  }

  /** Reads the vocabulary in steps, because it takes more than 0.1 s. */
  static async load(file: BpeRanks, yielder: Yielder): Promise<BpeCounter> {
    return new BpeCounter(file, await runYielding(readVocabulary(file), yielder));
  }

  /** Counts a text synchronously. For long texts on a shared thread, use `countYielding`. */
  count(text: string): number {
    return runSynchronously(this.countSteps(text));
  }

  /** Counts a text, yielding between steps when due, so that the thread isn't blocked for long. */
  countYielding(text: string, yielder: Yielder): Promise<number> {
    return runYielding(this.countSteps(text), yielder);
  }

  private *countSteps(text: string): Steps<number> {
    const { pattern } = this;
    let tokens = 0;
    let pauseAt = STEP_CHARS;
    // Unlike `matchAll`, `test` doesn't allocate. `lastIndex` is set each time, because other counts share the pattern.
    for (let at = 0, end; (pattern.lastIndex = at) < text.length && pattern.test(text); at = end) {
      end = pattern.lastIndex;
      const piece = text.slice(at, end);
      tokens += this.pieces.get(piece) ?? (yield* this.countPiece(piece));
      if (end < pauseAt) continue;
      pauseAt = end + STEP_CHARS;
      yield;
    }
    return tokens;
  }

  private *countPiece(piece: string): Steps<number> {
    const bytes = yield* utf8(piece);
    const count = this.vocabulary.ranks.has(bytes) ? 1 : yield* this.merge(bytes);
    if (piece.length > MAX_CACHED_PIECE_UNITS) return count;
    if (this.pieces.size >= MAX_CACHED_PIECES) this.pieces.clear();
    this.pieces.set(copiedSlice(piece), count);
    return count;
  }

  /**
   * Counts the tokens of `bytes`: merges the pair with the lowest rank, leftmost first, until none is left. Takes n log
   * n time with a heap of pairs over a linked list of parts. Outdated heap entries are skipped.
   */
  private *merge(bytes: string): Steps<number> {
    const { length } = bytes;
    const { ranks: tokenRanks, longest } = this.vocabulary;
    // A part is identified by the index of its first byte; `length` ends the list.
    const next = new Int32Array(length + 1);
    const previous = new Int32Array(length + 1);
    /** The rank of each part merged with the next one; -1 if that isn't a token. */
    const pairRanks = new Int32Array(length + 1).fill(-1);
    const heap = new MaxHeap();
    const updateRank = (at: number, end: number): void => {
      const isTooLong = end > length || end - at > longest;
      const rank = isTooLong ? -1 : (tokenRanks.get(bytes.slice(at, end)) ?? -1);
      if (rank !== -1 && rank !== pairRanks[at]) heap.push(-rank, at);
      pairRanks[at] = rank;
    };
    for (let at = 0; at < length; at++) {
      next[at] = at + 1;
      previous[at + 1] = at;
      updateRank(at, at + 2);
      if ((at + 1) % MERGES_PER_STEP === 0) yield;
    }
    let parts = length;
    for (let merges = 1; heap.size > 0; merges++) {
      if (merges % MERGES_PER_STEP === 0) yield;
      const { key, item: at } = heap.pop();
      if (pairRanks[at] !== -key) continue;
      const absorbed = next[at]!;
      const after = next[absorbed]!;
      pairRanks[absorbed] = -1;
      next[at] = after;
      previous[after] = at;
      parts--;
      updateRank(at, after < length ? next[after]! : Infinity);
      if (at > 0) updateRank(previous[at]!, after);
    }
    return parts;
  }
}

function* readVocabulary({ bpe_ranks }: BpeRanks): Steps<Vocabulary> {
  const ranks = new Map<string, number>();
  let longest = 0;
  for (const line of bpe_ranks.split('\n')) {
    for (const [token] of line.replace(/^! \d+ /, '').matchAll(/[^ ]+/g)) {
      const bytes = atob(token);
      ranks.set(bytes, ranks.size);
      longest = Math.max(longest, bytes.length);
      if (ranks.size % TOKENS_PER_STEP === 0) yield;
    }
  }
  return { ranks, longest };
}

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text, one character each. */
function* utf8(text: string): Steps<string> {
  if (!/[^\0-\x7f]/.test(text)) return text;
  let bytes = '';
  for (let start = 0, end; start < text.length; start = end) {
    if (start > 0) yield;
    end = start + ENCODED_UNITS_PER_STEP;
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end++;
    bytes += String.fromCharCode(...encoder.encode(text.slice(start, end)));
  }
  return bytes;
}
