import type { RankTable } from './rank-table.ts';

/** No pair: above every rank. */
const NONE = 0x7fffffff;

/** Pieces up to this many bytes are merged by scanning; for longer ones a heap is faster. */
export const SHORT_PIECE_BYTES = 96;

const starts = new Int32Array(SHORT_PIECE_BYTES + 1);
const pairRanks = new Int32Array(SHORT_PIECE_BYTES + 1);

/** Tokens of `bytes[0, length)`, at most `SHORT_PIECE_BYTES`: the lowest pair, leftmost first, until none is left. */
export function mergeShort(bytes: Uint8Array, length: number, table: RankTable): number {
  // Part i is bytes[starts[i], starts[i + 1]); pairRanks[i] is the rank of part i with part i + 1.
  let parts = length;
  for (let i = 0; i < length - 1; i++) {
    starts[i] = i;
    pairRanks[i] = pairRank(table, bytes, i, i + 2);
  }
  starts[length - 1] = length - 1;
  starts[length] = length;
  pairRanks[length - 1] = NONE;
  for (;;) {
    let lowest = NONE;
    let at = 0;
    for (let i = 0; i < parts - 1; i++) {
      if (pairRanks[i]! < lowest) {
        lowest = pairRanks[i]!;
        at = i;
      }
    }
    if (lowest === NONE) return parts;
    for (let i = at + 1; i < parts; i++) {
      starts[i] = starts[i + 1]!;
      pairRanks[i] = pairRanks[i + 1]!;
    }
    parts--;
    pairRanks[at] = at + 1 < parts ? pairRank(table, bytes, starts[at]!, starts[at + 2]!) : NONE;
    if (at > 0) pairRanks[at - 1] = pairRank(table, bytes, starts[at - 1]!, starts[at + 1]!);
  }
}

function pairRank(table: RankTable, bytes: Uint8Array, start: number, end: number): number {
  const rank = table.rankOf(bytes, start, end);
  return rank === -1 ? NONE : rank;
}

/** Heap entries are rank × 2^32 + position: exact in a double (ranks stay below 2^20), lowest and leftmost first. */
const RANK_UNIT = 2 ** 32;

/** Between two pauses of a long merge: a few milliseconds of operations. */
const MERGES_PER_STEP = 2_000;

/**
 * As `mergeShort`, for any length in n log n: a heap of pairs over a linked list of parts. Entries whose pair has
 * changed since are recognized when they come up, not searched for. Yields between steps; returns the tokens.
 */
export function* mergeLong(bytes: Uint8Array, table: RankTable): Generator<undefined, number> {
  const length = bytes.length;
  // Parts are named by their first byte; next and previous are such names, and `length` ends the list.
  const next = new Int32Array(length + 1);
  const previous = new Int32Array(length + 1);
  const ranks = new Int32Array(length + 1).fill(NONE);
  const heap = new PairHeap(length);
  for (let at = 0; at < length; at++) {
    next[at] = at + 1;
    previous[at] = at - 1;
    if (at + 1 < length) {
      const rank = pairRank(table, bytes, at, at + 2);
      ranks[at] = rank;
      if (rank !== NONE) heap.append(rank * RANK_UNIT + at);
    }
    if (at % (MERGES_PER_STEP * 8) === 0 && at > 0) yield;
  }
  next[length] = length;
  yield* heap.order();

  let parts = length;
  for (let merges = 1; heap.size > 0; merges++) {
    const entry = heap.pop();
    const rank = Math.floor(entry / RANK_UNIT);
    const at = entry - rank * RANK_UNIT;
    if (merges % MERGES_PER_STEP === 0) yield;
    if (ranks[at] !== rank) continue;
    const absorbed = next[at]!;
    const after = next[absorbed]!;
    ranks[absorbed] = NONE;
    next[at] = after;
    if (after <= length) previous[after] = at;
    parts--;
    refresh(at, after < length ? next[after]! : -1);
    const before = previous[at]!;
    if (before >= 0) refresh(before, after);
  }
  return parts;

  function refresh(at: number, end: number): void {
    const rank = end === -1 ? NONE : pairRank(table, bytes, at, end);
    if (rank !== NONE && rank !== ranks[at]) heap.push(rank * RANK_UNIT + at);
    ranks[at] = rank;
  }
}

/** A binary heap of doubles, the smallest on top. */
class PairHeap {
  size = 0;
  private entries: Float64Array;

  constructor(capacity: number) {
    this.entries = new Float64Array(Math.max(16, capacity));
  }

  /** Adds without ordering; `order` must follow before anything is taken. */
  append(entry: number): void {
    if (this.size === this.entries.length) this.grow();
    this.entries[this.size++] = entry;
  }

  *order(): Generator<undefined, void> {
    for (let at = (this.size >> 1) - 1; at >= 0; at--) {
      this.sink(at, this.entries[at]!);
      if (at % (MERGES_PER_STEP * 8) === 0 && at > 0) yield;
    }
  }

  push(entry: number): void {
    if (this.size === this.entries.length) this.grow();
    const { entries } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = entries[parent]!;
      if (above <= entry) break;
      entries[at] = above;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): number {
    const top = this.entries[0]!;
    const last = this.entries[--this.size]!;
    if (this.size > 0) this.sink(0, last);
    return top;
  }

  private sink(at: number, entry: number): void {
    const { entries, size } = this;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= size) break;
      let below = entries[child]!;
      if (child + 1 < size && entries[child + 1]! < below) below = entries[++child]!;
      if (below >= entry) break;
      entries[at] = below;
      at = child;
    }
    entries[at] = entry;
  }

  private grow(): void {
    const grown = new Float64Array(this.entries.length * 2);
    grown.set(this.entries);
    this.entries = grown;
  }
}
