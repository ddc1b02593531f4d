import {
  answerIn,
  definitionIn,
  fileIn,
  isCodeLine,
  isNumbered,
  isRule,
  isStatement,
  lineNumberLength,
  marksLength,
  outputKind,
  TAG,
  WRAPPERS,
} from './line-patterns.ts';
import { isToolResult, type SourceMessage } from './source-message.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { callIn, type WrittenCall } from '../text/written-call.ts';
import { isRunningText, lineShape } from '../text/terms.ts';
import { FenceReader } from '../text/fences.ts';
import { EDIT_END, EDIT_START, isEscaped, lineSpans } from '../text/lines.ts';
import { EAST_ASIAN } from '../text/cjk.ts';
import { sentencesOf } from '../text/sentences.ts';
import { speakerLabelAt } from '../text/speakers.ts';

/**
 * The kind of a passage:
 * - `prose`, `heading`: text of a person or an assistant; `thought`: thinking
 * - `quoted`: a line of a short code block in prose
 * - `call`: a command, or the label of a collapsed block; `error`, `outcome`: an informative line of output or code
 * - `names`: a generated sentence that lists definitions in code
 * - `text`: running text in output or code, such as a comment; `line`: any other line of it
 * - `noted`: a summary's own text
 */
export type PassageKind =
  'prose' | 'thought' | 'quoted' | 'heading' | 'call' | 'error' | 'outcome' | 'names' | 'text' | 'line' | 'noted';

/** A piece of a message that can stand by itself: a line, or a sentence of a long line. Offsets are in UTF-16 units. */
export interface Passage {
  readonly message: number;
  readonly start: number;
  readonly end: number;
  readonly kind: PassageKind;
  /** Whether it's running text, as opposed to names and symbols. */
  readonly running: boolean;
  readonly text: string;
  /** Whether `text` is the message from `start` to `end`. False if it was generated from code or has parts removed. */
  readonly isSlice: boolean;
  /** Within a listing: a comment, or a message that the code prints. */
  readonly inListing: boolean;
  /** The label of its speaker, from the beginning of the line; empty if there is none or the passage starts with it. */
  readonly speaker: string;
}

/** Creates a passage. All passages are created here, because loops over objects of one shape run twice as fast. */
export const newPassage = (
  message: number,
  start: number,
  end: number,
  kind: PassageKind,
  running: boolean,
  text: string,
  isSlice = true,
  speaker = '',
): Passage => ({ message, start, end, kind, running, text, isSlice, inListing: false, speaker });

/** The label of a passage's speaker, in its text or before it; empty if there's none. */
export const speakerOfPassage = ({ speaker, text }: Passage): string => speaker || speakerLabelAt(text, 0);

/** What to show before a passage, so that it's clear who says it: its speaker, unless the one before shows that. */
export const speakerPrefix = (passage: Passage, before?: Passage): string =>
  passage.speaker === '' || (before?.message === passage.message && speakerOfPassage(before) === passage.speaker)
    ? ''
    : `${passage.speaker} `;

const PROSE_KINDS: ReadonlySet<PassageKind> = new Set(['prose', 'quoted', 'heading', 'noted']);

/** Whether it's prose, including headings, short code blocks, and summaries, and not output, listings, or thinking. */
export const isProse = ({ kind }: Pick<Passage, 'kind'>): boolean => PROSE_KINDS.has(kind);

/**
 * In UTF-16 units. Longer lines of prose are split into sentences, in short chats also shorter ones of scripts that say
 * more in fewer characters.
 */
const LONG_LINE = { usual: 360, shortChat: 40, denseShortChat: 12 } as const;

/** In UTF-16 units. Longer lines are data and ignored. */
const MAX_OUTPUT_LINE_LENGTH = 400;
const MAX_PROSE_LINE_LENGTH = 20_000;
const MAX_CALL_LENGTH = 200_000;

/** Cuts a message's text into passages, in order, leaving out listings, data, and wrappers. Linear in the text. */
export class PassageCutter {
  private readonly text: string;
  private readonly position: number;
  private readonly isOutput: boolean;
  private readonly isUser: boolean;
  private readonly takesAll: boolean;
  private readonly longLine: number;
  private readonly passages: Passage[] = [];
  /** Names that the message's code defines, by file and kind. */
  private readonly definitions = new Map<string, Map<string, Set<string>>>();
  /** The file that contains the current code, or ''. */
  private file = '';
  private readonly fences: FenceReader;
  /** Inside a short code block in prose, such as an error, a line of code, or a command. */
  private quoting = false;
  /** Inside `<think>` or `<thinking>`. */
  private thinking = false;
  /** Inside a collapsed block with a tool call and its result. */
  private wrapped = false;
  /** Inside a user's answer to a tool. */
  private answering = false;
  /** Inside an edit block without a fence. */
  private editing = false;
  /** The current run of output: the index of its first passage, its lines, and its lines of code. */
  private run = { from: 0, lines: 0, code: 0 };

