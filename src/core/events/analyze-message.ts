import type { DetectedEvent, Span } from '../model/key-event.ts';
import type { Role } from '../model/message.ts';
import type { Steps } from '../pace/steps.ts';
import { findConcepts, type ConceptHits } from './concepts.ts';
import { describeSegment, type SegmentTraits } from './features.ts';
import { lineSteps } from '../text/lines.ts';
import { markPastedCode } from '../text/pasted-code.ts';
import { findToolOutputEvents } from './tool-output.ts';
import { segmentLines, type Segment, type SegmentedMessage } from './split-message.ts';
import { messageTraits, type MessageTraits } from './message-traits.ts';

export interface DetectorInput {
  readonly role: Role;
  readonly text: string;
  /** Spans that the user pasted. */
  readonly pasted?: readonly Span[] | undefined;
}

export interface Candidate {
  readonly segment: Segment;
  readonly traits: SegmentTraits;
}

export interface Analysis {
  readonly candidates: readonly Candidate[];
  readonly toolOutputEvents: readonly DetectedEvent[];
  readonly settings: SegmentedMessage['settings'];
  readonly message: MessageTraits;
}

/** Few, because a sentence takes a fraction of a millisecond until the JIT has warmed up. */
const SEGMENTS_PER_STEP = 4;

/**
 * Determines a message's lines, sentences, and their features, for detection and training. `before` is the text of the
 * previous message. Linear in the text's length.
 */
export function* analyzeMessage(message: DetectorInput, before: string | undefined): Steps<Analysis> {
  const { role, text } = message;
  const lines = yield* lineSteps(text, { tool: role === 'tool' });
  yield* markPastedCode(text, lines);
  const toolOutputEvents = yield* findToolOutputEvents(text, lines);
  const { segments, settings } = yield* segmentLines(text, lines, role);
  const traits = messageTraits(role, text, lines, segments, before);
  const headings = new Map<Segment, ConceptHits>();
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    if (at % SEGMENTS_PER_STEP === SEGMENTS_PER_STEP - 1) yield;
    // Some clients repeat a command's text as the request below it, so only the first occurrence counts.
    const quote = text.slice(segment.start, segment.end);
    if (seen.has(quote)) continue;
    seen.add(quote);
    const { heading } = segment;
    if (heading && !headings.has(heading))
      headings.set(heading, findConcepts(text.slice(heading.start, Math.min(heading.end, heading.start + 160))));
    const hits = heading && headings.get(heading);
    candidates.push({ segment, traits: describeSegment(text, segment, traits, hits, candidates[0]?.traits.hits) });
  }
  return { candidates, toolOutputEvents, settings, message: traits };
}
