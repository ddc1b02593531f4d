import { Definitions, definitionIn, fileIn } from './definitions.ts';
import { answerIn, isCodeLine, isStatement, outputKind } from './line-kinds.ts';
import { isNumbered, isRule, skipLineNumber, skipMarks, TAG, WRAPPERS } from './line-marks.ts';
import { isToolResult, type SourceMessage } from './source.ts';
import { isRunningText, lineShape } from './terms.ts';
import { newPassage, type Passage, type PassageKind } from './passages.ts';

/** Longer lines of prose are split into sentences. */
const LONG_LINE = 360;
/** The same in a chat of short messages. */
const LONG_SHORT_LINE = 40;

/** Longer lines of output or code are data and ignored. */
const MAX_OUTPUT_LINE_LENGTH = 400;

/** Longer lines of prose are data and ignored. */
const MAX_PROSE_LINE_LENGTH = 20_000;

let segmenter: Intl.Segmenter | undefined;
const sentences = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' }));

/** UTF-16 units per step, which takes about a millisecond. */
export const CUT_STEP_CHARS = 5000;

/**
 * Cuts a message's text into passages, in order. Listings, data, and wrappers are left out; all prose is kept, in any
 * script. Linear in the text.
 */
export class PassageCutter {
  private readonly text: string;
  private readonly position: number;
  private readonly isOutput: boolean;
  private readonly isUser: boolean;
  private readonly passages: Passage[];
  private readonly definitions = new Definitions();
  /** The file that contains the current code, or ''. */
  private file = '';
  private at = 0;
  /** The marks of the open fence, or ''. */
  private fence = '';
  /** Whether the open fence has no language. */
  private bareFence = false;
  /** Inside a short code block in prose, such as an error, a line of code, or a command. */
  private quoting = false;
  /** Inside `<think>` or a "Thought Process" block. */
  private thinking = false;
  /** Inside a collapsed block with a tool call and its result. */
  private wrapped = false;
  /** Inside a user's answer to a tool. */
  private answering = false;
  /** Inside an edit block without a fence. */
  private editing = false;
  /** The current run of output: the index of its first passage, its lines, and its lines of code. */
  private run = { from: 0, lines: 0, code: 0 };

  private readonly takesAll: boolean;
  private readonly longLine: number;

  /** Appends to `passages`. With `takesAll`, lines of listings are passages, too. */
  constructor(
    message: Pick<SourceMessage, 'role' | 'content'>,
    text: string,
    position: number,
    passages: Passage[],
    takesAll = false,
    isShortChat = false,
  ) {
    this.longLine = isShortChat ? LONG_SHORT_LINE : LONG_LINE;
    this.takesAll = takesAll;
    this.text = text;
    this.position = position;
    this.isOutput = isToolResult(message);
    this.isUser = message.role === 'user';
    this.passages = passages;
  }

  /** Cuts the next lines; returns true at the end of the text. */
  step(): boolean {
    const { text } = this;
    const pause = this.at + CUT_STEP_CHARS;
    while (this.at < text.length && this.at < pause) {
      let end = text.indexOf('\n', this.at);
      if (end === -1) end = text.length;
      this.line(this.at, end);
      this.at = end + 1;
    }
    if (this.at < text.length) return false;
    this.endRun();
    for (const sentence of this.definitions.sentences()) {
      const at = text.length;
      this.passages.push(newPassage(this.position, at, at, 'names', true, sentence));
    }
    return true;
  }

  private line(start: number, end: number): void {
    const { text } = this;
    let first = start;
    let last = end;
    while (first < last && text.charCodeAt(first) <= 32) first++;
    while (last > first && text.charCodeAt(last - 1) <= 32) last--;
    if (first === last) return;
    if (this.openOrCloseFence(first, last)) {
      this.endRun();
      this.answering = false;
      return;
    }
    const unit = text.charCodeAt(first);
    if (unit === 60 && this.fence === '') {
      // Exported transcripts wrap thinking and tool calls in tags.
      const after = this.skipTags(first, last);
      if (after >= last) return;
      first = after;
    }
    if (text.startsWith('<<<<<<<', first)) this.editing = true;
    if (text.startsWith('>>>>>>>', first)) {
      this.editing = false;
      return;
    }
    if (this.quoting) {
      this.noteCode(first, last, 0);
      if (last - first <= MAX_OUTPUT_LINE_LENGTH)
        this.take(first, last, 'quoted', isRunningText(lineShape(text, first, last)));
      return;
    }
    if (this.isOutput && this.isAnswer(first, last)) this.proseLine(first, last);
    else if (this.editing || this.fence !== '' || this.isOutput || this.wrapped) this.outputLine(first, last);
    else this.proseLine(first, last);
  }

