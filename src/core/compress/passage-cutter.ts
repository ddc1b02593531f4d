import { Definitions, definitionIn, fileIn } from './definitions.ts';
import { answerIn, isCodeLine, isStatement, outputKind } from './line-kinds.ts';
import { isNumbered, isRule, skipLineNumber, skipMarks, TAG, WRAPPERS } from './line-marks.ts';
import { isToolResult, type SourceMessage } from './source.ts';
import { isRunningText, lineShape } from './terms.ts';
import { newPassage, type Passage, type PassageKind } from './passages.ts';

/** Lines of prose longer than this are taken sentence by sentence. */
const LONG_LINE = 360;
/** In a chat of short messages from here on. */
const LONG_SHORT_LINE = 40;

/** A line of output or code beyond this is data, and never taken. */
const LONGEST_OUTPUT_LINE = 400;

/** Nobody speaks so long without a break: such a line is data. */
const LONGEST_PROSE_LINE = 20_000;

let segmenter: Intl.Segmenter | undefined;
const sentences = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' }));

/** A step of cutting takes about so many UTF-16 units, a millisecond or so. */
export const CUT_STEP_CHARS = 5000;

/**
 * Cuts a message's text into its passages, in order; what informs nobody (listings, data, wrappers) is left out.
 * Linear in the text; prose, in any script, is kept whole.
 */
export class PassageCutter {
  private readonly text: string;
  private readonly position: number;
  private readonly isOutput: boolean;
  private readonly isUser: boolean;
  private readonly passages: Passage[];
  private readonly definitions = new Definitions();
  /** The file that the code at hand belongs to, or ''. */
  private file = '';
  private at = 0;
  /** The fence that is open, as its marks, or ''. */
  private fence = '';
  /** Whether it names no language. */
  private bareFence = false;
  /** In a short block that someone shows in what they say: an error, a line of code, a command. */
  private quoting = false;
  /** Inside `<think>` or a "Thought Process" block. */
  private thinking = false;
  /** Inside a folded block in which a tool's call and result are shown. */
  private wrapped = false;
  /** Within what a user answered to a tool. */
  private answering = false;
  /** Within an edit block that is marked without a fence. */
  private editing = false;
  /** The run of output at hand: where its passages begin, how many lines it has, and how many of them are code. */
  private run = { from: 0, lines: 0, code: 0 };

  private readonly takesAll: boolean;
  private readonly longLine: number;

  /** `passages` is added to; with `takesAll` listings are cut into lines and not left out. */
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

  /** Cuts some more lines; true at the text's end. */
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
      // Wrappers of thoughts and tool calls, as exported transcripts show them.
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
      if (last - first <= LONGEST_OUTPUT_LINE)
        this.take(first, last, 'quoted', isRunningText(lineShape(text, first, last)));
      return;
    }
    if (this.isOutput && this.isAnswer(first, last)) this.proseLine(first, last);
    else if (this.editing || this.fence !== '' || this.isOutput || this.wrapped) this.outputLine(first, last);
    else this.proseLine(first, last);
  }

  /** Whether a user speaks in this line of a tool's result: in the one that says so, and up to the next label or tag. */
  private isAnswer(first: number, last: number): boolean {
    const { text } = this;
    const unit = text.charCodeAt(first);
    if (unit === 42 || unit === 60) this.answering = false;
    // Most lines of output neither begin nor end as an answer does: they need not be cut out.
    const isNone = last - first > LONGEST_PROSE_LINE || (!'*UT'.includes(text[first]!) && text[last - 1] !== ':');
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
    // A fence that only closes what an earlier message opened looks as if it opened one, until the next that names a language.
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

  /** Whether a fence that opens on this line closes within a few. */
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

  /** Reads the tags at a line's start; returns where its words start, or `last` when it has none. */
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
          // The label of a folded block; what follows on the same line is its content.
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
    if (end - first < LONGEST_HEADING) this.file = fileIn(text.slice(first, end)) ?? this.file;
    const kind: PassageKind = this.thinking ? 'thought' : text.charCodeAt(first) === 35 ? 'heading' : 'said';
    if (end - first > LONGEST_PROSE_LINE) return;
    const shape = lineShape(text, first, Math.min(end, first + 2000));
    const running = isRunningText(shape);
    if (!running && shape.plain === 0 && isRule(text, first, end)) return;
    // Indented or symbol-laden lines outside a fence are code that was pasted; a user's are kept as said.
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

  /** A line of output or code: taken when it informs. */
  private outputLine(from: number, to: number): void {
    const { text } = this;
    let first = from;
    let last = to;
    if (last - first > LONGEST_OUTPUT_LINE) return;
    first = skipLineNumber(text, first, last);
    // What stands behind a line number is a file's own: its tags open and close nothing here.
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
    if (lines >= SHORTEST_LISTING && code >= lines * LISTING_CODE) {
      for (let at = from; at < this.passages.length; at++) {
        const passage = this.passages[at]!;
        const isShown = passage.kind === 'text' || PRINTED_BY_CODE.test(this.text.slice(passage.start, passage.end));
        if (isShown) this.passages[at] = { ...passage, inListing: true };
      }
    }
    this.run = { from: this.passages.length, lines: 0, code: 0 };
  }

  /** Remembers the file that is shown, and what its code defines. */
  private noteCode(first: number, last: number, plain: number): void {
    if (plain > MOST_WORDS_BESIDE_FILE) return;
    const line = this.text.slice(first, last);
    if (this.fence === '' && !this.editing) this.file = fileIn(line) ?? this.file;
    const defined = definitionIn(line);
    if (defined) this.definitions.add(this.file, defined.kind, defined.name);
  }

  /** A command in backticks or after a prompt, or the line that describes it, outside the output itself. */
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

/** A shorter run of output is no listing, and from this share of lines of code on it is one. */
const SHORTEST_LISTING = 5;
const LISTING_CODE = 0.3;
/** What reads as an error or a result among lines of code: a comment, a text in quotes. */
const PRINTED_BY_CODE = /^(?:\/\/|[#*]|--)|["'`(]/;

/** Whether a line is a text written as one string: data that was printed, whatever it quotes. */
function isEscaped(text: string, start: number, end: number): boolean {
  let at = start;
  for (let breaks = 0; breaks < ESCAPED_BREAKS; breaks++) {
    at = text.indexOf('\\n', at) + 2;
    if (at < 2 || at > end) return false;
  }
  return true;
}

const ESCAPED_BREAKS = 4;

/** A line that names the file of the code after it is no longer than this, in UTF-16 units. */
const LONGEST_HEADING = 120;

/** A block in speech of no more lines than this is shown for its own sake; a longer one is code or output. */
const SHORT_BLOCK_LINES = 6;

/** A line of more words speaks about a file; it does not head its contents. */
const MOST_WORDS_BESIDE_FILE = 6;
