/**
 * Rows shown at once below one row; more fold into ranges of so many, and those into wider ones. Ten keeps the bounds
 * round, and opening a row about as dear in the longest session as in one of a hundred messages.
 */
const MOST_ROWS = 10;

/** A run of a list; `end` is behind its last entry. */
export interface Run {
  readonly from: number;
  readonly end: number;
}

/** The ranges that a run is shown as; none when its entries are shown themselves. */
export function rangesIn({ from, end }: Run): Run[] {
  const size = sizeIn(end - from);
  const ranges: Run[] = [];
  if (size > 0) for (let at = from; at < end; at += size) ranges.push({ from: at, end: Math.min(end, at + size) });
  return ranges;
}

/** The ranges of a list that an entry stands in, the widest first; none where the entries are shown themselves. */
export function rangesAbove(at: number, count: number): Run[] {
  const ranges: Run[] = [];
  let run: Run = { from: 0, end: count };
  for (let size = sizeIn(count); size > 0; size = sizeIn(run.end - run.from)) {
    const from: number = at - ((at - run.from) % size);
    run = { from, end: Math.min(run.end, from + size) };
    ranges.push(run);
  }
  return ranges;
}

/** Entries in each range that so many are shown as; 0 when they are shown themselves. */
function sizeIn(count: number): number {
  if (count <= MOST_ROWS) return 0;
  let size = MOST_ROWS;
  while (count > size * MOST_ROWS) size *= MOST_ROWS;
  return size;
}
