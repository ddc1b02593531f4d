import type { CompressionRecord } from '../../core/journal/schema.ts';
import type { KeyEventId } from '../../core/model/ids.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type KeyEventKind } from '../../core/model/key-event.ts';
import { eventStatusOf, type EventStatus } from '../../core/context/ledger-lines.ts';
import { firstIndexWhere } from '../../core/search/binary-search.ts';
import type { PrefixFacts, SessionState } from '../../core/state/session-state.ts';

const ORDER: readonly EventStatus[] = ['pinned', 'active', 'dropped', 'superseded'];

export interface PlacedEvent {
  readonly event: KeyEvent;
  /** The message's 0-based position on the active branch. */
  readonly position: number;
  readonly status: EventStatus;
}

/** The key events of the branch by kind and position, so that a row takes the same time in long sessions. */
export class EventIndex {
  readonly #byKind: ReadonlyMap<KeyEventKind, readonly PlacedEvent[]>;
  /** All events, in order of position. */
  readonly all: readonly PlacedEvent[];

  constructor(state: PrefixFacts, leftOut: ReadonlySet<KeyEventId>) {
    const placed: PlacedEvent[] = [];
    for (const event of state.events.values()) {
      const status = eventStatusOf(state, event, leftOut);
      if (status) placed.push({ event, position: state.positionOf(event.message)!, status });
    }
    placed.sort((a, b) => a.position - b.position || a.event.start - b.event.start);
    this.all = placed;
    const ordered = placed.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
    this.#byKind = Map.groupBy(ordered, ({ event }) => event.kind);
  }

  kinds(): KeyEventKind[] {
    return KEY_EVENT_KINDS.filter((kind) => this.#byKind.has(kind));
  }

  /** Pinned events first, then active, dropped, and superseded ones; each in order of position. */
  ofKind(kind: KeyEventKind): readonly PlacedEvent[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** The events quoted from messages at positions `from` to `to` (inclusive). */
  between(from: number, to: number): readonly PlacedEvent[] {
    return this.all.slice(this.#firstAt(from), this.#firstAt(to + 1));
  }

  /** The events that are sent verbatim, in order of position. */
  kept(): readonly KeyEvent[] {
    return this.all.filter(isKept).map(({ event }) => event);
  }

  /** The events that don't fit in the budget, in order of position. */
  dropped(): readonly KeyEvent[] {
    return this.all.filter(({ status }) => status === 'dropped').map(({ event }) => event);
  }

  /** Number of the messages' events that aren't superseded (`total`), and of those that are sent verbatim (`kept`). */
  keptBetween(from: number, to: number): { readonly kept: number; readonly total: number } {
    const found = this.between(from, to);
    const total = found.filter(({ status }) => status !== 'superseded').length;
    return { kept: found.filter(isKept).length, total };
  }

  /** The index in `all` of the first event at or after a position. */
  #firstAt(position: number): number {
    return firstIndexWhere(this.all.length, (index) => this.all[index]!.position >= position);
  }
}

const isKept = ({ status }: PlacedEvent): boolean => status === 'pinned' || status === 'active';

/** The key events of a session as they would be after a compression. */
export const eventIndexAfter = (state: SessionState, record: CompressionRecord): EventIndex =>
  new EventIndex(state.afterCompression(record), new Set());
