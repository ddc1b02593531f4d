import type { Span } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';

/** Length of a line's beginning that determines its kind, in UTF-16 units. */
const MAX_READ = 240;

/** Lines of a file that were joined by escaped line breaks. */
const ESCAPED = /\\n(?:\s*\d+\s?[→│]|.*\\n.*\\n)/;
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})\s*([^\s{]*)/;
/** Some clients put code in `<source>` and similar tags instead of fences. */
const SOURCE_TAG = /^<(\/?)((?:source|code|pre|diff))>/i;
/** Tools print it before the lines of a file. In a row of a table, more tabs follow. */
const LINE_NUMBER = /^\d{1,7}(?:→|│|█|\t(?!.*\S\t))[ \t]?(?:[-+](?=[ \t]|_|<|$))?/;
const SEARCH_START = /^<{5,9} ?(?:SEARCH|HEAD|ORIGINAL|Updated|[\w/.-]+)?\s*$/;
const REPLACE_END = /^>{5,9}(?: ?(?:REPLACE|UPDATED|[\w/.-]+))?\s*$/;
const TOOL_OPEN = /^(?:Tool use: \*\*|_?\*\*Tool )/i;
const COMMAND_TAG = /^<\/?(?:command-(?!args)|local-command|system-reminder|bash-|user-memory|ide_)[\w-]*>/i;
/** Tags that begin or end a part of a message. Within output, other tags are content; within a fence, only its end. */
const PART_TAG = /^<\/?(?:think(?:ing)?|details|summary|tool[-_]use|tool_result|function_results)\b/i;
const PART_END = /^<\/(?:think(?:ing)?|tool[-_]use|tool_result|function_results)>/i;
const TURN = /^_\*\*(?:Agent|User|Assistant)\b/;
const HEADING = /^#{1,6}\s+/;
const BULLET = /^(?:[-*+•·‣◦▪]|[-*] \[[ xX]\])\s+/;
const NUMBERED = /^(?:\(?\d{1,3}[.)、](?!\d)|[a-zA-Z][.)](?=\s)|[①-⑳]|\d️?⃣|\d{1,3}．)\s*(?=\S)/;
/** A line of symbols only, such as a rule or a table border. */
const RULE = /^[^0-9A-Za-z\u00c0-\u1fff\u2c00-\uffff]+$/;
const DIFF_HEAD = /^(?:@@ |diff --git |index [0-9a-f]{6,}|--- \S|\+\+\+ \S)/;
/** Output that people paste: exceptions, source locations, progress dots, rulers, exit codes, listings. */
const OUTPUT =
  /\.{12,}|⋮|^│|\u2588|^(?:[a-z_]\w*\.){0,6}[A-Z]\w*(?:Error|Exception): |^[^\s:]+:\d+:\d+:? |^npm ERR!|^(?:ERROR|FATAL): \S|^(?:- )?(?:hook id|exit code): |^\s*\^|^Running: |^(?:Tokens|Cost): |^\$ \S|^[\w.-]+@[\w.-]+[:~$]|^(?:PASS|FAIL)\s|^(?:ok|not ok)(?: \d|\s{2}|\t)|^\d+ (?:passing|failing|passed|failed)|^[-drwx]{10}[.@+]?\s|^total \d+$|^(?:Read file|Listed directory|Searched codebase|Grep search|Edit(?:ed)? file|Created file|Output mode|Lines added)\b|^\*\*Chunk \d+\*\*$|^(?:\*\*)?Tool use\b/;
