import type { Span } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import { FenceReader } from './fences.ts';

/** Length of a line's beginning that determines its kind, in UTF-16 units. */
const MAX_READ = 240;

const LINE_NUMBER = /^\d{1,7}(?:→|│|\t|█)[ \t]?(?:[-+](?=[ \t]|_|<|$))?/;
/** The beginning and end of an edit or a conflict. */
export const EDIT_START = /^<{5,9} ?(?:Updated upstream|[!-;=?-~]+)?\s*$/;
/** Git names the branch, with the path if it differs; in a rebase, the commit with its subject. */
export const EDIT_END = /^>{5,9}(?: ?(?:Stashed changes|[!-;=?-~]+?(?: \(.*\)|\.\.\. .*)?))?\s*$/;
const TOOL_OPEN = /^(?:<tool[-_]use\b|Tool use: \*\*|<function_results>|<tool_result|_\*\*Tool )/i;
const TOOL_CLOSE = /<\/(?:tool[-_]use|tool_result|function_results)>/i;
const DETAILS_OPEN = /<details>/i;
const DETAILS_CLOSE = /<\/details>/i;
const THINK_OPEN = /<think(?:ing)?>/i;
const THINK_CLOSE = /<\/think(?:ing)?>/i;
const COMMAND_TAG = /^<\/?(?:command-|local-command|system-reminder|bash-|user-memory|ide_)[\w-]*>/i;
const TAG_ONLY = /^(?:<\/?[a-z][^<>]{0,160}>\s*)+$/i;
const SUMMARY = /^<summary>/i;
const TURN = /^_\*\*(?:Agent|User|Assistant)\b/;
const HEADING = /^#{1,6}\s+/;
const BULLET = /^(?:[-*+•·‣◦▪]|[-*] \[[ xX]\])\s+/;
const NUMBERED = /^(?:\(?\d{1,3}[.)、](?!\d)|[a-zA-Z][.)](?=\s)|[①-⑳]|\d️?⃣|\d{1,3}．)\s*(?=\S)/;
const RULE = /^[-=_*~─═|+: ]{3,}$/;
const DIFF_HEAD = /^(?:@@ |diff --git |index [0-9a-f]{6,}|--- \S|\+\+\+ \S)/;
/** Output that people paste: exceptions, source locations, progress dots, rulers, exit codes, listings. */
const OUTPUT =
  /\.{12,}|⋮|\u2588|^(?:[a-z_]\w*\.){0,6}[A-Z]\w*(?:Error|Exception): |^[^\s:]+:\d+:\d+:? |^npm ERR!|^(?:ERROR|FATAL): \S|^(?:- )?(?:hook id|exit code): |^\s*\^|^Running: |^(?:Tokens|Cost): |^\$ \S|^[\w.-]+@[\w.-]+[:~$]|^(?:PASS|FAIL)\s|^(?:ok|not ok)(?: \d|\s{2}|\t)|^\d+ (?:passing|failing|passed|failed)|^[-drwx]{10}[.@+]?\s|^total \d+$|^(?:Read file|Listed directory|Searched codebase|Grep search|Edit(?:ed)? file|Created file|Output mode|Lines added)\b|^\*\*Chunk \d+\*\*$|^(?:\*\*)?Tool use:/;
