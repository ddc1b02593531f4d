import type { DetectedEvent, Span } from '../model/key-event.ts';
import type { Role } from '../model/message.ts';
import type { Steps } from '../pace/steps.ts';
import { findConcepts, type ConceptHits } from './concepts.ts';
import { describeSegment, MANY_SEGMENTS, type SegmentTraits } from './features.ts';
import { listTitle, type ListTitle } from './list-titles.ts';
import { lineSteps } from '../text/lines.ts';
import { findToolOutputEvents } from './tool-output.ts';
import { segmentLines, type Segment, type SegmentedMessage } from './split-message.ts';
import { messageTraits, type MessageTraits } from './message-context.ts';

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
  const toolOutputEvents = yield* findToolOutputEvents(text, lines);
  const { segments, settings } = yield* segmentLines(text, lines, role);
  const traits = messageTraits(role, text, lines, segments, before);
  const headings = new Map<Segment, ConceptHits>();
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  const lists = new TitledLists(text, role === 'user' && segments.length <= MANY_SEGMENTS);
  for (const [at, segment] of segments.entries()) {
    if (at % SEGMENTS_PER_STEP === SEGMENTS_PER_STEP - 1) yield;
    const listed = lists.titleOf(segment);
    // Some clients repeat a command's text as the request below it, so only the first occurrence counts.
    const quote = text.slice(segment.start, segment.end);
    if (seen.has(quote)) continue;
    seen.add(quote);
    const { heading } = segment;
    if (heading && !headings.has(heading))
      headings.set(heading, findConcepts(text.slice(heading.start, Math.min(heading.end, heading.start + 160))));
    const hits = heading && headings.get(heading);
    const opening = candidates[0]?.traits.hits;
    candidates.push({ segment, traits: describeSegment(text, segment, traits, hits, opening, listed) });
  }
  return { candidates, toolOutputEvents, settings, message: traits };
}

/** Finds the titles of a user's lists, by the line before each. Takes a message's segments in order. */
class TitledLists {
  private readonly text: string;
  private readonly isUsers: boolean;
  private title: ListTitle | undefined;
  private end = 0;
  private isInList = false;

  constructor(text: string, isUsers: boolean) {
    this.text = text;
    this.isUsers = isUsers;
  }

  titleOf({ start, end, line }: Segment): ListTitle | undefined {
    if (!this.isUsers) return undefined;
    const isAfterBlank = /\n\s*\n/.test(this.text.slice(this.end, start));
    const isItem = line.kind === 'bullet' || line.kind === 'numbered';
    this.end = end;
    if (!isItem) this.title = line.kind === 'heading' ? undefined : listTitle(this.text.slice(line.start, line.end));
    else if (this.isInList && isAfterBlank) this.title = undefined;
    this.isInList = isItem;
    return isItem ? this.title : undefined;
  }
}
