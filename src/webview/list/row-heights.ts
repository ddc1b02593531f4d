/** The measured or estimated heights of a list's rows, in px. */
export class RowHeights {
  readonly #heights: number[] = [];
  /** The sum of the heights before each row, valid up to `#validTops`. */
  readonly #tops = [0];
  #validTops = 0;

  get count(): number {
    return this.#heights.length;
  }

  get total(): number {
    return this.topOf(this.count);
  }

  /** Changes the number of rows. Existing rows keep their heights. */
  resize(count: number, estimate: (row: number) => number): void {
    this.#heights.length = Math.min(count, this.count);
    this.#validTops = Math.min(count, this.#validTops);
    for (let row = this.count; row < count; row++) this.#heights.push(estimate(row));
  }

  set(row: number, height: number): void {
    if (row >= this.count || this.#heights[row] === height) return;
    this.#heights[row] = height;
    this.#validTops = Math.min(row, this.#validTops);
  }

  /** The sum of the heights before `row`, in px. */
  topOf(row: number): number {
    const last = Math.min(row, this.count);
    for (; this.#validTops < last; this.#validTops++)
      this.#tops[this.#validTops + 1] = this.#tops[this.#validTops]! + this.#heights[this.#validTops]!;
    return this.#tops[last]!;
  }

  /** The position at `offset` px from the top, in rows: 2.5 is the middle of the third row. */
  positionAt(offset: number): number {
    const row = this.rowAt(offset);
    const top = this.topOf(row);
    return row + Math.min(1, (offset - top) / Math.max(1, this.topOf(row + 1) - top));
  }

  /** The row at `offset` px from the top; the last row if `offset` is beyond the end. */
  rowAt(offset: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.topOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