const STACK =
  /^(?:at\s+[\w.$<>[\]/]+\s?\(|at\s+\S+:\d|File "|Traceback \(most recent|\s*\^+\s*$|~+\^|goroutine \d|Caused by: )/;
const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[ .,]|\[\d\d:\d\d|time=\d|\w{3} \d\d \d\d:\d\d:\d\d|(?:DEBUG|INFO|TRACE|NOTICE)\b[ :\]])/;
const CODE =
  /^(?:import (?:[\w*{}, ]{1,80} from )?["'<{]|import [\w.]+(?: as \w+)?;?$|from \S+ import |export (?:default|const|function|class|type|interface|async|enum|\{|\*)|const [\w{[].*=|let \w+ ?=|var \w+ ?[=:;]|function\s*\w*\(|def \w+\(|class \w+.*[:{]$|return\b.*[;)]$|if ?\(|for ?\(|while ?\(|(?:public|private|protected) (?:static|class|void|async|readonly|final|[A-Z]\w* \w+ ?[;=(])|#include|package [\w.]+;?$|use \w+::|fn \w+[(<]|pub (?:fn|struct|enum|mod)|SELECT |INSERT |CREATE TABLE|\}|\{|\)|<\/?\w+[ >]|\/\/|\/\*|\*\/|\$ |PS [A-Z]:)|[;{}]\s*$|^\w[\w.]* ?= ?[^=].*[)\]}]$|^\w[\w.]*\([^)]*\);?$/;
const CLOSED = /<\/[\w-]+>\s*$/;
const TAG_NAME = /^\/?[a-z][\w-]*(?:\s[^<>]*)?\/?$/i;

/**
 * The kind of a line, regardless of its words. `code` is in a fence or looks like a statement, `output` was printed by
 * a tool or terminal, `diff` is a change to a file, `label` names a collapsed block, and `markup` has no content (fences,
 * tags, rules).
 */
export type LineKind =
  | 'blank'
  | 'prose'
  | 'heading'
  | 'bullet'
  | 'numbered'
  | 'table'
  | 'quoted'
  | 'code'
  | 'output'
  | 'diff'
  | 'label'
  | 'markup';

export const isOutputOrCodeLine = (kind: LineKind): boolean => kind === 'code' || kind === 'output' || kind === 'diff';

export interface Line {
  readonly kind: LineKind;
  /** UTF-16 offsets of the content, without indentation, list marker, line number, and trailing space. */
  readonly start: number;
  readonly end: number;
  /** Like `start`, but with the list marker. */
  readonly from: number;
  /**
   * What it's a line of, whatever it looks like. `data`: a file whose lines are numbered, or several lines that are
   * joined by escaped breaks.
   */
  readonly within: 'fence' | 'edit' | 'tool' | 'data' | undefined;
  /** Whether it's within a tag that marks a model's thinking. */
  readonly thinking: boolean;
}

/**
 * Splits a message into lines and determines their kinds. With `tool`, the whole message is output. Linear, because
 * patterns only examine the first `MAX_READ` units of a line and backtrack over bounded runs. Consecutive blank lines
 * are merged. A bare fence on the first line opens no code block, because in transcripts that are cut at tool calls a
 * message may start within one.
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

const SOURCE_LINE =
  /^(?:raise|throw|except|catch|return|if|assert|print|console|log|logger|self|this|const|let|var|func|def|class|import|from|\/\/|#|\*|>|@)\b|^\/\/|^[#*>]\s/;

/** Whether a line is source code, such as a call, an assignment, or a block, and not a sentence about code. */
export const isSourceLine = (line: string): boolean =>
  SOURCE_LINE.test(line) ||
  /^[\w.]+: [\w.]+,$/.test(line) ||
  (/[),]$/.test(line) && line.split('"').length % 2 === 0) ||
  (/[;{]$|^\s*[\w.]+\s*(?::?=|\()|=>|^[\w*&\[\]. ]+ :?= /.test(line) &&
    !/^[\w.]*(?:Error|Exception)\b(?!\()/.test(line));

/** A file's line in an editor or a search result: `12→`, `12 |`, `L12:`, `store.ts:12:`, `store.ts-12-`. */
const ECHO = /^[ \t]*(?:\d{1,6} ?[→│|]|L\d{1,6}\b|[^\s:]*[\w/]\.\w{1,6}(?::\d{1,6}:|-\d{1,6}-))/;
const NUMBERED_BY_COLON = /^[ \t]*(\d{1,6})[:\t]/;

/** Maximum length of a path before a line number, in UTF-16 units. */
const MAX_NUMBERED_LENGTH = 160;

/** Whether the line at `at` is a line of a file. `12:` only counts if an adjacent line has an adjacent number. */
export function isFileLine(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  if (ECHO.test(text.slice(start, start + MAX_NUMBERED_LENGTH))) return true;
  const number = numberAt(text, start);
  if (number === undefined) return false;
  const end = text.indexOf('\n', start);
  const before = text.lastIndexOf('\n', start - 2) + 1;
  return (end !== -1 && numberAt(text, end + 1) === number + 1) || (start > 0 && numberAt(text, before) === number - 1);
}

function numberAt(text: string, start: number): number | undefined {
  const found = NUMBERED_BY_COLON.exec(text.slice(start, start + MAX_NUMBERED_LENGTH));
  return found ? Number(found[1]) : undefined;
}

/** Size of a step, in UTF-16 units. */
const STEP_CHARS = 10_000;

class LineReader {
  private readonly lines: Line[] = [];
  /** The open fence, whether it has a language, and the kind of its lines. */
  private fence: { readonly mark: string; readonly isBare: boolean; readonly kind: LineKind } | undefined;
  private inEdit = false;
  private inTool = false;
  private inCommand = false;
  private openDetails = 0;
  private thinking = false;
  private isNumbered = false;
  private isEscaped = false;
  private from = 0;
  private start = 0;
  private end = 0;
  private indent = 0;
  private readonly text: string;
  private readonly tool: boolean;

  constructor(text: string, tool: boolean) {
    this.text = text;
    this.tool = tool;
  }

  *read(): Steps<Line[]> {
    const { text, lines } = this;
    let isFirst = true;
    let pauseAt = STEP_CHARS;
    for (const { start, end } of lineSpans(text)) {
      this.start = start;
      this.end = end;
      this.trim();
      if (this.start >= this.end) {
        if (lines.at(-1)?.kind !== 'blank') this.push('blank');
      } else this.readLine(isFirst);
      isFirst = false;
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
    this.isNumbered = false;
    while (start < end && isSpace(text.charCodeAt(start))) start++;
    this.indent = start - this.start;
    if (start < end && isDigit(text.charCodeAt(start))) {
      const number = LINE_NUMBER.exec(text.slice(start, Math.min(end, start + MAX_READ)));
      if (number !== null) {
        this.isNumbered = true;
        start += number[0].length;
        const content = start;
        while (start < end && isSpace(text.charCodeAt(start))) start++;
        this.indent = start - content;
      }
    }
    while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
    this.from = start;
    this.start = start;
    this.end = end;
  }

  private readLine(isFirst: boolean): void {
    const { text, start, end } = this;
    const head = text.slice(start, Math.min(end, start + MAX_READ));
    const firstUnit = head.charCodeAt(0);
    this.isEscaped = head.includes('\\n') && ESCAPED.test(head);
    if ((firstUnit === 96 || firstUnit === 126 || firstUnit === 60) && this.readFence(head, isFirst))
      return this.push('markup');
    const startsEdit = firstUnit === 60 && head.startsWith('<<<<<') && SEARCH_START.test(head);
    if (this.inEdit || startsEdit) {
      this.inEdit = true;
      this.push('diff');
      this.inEdit = !REPLACE_END.test(head);
    } else if (this.inCommand || (firstUnit === 60 && COMMAND_TAG.test(head))) {
      this.inCommand = !CLOSED.test(text.slice(Math.max(start, end - 60), end));
      this.push('markup');
    } else if (this.fence === undefined && TOOL_OPEN.test(head)) {
      this.inTool = true;
      this.push('label');
    } else this.readContent(firstUnit === 60 ? head : '');
  }

  /** Reads a line that opens or closes a fence. Within a fence, one with fewer marks or a language is content. */
  private readFence(head: string, isFirst: boolean): boolean {
    const source = SOURCE_TAG.exec(head);
    const found = source ?? FENCE.exec(head);
    if (found === null) return false;
    const mark = source?.[2] ?? found[1]!;
    const language = source === null ? found[2]! : source[1] === '' ? 'source' : '';
    const { fence } = this;
    // A fence that closes one of an earlier message looks like an opening one, until the next one with a language.
    if (fence === undefined || (fence.isBare && language !== '')) {
      // In transcripts that are cut at tool calls, a message may start within a fence.
      if (!(isFirst && language === '') && source?.[1] !== '/')
        this.fence = { mark, isBare: language === '', kind: fenceKind(language) };
    } else if (language === '' && mark.startsWith(fence.mark)) this.fence = undefined;
    else return false;
    return true;
  }

  /** Reads a line without the tags around it, which may begin or end a part. `tagged`: its beginning, if a tag. */
  private readContent(tagged: string): void {
    const { text } = this;
    if (tagged !== '' && (this.within === undefined || (this.fence ? PART_END : PART_TAG).test(tagged)))
      this.passOpeningTags();
    const closed: string[] = [];
    while (this.end > this.start && text.charCodeAt(this.end - 1) === 62) {
      const from = Math.max(this.start, this.end - 40);
      const tail = text.slice(from, this.end);
      const open = tail.lastIndexOf('</');
      if (open === -1 || (this.within !== undefined && !PART_TAG.test(tail.slice(open)))) break;
      closed.push(tail.slice(open + 1, -1));
      this.end = from + open;
      while (this.end > this.start && isSpace(text.charCodeAt(this.end - 1))) this.end--;
    }
    this.from = this.start;
    if (this.start >= this.end) this.push('markup');
    else this.classify(text.slice(this.start, Math.min(this.end, this.start + MAX_READ)));
    for (const name of closed) this.passTag(name);
  }

  /** Passes the tags at the beginning of a line, and the text of a `<summary>`, which is a label. */
  private passOpeningTags(): void {
    const { text, end } = this;
    for (;;) {
      while (this.start < end && isSpace(text.charCodeAt(this.start))) this.start++;
      if (this.start >= end || text.charCodeAt(this.start) !== 60) return;
      const length = text.slice(this.start, Math.min(end, this.start + 160)).indexOf('>');
      const name = text.slice(this.start + 1, this.start + length);
      if (length === -1 || !TAG_NAME.test(name) || /error/i.test(name)) return;
      this.start += length + 1;
      this.passTag(name);
      if (!/^summary$/i.test(name)) continue;
      const label = text.slice(this.start, Math.min(end, this.start + 400)).indexOf('</summary>');
      if (label === -1) continue;
      this.end = this.start + label;
      this.push('label');
      this.start = this.end + '</summary>'.length;
      this.end = end;
    }
  }

  private passTag(name: string): void {
    const opens = !name.startsWith('/');
    if (/^\/?think(?:ing)?$/i.test(name)) this.thinking = opens;
    else if (/^\/?(?:tool[-_]use|tool_result|function_results)\b/i.test(name)) {
      this.inTool = opens;
      if (opens) return;
      this.openDetails = 0;
      this.fence = undefined;
    } else if (/^\/?details\b/i.test(name)) {
      this.openDetails = Math.max(0, this.openDetails + (opens ? 1 : -1));
      if (this.openDetails === 0) this.inTool = false;
    }
  }

  private get within(): Line['within'] {
    if (this.fence !== undefined) return 'fence';
    if (this.inEdit) return 'edit';
    // Collapsed blocks other than thinking belong to tools: search results, edits, file lists.
    if (this.tool || this.inTool || (this.openDetails > 0 && !this.thinking)) return 'tool';
    return this.isNumbered || this.isEscaped ? 'data' : undefined;
  }

  private classify(line: string): void {
    const hasMark = isMark(line.charCodeAt(0));
    if (hasMark && RULE.test(line)) return this.push('markup');
    if (this.fence !== undefined) return this.push(this.fence.kind);
    if (this.within !== undefined && !(this.within === 'data' && this.isNumbered)) return this.push('output');
    if (hasMark) {
      const heading = HEADING.exec(line);
      if (heading !== null) {
        this.skip(heading[0].length);
        return this.push('heading');
      }
      if (TURN.test(line)) return this.push('markup');
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
    const { from, start, end, within, thinking } = this;
    this.lines.push({ kind, from, start, end, within, thinking });
  }

  private skip(length: number): void {
    this.start += length;
    while (this.start < this.end && isSpace(this.text.charCodeAt(this.start))) this.start++;
  }
}

const fenceKind = (language: string): 'code' | 'output' | 'diff' =>
  /^(?:diff|patch)$/i.test(language)
    ? 'diff'
    : /^(?:|text|txt|log|console|output|(?:ba|z)?sh|shell|terminal)$/i.test(language)
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

const isSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 13 || code === 0xa0 || code === 0x3000 || code === 0x200b || code === 0xfeff;
