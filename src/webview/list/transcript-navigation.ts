const ARTICLE = '[role="article"]';
const FOCUSABLE = 'button:not(:disabled), input, textarea, [tabindex="0"]';

/**
 * Keyboard navigation in the transcript, an ARIA feed, but with arrow keys: Up and Down move between rows, and Left and
 * Right select words. Tab moves through the controls of a row and then leaves the transcript.
 */
export class TranscriptNavigation {
  readonly #feed: HTMLElement;
  /** An empty element after the feed. Tab moves the focus there to leave the feed. */
  readonly #end: HTMLElement;
  /** The row that had the focus last. */
  #current: HTMLElement | undefined;
  #isLeaving = false;

  constructor(feed: HTMLElement, end: HTMLElement) {
    this.#feed = feed;
    this.#end = end;
  }

  /** Returns the focus to the last row or the feed if it came to the end element by Shift+Tab. */
  handleEndFocus(): void {
    if (this.#isLeaving) this.#isLeaving = false;
    else (this.#current?.isConnected ? this.#current : this.#feed).focus({ preventScroll: true });
  }

  handleKeyDown(event: KeyboardEvent): void {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (key === 'Tab') this.#handleTab(event, target);
    else if (key === 'ArrowDown' || key === 'ArrowUp') this.#handleArrow(event, target);
    else if (target.matches(ARTICLE) && selectWord(event, target.querySelector('.message-body')))
      event.preventDefault();
  }

  #handleTab(event: KeyboardEvent, target: HTMLElement): void {
    const row = target.closest<HTMLElement>(ARTICLE);
    const controls = [...(row?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
    const tabStops = controls.filter((element) => element.getClientRects().length > 0);
    if (event.shiftKey) {
      // Shift+Tab on a row leaves the feed: it continues from the feed's own element.
      if (row === target) this.#feed.focus({ preventScroll: true });
      if (row === null || row === target || target !== tabStops[0]) return;
      event.preventDefault();
      this.#focus(row);
      return;
    }
    if (target !== this.#feed && tabStops.length > 0 && target !== tabStops.at(-1)) return;
    this.#isLeaving = true;
    this.#end.focus({ preventScroll: true });
  }

  #handleArrow(event: KeyboardEvent, target: HTMLElement): void {
    const isOnFeed = target === this.#feed;
    if (!isOnFeed && !target.matches(ARTICLE)) return;
    const rows = [...this.#feed.querySelectorAll<HTMLElement>(ARTICLE)];
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const remembered = rows.find((row) => row === this.#current) ?? rows.at(-1);
    const next = isOnFeed ? remembered : rows[rows.indexOf(target) + step];
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
 * Selects the previous or next word of a message by Left or Right, or extends the selection with Shift. Browsers show
 * no caret in a message, so its text could otherwise only be selected with the mouse. Returns true if the key was
 * handled.
 */
function selectWord({ key, shiftKey }: KeyboardEvent, body: Element | null): boolean {
  const selection = window.getSelection();
  if (!body || !selection || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return false;
  if (!body.contains(selection.focusNode)) selection.collapse(body, 0);
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  const direction = key === 'ArrowRight' ? 'forward' : 'backward';
  if (shiftKey) {
    selection.modify('extend', direction, 'word');
  } else {
    // Move back to the word's start, because platforms differ in whether a step ends after a word or before the next.
    if (direction === 'forward') {
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