  /** With `takesAll`, lines of listings are passages, too. */
  constructor(
    message: Pick<SourceMessage, 'role' | 'content'>,
    text: string,
    position: number,
    takesAll: boolean,
    isShortChat: boolean,
  ) {
    const shortLine = EAST_ASIAN.test(text) ? LONG_LINE.denseShortChat : LONG_LINE.shortChat;
    this.longLine = isShortChat ? shortLine : LONG_LINE.usual;
    this.takesAll = takesAll;
    this.text = text;
    this.fences = new FenceReader(text);
    this.position = position;
    this.isOutput = isToolResult(message);
    this.isUser = message.role === 'user';
  }

  async cut(pace: CancellableYielder): Promise<readonly Passage[]> {
    const { text } = this;
    for (const { start, end } of lineSpans(text)) {
      this.readLine(start, end);
      if (pace.isDue(end - start)) await pace.yield();
    }
    this.endRun();
    for (const sentence of this.definitionSentences())
      this.passages.push(newPassage(this.position, text.length, text.length, 'names', true, sentence, false));
    return this.passages;
  }

  private readLine(start: number, end: number): void {
    const { text } = this;
    let first = start;
    while (first < end && text.charCodeAt(first) <= 32) first++;
    const last = trimmedEnd(text, first, end);
    if (first === last) return;
    if (this.fences.pass(first, last)) {
      this.endRun();
      this.answering = false;
      this.quoting = !this.isOutput && !this.wrapped && this.closesSoon(last);
      return;
    }
    if (text[first] === '<' && this.fences.open === undefined) {
      // Exported transcripts wrap thinking and tool calls in tags.
      first = this.skipTags(first, last);
      if (first >= last) return;
    }
    if (text.startsWith('<<<<<', first) && EDIT_START.test(text.slice(first, last))) this.editing = true;
    if (text.startsWith('>>>>>', first) && EDIT_END.test(text.slice(first, last))) {
      this.editing = false;
      return;
    }
    if (this.quoting) {
      this.noteCode(text.slice(first, last), 0);
      if (last - first <= MAX_OUTPUT_LINE_LENGTH)
        this.add(first, last, 'quoted', isRunningText(lineShape(text, first, last)));
      return;
    }
    if (this.isOutput && this.isAnswer(first, last)) this.proseLine(first, last);
    else if (this.editing || this.fences.open !== undefined || this.isOutput || this.wrapped)
      this.outputLine(first, last);
    else this.proseLine(first, last);
  }

  /** Whether this line of a tool result belongs to a user's answer, which extends to the next label or tag. */
  private isAnswer(first: number, last: number): boolean {
    const { text } = this;
    if (text[first] === '*' || text[first] === '<') this.answering = false;
    // Cheap test first, because most lines of output aren't answers.
    const isUnlikely =
      last - first > MAX_PROSE_LINE_LENGTH || (!'*UT'.includes(text[first]!) && text[last - 1] !== ':');
    const found = isUnlikely ? undefined : answerIn(text.slice(first, last));
    const isAnswer = this.answering || found === 'here';
    if (found !== undefined) this.answering = true;
    return isAnswer;
  }

  private closesSoon(last: number): boolean {
    const fence = this.fences.open?.marks.replace('<', '</');
    if (fence === undefined) return false;
    let at = this.text.indexOf('\n', last);
    for (let lines = 0; at !== -1 && lines <= SHORT_BLOCK_LINES; lines++) {
      let next = at + 1;
      while (this.text[next] === ' ') next++;
      if (this.text.startsWith(fence, next)) return true;
      at = this.text.indexOf('\n', at + 1);
    }
    return false;
  }

