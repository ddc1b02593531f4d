import type { MessageId } from '../../../core/model/ids.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { listBelow, openedNodes } from './lists.ts';
import { placesOf, rowAbove, SUMMARIES } from './places.ts';
import type { PlainRow, Row } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

/** The row above; undefined for the topmost ones. What `reveal` goes up by. */
export function parentOf(source: TreeSource, row: Row): Row | undefined {
  const { state } = source;
  switch (row.kind) {
    case 'section':
    case 'filter':
      return undefined;
    case 'part':
      return { kind: 'section', section: 'context' };
    case 'range':
      return row.above;
    case 'opened':
      return SUMMARIES;
    case 'openedNode':
      return above(
        source,
        { kind: 'opened' },
        openedNodes(state).findIndex(({ id }) => id === row.node),
      );
    case 'node':
      return placesOf(state).placeOf(row.node)?.above ?? SUMMARIES;
    case 'nodeEvents':
      return { kind: 'node', node: row.node };
    case 'message':
      return aboveMessage(state, row.message);
    case 'eventKind':
      return { kind: 'section', section: 'events' };
    case 'event': {
      const { under, event } = row;
      const events = source.events();
      const from = under.kind === 'nodeEvents' ? (placesOf(state).placeOf(under.node)?.from ?? 0) : undefined;
      return above(source, under, from === undefined ? events.placeOfKind(event.id) : events.placeFrom(from, event.id));
    }
    case 'saidList':
      return { kind: 'section', section: 'said' };
    case 'saidEntry':
      return above(source, { kind: 'saidList', list: row.list }, row.at);
    case 'task':
      return above(source, { kind: 'section', section: 'tasks' }, row.at);
    case 'step':
      return above(source, { kind: 'task', at: row.task }, row.at);
    case 'compression':
      return above(source, { kind: 'section', section: 'compressions' }, state.compressions.length - 1 - row.at);
  }
}

/** What stands above the entry of a list: a range of it, or the row that the list is of. */
const above = (source: TreeSource, of: PlainRow, at: number): Row => rowAbove(of, at, listBelow(source, of).count);

/** The range that a message stands in; undefined for one that no summary stands for. */
function aboveMessage(state: SessionState, message: MessageId): Row | undefined {
  const position = state.positionOf(message);
  const leaf = position === undefined ? undefined : placesOf(state).leafAt(position);
  if (!leaf || position === undefined) return undefined;
  const { row, from, count } = leaf;
  const range = rowAbove(row, position - from, count);
  return range === row ? { kind: 'range', of: row, above: row, from: 0, end: count } : range;
}
