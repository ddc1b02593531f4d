import type { GaugeView } from '../../protocol/views.ts';
import type { NodeId } from '../../core/model/ids.ts';
import type { StructuredSummary, SummaryNode } from '../../core/model/summary.ts';
import type { Task } from '../../core/model/task.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { rangeOf } from './places.ts';
import { chunkOf, MOST_ROWS } from './ranges.ts';
import { SAID_LISTS, SECTIONS, type Row, type SaidList } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

/** The rows below a row, or the topmost ones. Costs what is shown, whatever the session's length. */
export function childrenOf(source: TreeSource, row?: Row): Row[] {
  const { state } = source;
  if (!row)
    return SECTIONS.filter((section) => hasSection(state, section)).map((section) => ({ kind: 'section', section }));
  switch (row.kind) {
    case 'section':
      return sectionRows(source, row.section);
    case 'node':
      return nodeRows(source, row.node);
    case 'opened':
      return openedNodes(state).map((node) => ({ kind: 'openedNode', node: node.id }));
    case 'nodeEvents': {
      const range = rangeOf(state, row.node);
      if (!range) return [];
      return source
        .events()
        .between(range.from, range.to)
        .map(({ event, standing }) => ({ kind: 'event', event, standing, under: row.node }));
    }
    case 'messages':
      return messageRows(state, row.from, row.to);
    case 'eventKind': {
      const count = source.events().ofKind(row.of).length;
      if (count <= MOST_ROWS) return eventRows(source, row.of, 0, count);
      return Array.from({ length: Math.ceil(count / MOST_ROWS) }, (_, i) => ({
        kind: 'eventRange',
        of: row.of,
        from: i * MOST_ROWS,
        to: Math.min(count, (i + 1) * MOST_ROWS),
      }));
    }
    case 'eventRange':
      return eventRows(source, row.of, row.from, row.to);
    case 'saidList':
      return saidEntries(state, row.list);
    case 'task': {
      const task = tasks(state)[row.at];
      return (task?.steps ?? []).map((step, at) => ({ kind: 'step', task: row.at, at, ...step }));
    }
    case 'filter':
    case 'part':
    case 'openedNode':
    case 'message':
    case 'event':
    case 'saidEntry':
    case 'step':
    case 'compression':
      return [];
  }
}

export const tasks = (state: SessionState): readonly Task[] => [
  ...(state.task ? [state.task] : []),
  ...state.endedTasks,
];

/** Nodes that the user has opened, by themselves or with their compression, oldest first. */
export function openedNodes(state: SessionState): SummaryNode[] {
  return [...state.openedNodes].flatMap((id) => state.nodes.get(id) ?? []);
}

function hasSection(state: SessionState, section: (typeof SECTIONS)[number]): boolean {
  switch (section) {
    case 'context':
    case 'summaries':
    case 'events':
      return true;
    case 'said':
      return state.frontier.some(({ node }) => node.structured !== undefined);
    case 'tasks':
      return state.task !== undefined || state.endedTasks.length > 0;
    case 'compressions':
      return state.compressions.length > 0;
  }
}

function sectionRows(source: TreeSource, section: (typeof SECTIONS)[number]): Row[] {
  const { state } = source;
  switch (section) {
    case 'context':
      return partRows(source.gauge());
    case 'summaries': {
      const nodes: Row[] = state.frontier.map(({ node }) => ({ kind: 'node', node: node.id }));
      return state.openedNodes.size > 0 ? [...nodes, { kind: 'opened' }] : nodes;
    }
    case 'events':
      return source
        .events()
        .kinds()
        .map((of) => ({ kind: 'eventKind', of }));
    case 'said':
      return SAID_LISTS.filter((list) => saidEntries(state, list).length > 0).map((list) => ({
        kind: 'saidList',
        list,
      }));
    case 'tasks':
      return tasks(state).map((_, at) => ({ kind: 'task', at }));
    case 'compressions':
      return state.compressions
        .slice(-MOST_ROWS)
        .reverse()
        .map(({ id }) => ({ kind: 'compression', compression: id }));
  }
}

/** The parts with their tokens; they add up to what the gauge shows, the opening of the reply included. */
function partRows({ parts, used }: GaugeView): Row[] {
  const rows: Row[] = parts
    .filter((part) => part.tokens > 0)
    .map(({ name, tokens }) => ({ kind: 'part', name, tokens }));
  const rest = used - parts.reduce((sum, part) => sum + part.tokens, 0);
  return rest > 0 ? [...rows, { kind: 'part', name: 'reply', tokens: rest }] : rows;
}

function nodeRows(source: TreeSource, id: NodeId): Row[] {
  const { state } = source;
  const node = state.nodes.get(id);
  if (!node) return [];
  if (node.children.length > 0) return node.children.map((child) => ({ kind: 'node', node: child }));
  const range = rangeOf(state, id);
  if (!range) return [];
  const { from, to } = range;
  const events: Row[] = source.events().between(from, to).length > 0 ? [{ kind: 'nodeEvents', node: id }] : [];
  return [...events, { kind: 'messages', from, to }];
}

function eventRows(source: TreeSource, of: Extract<Row, { kind: 'eventKind' }>['of'], from: number, to: number): Row[] {
  return source
    .events()
    .ofKind(of)
    .slice(from, to)
    .map(({ event, standing }) => ({ kind: 'event', event, standing, under: of }));
}

function messageRows({ path }: SessionState, from: number, to: number): Row[] {
  const count = to - from + 1;
  if (count <= MOST_ROWS) return path.slice(from, to + 1).map((message) => ({ kind: 'message', message }));
  const size = chunkOf(count);
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
    kind: 'messages',
    from: from + i * size,
    to: Math.min(to, from + (i + 1) * size - 1),
  }));
}

function saidEntries(state: SessionState, list: SaidList): Row[] {
  const seen = new Set<string>();
  const rows: Row[] = [];
  for (const { node } of state.frontier.toReversed()) {
    for (const text of node.structured ? entriesOf(node.structured, list) : []) {
      if (seen.has(text) || rows.length >= MOST_ROWS) continue;
      seen.add(text);
      rows.push({ kind: 'saidEntry', list, at: rows.length, text, node: node.id });
    }
  }
  return rows;
}

function entriesOf(structured: StructuredSummary, list: SaidList): readonly string[] {
  return list === 'decisions' ? structured.decisions.map(({ what }) => what) : structured[list];
}
