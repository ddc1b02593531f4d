import type { SummaryFacts } from './summaries.ts';
import type { SessionEvent, SessionEventType } from '../journal/schema.ts';
import type { KeyEventId, NodeId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Level, SummaryNode } from '../model/summary.ts';

/** Types of events with which users change summaries and key events. */
const CHANGES = [
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

type ChangeEvent = Extract<SessionEvent, { type: (typeof CHANGES)[number] }>;

/** A change with its inverse. `at` is in milliseconds since the epoch. */
export interface Change {
  readonly event: ChangeEvent;
  readonly inverse: ChangeEvent;
  readonly at: number;
}

export const isChange = (event: SessionEvent): event is ChangeEvent =>
  (CHANGES as readonly string[]).includes(event.type);

interface StateBefore {
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
  readonly levels: ReadonlyMap<NodeId, Level>;
  readonly events: ReadonlyMap<KeyEventId, KeyEvent>;
  readonly summaries: SummaryFacts;
  isRemoved(event: KeyEventId): boolean;
}

/** The inverse of a change that is about to be applied; undefined if it has no effect. */
export function inverseOf(state: StateBefore, event: ChangeEvent): ChangeEvent | undefined {
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
