import type { DetectedEvent, Span } from '../model/key-event.ts';
import { runSynchronously, type Steps } from '../pace/steps.ts';
import { untrustedSpans, restrictUntrustedEvents } from '../text/untrusted-text.ts';
import { speakerBefore } from '../text/speakers.ts';
import { analyzeMessage, type DetectorInput } from './analyze-message.ts';
import { emphasisIn, proposalOf } from './short-answers.ts';
import { selectKeyEvents } from './select-key-events.ts';
import type { PresetName } from '../prompts/render-prompts.ts';
import { blankTerminalCodes } from '../text/terminal-codes.ts';
import { applyRules, type CompiledRule } from './user-rules.ts';
import { KEY_EVENT_MODEL } from './weights.ts';

export interface DetectedEventWithContext extends DetectedEvent {
  /** For a short answer, the proposal in the previous message that it refers to, with offsets in its text. */
  readonly about?: Span & { readonly quote: string };
}

export interface DetectionContext {
  /** The previous message. Only its text is used. */
  readonly before?: DetectorInput;
  /** The kind of conversation; some have no errors or no configuration. */
  readonly preset?: PresetName;
  readonly rules?: readonly CompiledRule[];
}

/**
 * Detects the spans of a message that must stay verbatim, in order and without overlaps. `quote` is `text.slice(start,
 * end)`; offsets are in UTF-16 units. Linear in the message's length; only the end of a long previous message is read.
 * The detector skips system messages, because they are always sent verbatim; only `rules` apply to them.
 */
export const detectEvents = (message: DetectorInput, context: DetectionContext = {}): DetectedEventWithContext[] =>
  runSynchronously(detectSteps(message, context));

/** Like `detectEvents`, but in steps: for long messages on a shared thread. */
export function* detectSteps(
  message: DetectorInput,
  context: DetectionContext = {},
): Steps<DetectedEventWithContext[]> {
  const text = blankTerminalCodes(message.text);
  const plain = { ...message, text };
  const before = context.before?.text;
  const emphasis = message.role === 'user' ? emphasisIn(text, before) : undefined;
  const chosen =
    emphasis !== undefined
      ? [emphasis]
      : (yield* selectKeyEvents(plain, yield* analyzeMessage(plain, before), KEY_EVENT_MODEL, context.preset)).flatMap(
          trimmed,
        );
  const byRules = yield* applyRules(text, context.rules ?? []);
  const all = byRules.length === 0 ? chosen : withRules(chosen, byRules);
  const verbatim =
    text === message.text ? all : all.map((event) => ({ ...event, quote: message.text.slice(event.start, event.end) }));
  const events = restrictUntrustedEvents(verbatim, untrustedSpans(message));
  if (message.role !== 'user') return events;
  return events.map((event) => {
    const about = before === undefined ? undefined : proposalOf(event, before);
    const speaker = speakerBefore(text, event.start);
    return { ...event, ...(speaker !== '' && { speaker }), ...(about !== undefined && { about }) };
  });
}

/** Removes surrounding white space; returns nothing for a blank span. */
function trimmed(event: DetectedEvent): DetectedEvent[] {
  const quote = event.quote.trim();
  if (quote === event.quote) return [event];
  if (quote === '') return [];
  const start = event.start + event.quote.indexOf(quote);
  return [{ ...event, start, end: start + quote.length, quote }];
}

/** Where both match, a user's rule wins over the detector. Both lists are in order. */
function withRules(chosen: readonly DetectedEvent[], byRules: readonly DetectedEvent[]): DetectedEvent[] {
  const kept: DetectedEvent[] = [];
  let next = 0;
  for (const event of chosen) {
    while (next < byRules.length && byRules[next]!.end <= event.start) next++;
    const rule = byRules[next];
    if (rule === undefined || rule.start >= event.end) kept.push(event);
  }
  return [...kept, ...byRules].sort((a, b) => a.start - b.start);
}
