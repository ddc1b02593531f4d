import {
  BULLET,
  CLOSED,
  CODE,
  COMMAND_TAG,
  DETAILS_CLOSE,
  DETAILS_OPEN,
  DIFF_HEAD,
  FENCE,
  HEADING,
  LINE_NUMBER,
  LOG,
  NUMBERED,
  OUTPUT,
  PEEK,
  REPLACE,
  RULE,
  SEARCH,
  SOURCE_TAG,
  STACK,
  SUMMARY,
  TAG_ONLY,
  THINK_CLOSE,
  THINK_OPEN,
  TOOL_CLOSE,
  TOOL_OPEN,
  TURN,
} from './line-patterns.ts';
import { afterTags, beforeClosingTags, isSpace } from './line-tags.ts';
import type { Steps } from '../pace/steps.ts';

/** What a line of a message is, before anything is made of its words. */
export type LineKind =
  'blank' | 'prose' | 'heading' | 'bullet' | 'numbered' | 'table' | 'quoted' | 'machine' | 'added' | 'markup';

export interface Line {
  readonly kind: LineKind;
  /** UTF-16 offsets of the content: without indent, list marker, line number, trailing space. */
  readonly start: number;
  readonly end: number;
  /** Inside a tag of thinking aloud. */
  readonly thinking: boolean;
}

/**
 * Cuts a message into lines and says what each is: prose, a list item, code, a tool's output. Patterns look at the first
 * `PEEK` characters of a line only and none can backtrack over more than a bounded run, so the pass is linear. Runs of
 * blank lines are one. A message that starts inside a fence (transcripts cut at tool calls do) is told by a bare fence on
 * its first line.
 */
export function readLines(text: string, options: { readonly machine: boolean }): Steps<Line[]> {
  return new LineReader(text, options.machine).read();
}

/** A step of reading takes about so many UTF-16 units. */
const STEP_CHARS = 10_000;

class LineReader {
  private readonly lines: Line[] = [];
  private fenced = false;
  private diff = false;
  private inBlock = false;
  private inTool = false;
  private inCommand = false;
  private details = 0;
  private thinking = false;
  private start = 0;
  private end = 0;
  private indent = 0;
  private readonly text: string;
  private readonly machine: boolean;

  constructor(text: string, machine: boolean) {
    this.text = text;
    this.machine = machine;
  }

  *read(): Steps<Line[]> {
    const { text, lines } = this;
    let first = true;
    let pause = STEP_CHARS;
    for (let at = 0; at <= text.length;) {
      let stop = text.indexOf('\n', at);
      if (stop === -1) stop = text.length;
      this.start = at;
      this.end = stop;
      at = stop + 1;
      this.trim();
      if (this.start >= this.end) {
        if (lines.at(-1)?.kind !== 'blank') this.push('blank');
      } else this.line(first);
      first = false;
      if (at < pause) continue;
      pause = at + STEP_CHARS;
      yield;
    }
    return lines;
  }

  private trim(): void {
    const { text } = this;
    let { start, end } = this;
    this.indent = 0;
    while (start < end && isSpace(text.charCodeAt(start))) start++;
    this.indent = start - this.start;
    if (start < end && isDigit(text.charCodeAt(start))) {
      const number = LINE_NUMBER.exec(text.slice(start, Math.min(end, start + 24)));
      if (number !== null) {
        start += number[0].length;
        const content = start;
        while (start < end && isSpace(text.charCodeAt(start))) start++;
        this.indent = start - content;
      }
    }
    while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
    this.start = start;
    this.end = end;
  }

  private line(first: boolean): void {
    const { text, start, end } = this;
    const head = text.slice(start, Math.min(end, start + PEEK));
    const code = head.charCodeAt(0);
    if (code === 96 || code === 126 || code === 60) {
      const fence = FENCE.exec(head) ?? sourceMark(head);
      if (fence !== null) {
        if (this.fenced) this.fenced = false;
        else if (!(first && fence[1] === '')) {
          this.fenced = true;
          this.diff = fence[1] === 'diff' || fence[1] === 'patch';
        }
        this.push('markup');
        return;
      }
    }
    if (this.inBlock || (code === 60 && head.startsWith('<<<<<') && SEARCH.test(head))) {
      this.inBlock = !REPLACE.test(head);
      this.push('machine');
      return;
    }
    if (this.inCommand || (code === 60 && COMMAND_TAG.test(head))) {
      this.inCommand = !CLOSED.test(text.slice(Math.max(start, end - 60), end));
      this.push('markup');
      return;
    }
    if (code === 60 && head.includes('>')) this.tagged(head);
    else if (TOOL_OPEN.test(head)) {
      this.inTool = true;
      this.push('markup');
    } else this.content();
  }

