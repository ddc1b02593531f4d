/**
 * The occurrences of `query` in `text`, ignoring case, as UTF-16 offsets. Uses a regular expression, because
 * lowercasing both texts may change offsets: `İ` becomes two units.
 */
export function findMatches(text: string, query: string): { readonly from: number; readonly to: number }[] {
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }));
}

/** Expands a message's collapsed parts, such as a tool's output. Returns whether there were any. */
export function expandParts(body: Element): boolean {
  const collapsed = body.querySelectorAll<HTMLElement>('.disclosure[aria-expanded="false"]');
  for (const button of collapsed) button.click();
  return collapsed.length > 0;
}

/** Scrolls what contains a match, such as a long output, and the transcript, unless the match is in view. */
export function scrollToMatch(match: Range): void {
  for (let at = match.startContainer.parentElement; at; at = at.parentElement) {
    if (at.scrollHeight <= at.clientHeight || getComputedStyle(at).overflowY !== 'auto') continue;
    const view = at.getBoundingClientRect();
    const { top, bottom } = match.getBoundingClientRect();
    if (top < view.top || bottom > view.bottom) at.scrollTop += top - view.top - at.clientHeight / 3;
  }
}