  /** Whether this line of a tool result is a user's answer, which extends to the next label or tag. */
  private isAnswer(first: number, last: number): boolean {
    const { text } = this;
    const unit = text.charCodeAt(first);
    if (unit === 42 || unit === 60) this.answering = false;
    // Cheap test first, because most lines of output aren't answers.
    const isNone = last - first > MAX_PROSE_LINE_LENGTH || (!'*UT'.includes(text[first]!) && text[last - 1] !== ':');
    const found = isNone ? undefined : answerIn(text.slice(first, last));
    const isOne = this.answering || found === 'here';
    if (found !== undefined) this.answering = true;
    return isOne;
  }

  private openOrCloseFence(first: number, last: number): boolean {
    const { text } = this;
    const unit = text.charCodeAt(first);
    if (unit !== 96 && unit !== 126) return false;
    let marks = first;
    while (marks < last && text.charCodeAt(marks) === unit) marks++;
    if (marks - first < 3) return false;
    const fence = text.slice(first, marks);
    // A fence that closes a block of an earlier message looks like an opening one until the next fence with a language.
    const isStray = this.bareFence && marks < last;
    if (this.fence === '' || isStray) {
      this.fence = fence;
      this.bareFence = marks === last;
      this.quoting = !this.isOutput && !this.wrapped && this.closesSoon(last, fence);
      return true;
    }
    if (marks === last && fence.startsWith(this.fence)) {
      this.fence = '';
      this.quoting = false;
      return true;
    }
    return false;
  }

  /** Whether the fence that opens on this line closes within a few lines. */
  private closesSoon(last: number, fence: string): boolean {
    let at = this.text.indexOf('\n', last);
    for (let lines = 0; at !== -1 && lines <= SHORT_BLOCK_LINES; lines++) {
      let next = at + 1;
      while (this.text.charCodeAt(next) === 32) next++;
      if (this.text.startsWith(fence, next)) return true;
      at = this.text.indexOf('\n', at + 1);
    }
    return false;
  }

  /** Skips the tags at the beginning of a line; returns where the text starts, or `last` if there is none. */
  private skipTags(first: number, last: number): number {
    const { text } = this;
    let at = first;
    while (at < last && text.charCodeAt(at) === 60) {
      const close = text.indexOf('>', at);
      if (close === -1 || close >= last) return at;
      const tag = TAG.exec(text.slice(at, Math.min(close + 1, at + 40)));
      if (!tag) return at;
      const [, slash, name] = tag;
      const lower = name!.toLowerCase();
      if (lower === 'think' || lower === 'thinking') this.thinking = slash !== '/';
      else if (lower === 'details' || lower === 'tool-use') this.wrapped = slash !== '/' && !this.thinking;
      else if (lower === 'summary' && slash !== '/') {
        const end = text.indexOf('</summary>', close);
        if (end !== -1 && end < last) {
          // The label of a collapsed block. The rest of the line is its content.
          if (!this.thinking && !this.isOutput) this.take(close + 1, end, 'call');
          at = end + '</summary>'.length;
          continue;
        }
      } else if (!WRAPPERS.has(lower)) return at;
      at = close + 1;
      while (at < last && text.charCodeAt(at) <= 32) at++;
    }
    return at;
  }

  private proseLine(first: number, last: number): void {
    const { text } = this;
    if (isNumbered(text, first, last) || isEscaped(text, first, last)) {
      this.outputLine(first, last);
      return;
    }
    let end = last;
    const closing = text.lastIndexOf('</', end);
    if (closing > first && text.charCodeAt(end - 1) === 62) end = this.trimClosingTags(first, end);
    if (end <= first) return;
    if (end - first < MAX_HEADING_LENGTH) this.file = fileIn(text.slice(first, end)) ?? this.file;
    const kind: PassageKind = this.thinking ? 'thought' : text.charCodeAt(first) === 35 ? 'heading' : 'said';
    if (end - first > MAX_PROSE_LINE_LENGTH) return;
    const shape = lineShape(text, first, Math.min(end, first + 2000));
    const running = isRunningText(shape);
    if (!running && shape.plain === 0 && isRule(text, first, end)) return;
    // Indented lines or lines with many symbols outside a fence are pasted code, but a user's are kept as prose.
    if (!running && !this.isUser && shape.plain < 2 && isCodeLine(text, first, end)) {
      this.outputLine(first, end);
      return;
    }
    if (end - first <= this.longLine) {
      this.passages.push(newPassage(this.position, first, end, kind, running));
      return;
    }
    for (const { index, segment } of sentences().segment(text.slice(first, end))) {
      const start = first + index;
      let stop = start + segment.length;
      while (stop > start && text.charCodeAt(stop - 1) <= 32) stop--;
      if (stop > start) {
        const part = isRunningText(lineShape(text, start, stop));
        this.passages.push(newPassage(this.position, start, stop, kind, part));
      }
    }
  }

