import type { MessageId, NodeId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { listBelow, openedNodes } from './lists.ts';
import { placesOf } from './places.ts';
import { rangeAbove, type Run } from './ranges.ts';
import type { RangeRow, Row } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

type PlainRow = RangeRow['of'];

const SUMMARIES = { kind: 'section', section: 'summaries' } as const;

/** The row above; undefined for the topmost ones. What `reveal` goes up by. */
export function parentOf(source: TreeSource, row: Row): Row | undefined {
  const { state } = source;
  switch (row.kind) {
    case 'section':
    case 'filter':
      return undefined;
    case 'part':
      return { kind: 'section', section: 'context' };
    case 'range': {
      const place = row.of.kind === 'node' ? placesOf(state).placeOf(row.of.node) : undefined;
      return within(row.of, rangeAbove(row.from, place?.count ?? listBelow(source, row.of).count, row));
    }
    case 'opened':
      return SUMMARIES;
    case 'openedNode':
      return above(
        source,
        { kind: 'opened' },
        openedNodes(state).findIndex(({ id }) => id === row.node),
      );
    case 'node':
      return aboveNode(source, row.node);
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
function above(source: TreeSource, of: PlainRow, at: number): Row {
  return within(of, rangeAbove(at, listBelow(source, of).count));
}

const within = (of: PlainRow, run: Run | undefined): Row =>
  run ? { kind: 'range', of, from: run.from, end: run.end } : of;

function aboveNode({ state }: TreeSource, node: NodeId): Row {
  const place = placesOf(state).placeOf(node);
  if (!place) return SUMMARIES;
  const { parent, at } = place;
  return parent
    ? within({ kind: 'node', node: parent.node }, rangeAbove(at, parent.count))
    : within(SUMMARIES, rangeAbove(at, state.frontier.length));
}

/** The range that a message stands in; undefined for one that no summary stands for. */
function aboveMessage(state: SessionState, message: MessageId): Row | undefined {
  const position = state.positionOf(message);
  const leaf = position === undefined ? undefined : placesOf(state).leafAt(position);
  if (!leaf || position === undefined) return undefined;
  const { node, from, count } = leaf;
  return within({ kind: 'node', node }, rangeAbove(position - from, count) ?? { from: 0, end: count });
}
