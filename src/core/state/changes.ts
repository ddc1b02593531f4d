import type { SummaryFacts } from './summaries.ts';
import type { SessionEvent, SessionEventType } from '../journal/schema.ts';
import type { KeyEventId, NodeId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Level, SummaryNode } from '../model/summary.ts';

/** The types of the events by which a user changes summaries and key events. */
export const CHANGES = [
  'node_undone',
  'node_edited',
  'node_replaced',
  'node_level_set',
  'node_expanded',
  'compressions_undone',
  'event_added',
  'event_pinned',
  'event_removed',
  'event_corrected',
] as const satisfies readonly SessionEventType[];

/** What a user does to summaries and key events, as against what compression does. */
export type ChangeEvent = Extract<SessionEvent, { type: (typeof CHANGES)[number] }>;

/** One change, with the one that takes it back. `at` is milliseconds since the epoch. */
export interface Change {
  readonly event: ChangeEvent;
  readonly inverse: ChangeEvent;
  readonly at: number;
}

/** So many changes can be taken back, the newest first. */
const MAX_KEPT = 200;

export function isChange(event: SessionEvent): event is ChangeEvent {
  return (CHANGES as readonly string[]).includes(event.type);
}

/** The user's changes, to be taken back one by one and made again. */
export class ChangeHistory {
  readonly #done: Change[] = [];
  readonly #undone: Change[] = [];

  /** The changes that can be taken back, oldest first. */
  get done(): readonly Change[] {
    return this.#done;
  }

  /** The changes that can be made again; the last one is the next. */
  get undone(): readonly Change[] {
    return this.#undone;
  }

  record(change: Change): void {
    this.#undone.length = 0;
    this.#done.push(change);
    if (this.#done.length > MAX_KEPT) this.#done.shift();
  }

  /** What held for one turn is over: there is nothing to take back. */
  forgetExpanded(): void {
    for (const list of [this.#done, this.#undone]) {
      const kept = list.filter(({ event }) => event.type !== 'node_expanded');
      list.splice(0, list.length, ...kept);
    }
  }

  /** Moves one step back or forth; gives what has to be applied, undefined at the end. */
  step(undone: boolean): ChangeEvent | undefined {
    const change = undone ? this.#done.pop() : this.#undone.pop();
    if (!change) return undefined;
    (undone ? this.#undone : this.#done).push(change);
    return undone ? change.inverse : change.event;
  }
}

/** What a change is held against: the state that it is about to be applied to. */
interface Before {
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
  readonly levels: ReadonlyMap<NodeId, Level>;
  readonly events: ReadonlyMap<KeyEventId, KeyEvent>;
  readonly summaries: SummaryFacts;
  isRemoved(event: KeyEventId): boolean;
}

/** What takes a change back that is about to be applied to a state; undefined when it changes nothing. */
export function inverseOf(state: Before, event: ChangeEvent): ChangeEvent | undefined {
  const { summaries } = state;
  switch (event.type) {
    case 'node_undone':
      return summaries.isUndone(event.node) === event.undone ? undefined : { ...event, undone: !event.undone };
    case 'node_edited': {
      const node = state.nodes.get(event.node);
      return node && node[event.level] !== event.text ? { type: 'node_replaced', node } : undefined;
    }
    case 'node_replaced': {
      const node = state.nodes.get(event.node.id);
      if (!node) return undefined;
      const level = event.level === undefined ? undefined : (state.levels.get(node.id) ?? null);
      return { type: 'node_replaced', node, ...(level !== undefined && { level }) };
    }
    case 'node_level_set': {
      const level = state.levels.get(event.node) ?? null;
      return level === event.level ? undefined : { ...event, level };
    }
    case 'node_expanded':
      return summaries.isExpanded(event.node) === event.expanded ? undefined : { ...event, expanded: !event.expanded };
    case 'compressions_undone': {
      const compressions = event.compressions.filter((id) => summaries.isCompressionUndone(id) !== event.undone);
      return compressions.length === 0 ? undefined : { ...event, compressions, undone: !event.undone };
    }
    case 'event_added': {
      const { id } = event.event;
      const known = state.isRemoved(id) ? undefined : state.events.get(id);
      return known ? { type: 'event_added', event: known } : { type: 'event_removed', id, removed: true };
    }
    case 'event_pinned': {
      const known = state.events.get(event.id);
      return known && known.pinned !== event.pinned ? { ...event, pinned: !event.pinned } : undefined;
    }
    case 'event_corrected': {
      const known = state.events.get(event.id);
      if (!known) return undefined;
      const { kind, start, end, quote, found } = known;
      return { ...event, correction: found ? { kind, start, end, quote } : null };
    }
    case 'event_removed':
      return state.isRemoved(event.id) === event.removed ? undefined : { ...event, removed: !event.removed };
  }
}