  /** Skips the tags at the beginning of a line; returns where the text starts, or `last` if there is none. */
  private skipTags(first: number, last: number): number {
    const { text } = this;
    let at = first;
    while (at < last && text[at] === '<') {
      const close = at + text.slice(at, last).indexOf('>');
      if (close < at) return at;
      const tag = TAG.exec(text.slice(at, Math.min(close + 1, at + 40)));
      if (!tag) return at;
      const isOpening = tag[1] !== '/';
      const name = tag[2]!.toLowerCase();
      if (!WRAPPERS.has(name)) return at;
      this.passTag(name, isOpening);
      if (name === 'summary' && isOpening) {
        const end = close + text.slice(close, Math.min(last, close + MAX_LABEL_LENGTH)).indexOf('</summary>');
        if (end >= close) {
          // The label of a collapsed block. The rest of the line is its content.
          if (!this.thinking && !this.isOutput) this.add(close + 1, end, 'call');
          at = end + '</summary>'.length;
          continue;
        }
      }
      at = close + 1;
      while (at < last && text.charCodeAt(at) <= 32) at++;
    }
    return at;
  }

  private passTag(name: string, isOpening: boolean): void {
    if (name === 'think' || name === 'thinking') this.thinking = isOpening;
    if (name === 'details' || name === 'tool-use') this.wrapped = isOpening && !this.thinking;
  }

  private proseLine(first: number, last: number): void {
    const { text } = this;
    const line = text.slice(first, last);
    const call = this.isUser || last - first > MAX_CALL_LENGTH ? undefined : callIn(line);
    if (call) {
      this.callLine(first, last, call);
      return;
    }
    if (isNumbered(line) || isEscaped(line)) {
      this.outputLine(first, last);
      return;
    }
    let end = last;
    if (text[end - 1] === '>' && text.slice(first + 1, end).includes('</')) end = this.trimClosingTags(first, end);
    if (end <= first) return;
    if (end - first < MAX_HEADING_LENGTH) this.file = fileIn(text.slice(first, end)) ?? this.file;
    const kind: PassageKind = this.thinking ? 'thought' : text[first] === '#' ? 'heading' : 'prose';
    if (end - first > MAX_PROSE_LINE_LENGTH) return;
    const shape = lineShape(text, first, Math.min(end, first + 2000));
    const running = isRunningText(shape);
    if (!running && shape.plain === 0 && isRule(text.slice(first, end))) return;
    // A line that looks like code and has hardly any words is pasted code, but a user's is kept as prose.
    if (!running && !this.isUser && shape.plain < 2 && isCodeLine(text.slice(first, end))) {
      this.outputLine(first, end);
      return;
    }
    if (end - first <= this.longLine) {
      this.add(first, end, kind, running);
      return;
    }
    let speaker = '';
    for (const { start, end: stop } of sentencesOf(text, first, end)) {
      // An assistant's label is usually a heading of its first sentence.
      const own = this.isUser ? speakerLabelAt(text, start) : '';
      this.add(start, stop, kind, isRunningText(lineShape(text, start, stop)), own === '' ? speaker : '');
      speaker = own || speaker;
    }
  }

  /** Adds what a tool call does, in words, and notes what the text that it writes defines. */
  private callLine(first: number, last: number, call: WrittenCall): void {
    const file = call.effects.find(({ kind }) => kind !== 'run')?.what;
    if (file !== undefined) this.file = file;
    // The lines of the written text don't name the file that contains them.
    this.editing = true;
    for (const line of call.written.flatMap((text) => text.split('\n')))
      this.noteCode(line, lineShape(line, 0, line.length).plain);
    this.editing = false;
    const text = call.words;
    const running = isRunningText(lineShape(text, 0, text.length));
    this.passages.push(newPassage(this.position, first, last, 'call', running, text, false));
  }

  private trimClosingTags(first: number, last: number): number {
    const { text } = this;
    let end = last;
    while (end > first && text[end - 1] === '>') {
      // Within the line, because in the whole text, the search would take quadratic time.
      const line = text.slice(first, end);
      const open = line.lastIndexOf('<');
      const [, slash, written = ''] = TAG.exec(line.slice(open)) ?? [];
      const name = written.toLowerCase();
      if (!WRAPPERS.has(name)) break;
      if (slash === '/') this.passTag(name, false);
      end = trimmedEnd(text, first, first + open);
    }
    return end;
  }

