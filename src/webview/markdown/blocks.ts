import { mathOpenedBy, MAX_FORMULA } from './math-syntax.ts';

/** A stretch of markdown that renders by itself. The texts of all blocks, joined, are the source. */
export interface Block {
  readonly kind: 'prose' | 'list' | 'code';
  readonly text: string;
}

/** A list or paragraph longer than this is cut at its next item or line, so that no re-rendering grows without bound. */
const CUT_AFTER = 8_000;

/** A line of prose longer than this is cut at a space. */
const LONGEST_LINE = 16_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^]*)/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]+\S/;
/** Only these may end a paragraph without a blank line before them (CommonMark 0.31, 5.3). */
const INTERRUPTING_ITEM = /^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/;
/** Headings, quotations and rules end a list even without a blank line. */
const CLOSES_LIST = /^(?:#{1,6}(?:[ \t]|$)|>|(?:-[ \t]*){3,}$|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$)/;
/** What the line below a table's head consists of; one that is none only keeps a block whole. */
const TABLE_RULE = /^[ \t|:-]+$/;

interface Fence {
  readonly marker: string;
  readonly length: number;
}

/**
 * Cuts markdown into blocks as it arrives, each line looked at once. It cuts only where CommonMark ends a block for
 * certain, and leaves more in one block where it is not sure: a block too many would change the meaning, one too few
 * only costs time. The cuts do not depend on how the text was chunked.
 */
export class BlockSplitter {
  readonly #closed: Block[] = [];
  #open = '';
  #line = '';
  #kind: Block['kind'] = 'prose';
  #fence: Fence | undefined;
  #innerFence: Fence | undefined;
  /** What closes the formula that is open. */
  #math: string | undefined;
  /** Columns that a line needs to belong to the outermost list item. */
  #itemIndent = 0;
  #afterBlank = false;
  #lines = 0;
  /** It may be a list or a paragraph that reads like one (`2.` does not interrupt a paragraph, but follows a rule). */
  #unsure = false;
  /** What the block is can no longer be told: it is cut nowhere. */
  #stuck = false;
  #table = false;

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
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#line += text.slice(start, end + 1);
      this.#shorten();
      this.#take(this.#line);
      this.#line = '';
      start = end + 1;
    }
    this.#line += text.slice(start);
    this.#shorten();
  }

  /** Ends the text: what is open becomes a block. */
  finish(): void {
    if (this.#line !== '') this.#take(this.#line);
    this.#line = '';
    this.#close();
  }

  /** Cuts a line without an end at spaces, in prose alone: elsewhere a cut would change what it is. */
  #shorten(): void {
    while (this.#line.length > LONGEST_LINE && !this.#fence && this.#kind === 'prose' && !this.#table) {
      const cut = this.#line.lastIndexOf(' ', LONGEST_LINE);
      if (cut <= 0 || /^\s*(?:[-+*>|#~`]|\d+[.)])/.test(this.#line)) return;
      this.#open += this.#line.slice(0, cut + 1);
      this.#line = this.#line.slice(cut + 1);
      this.#close();
    }
  }

  #take(line: string): void {
    const text = line.replace(/\r?\n$/, '');
    if (this.#fence) {
      this.#add(line);
      if (closes(this.#fence, text)) this.#close();
      return;
    }
    if (this.#math !== undefined) {
      this.#add(line);
      if (text.trimEnd().endsWith(this.#math)) this.#close();
      else if (this.#open.length > MAX_FORMULA) {
        // What there is of it is no formula, and may be anything.
        this.#math = undefined;
        this.#stuck = true;
      }
      return;
    }
    if (text.trim() === '') {
      this.#add(line);
      this.#afterBlank = true;
      return;
    }
    const indent = indentOf(text);
    if (this.#innerFence && indent >= this.#itemIndent) {
      this.#add(line);
      if (closes(this.#innerFence, text.trimStart())) this.#innerFence = undefined;
      return;
    }
    if (this.#innerFence) {
      // Code in an item is not continued by a line that stands too far left: the item has ended, as by a blank line.
      this.#innerFence = undefined;
      this.#afterBlank = true;
    }
    if (this.#startsBlock(text, indent)) this.#close();
    this.#begin(text, indent, line);
  }

  #begin(text: string, indent: number, line: string): void {
    const fresh = this.#open === '';
    const fence = FENCE.exec(text);
    // A backtick fence whose info string holds a backtick is inline code, not a fence.
    const opens = fence && !(fence[1]!.startsWith('`') && fence[2]!.includes('`'));
    if (fresh && indent < 4) this.#math = mathOpenedBy(text);
    if (fresh) {
      this.#kind = opens ? 'code' : ITEM.test(text) ? 'list' : 'prose';
      if (opens) this.#fence = { marker: fence[1]![0]!, length: fence[1]!.length };
    }
    if (!fresh && this.#kind === 'prose' && ITEM.test(text)) {
      this.#kind = 'list';
      this.#unsure = true;
      this.#itemIndent = contentIndent(text);
    }
    if (this.#kind === 'list') {
      const item = ITEM.exec(text);
      if (item && (fresh || indent < this.#itemIndent)) this.#itemIndent = contentIndent(text);
      const inner = FENCE.exec(text.trimStart().replace(/^(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+/, ''));
      if (inner && this.#unsure) this.#stuck = true;
      if (inner) this.#innerFence = { marker: inner[1]![0]!, length: inner[1]!.length };
    } else if (this.#lines === 1 && TABLE_RULE.test(text)) {
      this.#table = true;
    }
    this.#add(line);
    this.#afterBlank = false;
    if (fresh && this.#kind === 'prose' && HEADING.test(text)) this.#close();
  }

  #startsBlock(text: string, indent: number): boolean {
    if (this.#open === '' || this.#stuck) return false;
    const long = this.#open.length > CUT_AFTER;
    if (this.#kind === 'list') {
      if (FENCE.test(text) && indent < this.#itemIndent) return true;
      if (ITEM.test(text)) return long && indent === 0;
      if (this.#afterBlank && indent < this.#itemIndent) return true;
      // A rule of dashes under what may be a paragraph makes it a heading.
      return indent === 0 && CLOSES_LIST.test(text) && !(this.#unsure && text.startsWith('-'));
    }
    if (indent > 3) return false;
    if (
      this.#afterBlank ||
      mathOpenedBy(text) !== undefined ||
      HEADING.test(text) ||
      FENCE.test(text) ||
      INTERRUPTING_ITEM.test(text)
    )
      return true;
    return long && !this.#table;
  }

  #add(line: string): void {
    this.#open += line;
    this.#lines++;
  }

  #close(): void {
    if (this.#open !== '') this.#closed.push({ kind: this.#kind, text: this.#open });
    this.#open = '';
    this.#kind = 'prose';
    this.#fence = undefined;
    this.#innerFence = undefined;
    this.#math = undefined;
    this.#itemIndent = 0;
    this.#unsure = false;
    this.#stuck = false;
    this.#afterBlank = false;
    this.#table = false;
    this.#lines = 0;
  }
}

/** Columns of white space before the text; a tab goes on to the next multiple of four. */
function indentOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (character === ' ') columns++;
    else if (character === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Where the content of a list item begins (CommonMark 0.31, 5.2): after its marker and one to four spaces. */
function contentIndent(text: string): number {
  const [, marker = '', space = ''] = /^([ \t]*(?:[-+*]|\d{1,9}[.)]))([ \t]+)/.exec(text) ?? [];
  const width = indentOf(space.replace(/\t/g, '    '));
  return marker.length + (width > 4 ? 1 : width);
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
