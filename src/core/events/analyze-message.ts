import type { Span } from '../model/key-event.ts';
import type { Role } from '../model/message.ts';
import type { Steps } from '../pace/steps.ts';
import { findConcepts, type ConceptHits } from './concepts.ts';
import { describeSegment, type SegmentTraits } from './features.ts';
import { isOutputOrCodeLine, lineSteps } from '../text/lines.ts';
import { findToolOutputEvents, type ToolOutputEvent } from './tool-output.ts';
import { segmentLines, type Segment, type SegmentedMessage } from './split-message.ts';
import {
  trailingQuestionOf,
  previousMessageTraits,
  speechOf,
  type PreviousMessageTraits,
  type Speech,
} from './message-context.ts';

/** A message's text and its speaker: the detector's input. */
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
  readonly toolOutputEvents: readonly ToolOutputEvent[];
  readonly settings: SegmentedMessage['settings'];
  readonly before: PreviousMessageTraits;
  readonly speech: Speech;
}

/** Few, because a sentence takes a fraction of a millisecond until the JIT has warmed up. */
const SEGMENTS_PER_STEP = 4;

/**
 * Reads a message's lines, its sentences, and their features, for detection and training. Linear in the text's length.
 */
export function* analyzeMessage(message: DetectorInput, before: string | undefined): Steps<Analysis> {
  const { role, text } = message;
  const lines = yield* lineSteps(text, { tool: role === 'tool' });
  const toolOutputEvents = yield* findToolOutputEvents(text, lines);
  const { segments, settings } = yield* segmentLines(text, lines, role);
  const traits = previousMessageTraits(segments.length === 0 ? undefined : before);
  const speech = speechOf(text, before, role === 'user');
  const context = {
    trailingQuestion: trailingQuestionOf(text),
    role,
    segments: segments.length,
    items: segments.filter(({ line }) => line.kind === 'bullet' || line.kind === 'numbered').length,
    speech,
    before: traits,
    code: lines.some((line) => isOutputOrCodeLine(line.kind)),
  };
  const headings = new Map<Segment, ConceptHits>();
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    if (at % SEGMENTS_PER_STEP === SEGMENTS_PER_STEP - 1) yield;
    // Some clients repeat the request below the command, so only its first occurrence counts.
    const quote = text.slice(segment.start, segment.end);
    if (seen.has(quote)) continue;
    seen.add(quote);
    let hits: ConceptHits | undefined;
    if (segment.heading !== undefined) {
      hits = headings.get(segment.heading);
      if (hits === undefined) {
        hits = findConcepts(
          text.slice(segment.heading.start, Math.min(segment.heading.end, segment.heading.start + 160)),
        );
        headings.set(segment.heading, hits);
      }
    }
    candidates.push({ segment, traits: describeSegment(text, segment, context, hits, candidates[0]?.traits.hits) });
  }
  return { candidates, toolOutputEvents, settings, before: traits, speech };
}
