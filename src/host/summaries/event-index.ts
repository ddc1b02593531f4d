import type { Conversation } from '../../app/conversation.ts';
import type { CompressionRecord } from '../../core/journal/schema.ts';
import type { KeyEventId } from '../../core/model/ids.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type KeyEventKind } from '../../core/model/key-event.ts';
import { standingOf, type Standing } from '../../core/context/ledger-lines.ts';
import type { FrontFacts, SessionState } from '../../core/state/session-state.ts';

const ORDER: readonly Standing[] = ['pinned', 'active', 'dropped', 'superseded'];

export interface PlacedEvent {
  readonly event: KeyEvent;
  /** 0-based, on the active branch. */
  readonly position: number;
  readonly standing: Standing;
}

/**
 * The key events of the active branch by kind and position. Rebuilt with each change of the ledger or the branch, so
 * that a row takes the same time in sessions of any length.
 */
export class EventIndex {
  readonly #byKind = new Map<KeyEventKind, PlacedEvent[]>();
  readonly #byPlace: readonly PlacedEvent[];
  /** Prefix sums over the events: how many should be in the context, and how many are. */
  readonly #wanted: number[] = [0];
  readonly #kept: number[] = [0];

  constructor(state: FrontFacts, leftOut: ReadonlySet<KeyEventId>) {
    const placed: PlacedEvent[] = [];
    for (const event of state.events.values()) {
      const standing = standingOf(state, event, leftOut);
      if (standing) placed.push({ event, position: state.positionOf(event.message)!, standing });
    }
    placed.sort((a, b) => a.position - b.position || a.event.start - b.event.start);
    this.#byPlace = placed;
    for (const one of placed) {
      const ofKind = this.#byKind.get(one.event.kind);
      if (ofKind) ofKind.push(one);
      else this.#byKind.set(one.event.kind, [one]);
      this.#wanted.push(this.#wanted.at(-1)! + (one.standing !== 'superseded' ? 1 : 0));
      this.#kept.push(this.#kept.at(-1)! + (isKept(one) ? 1 : 0));
    }
    for (const list of this.#byKind.values())
      list.sort((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing));
  }

  /** Those of every kind, in order of place. */
  get all(): readonly PlacedEvent[] {
    return this.#byPlace;
  }

  /** Kinds that there are events of. */
  kinds(): KeyEventKind[] {
    return KEY_EVENT_KINDS.filter((kind) => this.#byKind.has(kind));
  }

  /** Pinned ones first, then active, then those without room, then those that were replaced; each in order of place. */
  ofKind(kind: KeyEventKind): readonly PlacedEvent[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** The events quoted from messages at these positions, both included. */
  between(from: number, to: number): readonly PlacedEvent[] {
    return this.#byPlace.slice(this.#firstAt(from), this.#firstAt(to + 1));
  }

  /** The events that are sent verbatim, in order of place. */
  kept(): readonly KeyEvent[] {
    return this.#byPlace.filter(isKept).map(({ event }) => event);
  }

  /** The events that found no room, in order of place. */
  dropped(): readonly KeyEvent[] {
    return this.#byPlace.filter(({ standing }) => standing === 'dropped').map(({ event }) => event);
  }

  countBetween(from: number, to: number): number {
    return this.#firstAt(to + 1) - this.#firstAt(from);
  }

  /** How many events of these messages belong into the context, and how many of them are there. */
  keptBetween(from: number, to: number): { readonly kept: number; readonly wanted: number } {
    const [low, high] = [this.#firstAt(from), this.#firstAt(to + 1)];
    return { kept: this.#kept[high]! - this.#kept[low]!, wanted: this.#wanted[high]! - this.#wanted[low]! };
  }

  /** Index of the first event at a position or after it. */
  #firstAt(position: number): number {
    let low = 0;
    let high = this.#byPlace.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#byPlace[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const isKept = ({ standing }: PlacedEvent): boolean => standing === 'pinned' || standing === 'active';

/** The key events of a conversation as they stand now. */
export function eventIndexOf(conversation: Conversation): EventIndex {
  return new EventIndex(conversation.state, new Set(conversation.context().leftOut.map(({ id }) => id)));
}

/** What a compression would make of the key events of a session. */
export const eventIndexAfter = (state: SessionState, record: CompressionRecord): EventIndex =>
  new EventIndex(state.afterCompression(record), new Set());
