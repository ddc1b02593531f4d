import MarkdownIt from 'markdown-it';
import { closingDelimiterFor, MAX_FORMULA_LENGTH, addMathSyntax } from './math-syntax.ts';

/** Longer blocks (in UTF-16 units) are parsed again only once they have grown by an eighth, to avoid quadratic time. */
const LONG_BLOCK = 4_000;
/** Whether a block of `length` characters is parsed again, if it had `before` characters the last time. */
export const hasGrownEnough = (length: number, before: number): boolean =>
  length <= LONG_BLOCK || length >= before * 1.125;

/** Parses the block structure like `renderMarkdown`, but not the text in the blocks. */
const outline = new MarkdownIt({ html: false });
// Limit the nesting, because each level parses the rest of its line again.
outline.set({ maxNesting: 20 });
addMathSyntax(outline);
outline.core.ruler.enableOnly(['normalize', 'block']);

/** Splits streaming Markdown into blocks that can be rendered separately. Joined, they are the source. */
export class BlockSplitter {
  /** Blocks that further text can't change. */
  readonly closed: string[] = [];
  /** The last block, to which further text is added. */
  open = '';
  /** Whether `open` begins with a fenced code block that is closed. */
  isCodeClosed = false;
  /** Length of `open` when it was last parsed, in characters. */
  #parsedLength = 0;

  push(text: string): void {
    const before = this.open.length;
    this.open += text;
    if (!text.includes('\n')) return;
    this.isCodeClosed ||= this.#closesCode(before);
    const startsNextBlock = this.isCodeClosed && text.trim() !== '';
    if (!startsNextBlock && !hasGrownEnough(this.open.length, this.#parsedLength)) return;
    // Leave out the last line, because text that is added to it may change its type.
    const completeLines = this.open.slice(0, this.open.lastIndexOf('\n') + 1);
    this.#close(completeLines, blockStarts(completeLines, false));
    this.#parsedLength = this.open.length;
  }

  /** Ends the text and closes the last block. */
  finish(): void {
    this.#close(this.open, [...blockStarts(this.open, true), this.open.length]);
  }

  /** Whether a line after the first `before` characters of `open` closes the fenced code that `open` begins with. */
  #closesCode(before: number): boolean {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.open)?.[1];
    if (fence === undefined) return false;
    const addedLines = this.open.slice(Math.max(0, this.open.lastIndexOf('\n', before - 1)));
    return new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*\\r?\\n`).test(addedLines);
  }

  /** Closes all blocks of `text` except the last. `starts` are their offsets. */
  #close(text: string, starts: readonly number[]): void {
    for (const [index, start] of starts.slice(1).entries())
      if (start > starts[index]!) this.closed.push(text.slice(starts[index], start));
    const start = starts.at(-1)!;
    this.open = this.open.slice(start);
    if (start > 0) this.isCodeClosed = this.#closesCode(0);
  }
}

/** The offsets at which blocks begin, from 0. Unless `isEnd`, stops at an unclosed formula, which may continue. */
function blockStarts(text: string, isEnd: boolean): number[] {
  // Many blank lines at the end would take the parser more than linear time.
  let end = text.length;
  while (/[\r\n]/.test(text[end - 1] ?? '')) end--;
  const written = text.slice(0, end);
  const lines = [0, ...Array.from(written.matchAll(/\r\n?|\n/g), ({ 0: breaks, index }) => index + breaks.length)];
  const starts = [0];
  const tokens = outline.parse(written, {});
  for (const [index, { type, level, map, nesting }] of tokens.entries()) {
    if (!map || level !== 0 || nesting < 0) continue;
    const at = lines[map[0]]!;
    if (at > 0) starts.push(at);
    // Include headings, because a line with only `=` makes the lines of an unclosed formula above it a heading.
    const isText = (type === 'paragraph_open' || type === 'heading_open') && !isEnd;
    if (!isText || text.length - at > MAX_FORMULA_LENGTH) continue;
    if (tokens[index + 1]!.content.split('\n').some((line) => closingDelimiterFor(line) !== undefined)) break;
  }
  return starts;
}
