import type { NodeId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { leafAt, leafRange, rangeOf, stands } from './places.ts';
import { chunkOf, MOST_ROWS } from './ranges.ts';
import type { Row } from './rows.ts';
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
    case 'opened':
      return { kind: 'section', section: 'summaries' };
    case 'openedNode':
      return { kind: 'opened' };
    case 'node': {
      const parent = state.parentsOf(row.node).find((id) => stands(state, id));
      return parent === undefined ? { kind: 'section', section: 'summaries' } : { kind: 'node', node: parent };
    }
    case 'nodeEvents':
      return { kind: 'node', node: row.node };
    case 'messages':
      return messagesAbove(state, row.from, row.to);
    case 'message': {
      const at = state.positionOf(row.message);
      return at === undefined ? undefined : messagesAround(state, at);
    }
    case 'eventKind':
      return { kind: 'section', section: 'events' };
    case 'eventRange':
      return { kind: 'eventKind', of: row.of };
    case 'event': {
      if (row.under !== row.event.kind) return { kind: 'nodeEvents', node: nodeIdOf(state, row.under) };
      const list = source.events().ofKind(row.event.kind);
      if (list.length <= MOST_ROWS) return { kind: 'eventKind', of: row.event.kind };
      const at = list.findIndex(({ event }) => event.id === row.event.id);
      const from = Math.floor(at / MOST_ROWS) * MOST_ROWS;
      return { kind: 'eventRange', of: row.event.kind, from, to: Math.min(list.length, from + MOST_ROWS) };
    }
    case 'saidList':
      return { kind: 'section', section: 'said' };
    case 'saidEntry':
      return { kind: 'saidList', list: row.list };
    case 'task':
      return { kind: 'section', section: 'tasks' };
    case 'step':
      return { kind: 'task', at: row.task };
    case 'compression':
      return { kind: 'section', section: 'compressions' };
  }
}

/** The range that a message stands in; undefined for one that no summary stands for. */
function messagesAround(state: SessionState, position: number): Row | undefined {
  let range = leafRange(state, position);
  while (range && range.to - range.from + 1 > MOST_ROWS) {
    const size = chunkOf(range.to - range.from + 1);
    const from: number = range.from + Math.floor((position - range.from) / size) * size;
    range = { from, to: Math.min(range.to, from + size - 1) };
  }
  return range && { kind: 'messages', ...range };
}

/** What stands above a range of messages: a wider range, or the summary of them all. */
function messagesAbove(state: SessionState, from: number, to: number): Row | undefined {
  const leaf = leafAt(state, from);
  const whole = leaf && rangeOf(state, leaf);
  if (!whole) return undefined;
  let above: Row = { kind: 'node', node: leaf };
  let range = whole;
  while (range.from !== from || range.to !== to) {
    above = { kind: 'messages', ...range };
    const size = chunkOf(range.to - range.from + 1);
    const start = range.from + Math.floor((from - range.from) / size) * size;
    const next = { from: start, to: Math.min(range.to, start + size - 1) };
    if (next.from === range.from && next.to === range.to) break;
    range = next;
  }
  return above;
}

function nodeIdOf(state: SessionState, text: string): NodeId {
  for (const id of state.nodes.keys()) if (id === text) return id;
  throw new Error('an event stands below a summary that is gone');
}
