import type { KeyEventId } from '../../../core/model/ids.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type KeyEventKind } from '../../../core/model/key-event.ts';
import type { SessionState } from '../../../core/state/session-state.ts';

/** What became of a key event: sent word for word, by the user's wish or by itself; replaced; or left out for want of room. */
export type Standing = 'pinned' | 'active' | 'superseded' | 'dropped';

const ORDER: readonly Standing[] = ['pinned', 'active', 'dropped', 'superseded'];

export interface PlacedEvent {
  readonly event: KeyEvent;
  /** On the active branch, from 0. */
  readonly position: number;
  readonly standing: Standing;
}

/**
 * The key events of the active branch, by kind and by place. Made once for each change of the ledger or the branch, so
 * that a row costs the same in a session of any length.
 */
export class EventIndex {
  readonly #byKind = new Map<KeyEventKind, PlacedEvent[]>();
  readonly #byPlace: readonly PlacedEvent[];
  /** Where each event stands in the list of its kind, and among all by place. */
  readonly #placesOfKind = new Map<KeyEventId, number>();
  readonly #places = new Map<KeyEventId, number>();
  /** How many of the first so many events are wanted in the context, and how many of them are there. */
  readonly #wanted: number[] = [0];
  readonly #kept: number[] = [0];

  constructor(state: SessionState, leftOut: ReadonlySet<KeyEventId>) {
    const placed: PlacedEvent[] = [];
    for (const event of state.events.values()) {
      const position = state.positionOf(event.message);
      if (position === undefined || state.isRemoved(event.id)) continue;
      placed.push({ event, position, standing: standingOf(state, event, leftOut) });
    }
    placed.sort((a, b) => a.position - b.position || a.event.start - b.event.start);
    this.#byPlace = placed;
    for (const one of placed) {
      const ofKind = this.#byKind.get(one.event.kind);
      if (ofKind) ofKind.push(one);
      else this.#byKind.set(one.event.kind, [one]);
      const isWanted = one.standing !== 'superseded';
      this.#wanted.push(this.#wanted.at(-1)! + (isWanted ? 1 : 0));
      this.#kept.push(this.#kept.at(-1)! + (isWanted && one.standing !== 'dropped' ? 1 : 0));
    }
    for (const list of this.#byKind.values()) {
      list.sort((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing));
      for (const [at, { event }] of list.entries()) this.#placesOfKind.set(event.id, at);
    }
    for (const [at, { event }] of placed.entries()) this.#places.set(event.id, at);
  }

  get size(): number {
    return this.#byPlace.length;
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

  /** Where an event stands among those of its kind; -1 for one that is not here. */
  placeOfKind(event: KeyEventId): number {
    return this.#placesOfKind.get(event) ?? -1;
  }

  /** Where an event stands among those quoted from this position on; -1 for one that is not here. */
  placeFrom(from: number, event: KeyEventId): number {
    const at = this.#places.get(event);
    return at === undefined ? -1 : at - this.#firstAt(from);
  }

  countBetween(from: number, to: number): number {
    return this.#firstAt(to + 1) - this.#firstAt(from);
  }

  /** How many events of these messages belong into the context, and how many of them are there. */
  kept(from: number, to: number): { readonly kept: number; readonly wanted: number } {
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

function standingOf(state: SessionState, event: KeyEvent, leftOut: ReadonlySet<KeyEventId>): Standing {
  if (event.pinned) return 'pinned';
  if (event.status === 'dropped' || leftOut.has(event.id)) return 'dropped';
  return state.isCurrent(event) ? 'active' : 'superseded';
}
