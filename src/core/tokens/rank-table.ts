/** A vocabulary as js-tiktoken ships it: lines of `! firstRank base64 base64 …`, ranks ascending. */
export interface BpeRanks {
  readonly pat_str: string;
  readonly special_tokens: Readonly<Record<string, number>>;
  readonly bpe_ranks: string;
}

const NOT_BASE64 = 255;
const SPACE = 32;
const PADDING = 61;

/**
 * Byte sequence → rank, in typed arrays: a Map of 200,000 strings takes five times as long to build
 * and keeps some 20 MB of objects alive for the garbage collector to walk (figures in docs/adr/0011).
 *
 * Ranks here are positions in the file. Only their order matters to a merge, and it is the same.
 */
export class RankTable {
  /** Length in bytes of the longest token: a longer slice has no rank. */
  readonly longest: number;
  private readonly bytes: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly slots: Int32Array;
  private readonly hashes: Int32Array;
  private readonly pairs = new Int32Array(1 << 16).fill(-1);
  private readonly mask: number;

  /** @throws {Error} when the ranks are not in ascending order or not base64 */
  constructor(ranks: string) {
    const decoded = decodeRanks(ranks);
    this.bytes = decoded.bytes;
    this.starts = decoded.starts;
    const count = decoded.count;
    let size = 1024;
    while (size < count * 2.5) size *= 2;
    this.mask = size - 1;
    this.slots = new Int32Array(size).fill(-1);
    this.hashes = new Int32Array(size);
    let longest = 1;
    for (let rank = 0; rank < count; rank++) {
      const start = this.starts[rank]!;
      const length = this.starts[rank + 1]! - start;
      if (length > longest) longest = length;
      if (length === 2) this.pairs[(this.bytes[start]! << 8) | this.bytes[start + 1]!] = rank;
      const hash = hashBytes(this.bytes, start, start + length);
      let slot = hash & this.mask;
      while (this.slots[slot] !== -1) slot = (slot + 1) & this.mask;
      this.slots[slot] = rank;
      this.hashes[slot] = hash;
    }
    this.longest = longest;
  }

  /** The rank of `source[start, end)`, or -1 when it is no token. */
  rankOf(source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 2) return this.pairs[(source[start]! << 8) | source[start + 1]!]!;
    if (length > this.longest) return -1;
    return this.rankOfHashed(source, start, end, hashBytes(source, start, end));
  }

  /** As `rankOf`, for a caller that has the slice's hash already. */
  rankOfHashed(source: Uint8Array, start: number, end: number, hash: number): number {
    const { slots, hashes, starts, bytes, mask } = this;
    const length = end - start;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const rank = slots[slot]!;
      if (rank === -1) return -1;
      if (hashes[slot] !== hash) continue;
      const at = starts[rank]!;
      if (starts[rank + 1]! - at !== length) continue;
      let same = 0;
      while (same < length && bytes[at + same] === source[start + same]) same++;
      if (same === length) return rank;
    }
  }
}

export const HASH_SEED = 0x811c9dc5 | 0;

/** FNV-1a, spread once more at the end because the table uses the low bits. */
export function hashBytes(source: Uint8Array, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ source[i]!, 0x01000193);
  return finishHash(hash);
}

export function finishHash(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

interface DecodedRanks {
  readonly bytes: Uint8Array;
  /** `starts[i] … starts[i + 1]` are the bytes of token `i`. */
  readonly starts: Uint32Array;
  readonly count: number;
}

function decodeRanks(ranks: string): DecodedRanks {
  const values = base64Values();
  const bytes = new Uint8Array(Math.ceil(ranks.length * 0.75) + 3);
  let starts = new Uint32Array(1 << 16);
  let count = 0;
  let used = 0;
  let lastRank = -1;
  for (const line of ranks.split('\n')) {
    if (line === '') continue;
    const [, first = ''] = line.split(' ', 2);
    const firstRank = Number.parseInt(first, 10);
    if (!(firstRank > lastRank)) throw new Error('The ranks of a vocabulary must ascend.');
    lastRank = firstRank - 1;
    let bits = 0;
    let held = 0;
    const end = line.length;
    for (let at = line.indexOf(' ', line.indexOf(' ') + 1) + 1; at <= end; at++) {
      const char = at === end ? SPACE : line.charCodeAt(at);
      if (char === SPACE) {
        count++;
        lastRank++;
        if (count >= starts.length) {
          const grown = new Uint32Array(starts.length * 2);
          grown.set(starts);
          starts = grown;
        }
        starts[count] = used;
        held = 0;
      } else if (char !== PADDING) {
        const value = values[char & 127]!;
        if (value === NOT_BASE64 || char > 127) throw new Error('A vocabulary must be base64.');
        bits = (bits << 6) | value;
        held += 6;
        if (held >= 8) {
          held -= 8;
          bytes[used++] = bits >>> held;
        }
      }
    }
  }
  return { bytes, starts, count };
}

function base64Values(): Uint8Array {
  const values = new Uint8Array(128).fill(NOT_BASE64);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let i = 0; i < letters.length; i++) values[letters.charCodeAt(i)] = i;
  return values;
}
