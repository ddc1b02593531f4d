import type { MessageId } from '../model/ids.ts';
import { importanceOfKind, KEY_EVENT_KINDS } from '../model/key-event.ts';
import type { DetectedEvent, KeyEventKind } from '../model/key-event.ts';
import { WordFinder } from '../text/word-finder.ts';

/** An event as a summarizer reported it: its quote is a claim until it is found. */
export interface ClaimedEvent {
  readonly kind: string;
  readonly quote: string;
}

export interface SourceMessage {
  readonly id: MessageId;
  readonly text: string;
}

export interface LocatedEvents {
  readonly events: readonly { readonly message: MessageId; readonly event: DetectedEvent }[];
  /** Claims that were not kept, and why. */
  readonly dropped: readonly {
    readonly quote: string;
    readonly why: 'not_found' | 'unknown_kind' | 'too_short' | 'repeated';
  }[];
}

/** A shorter quote is found anywhere and proves nothing (characters that are not white space). */
const SHORTEST = 6;
/** What a model says is believed a little less than the detector's best. */
const SCORE = 0.6;

/**
 * Keeps of a model's event list what its source really says: each quote is located with runs of white space taken as one
 * space, and the source's own characters are kept. The newest message that holds it wins. The rest is dropped and counted.
 */
export function locateModelEvents(claims: readonly ClaimedEvent[], sources: readonly SourceMessage[]): LocatedEvents {
  const finder = new WordFinder(sources.map(({ text }) => text));
  const events: { message: MessageId; event: DetectedEvent }[] = [];
  const seen = new Set<string>();
  const dropped: LocatedEvents['dropped'][number][] = [];
  for (const { kind, quote } of claims) {
    if (!isKind(kind)) {
      dropped.push({ quote, why: 'unknown_kind' });
      continue;
    }
    if (quote.replace(/\s+/g, '').length < SHORTEST) {
      dropped.push({ quote, why: 'too_short' });
      continue;
    }
    const place = finder.find(quote);
    if (place === undefined) {
      dropped.push({ quote, why: 'not_found' });
      continue;
    }
    const { start, end } = place;
    const source = sources[place.text]!;
    const key = `${source.id} ${start} ${end}`;
    if (seen.has(key)) {
      dropped.push({ quote, why: 'repeated' });
      continue;
    }
    seen.add(key);
    events.push({
      message: source.id,
      event: {
        start,
        end,
        kind,
        quote: source.text.slice(start, end),
        score: SCORE,
        importance: importanceOfKind(kind),
        reason: 'named by the summarizer',
      },
    });
  }
  return { events, dropped };
}

const isKind = (kind: string): kind is KeyEventKind => (KEY_EVENT_KINDS as readonly string[]).includes(kind);

/** A message's events with those that a model named, in order; where both speak of the same words, the detector's stay. */
export function withClaims<Event extends DetectedEvent>(
  found: readonly Event[],
  named: readonly DetectedEvent[],
): (Event | DetectedEvent)[] {
  const all: (Event | DetectedEvent)[] = [...found];
  for (const event of named) {
    if (!all.some(({ start, end }) => start < event.end && event.start < end)) all.push(event);
  }
  return all.sort((a, b) => a.start - b.start);
}
