import type { DetectedEvent, Span } from '../model/key-event.ts';
import { atOnce, type Steps } from '../pace/steps.ts';
import { foreignSpans, inOwnWords } from '../text/provenance.ts';
import { analyse } from './analyse.ts';
import type { SpokenText } from './analyse.ts';
import { emphasisIn, proposalOf } from './assent.ts';
import { choose } from './choose.ts';
import type { PresetName } from '../prompts/render.ts';
import type { CompiledRule } from './user-rules.ts';
import { applyRules } from './apply-rules.ts';
import { MODEL } from './weights.ts';

/** An event with the proposal it answers, when it would not be understood alone. */
export interface DetectedEventWithContext extends DetectedEvent {
  /** What was proposed in the message before: offsets into that message's text, and its exact words. */
  readonly about?: Span & { readonly quote: string };
}

export interface DetectionContext {
  /** The message before this one. Its role is only a hint; its words count. */
  readonly before?: SpokenText;
  /** What kind of conversation it is: some have no errors, or no configuration. */
  readonly preset?: PresetName;
  /** The user's own rules, already compiled. */
  readonly rules?: readonly CompiledRule[];
}

/**
 * Finds the spans of a message that must survive word for word. In order, not overlapping; `quote` is
 * `text.slice(start, end)`, offsets in UTF-16 units. Time is linear in the message's length; of a longer message before,
 * only the end is read. A system message has none: it is always sent whole.
 */
export function detectEvents(message: SpokenText, context: DetectionContext = {}): DetectedEventWithContext[] {
  return atOnce(detectSteps(message, context));
}

/** As `detectEvents`, in steps: for messages of any length on a thread that others wait for. */
export function* detectSteps(message: SpokenText, context: DetectionContext = {}): Steps<DetectedEventWithContext[]> {
  const { text } = message;
  const before = context.before?.text;
  const emphasis = message.role === 'user' ? emphasisIn(text, before) : undefined;
  const chosen =
    emphasis !== undefined
      ? [emphasis]
      : (yield* choose(message, yield* analyse(message, before), MODEL, context.preset)).flatMap(trimmed);
  const taught = yield* applyRules(text, context.rules ?? []);
  const all = taught.length === 0 ? chosen : withRules(chosen, taught);
  const events = inOwnWords(all, foreignSpans(message));
  if (before === undefined || message.role !== 'user') return events;
  return events.map((event) => {
    const about = proposalOf(event, before);
    return about === undefined ? event : { ...event, about };
  });
}

/** Without the white space around it, of whatever kind; nothing is left of a span that is white space alone. */
function trimmed(event: DetectedEvent): DetectedEvent[] {
  const quote = event.quote.trim();
  if (quote === event.quote) return [event];
  if (quote === '') return [];
  const start = event.start + event.quote.indexOf(quote);
  return [{ ...event, start, end: start + quote.length, quote }];
}

/** A user's rule wins over the detector where both speak. Both lists are in order. */
function withRules(chosen: readonly DetectedEvent[], taught: readonly DetectedEvent[]): DetectedEvent[] {
  const kept: DetectedEvent[] = [];
  let next = 0;
  for (const event of chosen) {
    while (next < taught.length && taught[next]!.end <= event.start) next++;
    const rule = taught[next];
    if (rule === undefined || rule.start >= event.end) kept.push(event);
  }
  return [...kept, ...taught].sort((a, b) => a.start - b.start);
}
