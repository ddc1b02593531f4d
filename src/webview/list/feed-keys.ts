const ARTICLE = '[role="article"]';
const FOCUSABLE = 'button:not(:disabled), input, textarea, summary, [tabindex="0"]';

/**
 * The keyboard in the transcript (the ARIA pattern of a feed): it is one stop of the Tab key, arrow keys go from row to
 * row and from word to word, Tab goes through what is in a row, and past the last of that out of the transcript,
 * however long it is.
 */
export class FeedKeys {
  readonly #feed: HTMLElement;
  /** Stands behind the feed in the order of Tab: leaving goes on from it, coming back ends on it. */
  readonly #end: HTMLElement;
  #current: HTMLElement | undefined;
  #leaving = false;

  constructor(feed: HTMLElement, end: HTMLElement) {
    this.#feed = feed;
    this.#end = end;
  }

  /** The focus came to the end: by Shift+Tab from behind, it goes on to the row that had it last. */
  endFocused(): void {
    if (this.#leaving) this.#leaving = false;
    else this.#focus(this.#current?.isConnected ? this.#current : this.#feed);
  }

  keyDown(event: KeyboardEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Tab') this.#tab(event, target);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') this.#arrow(event, target);
    else if (target.matches(ARTICLE) && selectByKey(event, target.querySelector('.message-body')))
      event.preventDefault();
  }

  #tab(event: KeyboardEvent, target: HTMLElement): void {
    const row = target.closest<HTMLElement>(ARTICLE);
    const stops = row ? focusable(row) : [];
    if (event.shiftKey) {
      // From the row itself the way back leads past the feed, as if the feed had the focus.
      if (row === target) this.#feed.focus({ preventScroll: true });
      if (row === null || row === target || target !== stops[0]) return;
      event.preventDefault();
      this.#focus(row);
      return;
    }
    const last = stops.at(-1);
    if (target !== this.#feed && last !== undefined && target !== last) return;
    this.#leaving = true;
    this.#end.focus({ preventScroll: true });
  }

  #arrow(event: KeyboardEvent, target: HTMLElement): void {
    const onFeed = target === this.#feed;
    if (!onFeed && !target.matches(ARTICLE)) return;
    const rows = [...this.#feed.querySelectorAll<HTMLElement>(ARTICLE)];
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const next = onFeed ? (this.#remembered(rows) ?? rows.at(-1)) : rows[rows.indexOf(target) + step];
    if (!next) return;
    event.preventDefault();
    this.#focus(next);
    next.scrollIntoView({ block: 'nearest' });
  }

  #remembered(rows: readonly HTMLElement[]): HTMLElement | undefined {
    return rows.find((row) => row === this.#current);
  }

  #focus(element: HTMLElement): void {
    if (element !== this.#feed) this.#current = element;
    element.focus({ preventScroll: true });
  }
}

/** What can have the focus in a row, in the order of Tab. */
function focusable(row: HTMLElement): HTMLElement[] {
  const all = [...row.querySelectorAll<HTMLElement>(FOCUSABLE)];
  return all.filter((element) => element.getClientRects().length > 0);
}

/**
 * Selects words of a message by keys. A page that is only read has no caret, so text could be marked with the pointer
 * alone: on a row, Left and Right mark one word after the other, and with Shift they take in more or fewer words.
 * True when the key was one of these.
 */
export function selectByKey({ key, shiftKey }: KeyboardEvent, body: Element | null): boolean {
  if (!body || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return false;
  const selection = window.getSelection();
  if (!selection) return false;
  if (!body.contains(selection.focusNode)) selection.collapse(body, 0);
  const before = [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset] as const;
  const way = key === 'ArrowRight' ? 'forward' : 'backward';
  if (shiftKey) selection.modify('extend', way, 'word');
  else markWord(selection, way);
  const { anchorNode, focusNode } = selection;
  if (body.contains(anchorNode) && body.contains(focusNode)) return true;
  // It would have left the message.
  const [anchor, anchorOffset, focus, focusOffset] = before;
  if (anchor && focus) selection.setBaseAndExtent(anchor, anchorOffset, focus, focusOffset);
  return true;
}

/** Marks the next or the previous word, wherever the platform's steps by words end: behind a word or before the next. */
function markWord(selection: Selection, way: 'forward' | 'backward'): void {
  if (way === 'forward') {
    selection.collapseToEnd();
    selection.modify('move', 'forward', 'word');
  } else {
    selection.collapseToStart();
  }
  selection.modify('move', 'backward', 'word');
  selection.modify('extend', 'forward', 'word');
}
