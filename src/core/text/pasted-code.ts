import type { Span } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import { isOutputOrCodeLine, type Line, type LineKind } from './lines.ts';
import { isRunningText, lineShape } from './terms.ts';

/** A block has at least this many lines, of which at least half look like code or output. */
const MIN_BLOCK_LINES = 6;
/** More lines in a row that look neither like code nor like a sentence end a block. */
const MAX_OTHER_LINES = 3;
/** Length of a line's beginning that is examined, in UTF-16 units. */
const MAX_READ = 240;

/** Calls, ends of statements or values, and tags, in a line without a sentence's words. */
const CODE_LIKE = /[=;{}$]|\w\([^)]|\(\)|[\])'"`],?$|^<\/?\w/;
/** Code and output that may contain whole sentences: BASIC's statements, assignments, JSON, and lines of a log. */
const CODE_WITH_WORDS =
  /^\d{1,5} ?[A-Z]{2,}\b|^\[[\w@.:-]+\] |^"[^"]{1,80}": (?:["[{\d-]|true|false|null)|[\w\])] ?[-+*/:]?= ?\S.*[^.?!]$/;
/** A setting or a decision that somebody may have written: `port = 8080`. */
const SETTING = /^[\w.-]+ ?= ?[^=(){}[\];"'`]+$/;
const COMMENT = /^(?:\/\/|\/\*|\*|#|--|'|REM\b|;|%|"{3})/;
const SENTENCE_END = /[\p{L}\p{N})"'`”’\]][.?!。？！]["”’)*]*$/u;
/** A line is a sentence if it has at least this many plain words and at most one that looks like code. */
const SENTENCE_WORDS = 7;
/** A line that ends like a sentence has at least this many plain words. */
const ENDED_SENTENCE_WORDS = 3;

/** Minimum length of a line with several statements or records, whose breaks were lost, in UTF-16 units. */
const DATA_LENGTH = 1_000;
/** The share of symbols in such a line. Prose has at most a third of it. */
const DATA_SYMBOLS = 0.06;
const SYMBOL = /[=;:"$(){}<>#&+*\\|[\]_^%~]/g;

const LINES_PER_STEP = 100;

const PLAIN: ReadonlySet<LineKind> = new Set(['prose', 'bullet', 'numbered', 'heading']);

/**
 * Marks code and output that somebody pasted without a fence, in any language. Lines that have the form of code or
 * output are recognized anyway; here, the other lines of the same block become code, too. Returns where the blocks are,
 * in order. Linear.
 */
export function* markPastedCode(text: string, lines: Line[]): Steps<Span[]> {
  const blocks: Span[] = [];
  let first = -1;
  let last = -1;
  let codeLines = 0;
  let others = 0;
  let length = 0;
  /** The last line of the newest block. */
  let marked = -1;
  const markBlock = (): void => {
    if (first !== -1 && length >= MIN_BLOCK_LINES && codeLines * 2 >= length) {
      // Adjacent lines without a user's words belong to it.
      while (first > 0 && isWithoutWords(text, lines[first - 1]!)) first--;
      while (last + 1 < lines.length && isWithoutWords(text, lines[last + 1]!)) last++;
      marked = last;
      for (let at = first; at <= last; at++)
        if (PLAIN.has(lines[at]!.kind)) lines[at] = { ...lines[at]!, kind: 'code' };
      blocks.push({ start: lines[first]!.start, end: lines[last]!.end });
    }
    first = -1;
  };
  for (const [at, line] of lines.entries()) {
    if (at % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
    if (line.kind === 'blank' || at <= marked) continue;
    const look = lookOf(text, line);
    if (look === 'data') {
      lines[at] = { ...line, kind: 'code' };
      blocks.push(line);
    }
    if (look === 'code') {
      if (first === -1) {
        first = at;
        codeLines = 0;
        length = 0;
      } else length += others;
      last = at;
      codeLines++;
      length++;
      others = 0;
    } else if (first !== -1 && (look !== 'other' || ++others > MAX_OTHER_LINES)) markBlock();
  }
  markBlock();
  return blocks.sort((a, b) => a.start - b.start);
}

/** Whether a line is neither a sentence nor an item or a few words that a user wrote. */
function isWithoutWords(text: string, line: Line): boolean {
  if (lookOf(text, line) !== 'other') return false;
  const head = headOf(text, line);
  return line.kind === 'heading' || !/^[\p{L}`]/u.test(head) || !isRunningText(lineShape(head, 0, head.length));
}

const headOf = (text: string, { start, end }: Line): string => text.slice(start, Math.min(end, start + MAX_READ));

function lookOf(text: string, line: Line): 'code' | 'data' | 'sentence' | 'other' {
  const { kind, start, end } = line;
  if (isOutputOrCodeLine(kind)) return 'code';
  if (!PLAIN.has(kind)) return 'sentence';
  if (end - start >= DATA_LENGTH) {
    const symbols = text.slice(start, end).match(SYMBOL)?.length ?? 0;
    return symbols > DATA_SYMBOLS * (end - start) ? 'data' : 'sentence';
  }
  const head = headOf(text, line);
  if (kind !== 'prose' || COMMENT.test(head) || SETTING.test(head)) return 'other';
  if (CODE_WITH_WORDS.test(head)) return 'code';
  const shape = lineShape(head, 0, head.length);
  const endsSentence = SENTENCE_END.test(head);
  if (CODE_LIKE.test(head) && !endsSentence && !isRunningText(shape)) return 'code';
  const isSentence =
    (shape.plain >= SENTENCE_WORDS && shape.code <= 1) || (endsSentence && shape.plain >= ENDED_SENTENCE_WORDS);
  return isSentence ? 'sentence' : 'other';
}
