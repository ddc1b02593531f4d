import MarkdownIt from 'markdown-it';
import { mathOpenedBy, MAX_FORMULA, readMath } from './math-syntax.ts';

/** A longer block is looked at again when it has grown by an eighth, so that it costs time linear in its length. */
export const LONG_BLOCK = 4_000;
export const hasGrown = (length: number, before: number): boolean => length <= LONG_BLOCK || length >= before * 1.125;

/** Finds where blocks begin, as the renderer would, and reads nothing within them. */
const outline = new MarkdownIt({ html: false });
// Each level goes through the rest of its line; behind lists nested deeper than this, no block is cut.
outline.set({ maxNesting: 20 });
readMath(outline);
outline.core.ruler.enableOnly(['normalize', 'block']);

/**
 * Cuts markdown into blocks that render by themselves, as it arrives: those that are closed can no longer change. The
 * texts of all blocks, joined, are the source, and the cuts do not depend on how it was chunked.
 */
export class BlockSplitter {
  /** Blocks that no further text can change. */
  readonly closed: string[] = [];
  /** The block that is still growing, with the line that has not ended. */
  open = '';
  /** The open block is code that has ended: what follows is another block's, once its first line is there. */
  hasEnded = false;
  /** Characters of the open block when it was looked at last. */
  #seen = 0;

  push(text: string): void {
    const before = this.open.length;
    this.open += text;
    if (!text.includes('\n')) return;
    this.hasEnded ||= this.#endsCode(before);
    const isDue = this.hasEnded && text.trim() !== '';
    if (!isDue && !hasGrown(this.open.length, this.#seen)) return;
    // The line that has not ended may become anything.
    const ended = this.open.slice(0, this.open.lastIndexOf('\n') + 1);
    this.#close(ended, startsIn(ended, false));
    this.#seen = this.open.length;
  }

  /** Ends the text: what is open becomes a block. */
  finish(): void {
    this.#close(this.open, [...startsIn(this.open, true), this.open.length]);
  }

  /** Whether a line that has come since the block had `before` characters ends the code that it begins with. */
  #endsCode(before: number): boolean {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.open)?.[1];
    if (fence === undefined) return false;
    const lines = this.open.slice(Math.max(0, this.open.lastIndexOf('\n', before - 1)));
    return new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*\\r?\\n`).test(lines);
  }

  /** Takes off the open block's text what lies before the last of `starts`. */
  #close(text: string, starts: readonly number[]): void {
    for (const [index, start] of starts.slice(1).entries())
      if (start > starts[index]!) this.closed.push(text.slice(starts[index], start));
    const start = starts.at(-1)!;
    this.open = this.open.slice(start);
    if (start > 0) this.hasEnded = this.#endsCode(0);
  }
}

/** Where the blocks of a text begin, the first at 0. Before the end of the text none is seen behind an open formula. */
function startsIn(text: string, isEnd: boolean): number[] {
  const lines = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)];
  const starts = [0];
  const tokens = outline.parse(text, {});
  for (const [index, { type, level, map, nesting }] of tokens.entries()) {
    if (!map || level !== 0 || nesting < 0) continue;
    const at = lines[map[0]]!;
    if (at > 0) starts.push(at);
    const isParagraph = type === 'paragraph_open' && !isEnd && text.length - at <= MAX_FORMULA;
    if (isParagraph && tokens[index + 1]!.content.split('\n').some((line) => mathOpenedBy(line) !== undefined)) break;
  }
  return starts;
}
