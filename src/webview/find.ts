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

/** The buttons of a message's collapsed or truncated parts, such as a tool's output. */
const COLLAPSED = '[aria-expanded="false"]';

/**
 * Where `text`, a message as it's rendered, contains a part of an excerpt of `source`, in UTF-16 offsets. If `mayHide`,
 * the message may have collapsed parts, and a part of the excerpt that `source` contains more often may be in those.
 * Only compares the words, because Markdown's marks aren't rendered, and the parts between marks, because addresses
 * aren't either.
 */
export function findExcerpt(
  text: string,
  source: string,
  { excerpt, query }: SoughtExcerpt,
  mayHide: boolean,
): { from: number; to: number } | undefined {
  const start = source.indexOf(excerpt);
  const sought = query.toLowerCase().match(WORDS) ?? [];
  const parts = excerpt
    .split(/[\n.!?。！？()[\]<>|]+/)
    .filter((part) => part.search(WORDS) >= 0)
    .map((part) => {
      const words = part.toLowerCase().match(WORDS)!;
      const found = sought.filter((word) => words.some((one) => one.startsWith(word)));
      return { part, longest: Math.max(0, ...found.map(({ length }) => length)) };
    })
    .sort((a, b) => b.longest - a.longest || b.part.length - a.part.length);
  // The longest word of a query tells most: "port" in "what is a port?".
  for (const { part } of parts.filter(({ longest }) => longest === parts[0]!.longest)) {
    const pattern = new RegExp(part.match(WORDS)!.join('[^\\p{L}\\p{N}]*'), 'gu');
    const written = [...source.matchAll(pattern)];
    const shown = [...text.matchAll(pattern)];
    const found = shown[written.findIndex(({ index }) => index >= start)];
    if (found && !(mayHide && shown.length < written.length))
      return { from: found.index, to: found.index + found[0].length };
  }
  return undefined;
}

/** Scrolls to an excerpt of the message with this source, and expands the parts that contain it. */
export function showExcerpt(body: Element, source: string, sought: SoughtExcerpt): void {
  // A search result may also be from a summary.
  if (!source.includes(sought.excerpt)) return;
  const show = (): boolean => {
    const mayHide = body.querySelector(COLLAPSED) !== null;
    const found = findExcerpt(body.textContent, source, sought, mayHide);
    const match = found && rangeIn(body, found);
    // The button of a collapsed part shows only the beginning of its first line.
    if (!match || match.startContainer.parentElement?.closest(COLLAPSED)) return false;
    scrollToMatch(match);
    return true;
  };
  expandUntil(body, show);
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

/**
 * Expands a message's collapsed parts, and then those of them that are truncated, until `isShown`. Returns whether it
 * has expanded any.
 */
export function expandUntil(body: Element, isShown: () => boolean): boolean {
  const expand = (): boolean => {
    if (isShown()) return false;
    const collapsed = body.querySelectorAll<HTMLElement>(COLLAPSED);
    for (const button of collapsed) button.click();
    return collapsed.length > 0;
  };
  if (!expand()) return false;
  const observer = new MutationObserver(() => {
    if (!expand()) observer.disconnect();
  });
  observer.observe(body, { childList: true, subtree: true });
  return true;
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