  /** A line that starts with a tag: the tag opens or closes a region, what follows it is looked at as any other line. */
  private tagged(head: string): void {
    if (THINK_OPEN.test(head)) this.thinking = true;
    if (TOOL_OPEN.test(head)) this.inTool = true;
    if (DETAILS_OPEN.test(head)) this.details++;
    const from = this.start;
    const content = afterTags(this.text, from, this.end);
    const closes = DETAILS_CLOSE.test(head);
    if (closes) this.details = Math.max(0, this.details - 1);
    if (SUMMARY.test(head) && this.inTool) this.push('markup');
    else if (content >= this.end || (this.end - from <= PEEK && TAG_ONLY.test(head))) {
      if (THINK_CLOSE.test(head)) this.thinking = false;
      if (TOOL_CLOSE.test(head)) {
        this.closeTool();
        this.fenced = false;
      } else if (closes && this.details === 0) this.inTool = false;
      this.push('markup');
    } else {
      this.start = content;
      this.content();
    }
  }

  private content(): void {
    const { text } = this;
    let thinks = this.thinking;
    let tools = this.inTool;
    if (text.charCodeAt(this.end - 1) === 62) {
      const tail = text.slice(Math.max(this.start, this.end - 80), this.end);
      if (THINK_CLOSE.test(tail)) thinks = false;
      if (TOOL_CLOSE.test(tail)) tools = false;
      this.end = beforeClosingTags(text, this.start, this.end);
    }
    if (this.start >= this.end) this.push('markup');
    else this.classify(text.slice(this.start, Math.min(this.end, this.start + PEEK)));
    this.thinking = thinks;
    if (this.inTool && !tools) this.closeTool();
  }

  private classify(line: string): void {
    if (this.fenced) {
      if (this.diff && line.startsWith('+') && !line.startsWith('+++')) {
        this.skip(1);
        this.push(this.start < this.end ? 'added' : 'markup');
      } else this.push('machine');
      return;
    }
    // A folded block that is no thinking is a tool's: a search's hits, an edit, a list of files.
    if (this.machine || this.inTool || (this.details > 0 && !this.thinking)) {
      this.push('machine');
      return;
    }
    const mark = isMark(line.charCodeAt(0));
    if (mark) {
      const heading = HEADING.exec(line);
      if (heading !== null) {
        this.skip(heading[0].length);
        this.push('heading');
        return;
      }
      if (RULE.test(line) || TURN.test(line)) {
        this.push('markup');
        return;
      }
    }
    if (DIFF_HEAD.test(line) || STACK.test(line) || LOG.test(line) || OUTPUT.test(line)) this.push('machine');
    else if (mark && line.startsWith('|') && line.endsWith('|')) this.push('table');
    else if (mark && line.startsWith('> ')) this.push('quoted');
    else {
      const bullet = mark ? BULLET.exec(line) : null;
      const item = bullet ?? NUMBERED.exec(line);
      if (item !== null) {
        this.skip(item[0].length);
        this.push(bullet === null ? 'numbered' : 'bullet');
      } else if (CODE.test(line) || (this.indent >= 4 && /[=(){};]|::|->/.test(line))) this.push('machine');
      else this.push('prose');
    }
  }

  private push(kind: LineKind): void {
    this.lines.push({ kind, start: this.start, end: this.end, thinking: this.thinking });
  }

  private skip(length: number): void {
    this.start += length;
    while (this.start < this.end && isSpace(this.text.charCodeAt(this.start))) this.start++;
  }

  private closeTool(): void {
    this.inTool = false;
    this.details = 0;
  }
}

/** `<source>` and the like part code from prose in some clients, as fences do. */
const sourceMark = (head: string): readonly string[] | null =>
  SOURCE_TAG.test(head) ? ['', head.startsWith('</') ? '' : 'source'] : null;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Neither a letter, a digit nor beyond ASCII, bullets aside: only such a line can be a heading, item, table or quote. */
const isMark = (code: number): boolean =>
  code < 48 ||
  (code > 57 && code < 65) ||
  (code > 90 && code < 97) ||
  (code > 122 && code < 128) ||
  (code >= 0x2000 && code < 0x2c00);
