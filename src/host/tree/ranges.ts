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
  return size === 0
    ? []
    : Array.from({ length: Math.ceil((end - from) / size) }, (_, n) => ({
        from: from + n * size,
        end: Math.min(end, from + (n + 1) * size),
      }));
}

/** The range that stands right above an entry, or above a narrower range that begins with it; undefined for none. */
export function rangeAbove(at: number, count: number, narrower?: Run): Run | undefined {
  let above: Run | undefined;
  let run: Run = { from: 0, end: count };
  for (let size = sizeIn(count); size > 0; size = sizeIn(run.end - run.from)) {
    const from: number = at - ((at - run.from) % size);
    run = { from, end: Math.min(run.end, from + size) };
    if (narrower && run.end - run.from <= narrower.end - narrower.from) break;
    above = run;
  }
  return above;
}

/** Entries in each range that so many are shown as; 0 when they are shown themselves. */
function sizeIn(count: number): number {
  if (count <= MOST_ROWS) return 0;
  let size = MOST_ROWS;
  while (count > size * MOST_ROWS) size *= MOST_ROWS;
  return size;
}