const STACK =
  /^(?:at\s+[\w.$<>[\]/]+\s?\(|at\s+\S+:\d|File "|Traceback \(most recent|\s*\^+\s*$|~+\^|goroutine \d|Caused by: )/;
const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[ .,]|\[\d\d:\d\d|time=\d|\w{3} \d\d \d\d:\d\d:\d\d|(?:DEBUG|INFO|TRACE|NOTICE)\b[ :\]])/;
const CODE =
  /^(?:import (?:[\w*{}, ]{1,80} from )?["'<{]|import [\w.]+(?: as \w+)?;?$|from \S+ import |export (?:default|const|function|class|type|interface|async|enum|\{|\*)|const [\w{[].*=|let \w+ ?=|var \w+ ?[=:;]|function\s*\w*\(|def \w+\(|class \w+.*[:{]$|return\b.*[;)]$|if ?\(|for ?\(|while ?\(|(?:public|private|protected) (?:static|class|void|async|readonly|final|[A-Z]\w* \w+ ?[;=(])|#include|package [\w.]+;?$|use \w+::|fn \w+[(<]|pub (?:fn|struct|enum|mod)|SELECT |INSERT |CREATE TABLE|\}|\{|\)|<\/?\w+(?: |>(?![\s.,:;/)-]))|\/\/|\/\*|\*\/|\$ |PS [A-Z]:)|[;{}]\s*$|^\w[\w.]* ?= ?[^=].*[)\]}]$|^\w[\w.]*\([^)]*\);?$/;
const CLOSED = /<\/[\w-]+>\s*$/;
const PLACEHOLDER = /^[a-z][\w-]*$/i;
const TAG_NAME = /^\/?[a-z][\w-]*(?:\s[^<>]*)?\/?$/i;

/**
 * The kind of a line, regardless of its words. `code` is in a fence or looks like a statement, `output` was printed by
 * a tool or terminal, `diff` is a change to a file, and `markup` has no content (fences, tags, rules).
 */
export type LineKind =
  'blank' | 'prose' | 'heading' | 'bullet' | 'numbered' | 'table' | 'quoted' | 'code' | 'output' | 'diff' | 'markup';

/** Whether a line is several lines joined by escaped line breaks. In a line that only mentions `\n`, it's quoted. */
export const isEscaped = (line: string): boolean => line.includes('\\n') && ESCAPED.test(line);

const ESCAPED = /\\n\s*\d+\s?(?:→|│)|(?<!["'`\\ ]|\\[rn])\\n[^\n]{0,300}\\n/;

export const isOutputOrCodeLine = (kind: LineKind): boolean => kind === 'code' || kind === 'output' || kind === 'diff';

export interface Line {
  readonly kind: LineKind;
  /** UTF-16 offsets of the content, without indentation, list marker, line number, and trailing space. */
  readonly start: number;
  readonly end: number;
  /** Whether it's within a tag that marks a model's thinking. */
  readonly thinking: boolean;
}

/**
 * Splits a message into lines and determines their kinds. With `tool`, the whole message is output. Linear, because
 * patterns only examine the first `MAX_READ` units of a line and backtrack over bounded runs. Consecutive blank lines
 * are merged.
 */
export const lineSteps = (text: string, options: { readonly tool: boolean }): Steps<Line[]> =>
  new LineReader(text, options.tool).read();

/** The lines of `text[from, …)`, without their line breaks. */
export function* lineSpans(text: string, from = 0): Generator<Span> {
  for (let start = from; start <= text.length;) {
    const stop = text.indexOf('\n', start);
    const end = stop === -1 ? text.length : stop;
    yield { start, end };
    start = end + 1;
  }
}

/** Size of a step, in UTF-16 units. */
const STEP_CHARS = 10_000;

class LineReader {
  private readonly lines: Line[] = [];
  private readonly fences: FenceReader;
  private inSearchReplace = false;
  private inTool = false;
  private inCommand = false;
  private openDetails = 0;
  private thinking = false;
  private start = 0;
  private end = 0;
  private indent = 0;
  private readonly text: string;
  private readonly tool: boolean;

  constructor(text: string, tool: boolean) {
    this.text = text;
    this.tool = tool;
    this.fences = new FenceReader(text);
  }

  *read(): Steps<Line[]> {
    const { text, lines } = this;
    let pauseAt = STEP_CHARS;
    for (const { start, end } of lineSpans(text)) {
      this.start = start;
      this.end = end;
      this.trim();
      if (this.start >= this.end) {
        if (lines.at(-1)?.kind !== 'blank') this.push('blank');
      } else this.readLine();
      if (end < pauseAt) continue;
      pauseAt = end + STEP_CHARS;
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

  private readLine(): void {
    const { text, start, end } = this;
    const head = text.slice(start, Math.min(end, start + MAX_READ));
    const firstUnit = head.charCodeAt(0);
    if (this.fences.pass(start, end)) return this.push('markup');
    if (this.inSearchReplace || (firstUnit === 60 && head.startsWith('<<<<<') && EDIT_START.test(head))) {
      this.inSearchReplace = !EDIT_END.test(head);
      return this.push('diff');
    }
    if (this.inCommand || (firstUnit === 60 && COMMAND_TAG.test(head))) {
      this.inCommand = !CLOSED.test(text.slice(Math.max(start, end - 60), end));
      return this.push('markup');
    }
    if (firstUnit === 60 && head.includes('>')) this.readTagged(head);
    else if (TOOL_OPEN.test(head)) {
      this.inTool = true;
      this.push('markup');
    } else this.readContent();
  }

  /** Reads a line that begins with a tag, which may open or close a region. The rest is read like any other line. */
  private readTagged(head: string): void {
    if (THINK_OPEN.test(head)) this.thinking = true;
    if (TOOL_OPEN.test(head)) this.inTool = true;
    if (DETAILS_OPEN.test(head)) this.openDetails++;
    const from = this.start;
    const content = afterTags(this.text, from, this.end);
    const closesDetails = DETAILS_CLOSE.test(head);
    if (closesDetails) this.openDetails = Math.max(0, this.openDetails - 1);
    if (SUMMARY.test(head) && this.inTool) this.push('markup');
    else if (content >= this.end || (this.end - from <= MAX_READ && TAG_ONLY.test(head))) {
      if (THINK_CLOSE.test(head)) this.thinking = false;
      if (TOOL_CLOSE.test(head)) {
        this.closeTool();
        this.fences.open = undefined;
      } else if (closesDetails && this.openDetails === 0) this.inTool = false;
      this.push('markup');
    } else {
      this.start = content;
      this.readContent();
    }
  }

  private readContent(): void {
    const { text } = this;
    let thinkingAfter = this.thinking;
    let inToolAfter = this.inTool;
    if (text.charCodeAt(this.end - 1) === 62) {
      const tail = text.slice(Math.max(this.start, this.end - 80), this.end);
      if (THINK_CLOSE.test(tail)) thinkingAfter = false;
      if (TOOL_CLOSE.test(tail)) inToolAfter = false;
      this.end = beforeClosingTags(text, this.start, this.end);
    }
    if (this.start >= this.end) this.push('markup');
    else this.classify(text.slice(this.start, Math.min(this.end, this.start + MAX_READ)));
    this.thinking = thinkingAfter;
    if (this.inTool && !inToolAfter) this.closeTool();
  }

  private classify(line: string): void {
    const fence = this.fences.open;
    if (fence !== undefined) return this.push(fenceKind(fence.language));
    // Collapsed blocks other than thinking belong to tools: search results, edits, file lists.
    if (this.tool || this.inTool || (this.openDetails > 0 && !this.thinking)) return this.push('output');
    const hasMark = isMark(line.charCodeAt(0));
    if (hasMark) {
      const heading = HEADING.exec(line);
      if (heading !== null) {
        this.skip(heading[0].length);
        return this.push('heading');
      }
      if (RULE.test(line) || TURN.test(line)) return this.push('markup');
    }
    if (DIFF_HEAD.test(line)) this.push('diff');
    else if (STACK.test(line) || LOG.test(line) || OUTPUT.test(line)) this.push('output');
    else if (hasMark && line.startsWith('|') && line.endsWith('|')) this.push('table');
    else if (hasMark && line.startsWith('> ')) this.push('quoted');
    else {
      const bullet = hasMark ? BULLET.exec(line) : null;
      const item = bullet ?? NUMBERED.exec(line);
      if (item !== null) {
        this.skip(item[0].length);
        this.push(bullet === null ? 'numbered' : 'bullet');
      } else if (CODE.test(line) || (this.indent >= 4 && /[=(){};]|::|->/.test(line))) this.push('code');
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
    this.openDetails = 0;
  }
}

const fenceKind = (language: string): 'code' | 'output' | 'diff' =>
  /^(?:diff|patch)\b/.test(language)
    ? 'diff'
    : /^(?:$|(?:text|txt|log|console|output|(?:ba|z)?sh|shell|terminal)\b)/.test(language)
      ? 'output'
      : 'code';

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** ASCII punctuation or a bullet, with which headings, items, tables, and quotes begin. */
const isMark = (code: number): boolean =>
  code < 48 ||
  (code > 57 && code < 65) ||
  (code > 90 && code < 97) ||
  (code > 122 && code < 128) ||
  (code >= 0x2000 && code < 0x2c00);

/** The offset after the tags at the beginning of a line, including the text of a `<summary>`. */
function afterTags(text: string, start: number, end: number): number {
  let here = start;
  for (;;) {
    while (here < end && isSpace(text.charCodeAt(here))) here++;
    if (here >= end || text.charCodeAt(here) !== 60) return here;
    const length = text.slice(here, Math.min(end, here + 160)).indexOf('>');
    if (length === -1) return here;
    const name = text.slice(here + 1, here + length);
    if (!TAG_NAME.test(name) || /error/i.test(name)) return here;
    // `<userId> must be unique`
    const isWord = PLACEHOLDER.test(name) && !THINK_OPEN.test(`<${name}>`);
    if (isWord && here + length + 1 < end && /[\s.,:;/)-]/.test(text.charAt(here + length + 1))) return here;
    here += length + 1;
    if (!/^summary$/i.test(name)) continue;
    const done = text.slice(here, Math.min(end, here + 400)).indexOf('</summary>');
    if (done === -1) return end;
    here += done + 10;
  }
}

/** The offset before the closing tags at the end of a line. */
function beforeClosingTags(text: string, start: number, lineEnd: number): number {
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

const isSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 13 || code === 0xa0 || code === 0x3000 || code === 0x200b || code === 0xfeff;
