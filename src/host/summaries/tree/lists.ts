import type { GaugeView } from '../../../protocol/views.ts';
import type { NodeId } from '../../../core/model/ids.ts';
import type { SummaryNode } from '../../../core/model/summary.ts';
import type { Task } from '../../../core/model/task.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { placesOf } from './places.ts';
import type { EventListRow, Row, SectionName } from './rows.ts';
import type { PlacedEvent } from './event-index.ts';
import type { TreeSource } from './tree-source.ts';

/** What stands below a row, of which only the rows that are shown are made. */
export interface RowList {
  readonly count: number;
  /** The rows of a run; `end` is behind the last. */
  readonly run: (from: number, end: number) => Row[];
}

const NOTHING: RowList = { count: 0, run: () => [] };

/** What stands below a row, before it is folded into ranges. */
export function listBelow(source: TreeSource, row: Row): RowList {
  const { state } = source;
  switch (row.kind) {
    case 'section':
      return sectionList(source, row.section);
    case 'node':
      return nodeList(state, row.node);
    case 'opened':
      return listOf(openedNodes(state), ({ id }) => ({ kind: 'openedNode', node: id }));
    case 'nodeEvents':
    case 'eventKind':
      return listOf(eventsBelow(source, row), ({ event, standing }) => ({
        kind: 'event',
        event,
        standing,
        under: row,
      }));
    case 'saidList':
      return listOf(placesOf(state).said(row.list), ({ text, node }, at) => ({
        kind: 'saidEntry',
        list: row.list,
        at,
        text,
        node,
      }));
    case 'task':
      return listOf(tasks(state)[row.at]?.steps ?? [], (step, at) => ({ kind: 'step', task: row.at, at, ...step }));
    case 'range':
    case 'filter':
    case 'part':
    case 'openedNode':
    case 'message':
    case 'event':
    case 'saidEntry':
    case 'step':
    case 'compression':
      return NOTHING;
  }
}

/** The key events of a kind, or of the messages that a summary stands for. */
export function eventsBelow({ state, events }: TreeSource, row: EventListRow): readonly PlacedEvent[] {
  if (row.kind === 'eventKind') return events().ofKind(row.of);
  const span = placesOf(state).placeOf(row.node);
  return span ? events().between(span.from, span.to) : [];
}

/** The task and those that ended. */
export const tasks = (state: SessionState): readonly Task[] => [
  ...(state.task ? [state.task] : []),
  ...state.endedTasks,
];

/** Nodes that the user has opened, by themselves or with their compression, and that no newer summary covers. */
export function openedNodes(state: SessionState): SummaryNode[] {
  return [...state.openedNodes].flatMap((id) => {
    const node = state.nodes.get(id);
    const from = node && state.positionOf(node.first);
    return node && from !== undefined && !state.frontier.some((item) => item.from <= from && from <= item.to)
      ? [node]
      : [];
  });
}

function sectionList(source: TreeSource, section: SectionName): RowList {
  const { state } = source;
  switch (section) {
    case 'context':
      return listOf(partRows(source.gauge()), (row) => row);
    case 'summaries':
      return listOf(state.frontier, ({ node }) => ({ kind: 'node', node: node.id }));
    case 'events':
      return listOf(source.events().kinds(), (of) => ({ kind: 'eventKind', of }));
    case 'said':
      return listOf(placesOf(state).saidLists(), (list) => ({ kind: 'saidList', list }));
    case 'tasks':
      return listOf(tasks(state), (_, at) => ({ kind: 'task', at }));
    case 'compressions':
      return compressionList(state);
  }
}

/** The newest first. */
function compressionList({ compressions }: SessionState): RowList {
  const count = compressions.length;
  return {
    count,
    run: (from, end) =>
      compressions
        .slice(count - end, count - from)
        .map(({ id }, n): Row => ({ kind: 'compression', compression: id, at: count - end + n }))
        .reverse(),
  };
}

/** The summaries below a summary, or the messages of one that has none. */
function nodeList(state: SessionState, id: NodeId): RowList {
  const place = placesOf(state).placeOf(id);
  if (!place) return NOTHING;
  if (!place.isLeaf) return listOf(state.nodes.get(id)?.children ?? [], (node) => ({ kind: 'node', node }));
  const { from: first, count } = place;
  return {
    count,
    run: (from, end) => state.path.slice(first + from, first + end).map((message) => ({ kind: 'message', message })),
  };
}

/** The parts with their tokens; they add up to what the gauge shows, the opening of the reply included. */
function partRows({ parts, used }: GaugeView): Row[] {
  const rows: Row[] = parts
    .filter((part) => part.tokens > 0)
    .map(({ name, tokens }) => ({ kind: 'part', name, tokens }));
  const rest = used - parts.reduce((sum, part) => sum + part.tokens, 0);
  return rest > 0 ? [...rows, { kind: 'part', name: 'reply', tokens: rest }] : rows;
}

export function listOf<Entry>(entries: readonly Entry[], row: (entry: Entry, at: number) => Row): RowList {
  return {
    count: entries.length,
    run: (from, end) => entries.slice(from, end).map((entry, n) => row(entry, from + n)),
  };
}