  private trimClosingTags(first: number, last: number): number {
    const { text } = this;
    let end = last;
    while (end > first && text.charCodeAt(end - 1) === 62) {
      const open = text.lastIndexOf('<', end - 1);
      if (open < first) break;
      const tag = TAG.exec(text.slice(open, end));
      if (!tag) break;
      const lower = tag[2]!.toLowerCase();
      if (!WRAPPERS.has(lower)) break;
      if (tag[1] === '/' && (lower === 'think' || lower === 'thinking')) this.thinking = false;
      if (tag[1] === '/' && (lower === 'details' || lower === 'tool-use')) this.wrapped = false;
      end = open;
      while (end > first && text.charCodeAt(end - 1) <= 32) end--;
    }
    return end;
  }

  /** Takes a line of output or code if it's informative. */
  private outputLine(from: number, to: number): void {
    const { text } = this;
    let first = from;
    let last = to;
    if (last - first > MAX_OUTPUT_LINE_LENGTH) return;
    first = skipLineNumber(text, first, last);
    // After a line number, tags are part of a file's content and don't open or close blocks.
    if (first === from && text.charCodeAt(last - 1) === 62) last = this.trimClosingTags(first, last);
    this.run.lines++;
    if (isStatement(text, first, last)) this.run.code++;
    if (last - first < 4) return;
    const body = skipMarks(text, first, last);
    const shape = lineShape(text, body, last);
    const running = isRunningText(shape);
    this.noteCode(first, last, shape.plain);
    const kind = outputKind(text, first, last);
    if (kind === 'error' || kind === 'outcome') this.take(first, last, kind, running);
    else if (running && (body > first || !isCodeLine(text, first, last))) this.take(body, last, 'text', true);
    else if (this.isCall(first, last)) this.take(first, last, 'call', false);
    else if (this.takesAll) this.take(first, last, 'line', false);
  }

  /** Marks the passages of a run of output that is mostly code. */
  private endRun(): void {
    const { from, lines, code } = this.run;
    if (lines >= MIN_LISTING_LENGTH && code >= lines * LISTING_CODE) {
      for (let at = from; at < this.passages.length; at++) {
        const passage = this.passages[at]!;
        const isShown = passage.kind === 'text' || PRINTED_BY_CODE.test(this.text.slice(passage.start, passage.end));
        if (isShown) this.passages[at] = { ...passage, inListing: true };
      }
    }
    this.run = { from: this.passages.length, lines: 0, code: 0 };
  }

  /** Remembers the current file and the names that its code defines. */
  private noteCode(first: number, last: number, plain: number): void {
    if (plain > MAX_WORDS_BESIDE_FILE) return;
    const line = this.text.slice(first, last);
    if (this.fence === '' && !this.editing) this.file = fileIn(line) ?? this.file;
    const defined = definitionIn(line);
    if (defined) this.definitions.add(this.file, defined.kind, defined.name);
  }

  /** Whether a line shows or describes a command: it's in backticks or after a prompt, and outside of a code block. */
  private isCall(first: number, last: number): boolean {
    if (this.fence !== '' || this.editing) return false;
    const unit = this.text.charCodeAt(first);
    if (unit === 96 || unit === 36) return last - first > 4;
    return this.text.indexOf('`', first) !== -1 && this.text.indexOf('`', first) < last;
  }

  private take(start: number, end: number, kind: PassageKind, running = false): void {
    if (end > start) this.passages.push(newPassage(this.position, start, end, kind, running));
  }
}

/** A listing has at least this many lines, of which at least this share is code. */
const MIN_LISTING_LENGTH = 5;
const LISTING_CODE = 0.3;
/** Comments and string literals in code that look like errors or results. */
const PRINTED_BY_CODE = /^(?:\/\/|[#*]|--)|["'`(]/;

/** Whether a line is an escaped multi-line string, which is data regardless of its content. */
function isEscaped(text: string, start: number, end: number): boolean {
  let at = start;
  for (let breaks = 0; breaks < ESCAPED_BREAKS; breaks++) {
    at = text.indexOf('\\n', at) + 2;
    if (at < 2 || at > end) return false;
  }
  return true;
}

const ESCAPED_BREAKS = 4;

/** Maximum length of a line that names the file of the code after it, in UTF-16 units. */
const MAX_HEADING_LENGTH = 120;

/** Code blocks in prose up to this number of lines are quotations; longer ones are code or output. */
const SHORT_BLOCK_LINES = 6;

/** A line with more words is a sentence about a file, not the heading of its content. */
const MAX_WORDS_BESIDE_FILE = 6;
