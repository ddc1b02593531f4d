import type { DetectedEvent, Span } from '../../src/core/model/key-event.ts';
import type { LabeledMessage } from './labels.ts';

/** Whether the spans share more than half of the shorter one, and the found one isn't much longer. */
export const matches = (gold: Span, found: Span): boolean =>
  Math.min(gold.end, found.end) - Math.max(gold.start, found.start) >
    0.5 * Math.min(gold.end - gold.start, found.end - found.start) &&
  found.end - found.start <= Math.max(4 * (gold.end - gold.start), 300);

export interface Scored {
  readonly item: LabeledMessage;
  readonly found: readonly DetectedEvent[];
}

export interface Score {
  readonly messages: number;
  /** Recall of spans that both people labeled, and precision among those that at least one labeled. */
  readonly recall: number;
  readonly precision: number;
  readonly kinds: number;
  /**
   * Recall of lasting spans (from 2.5), and of those worth keeping (from 1.5) with lasting ones counting three times.
   */
  readonly lasting: number;
  readonly weighted: number;
  readonly keptPrecision: number;
  /** Weighted recall of the best-ranked events that fill a quarter of the found characters. */
  readonly atQuarter: number;
  /** Events per message: detected ones, and labeled ones of nonzero weight. */
  readonly density: number;
  readonly people: number;
}

const share = (part: number, whole: number): number => Math.round((1000 * part) / Math.max(1, whole)) / 1000;
const weight = ({ importance }: { readonly importance: number }): number =>
  importance < 1.5 ? 0 : importance >= 2.5 ? 3 : 1;

/** Compares detected events with the labels. */
export function score(all: readonly Scored[]): Score {
  const golds = all.flatMap(({ item, found }) => item.agreed.map((gold) => ({ gold, found })));
  const events = all.flatMap(({ item, found }) => found.map((event) => ({ event, item })));
  const sum = (list: readonly { readonly gold: LabeledMessage['agreed'][number] }[]): number =>
    list.reduce((total, { gold }) => total + weight(gold), 0);
  const got = golds.filter(({ gold, found }) => found.some((event) => matches(gold, event)));
  const lasting = golds.filter(({ gold }) => gold.importance >= 2.5);
  let room = events.reduce((total, { event }) => total + event.end - event.start, 0) / 4;
  const ranked = [...events].sort((a, b) => b.event.importance - a.event.importance || b.event.score - a.event.score);
  const top = new Set<DetectedEvent>();
  for (const { event } of ranked) {
    if (event.end - event.start > room) continue;
    room -= event.end - event.start;
    top.add(event);
  }
  const early = golds.filter(({ gold, found }) => found.some((event) => top.has(event) && matches(gold, event)));
  const countMatching = (
    test: (gold: Span, event: Span) => boolean,
    worth: (item: LabeledMessage) => readonly Span[],
  ): number => events.filter(({ event, item }) => worth(item).some((gold) => test(gold, event))).length;
  return {
    messages: all.length,
    recall: share(got.length, golds.length),
    precision: share(
      countMatching(matches, ({ agreed, single }) => [...agreed, ...single]),
      events.length,
    ),
    kinds: share(
      got.filter(({ gold, found }) => gold.kinds.includes(found.find((event) => matches(gold, event))!.kind)).length,
      got.length,
    ),
    lasting: share(got.filter(({ gold }) => gold.importance >= 2.5).length, lasting.length),
    weighted: share(sum(got), sum(golds)),
    keptPrecision: share(
      countMatching(matches, ({ agreed }) => agreed.filter((gold) => weight(gold) > 0)),
      events.length,
    ),
    atQuarter: share(sum(early), sum(golds)),
    density: share(events.length, all.length),
    people: share(golds.filter(({ gold }) => weight(gold) > 0).length, all.length),
  };
}
