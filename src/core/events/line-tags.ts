import { TAG_NAME } from './line-patterns.ts';

/** Offset behind the tags that a line starts with, a summary's words included. */
export function afterTags(text: string, start: number, end: number): number {
  let here = start;
  for (;;) {
    while (here < end && isSpace(text.charCodeAt(here))) here++;
    if (here >= end || text.charCodeAt(here) !== 60) return here;
    const length = text.slice(here, Math.min(end, here + 160)).indexOf('>');
    if (length === -1) return here;
    const name = text.slice(here + 1, here + length);
    if (!TAG_NAME.test(name) || /error/i.test(name)) return here;
    here += length + 1;
    if (!/^summary$/i.test(name)) continue;
    const done = text.slice(here, Math.min(end, here + 400)).indexOf('</summary>');
    if (done === -1) return end;
    here += done + 10;
  }
}

/** Offset before the closing tags that a line ends with. */
export function beforeClosingTags(text: string, start: number, lineEnd: number): number {
  let end = lineEnd;
  while (end > start && text.charCodeAt(end - 1) === 62) {
    const from = Math.max(start, end - 40);
    const open = text.slice(from, end).lastIndexOf('</');
    if (open === -1) break;
    end = from + open;
    while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  }
  return end;
}

export const isSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 13 || code === 0xa0 || code === 0x3000 || code === 0x200b || code === 0xfeff;
