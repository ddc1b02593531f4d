import type { Role } from '../model/message.ts';
import type { Steps } from '../pace/steps.ts';
import { isMachineLine, type Line } from '../text/lines.ts';
import { clausesOf } from '../text/clauses.ts';
import { sentenceSteps } from '../text/sentences.ts';

/** A sentence or short line that might be a key event, with what its surroundings say. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly line: Line;
  /** Place among the sentences of its line. */
  readonly index: number;
  /** The heading or lead-in ("Next steps:") above it; undefined when a blank paragraph ended its reach. */
  readonly heading: Segment | undefined;
  /** The line before it, blank ones aside, is code or output. */
  readonly afterCode: boolean;
  /** Place among the message's segments. */
  readonly order: number;
}

const MANY_LINES = 200;
const CRUMB = 5;
const LINES_PER_STEP = 100;

const SLASH = /^\/([a-z][\w-]{1,30})(?:\s+|$)/i;
/** Commands whose argument is something said to the model, in aider, Claude Code and alike. */
const TALK = new Set(['ask', 'architect', 'code', 'chat', 'plan', 'goal', 'explain', 'fix', 'test-fix', 'edit']);
/** Commands that set something. */
const SETTERS = new Set([
  'model',
  'set',
  'config',
  'editor-model',
  'weak-model',
  'reasoning-effort',
  'think-tokens',
  'permissions',
  'effort',
]);
const INTERRUPTED = /^\[(?:Request interrupted|Tool use|Image|Pasted)\b[^\]]*\]$/i;

export interface SegmentedMessage {
  readonly segments: readonly Segment[];
  /** Slash commands that set something: `/model x`. */
  readonly settings: readonly { readonly start: number; readonly end: number }[];
}

/** Cuts the lines that people read into sentences; machine lines are left to `findInMachineText`. Linear. */
export function* segmentLines(text: string, lines: readonly Line[], role: Role): Steps<SegmentedMessage> {
  const segments: Segment[] = [];
  const settings: { start: number; end: number }[] = [];
  let heading: Segment | undefined;
  let blanks = 0;
  let afterCode = false;
  for (const [at, line] of lines.entries()) {
    if (at % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
    if (line.kind === 'blank') {
      blanks++;
      continue;
    }
    if (isMachineLine(line.kind) || line.kind === 'markup' || line.kind === 'quoted') {
      afterCode = line.kind !== 'quoted';
      continue;
    }
    // A page of crumbs (numbers, letters, brackets) is a paste, not talk.
    if (lines.length > MANY_LINES && line.end - line.start < CRUMB) continue;
    let from = line.start;
    if (role === 'user') {
      const command = text.charCodeAt(from) === 47 ? SLASH.exec(text.slice(from, Math.min(line.end, from + 40))) : null;
      if (command !== null) {
        const name = command[1]!.toLowerCase();
        if (SETTERS.has(name) && line.end > from + command[0].length) settings.push({ start: from, end: line.end });
        if (!TALK.has(name)) continue;
        from += command[0].length;
      }
      if (text.charCodeAt(from) === 91 && INTERRUPTED.test(text.slice(from, Math.min(line.end, from + 80)))) continue;
    }
    if (line.kind === 'table') {
      addTable(line, from);
      continue;
    }
    const spans = (yield* sentenceSteps(text, from, line.end)).flatMap((span) => clausesOf(text, span));
    let last: Segment | undefined;
    spans.forEach((span, index) => {
      last = {
        start: span.start,
        end: span.end,
        line,
        index,
        heading,
        afterCode: afterCode && index === 0,
        order: segments.length,
      };
      segments.push(last);
    });
    afterCode = false;
    if (last === undefined) continue;
    const closing = text.charCodeAt(last.end - 1);
    const colon =
      closing === 58 ||
      closing === 0xff1a ||
      (closing === 42 && /[:：]\*{1,2}$/.test(text.slice(Math.max(last.start, last.end - 3), last.end)));
    if (line.kind === 'heading' || colon || (spans.length === 1 && isBold(text, line))) heading = last;
    else if (line.kind === 'prose' && blanks > 0) heading = undefined;
    blanks = 0;
  }
  return { segments, settings };

  function addTable(line: Line, from: number): void {
    segments.push({
      start: from,
      end: Math.min(line.end, from + 300),
      line,
      index: 0,
      heading,
      afterCode: false,
      order: segments.length,
    });
  }
}

const isBold = (text: string, line: Line): boolean =>
  line.end - line.start > 4 &&
  line.end - line.start < 120 &&
  text.startsWith('**', line.start) &&
  text.startsWith('**', line.end - 2);
