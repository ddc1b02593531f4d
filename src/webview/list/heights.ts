/**
 * Heights of a long list's rows in pixels, known or guessed, with sums in O(log n): a Fenwick tree
 * (P. Fenwick, "A new data structure for cumulative frequency tables", 1994).
 */
export class HeightIndex {
  #heights = new Float64Array(0);
  #measured = new Uint8Array(0);
  #tree = new Float64Array(1);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The height of all rows. */
  get total(): number {
    return this.topOf(this.#count);
  }

  heightOf(row: number): number {
    return this.#heights[row] ?? 0;
  }

  isMeasured(row: number): boolean {
    return this.#measured[row] === 1;
  }

  /** Makes the list `count` rows long; rows that were there keep their heights, new ones get `guess(row)`. */
  resize(count: number, guess: (row: number) => number): void {
    if (count === this.#count) return;
    const heights = new Float64Array(count);
    const measured = new Uint8Array(count);
    const kept = Math.min(count, this.#count);
    heights.set(this.#heights.subarray(0, kept));
    measured.set(this.#measured.subarray(0, kept));
    for (let row = kept; row < count; row++) heights[row] = guess(row);
    this.#heights = heights;
    this.#measured = measured;
    this.#count = count;
    this.#tree = new Float64Array(count + 1);
    for (let node = 1; node <= count; node++) {
      this.#tree[node]! += heights[node - 1]!;
      const parent = node + (node & -node);
      if (parent <= count) this.#tree[parent]! += this.#tree[node]!;
    }
  }

  /** Sets a row's height; `measured` says that it was read off the screen and is no guess. */
  set(row: number, height: number, measured: boolean): void {
    if (row < 0 || row >= this.#count) return;
    const change = height - this.#heights[row]!;
    this.#heights[row] = height;
    if (measured) this.#measured[row] = 1;
    if (change === 0) return;
    for (let node = row + 1; node <= this.#count; node += node & -node) this.#tree[node]! += change;
  }

  /** The sum of the heights of rows before `row`. */
  topOf(row: number): number {
    let sum = 0;
    for (let node = Math.min(row, this.#count); node > 0; node -= node & -node) sum += this.#tree[node]!;
    return sum;
  }

  /** The row at `offset` pixels from the top; the last one when there is no more. */
  rowAt(offset: number): number {
    let node = 0;
    let rest = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#count))); step >= 1; step /= 2) {
      const next = node + step;
      if (next <= this.#count && this.#tree[next]! <= rest) {
        node = next;
        rest -= this.#tree[next]!;
      }
    }
    return Math.max(0, Math.min(node, this.#count - 1));
  }
}
