import MarkdownIt from 'markdown-it';
import { mathOpenedBy, MAX_FORMULA, readMath } from './math-syntax.ts';

/** A stretch of markdown that renders by itself. The texts of all blocks, joined, are the source. */
export interface Block {
  readonly kind: 'prose' | 'list' | 'code';
  readonly text: string;
}

/** A list or paragraph longer than this is cut at its next item or line, so that no re-rendering grows without bound. */
const CUT_AFTER = 8_000;

/** A line of prose longer than this is cut at a space. */
const MAX_LINE_LENGTH = 16_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^]*)/;
const CLOSING_FENCE = /^ {0,3}(?:`{3,}|~{3,})[ \t]*$/m;

interface Fence {
  readonly marker: string;
  readonly length: number;
}

/** Finds where blocks begin, as the renderer would, and reads nothing within them. */
const outline = new MarkdownIt({ html: false });
// Each level goes through the rest of its line; behind lists nested deeper than this, no block is cut.
outline.set({ maxNesting: 20 });
readMath(outline);
outline.core.ruler.enableOnly(['normalize', 'block']);

/**
 * Cuts markdown into blocks as it arrives: all but the last block of what is there can no longer change. The cuts do not
 * depend on how the text was chunked.
 */
export class BlockSplitter {
  readonly #closed: Block[] = [];
  /** Whole lines of the block that is still growing. */
  #open = '';
  #kind: Block['kind'] = 'prose';
  /** The line that has not ended. */
  #line = '';
  /** Characters of the open block when it was looked at last. */
  #seen = 0;
  /** The line that has not ended was looked at and can't be cut: each look joins all of its pieces. */
  #isWhole = false;

  /** Blocks that no further text can change. */
  get closed(): readonly Block[] {
    return this.#closed;
  }

  /** The block that is still growing, with the line that has not ended; undefined when there is none. */
  get open(): Block | undefined {
    const text = this.#open + this.#line;
    if (text === '') return undefined;
    return { kind: this.#open === '' && FENCE.test(this.#line) ? 'code' : this.#kind, text };
  }

  push(text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    const lines = end === 0 ? '' : this.#line + text.slice(0, end);
    this.#line = end === 0 ? this.#line + text : text.slice(end);
    if (end > 0) this.#isWhole = false;
    this.#open += lines;
    // Nothing but a closing fence ends a block of code, and what is long is looked at when it has grown by an eighth.
    const mayEnd = this.#kind === 'code' ? CLOSING_FENCE.test(lines) : lines !== '';
    if (mayEnd && (this.#open.length <= CUT_AFTER || this.#open.length >= this.#seen * 1.125)) this.#cut(false);
    this.#shorten();
  }

  /** Ends the text: what is open becomes a block. */
  finish(): void {
    this.#open += this.#line;
    this.#line = '';
    this.#cut(true);
  }

  /** Cuts a line without an end at spaces, in prose alone: elsewhere a cut would change what it is. */
  #shorten(): void {
    while (this.#open === '' && this.#line.length > MAX_LINE_LENGTH && !this.#isWhole) {
      const isMarked = /^\s*(?:[-+*>|#~`]|\d+[.)])/.test(this.#line);
      const cut = isMarked ? 0 : this.#line.lastIndexOf(' ', MAX_LINE_LENGTH) + 1;
      this.#isWhole = cut <= 1;
      if (this.#isWhole) return;
      this.#closed.push({ kind: 'prose', text: this.#line.slice(0, cut) });
      this.#line = this.#line.slice(cut);
    }
  }

  #cut(isEnd: boolean): void {
    const text = this.#open;
    const starts = startsIn(text, isEnd);
    const ends = [...starts.slice(1).map(({ at }) => at), text.length];
    const closed = isEnd ? starts.length : starts.length - 1;
    for (let block = 0; block < closed; block++) {
      const { at, kind } = starts[block]!;
      if (at < ends[block]!) this.#closed.push({ kind, text: text.slice(at, ends[block]) });
    }
    this.#open = isEnd ? '' : text.slice(starts.at(-1)!.at);
    this.#kind = isEnd ? 'prose' : starts.at(-1)!.kind;
    this.#seen = this.#open.length;
  }
}

interface Start {
  readonly at: number;
  readonly kind: Block['kind'];
}

/** Where the blocks of a text begin, the first at 0. Before the end of the text none is seen behind an open formula. */
function startsIn(text: string, isEnd: boolean): readonly Start[] {
  const lines = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)];
  const starts: Start[] = [{ at: 0, kind: 'prose' }];
  const add = (line: number, kind: Block['kind'], isCut: boolean): void => {
    const at = lines[line]!;
    if (isCut && at - starts.at(-1)!.at <= CUT_AFTER) return;
    if (at === 0) starts.pop();
    starts.push({ at, kind });
  };
  const tokens = outline.parse(text, {});
  for (const [index, { type, level, map, nesting }] of tokens.entries()) {
    if (!map || nesting < 0) continue;
    if (level === 0) add(map[0], type === 'fence' ? 'code' : type.endsWith('_list_open') ? 'list' : 'prose', false);
    if (level === 1 && type === 'list_item_open') add(map[0], 'list', true);
    if (level !== 0 || type !== 'paragraph_open') continue;
    for (let line = map[0] + 1; line < map[1]; line++) add(line, 'prose', true);
    const mayBeFormula = tokens[index + 1]!.content.split('\n').some((line) => mathOpenedBy(line) !== undefined);
    if (!isEnd && mayBeFormula && text.length - lines[map[0]]! <= MAX_FORMULA) break;
  }
  return starts;
}

function closes(fence: Fence, text: string): boolean {
  const found = /^ {0,3}(`+|~+)[ \t]*$/.exec(text);
  return found !== null && found[1]![0] === fence.marker && found[1]!.length >= fence.length;
}

/** A code block's language and code; the code lacks its closing fence while it is still arriving. */
export interface FencedCode {
  readonly language: string;
  readonly code: string;
  readonly closed: boolean;
}

/** Reads a block of kind `code`. The opening fence's indentation is taken off each line, as CommonMark says. */
export function readFence(text: string): FencedCode {
  const end = text.indexOf('\n');
  const first = (end === -1 ? text : text.slice(0, end)).replace(/\r$/, '');
  const found = FENCE.exec(first);
  const language = /^[\w+#.-]{1,40}/.exec(found?.[2]?.trim() ?? '')?.[0] ?? '';
  if (end === -1 || !found) return { language, code: '', closed: false };
  let code = text.slice(end + 1);
  const fence = { marker: found[1]![0]!, length: found[1]!.length };
  const body = code.trimEnd();
  const lastLine = body.slice(body.lastIndexOf('\n') + 1);
  const closed = closes(fence, lastLine);
  if (closed) code = body.slice(0, body.length - lastLine.length);
  const indent = first.length - first.trimStart().length;
  if (indent > 0) code = code.replace(new RegExp(`^ {1,${indent}}`, 'gm'), '');
  return { language, code, closed };
}
