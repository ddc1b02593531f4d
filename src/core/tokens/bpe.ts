import type { Breather } from '../pace/breather.ts';
import { atOnce, resting, type Steps } from '../pace/steps.ts';
import { mergeLong, mergeShort, SHORT_PIECE_BYTES } from './bpe-merge.ts';
import { COMMON_PIECE_BYTES, CommonPieces } from './common-pieces.ts';
import { PieceCache } from './piece-cache.ts';
import { pieceEndFor, type PieceEnd } from './pre-tokenizer.ts';
import { finishHash, hashBytes, HASH_SEED, RankTable, type BpeRanks } from './rank-table.ts';
import { writeUtf8 } from './utf8.ts';

/** A step of counting takes a millisecond or so: about as many characters, or a part of a long piece. */
const STEP_CHARS = 5000;

/** How far a text has been counted. */
interface Counted {
  at: number;
  tokens: number;
}

/**
 * Counts tokens by a byte-pair vocabulary, as js-tiktoken's `encode(text, [], []).length` does: the text of special
 * tokens counts as text. Time grows as n log n with the longest unbroken run, and linearly otherwise.
 */
export class BpeCounter {
  private readonly table: RankTable;
  private readonly pieceEnd: PieceEnd;
  private readonly cache = new PieceCache();
  private readonly common = new CommonPieces();
  private readonly piece = new Uint8Array(SHORT_PIECE_BYTES * 3);
  /** The first bytes of `piece` again. */
  private readonly words = new Int32Array(this.piece.buffer, 0, COMMON_PIECE_BYTES / 4);

  /** @throws {Error} when the vocabulary is malformed or its pattern unknown */
  constructor(ranks: BpeRanks) {
    this.table = new RankTable(ranks.bpe_ranks);
    this.pieceEnd = pieceEndFor(ranks.pat_str);
  }

  /** Tokens of a text, at once: for large texts on a thread that others wait for, see `countResting`. */
  count(text: string): number {
    return atOnce(this.countSteps(text, text.length));
  }

  /** Tokens of a text, resting between steps when it is due, so that the caller's thread is never held for long. */
  countResting(text: string, breather: Breather): Promise<number> {
    return resting(this.countSteps(text, STEP_CHARS), breather);
  }

  private *countSteps(text: string, stepChars: number): Steps<number> {
    const counted: Counted = { at: 0, tokens: 0 };
    while (counted.at < text.length) {
      const end = this.countShortPieces(text, Math.min(text.length, counted.at + stepChars), counted);
      if (end > counted.at) {
        counted.tokens += yield* this.countLong(text, counted.at, end);
        counted.at = end;
      }
      if (counted.at < text.length) yield;
    }
    return counted.tokens;
  }

  /**
   * Counts on until `pause`; returns where a piece ends that is too long for a merge by scanning and was not counted, or
   * where it stopped. A loop of its own, since the compiler makes little of loops in generators.
   */
  private countShortPieces(text: string, pause: number, counted: Counted): number {
    let { at, tokens } = counted;
    let end = at;
    while (at < pause) {
      end = this.pieceEnd(text, at);
      const piece = end - at <= SHORT_PIECE_BYTES ? this.countShort(text, at, end) : -1;
      if (piece === -1) break;
      tokens += piece;
      at = end;
    }
    counted.at = at;
    counted.tokens = tokens;
    return end;
  }

  /** Tokens of a piece that fits the scratch bytes, or -1 when it is too long for a merge by scanning. */
  private countShort(text: string, start: number, end: number): number {
    const { piece, words, common } = this;
    let length = 0;
    let hash = HASH_SEED;
    let at = start;
    words[0] = 0;
    words[1] = 0;
    words[2] = 0;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127) break;
      piece[length++] = unit;
      hash = Math.imul(hash ^ unit, 0x01000193);
    }
    if (at === end) {
      hash = finishHash(hash);
      if (length <= COMMON_PIECE_BYTES) {
        const known = common.get(words, length, hash);
        if (known > 0) return known;
      }
    } else {
      length = writeUtf8(text, start, end, piece);
      hash = hashBytes(piece, 0, length);
    }
    const count = this.lookUpOrMerge(length, hash);
    if (at === end && length <= COMMON_PIECE_BYTES) common.set(words, length, hash, count);
    return count;
  }

  /** Tokens of the scratch bytes. */
  private lookUpOrMerge(length: number, hash: number): number {
    const { piece, table, cache } = this;
    if (length <= table.longest && table.rankOfHashed(piece, 0, length, hash) !== -1) return 1;
    if (length > SHORT_PIECE_BYTES) return -1;
    const known = cache.get(piece, length, hash);
    if (known > 0) return known;
    const count = mergeShort(piece, length, table);
    cache.set(piece, length, hash, count);
    return count;
  }

  private *countLong(text: string, start: number, end: number): Steps<number> {
    const buffer = new Uint8Array((end - start) * 3);
    const bytes = buffer.subarray(0, writeUtf8(text, start, end, buffer));
    if (this.table.rankOf(bytes, 0, bytes.length) !== -1) return 1;
    return yield* mergeLong(bytes, this.table);
  }
}
