import { RowHeights } from './row-heights.ts';

/** A range of rows, both ends inclusive. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Distance from the view within which rows are rendered, in px. */
const OVERSCAN = 500;
const MAX_ROWS = 80;
/** Distance from the end within which scrolling down starts to follow the newest message, in px. */
const NEAR_END = 32;

/**
 * The viewport of a virtual list. Selects the rows to render, and corrects the scroll position when measured heights
 * differ from estimates, so that the content doesn't jump. At the end of the list it follows new rows.
 */
export class Viewport {
  /** Whether the end of the list is kept in view. */
  isFollowing = true;
  /** The row at the top of the view, and how far it's scrolled, in px. */
  anchor = { row: 0, offset: 0 };
  readonly #scroller: HTMLElement;
  readonly #spacer: HTMLElement;
  readonly #rows: HTMLElement;
  readonly #onRange: (range: RowRange) => void;
  readonly #heights = new RowHeights();
  readonly #observer = new ResizeObserver(() => this.measure());
  #range: RowRange = { from: 0, to: -1 };
  /** The scroll position when it was last set or read, to notice that the user has scrolled. */
  #lastScrollTop = 0;

  constructor(scroller: HTMLElement, spacer: HTMLElement, rows: HTMLElement, onRange: (range: RowRange) => void) {
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

  /** The edges of the visible part, as fractions of the number of rows. */
  get view(): { readonly top: number; readonly bottom: number } {
    const count = Math.max(1, this.#heights.count);
    const { scrollTop, clientHeight } = this.#scroller;
    const bottom = scrollTop + clientHeight;
    return { top: this.#heights.positionAt(scrollTop) / count, bottom: this.#heights.positionAt(bottom) / count };
  }

  /** Sets the number of rows, estimates the heights of new ones, and measures all rendered rows. */
  update(count: number, estimate: (row: number) => number): void {
    this.readScroll();
    this.#heights.resize(count, estimate);
    this.measure();
  }

  /** Measures all rendered rows. Must be called between rendering and painting. */
  measure(): void {
    this.readScroll();
    for (const element of this.#rows.querySelectorAll<HTMLElement>(':scope > [data-row]'))
      this.#heights.set(Number(element.dataset['row']), element.getBoundingClientRect().height);
    this.#applyScroll();
  }

  handleScroll(): void {
    this.readScroll();
    this.#selectRows();
  }

  /** Scrolls a row to `margin` px below the top of the view. */
  reveal(row: number, margin: number): void {
    this.isFollowing = false;
    this.anchor = { row: Math.max(0, Math.min(row, this.#heights.count - 1)), offset: -margin };
    this.#applyScroll();
  }

  scrollToEnd(): void {
    this.isFollowing = true;
    this.#applyScroll();
  }

  /**
   * Keeps following after the view's height has changed. If it was larger for a moment, the browser has scrolled up,
   * which would look like the user's scrolling. The user's own must be read before the change, by `readScroll`.
   */
  keepFollowing(): void {
    if (this.isFollowing) this.#applyScroll();
  }

  /** The scroll position at the end. `scrollHeight` would also count rows that are about to be replaced. */
  get #end(): number {
    return this.#heights.total - this.#scroller.clientHeight;
  }

  /** Reads the user's scrolling before a change of the content, because its event may still be pending. */
  readScroll(): void {
    const { scrollTop, clientHeight } = this.#scroller;
    if (clientHeight === 0 || Math.abs(scrollTop - this.#lastScrollTop) < 1) return;
    // Scrolling up stops following, except if the list became shorter and the view is still at its end.
    const tolerance = scrollTop > this.#lastScrollTop ? NEAR_END : 1;
    this.#lastScrollTop = scrollTop;
    this.isFollowing = scrollTop >= this.#end - tolerance;
    this.#anchorAt(scrollTop);
  }

  #anchorAt(top: number): void {
    const row = this.#heights.rowAt(top);
    this.anchor = { row, offset: top - this.#heights.topOf(row) };
  }

  /** Scrolls to the end if it's followed, otherwise to the anchor. */
  #applyScroll(): void {
    this.#spacer.style.height = `${this.#heights.total}px`;
    this.#positionRows();
    const end = this.#end;
    // Following the end would scroll the editor of an earlier message out of view.
    const isEditing = this.#rows.querySelector('textarea:focus') !== null;
    const target = this.isFollowing && !isEditing ? end : this.#heights.topOf(this.anchor.row) + this.anchor.offset;
    const top = Math.max(0, Math.min(target, end));
    if (Math.abs(this.#scroller.scrollTop - top) >= 1) this.#scroller.scrollTop = top;
    this.#lastScrollTop = this.#scroller.scrollTop;
    if (this.isFollowing) this.#anchorAt(top);
    this.#selectRows();
  }

  #positionRows(): void {
    this.#rows.style.transform = `translateY(${this.#heights.topOf(this.#range.from)}px)`;
  }

  #selectRows(): void {
    if (this.#heights.count === 0) return;
    const { scrollTop, clientHeight } = this.#scroller;
    const from = this.#heights.rowAt(scrollTop - OVERSCAN);
    const to = Math.min(this.#heights.rowAt(scrollTop + clientHeight + OVERSCAN), from + MAX_ROWS - 1);
    if (from === this.#range.from && to === this.#range.to) return;
    this.#range = { from, to };
    this.#positionRows();
    this.#onRange(this.#range);
  }
}
