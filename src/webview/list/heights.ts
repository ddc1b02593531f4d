/** Heights of a long list's rows in pixels, known or guessed, and where each row begins. */
export class Heights {
  readonly #heights: number[] = [];
  readonly #measured: boolean[] = [];
  /** Where rows begin, right up to `#summed`; what lies behind a change is added up when it is asked for. */
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

  /** Makes the list `count` rows long; rows that were there keep their heights, new ones get `guess(row)`. */
  resize(count: number, guess: (row: number) => number): void {
    this.#heights.length = this.#measured.length = Math.min(count, this.count);
    this.#summed = Math.min(count, this.#summed);
    for (let row = this.count; row < count; row++) this.#heights.push(guess(row));
  }

  /** Sets a row's height; `measured` says that it was read off the screen and is no guess. */
  set(row: number, height: number, measured: boolean): void {
    if (row < 0 || row >= this.count) return;
    if (measured) this.#measured[row] = true;
    if (this.#heights[row] === height) return;
    this.#heights[row] = height;
    this.#summed = Math.min(row, this.#summed);
  }

  /** The sum of the heights of rows before `row`. */
  topOf(row: number): number {
    const last = Math.min(row, this.count);
    for (; this.#summed < last; this.#summed++)
      this.#tops[this.#summed + 1] = this.#tops[this.#summed]! + this.#heights[this.#summed]!;
    return this.#tops[last]!;
  }

  /** The row at `offset` pixels from the top; the last one when there is no more. */
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
