/**
 * The occurrences of `query` in `text`, ignoring case, as UTF-16 offsets. Uses a regular expression, because
 * lowercasing both texts may change offsets: `İ` becomes two units.
 */
export function findMatches(text: string, query: string): { readonly from: number; readonly to: number }[] {
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }));
}

/** What to show of a message: a part of its Markdown source, best one with words of `query`. */
export interface SoughtExcerpt {
  readonly excerpt: string;
  readonly query: string;
}

const WORDS = /[\p{L}\p{N}]+/gu;

/**
 * Where `text`, a message as it's rendered or its source, contains a part of an excerpt, in UTF-16 offsets. Only compares
 * the words, because Markdown's marks aren't rendered, and the parts between marks, because addresses aren't either.
 */
export function findExcerpt(text: string, { excerpt, query }: SoughtExcerpt): { from: number; to: number } | undefined {
  const sought = query.toLowerCase().match(WORDS) ?? [];
  const countSought = (part: string): number => sought.filter((word) => part.toLowerCase().includes(word)).length;
  const parts = excerpt.split(/[\n.!?。！？()[\]<>|]+/).filter((part) => part.search(WORDS) >= 0);
  for (const part of parts.sort((a, b) => countSought(b) - countSought(a) || b.length - a.length)) {
    const found = new RegExp(part.match(WORDS)!.join('[^\\p{L}\\p{N}]*'), 'u').exec(text);
    if (found) return { from: found.index, to: found.index + found[0].length };
  }
  return undefined;
}

/** Scrolls to an excerpt of the message with this source, and expands the parts that contain it. */
export function showExcerpt(body: Element, source: string, sought: SoughtExcerpt): void {
  const show = (): boolean => {
    const found = findExcerpt(body.textContent, sought);
    if (found) scrollToMatch(rangeIn(body, found));
    return found !== undefined;
  };
  // A search result may also be from a summary.
  if (show() || !findExcerpt(source, sought) || !expandParts(body)) return;
  const observer = new MutationObserver(() => {
    observer.disconnect();
    show();
  });
  observer.observe(body, { childList: true, subtree: true });
}

/** The range between two offsets in an element's text. */
function rangeIn(element: Element, { from, to }: { readonly from: number; readonly to: number }): Range {
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let before = 0; walker.nextNode();) {
    const node = walker.currentNode as Text;
    if (before <= from && from < before + node.length) range.setStart(node, from - before);
    if (before < to && to <= before + node.length) range.setEnd(node, to - before);
    before += node.length;
  }
  return range;
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
