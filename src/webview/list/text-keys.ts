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
