/** A vocabulary as js-tiktoken ships it: lines of `! firstRank base64 base64 …`, ranks ascending. */
export interface BpeRanks {
  readonly pat_str: string;
  readonly bpe_ranks: string;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SPACE = 32;
const PADDING = 61;

/**
 * Byte sequence → rank, in typed arrays: a Map of 200,000 strings takes five times as long to build and keeps 20 MB of
 * objects alive (docs/adr/0011). A rank is a position in the file; only the order matters to a merge.
 */
export class Vocabulary {
  /** Bytes of the longest token. */
  private longest = 0;
  private readonly bytes: Uint8Array;
  /** `starts[i] … starts[i + 1]` are the bytes of token `i`. */
  private readonly starts: Uint32Array;
  private readonly slots: Int32Array;
  private readonly hashes: Int32Array;
  private readonly mask: number;

  constructor(ranks: string) {
    const lines = ranks.split('\n').map((line) => line.slice(line.indexOf(' ', line.indexOf(' ') + 1) + 1));
    const encoded = lines.filter((line) => line !== '').join(' ');
    this.bytes = new Uint8Array(encoded.length);
    let count = 1;
    for (let at = 0; at < encoded.length; at++) if (encoded.charCodeAt(at) === SPACE) count++;
    this.starts = new Uint32Array(count + 1);
    this.decode(encoded);
    let size = 1024;
    while (size < count * 2.5) size *= 2;
    this.mask = size - 1;
    this.slots = new Int32Array(size).fill(-1);
    this.hashes = new Int32Array(size);
    for (let rank = 0; rank < count; rank++) this.file(rank);
  }

  /** The rank of `source[start, end)`, or -1 when it is no token. */
  rankOf(source: Uint8Array, start: number, end: number): number {
    const { slots, hashes, starts, bytes, mask } = this;
    const length = end - start;
    if (length > this.longest) return -1;
    const hash = hashOf(source, start, end);
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

  private decode(encoded: string): void {
    const values = new Uint8Array(128);
    for (let value = 0; value < BASE64.length; value++) values[BASE64.charCodeAt(value)] = value;
    let token = 0;
    let used = 0;
    let bits = 0;
    let held = 0;
    for (let at = 0; at < encoded.length; at++) {
      const char = encoded.charCodeAt(at);
      if (char === SPACE) {
        this.starts[++token] = used;
        held = 0;
      } else if (char !== PADDING) {
        bits = (bits << 6) | values[char]!;
        held += 6;
        if (held >= 8) this.bytes[used++] = bits >>> (held -= 8);
      }
    }
    this.starts[token + 1] = used;
  }

  private file(rank: number): void {
    const [start, end] = [this.starts[rank]!, this.starts[rank + 1]!];
    this.longest = Math.max(this.longest, end - start);
    const hash = hashOf(this.bytes, start, end);
    let slot = hash & this.mask;
    while (this.slots[slot] !== -1) slot = (slot + 1) & this.mask;
    this.slots[slot] = rank;
    this.hashes[slot] = hash;
  }
}

/** FNV-1a, mixed once more at the end because the table uses the low bits. */
function hashOf(source: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ source[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
