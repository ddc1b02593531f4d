const ARTICLE = '[role="article"]';
const FOCUSABLE = 'button:not(:disabled), input, textarea, [tabindex="0"]';

/**
 * Keyboard navigation in the transcript (the ARIA feed pattern): it's a single tab stop; arrow keys move between rows
 * and words; Tab moves through a row's controls, and after the last one out of the transcript, regardless of its
 * length.
 */
export class FeedKeys {
  readonly #feed: HTMLElement;
  /** The last tab stop of the feed. */
  readonly #end: HTMLElement;
  #current: HTMLElement | undefined;
  #leaving = false;

  constructor(feed: HTMLElement, end: HTMLElement) {
    this.#feed = feed;
    this.#end = end;
  }

  /** Focus entered the end by Shift+Tab, so it moves to the row that had it last. */
  endFocused(): void {
    if (this.#leaving) this.#leaving = false;
    else (this.#current?.isConnected ? this.#current : this.#feed).focus({ preventScroll: true });
  }

  keyDown(event: KeyboardEvent): void {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (key === 'Tab') this.#tab(event, target);
    else if (key === 'ArrowDown' || key === 'ArrowUp') this.#arrow(event, target);
    else if (target.matches(ARTICLE) && selectByKey(event, target.querySelector('.message-body')))
      event.preventDefault();
  }

  #tab(event: KeyboardEvent, target: HTMLElement): void {
    const row = target.closest<HTMLElement>(ARTICLE);
    const all = [...(row?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
    const stops = all.filter((element) => element.getClientRects().length > 0);
    if (event.shiftKey) {
      // From a row itself, Shift+Tab leaves the feed, as if the feed had the focus.
      if (row === target) this.#feed.focus({ preventScroll: true });
      if (row === null || row === target || target !== stops[0]) return;
      event.preventDefault();
      this.#focus(row);
      return;
    }
    if (target !== this.#feed && stops.length > 0 && target !== stops.at(-1)) return;
    this.#leaving = true;
    this.#end.focus({ preventScroll: true });
  }

  #arrow(event: KeyboardEvent, target: HTMLElement): void {
    const onFeed = target === this.#feed;
    if (!onFeed && !target.matches(ARTICLE)) return;
    const rows = [...this.#feed.querySelectorAll<HTMLElement>(ARTICLE)];
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const remembered = rows.find((row) => row === this.#current) ?? rows.at(-1);
    const next = onFeed ? remembered : rows[rows.indexOf(target) + step];
    if (!next) return;
    event.preventDefault();
    this.#focus(next);
    next.scrollIntoView({ block: 'nearest' });
  }

  #focus(row: HTMLElement): void {
    this.#current = row;
    row.focus({ preventScroll: true });
  }
}

/**
 * Selects words of a message with keys. A page that isn't editable has no caret, so text could only be selected with
 * the mouse. On a row, Left and Right select one word at a time; with Shift, they extend or reduce the selection.
 * Returns true for one of these keys.
 */
function selectByKey({ key, shiftKey }: KeyboardEvent, body: Element | null): boolean {
  const selection = window.getSelection();
  if (!body || !selection || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return false;
  if (!body.contains(selection.focusNode)) selection.collapse(body, 0);
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  const way = key === 'ArrowRight' ? 'forward' : 'backward';
  if (shiftKey) {
    selection.modify('extend', way, 'word');
  } else {
    // Selects one word. Platforms differ in whether a word step ends after a word or before the next one.
    if (way === 'forward') {
      selection.collapseToEnd();
      selection.modify('move', 'forward', 'word');
    } else {
      selection.collapseToStart();
    }
    selection.modify('move', 'backward', 'word');
    selection.modify('extend', 'forward', 'word');
  }
  const isInside = body.contains(selection.anchorNode) && body.contains(selection.focusNode);
  if (!isInside && anchorNode && focusNode)
    selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  return true;
}