  private outputLine(from: number, to: number): void {
    const { text } = this;
    if (to - from > MAX_OUTPUT_LINE_LENGTH) return;
    const first = from + lineNumberLength(text.slice(from, to));
    // After a line number, tags are part of a file's content and don't open or close blocks.
    const last = first === from && text[to - 1] === '>' ? this.trimClosingTags(first, to) : to;
    const line = text.slice(first, last);
    this.run.lines++;
    if (isStatement(line)) this.run.code++;
    if (line.length < 4) return;
    const body = first + marksLength(line);
    const shape = lineShape(text, body, last);
    const running = isRunningText(shape);
    this.noteCode(line, shape.plain);
    const kind = outputKind(line);
    if (kind !== undefined) this.add(first, last, kind, running);
    else if (running && (body > first || !isCodeLine(line))) this.add(body, last, 'text', true);
    else if (this.isCall(line)) this.add(first, last, 'call');
    else if (this.takesAll) this.add(first, last, 'line');
  }

  /** In a run of output that is a listing, marks comments and messages that the code prints. */
  private endRun(): void {
    const { from, lines, code } = this.run;
    if (lines >= MIN_LISTING_LENGTH && code >= lines * MIN_CODE_SHARE) {
      for (let at = from; at < this.passages.length; at++) {
        const passage = this.passages[at]!;
        const isShown = passage.kind === 'text' || PRINTED_BY_CODE.test(passage.text);
        if (isShown) this.passages[at] = { ...passage, inListing: true };
      }
    }
    this.run = { from: this.passages.length, lines: 0, code: 0 };
  }

  private noteCode(line: string, plain: number): void {
    if (plain > MAX_WORDS_BESIDE_FILE) return;
    if (this.fences.open === undefined && !this.editing && !IMPORT.test(line)) this.file = fileIn(line) ?? this.file;
    const defined = definitionIn(line);
    if (!defined) return;
    const kinds = this.definitions.get(this.file) ?? new Map<string, Set<string>>();
    this.definitions.set(this.file, kinds);
    kinds.set(defined.kind, (kinds.get(defined.kind) ?? new Set()).add(defined.name));
  }

  /** "The file pkg/store.go has the functions OpenStore() and Close().": names with their kind and their place. */
  private definitionSentences(): string[] {
    const all: string[] = [];
    for (const [file, kinds] of this.definitions) {
      const place = file === '' ? 'The code shown there' : `The file ${file}`;
      for (const [kind, names] of kinds) {
        const plural = kind === 'class' ? 'classes' : `${kind}s`;
        for (let at = 0; at < names.size; at += NAMES_PER_SENTENCE) {
          const group = [...names].slice(at, at + NAMES_PER_SENTENCE);
          all.push(`${place} has the ${group.length > 1 ? plural : kind} ${group.join(' and ')}.`);
        }
      }
    }
    return all.slice(0, MAX_SENTENCES);
  }

  /** Whether a line shows or describes a command: it's in backticks or after a prompt, and outside of a code block. */
  private isCall(line: string): boolean {
    if (this.fences.open !== undefined || this.editing) return false;
    return line.startsWith('`') || line.startsWith('$') ? line.length > 4 : line.includes('`');
  }

  private add(start: number, end: number, kind: PassageKind, running = false, speaker = ''): void {
    const text = this.text.slice(start, end);
    if (end > start) this.passages.push(newPassage(this.position, start, end, kind, running, text, true, speaker));
  }
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) <= 32) at--;
  return at;
}

/** A listing has at least this many lines, of which at least this share is code. */
const MIN_LISTING_LENGTH = 5;
const MIN_CODE_SHARE = 0.3;
/** Comments and string literals in code that look like errors or results. */
const PRINTED_BY_CODE = /^(?:\/\/|[#*]|--)|["'`(]/;

/** Maximum length of a line that names the file of the code after it, in UTF-16 units. */
const MAX_HEADING_LENGTH = 120;

/** Code blocks in prose up to this number of lines are quotations; longer ones are code or output. */
const SHORT_BLOCK_LINES = 6;

/** A line of code that names another file than its own. */
const IMPORT = /^(?:import|export|const|\}).*["']/;

/** A line with more words is a sentence about a file, not the heading of its content. */
const MAX_WORDS_BESIDE_FILE = 6;

/** Maximum names per sentence: enough to identify a file, few enough that dropping a sentence loses little. */
const NAMES_PER_SENTENCE = 5;

/** Maximum length of a collapsed block's label, in UTF-16 units. */
const MAX_LABEL_LENGTH = 1_000;

/** Maximum sentences per message, because a listing of a whole file is no summary. */
const MAX_SENTENCES = 16;
