import { Heights } from './heights.ts';

/** A range of rendered rows, both ends inclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Rows this close to the view, in px, stay rendered. */
const OVERSCAN = 500;
/** Maximum number of rendered rows. */
const MAX_ROWS = 80;
/** Scrolling down to within this many px of the end starts following the newest message. */
const NEAR_END = 32;

/**
 * A virtual list's viewport: selects the rows to render, and corrects the scroll position when rows above the view
 * turn out to be taller or shorter than estimated, so that the content doesn't jump. At the end it follows new rows.
 */
export class Viewport {
  /** True while the newest message is kept in view. */
  following = true;
  /** The row at the top of the view, and how many px of it are above the view. */
  place = { row: 0, offset: 0 };
  readonly #scroller: HTMLElement;
  readonly #spacer: HTMLElement;
  readonly #rows: HTMLElement;
  readonly #onRange: (range: Range) => void;
  readonly #heights = new Heights();
  readonly #observer = new ResizeObserver(() => this.measure());
  #range: Range = { from: 0, to: -1 };
  /** The scroll position when it was last set or read. If it differs, the user has scrolled. */
  #known = 0;

  constructor(scroller: HTMLElement, spacer: HTMLElement, rows: HTMLElement, onRange: (range: Range) => void) {
    this.#scroller = scroller;
    this.#spacer = spacer;
    this.#rows = rows;
    this.#onRange = onRange;
    this.#observer.observe(scroller);
    this.#observer.observe(rows);
  }

  dispose(): void {
    this.#observer.disconnect();
  }

  /** The visible part of the list, as fractions of its height. */
  get view(): { readonly top: number; readonly bottom: number } {
    const total = Math.max(1, this.#heights.total);
    const { scrollTop, clientHeight } = this.#scroller;
    return { top: scrollTop / total, bottom: Math.min(1, (scrollTop + clientHeight) / total) };
  }

  /** Sets the number of rows, and new height estimates for changed rows that were never rendered. */
  update(count: number, guess: (row: number) => number, changed: Range): void {
    this.#readMove();
    this.#heights.resize(count, guess);
    for (let row = changed.from; row <= changed.to; row++)
      if (!this.#heights.isMeasured(row)) this.#heights.set(row, guess(row), false);
    this.#settle();
  }

  /** Reads the heights of all rendered rows at once. Call it after rendering and before paint. */
  measure(): void {
    this.#readMove();
    for (const element of this.#rows.querySelectorAll<HTMLElement>(':scope > [data-row]'))
      this.#heights.set(Number(element.dataset['row']), element.getBoundingClientRect().height, true);
    this.#settle();
  }

  scrolled(): void {
    this.#readMove();
    this.#choose();
  }

  /** Scrolls a row to `above` px below the top of the view. */
  reveal(row: number, above: number): void {
    this.following = false;
    this.place = { row: Math.max(0, Math.min(row, this.#heights.count - 1)), offset: -above };
    this.#settle();
  }

  toEnd(): void {
    this.following = true;
    this.#settle();
  }

  /** Called before every change: scroll events arrive late, and a change must not undo the user's scrolling. */
  #readMove(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.#scroller;
    if (clientHeight === 0 || Math.abs(scrollTop - this.#known) < 1) return;
    // Scrolling up, even a little, stops following, unless the list only became shorter and is still at its end.
    const near = scrollTop > this.#known ? NEAR_END : 1;
    this.#known = scrollTop;
    this.following = scrollTop + clientHeight >= scrollHeight - near;
    this.#placeAt(scrollTop);
  }

  #placeAt(top: number): void {
    const row = this.#heights.rowAt(top);
    this.place = { row, offset: top - this.#heights.topOf(row) };
  }

  /** Scrolls to the end that is followed, or to where the place is now. */
  #settle(): void {
    this.#spacer.style.height = `${this.#heights.total}px`;
    this.#moveRows();
    const end = this.#scroller.scrollHeight - this.#scroller.clientHeight;
    const wanted = this.following ? end : this.#heights.topOf(this.place.row) + this.place.offset;
    const top = Math.max(0, Math.min(wanted, end));
    if (Math.abs(this.#scroller.scrollTop - top) >= 1) this.#scroller.scrollTop = top;
    this.#known = this.#scroller.scrollTop;
    if (this.following) this.#placeAt(top);
    this.#choose();
  }

  #moveRows(): void {
    this.#rows.style.transform = `translateY(${this.#heights.topOf(this.#range.from)}px)`;
  }

  #choose(): void {
    if (this.#heights.count === 0) return;
    const { scrollTop, clientHeight } = this.#scroller;
    const from = this.#heights.rowAt(scrollTop - OVERSCAN);
    const to = Math.min(this.#heights.rowAt(scrollTop + clientHeight + OVERSCAN), from + MAX_ROWS - 1);
    if (from === this.#range.from && to === this.#range.to) return;
    this.#range = { from, to };
    this.#moveRows();
    this.#onRange(this.#range);
  }
}
