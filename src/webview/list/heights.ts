/** The measured or estimated heights of a list's rows in pixels, and their positions. */
export class Heights {
  readonly #heights: number[] = [];
  readonly #measured: boolean[] = [];
  /** Positions of rows, valid up to `#summed`; those after a change are computed on demand. */
  readonly #tops = [0];
  #summed = 0;

  get count(): number {
    return this.#heights.length;
  }

  /** The height of all rows. */
  get total(): number {
    return this.topOf(this.count);
  }

  isMeasured(row: number): boolean {
    return this.#measured[row] === true;
  }

  /** Changes the number of rows. Existing rows keep their heights; new ones get `guess(row)`. */
  resize(count: number, guess: (row: number) => number): void {
    this.#heights.length = this.#measured.length = Math.min(count, this.count);
    this.#summed = Math.min(count, this.#summed);
    for (let row = this.count; row < count; row++) this.#heights.push(guess(row));
  }

  /** Sets a row's height; `measured` tells that it isn't an estimate. */
  set(row: number, height: number, measured: boolean): void {
    if (row < 0 || row >= this.count) return;
    if (measured) this.#measured[row] = true;
    if (this.#heights[row] === height) return;
    this.#heights[row] = height;
    this.#summed = Math.min(row, this.#summed);
  }

  /** The position of `row`: the sum of the heights before it. */
  topOf(row: number): number {
    const last = Math.min(row, this.count);
    for (; this.#summed < last; this.#summed++)
      this.#tops[this.#summed + 1] = this.#tops[this.#summed]! + this.#heights[this.#summed]!;
    return this.#tops[last]!;
  }

  /** The row at `offset` pixels from the top, or the last one. */
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
