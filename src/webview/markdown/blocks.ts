import MarkdownIt from 'markdown-it';
import { mathOpenedBy, MAX_FORMULA, readMath } from './math-syntax.ts';

/** Longer blocks are parsed again when they have grown by an eighth, so that they take linear time. */
export const LONG_BLOCK = 4_000;
export const hasGrown = (length: number, before: number): boolean => length <= LONG_BLOCK || length >= before * 1.125;

/** Only parses block structure, as the renderer does. */
const outline = new MarkdownIt({ html: false });
// Each level parses the rest of its line, so deeper nesting isn't split.
outline.set({ maxNesting: 20 });
readMath(outline);
outline.core.ruler.enableOnly(['normalize', 'block']);

/**
 * Splits streaming Markdown into blocks that can be rendered separately. Closed blocks can't change anymore. The
 * blocks, joined, are the source, and the splits don't depend on how it was chunked.
 */
export class BlockSplitter {
  /** Blocks that further text can't change. */
  readonly closed: string[] = [];
  /** The last block, which is still growing, including the incomplete line. */
  open = '';
  /**
   * Whether the last block is code that has ended. What follows belongs to another block, once its first line is
   * complete.
   */
  hasEnded = false;
  /** Length of the last block when it was last parsed, in characters. */
  #seen = 0;

  push(text: string): void {
    const before = this.open.length;
    this.open += text;
    if (!text.includes('\n')) return;
    this.hasEnded ||= this.#endsCode(before);
    const isDue = this.hasEnded && text.trim() !== '';
    if (!isDue && !hasGrown(this.open.length, this.#seen)) return;
    // The incomplete line may still become anything.
    const ended = this.open.slice(0, this.open.lastIndexOf('\n') + 1);
    this.#close(ended, startsIn(ended, false));
    this.#seen = this.open.length;
  }

  /** Ends the text and closes the last block. */
  finish(): void {
    this.#close(this.open, [...startsIn(this.open, true), this.open.length]);
  }

  /** Whether a line that was added after the block had `before` characters ends the code that it begins with. */
  #endsCode(before: number): boolean {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.open)?.[1];
    if (fence === undefined) return false;
    const lines = this.open.slice(Math.max(0, this.open.lastIndexOf('\n', before - 1)));
    return new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*\\r?\\n`).test(lines);
  }

  /** Closes the blocks before the last of `starts`. */
  #close(text: string, starts: readonly number[]): void {
    for (const [index, start] of starts.slice(1).entries())
      if (start > starts[index]!) this.closed.push(text.slice(starts[index], start));
    const start = starts.at(-1)!;
    this.open = this.open.slice(start);
    if (start > 0) this.hasEnded = this.#endsCode(0);
  }
}

/**
 * The offsets at which blocks begin, starting with 0. Before the end of the text, an open formula hides what follows.
 */
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
