import type { Steps } from '../pace/steps.ts';
import { MaxHeap } from './max-heap.ts';
import type { Vocabulary } from './vocabulary.ts';

/** No pair: above every rank. */
const NONE = 0x7fffffff;
/** Between two pauses of a long merge: a few milliseconds of operations. */
const MERGES_PER_STEP = 2_000;

/** So few bytes are merged sooner without a heap. */
const FEW_BYTES = 16;

/** As `countMerged`, by looking at all pairs each time. */
function countFew(bytes: Uint8Array, vocabulary: Vocabulary): number {
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  for (;;) {
    let lowest = NONE;
    let best = 0;
    for (let at = 0; at + 2 < starts.length; at++) {
      const rank = vocabulary.rankOf(bytes, starts[at]!, starts[at + 2]!);
      if (rank === -1 || rank >= lowest) continue;
      lowest = rank;
      best = at;
    }
    if (lowest === NONE) return starts.length - 1;
    starts.splice(best + 1, 1);
  }
}

/**
 * How many tokens `bytes` are: merges the pair of the lowest rank, leftmost first, until none is left. In n log n, by a
 * heap of pairs over a linked list of parts; an entry whose pair has changed since is skipped when it comes up. Pauses
 * between steps.
 */
export function* countMerged(bytes: Uint8Array, vocabulary: Vocabulary): Steps<number> {
  const length = bytes.length;
  if (length <= FEW_BYTES) return countFew(bytes, vocabulary);
  // Parts are named by their first byte; next and previous are such names, and `length` ends the list.
  const next = new Int32Array(length + 1).map((_, at) => Math.min(at + 1, length));
  const previous = new Int32Array(length + 1).map((_, at) => at - 1);
  const ranks = new Int32Array(length + 1).fill(NONE);
  const heap = new MaxHeap();
  const rate = (at: number, end: number): void => {
    const rank = end > length ? -1 : vocabulary.rankOf(bytes, at, end);
    if (rank !== -1 && rank !== ranks[at]) heap.push(-rank, at);
    ranks[at] = rank === -1 ? NONE : rank;
  };
  for (let at = 0; at + 1 < length; at++) {
    rate(at, at + 2);
    if (at % (MERGES_PER_STEP * 4) === 0 && at > 0) yield;
  }
  let parts = length;
  for (let merges = 1; heap.size > 0; merges++) {
    const { key, item: at } = heap.pop();
    if (merges % MERGES_PER_STEP === 0) yield;
    if (ranks[at] !== -key) continue;
    const absorbed = next[at]!;
    const after = next[absorbed]!;
    ranks[absorbed] = NONE;
    next[at] = after;
    previous[after] = at;
    parts--;
    rate(at, after < length ? next[after]! : Infinity);
    if (at > 0) rate(previous[at]!, after);
  }
  return parts;
}
