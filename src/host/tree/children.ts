import type { GaugeView } from '../../protocol/views.ts';
import type { NodeId } from '../../core/model/ids.ts';
import type { StructuredSummary, SummaryNode } from '../../core/model/summary.ts';
import type { Task } from '../../core/model/task.ts';
import type { FrontierItem } from '../../core/state/frontier.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { EventIndex } from './event-index.ts';
import { SAID_LISTS, SECTIONS, type Row, type SaidList } from './rows.ts';

/** Rows shown at once below one row; more fold into ranges. */
export const MOST_ROWS = 50;

/** What the rows are made of. Events and gauge are asked for when a row needs them. */
export interface TreeSource {
  readonly state: SessionState;
  readonly events: () => EventIndex;
  readonly gauge: () => GaugeView;
}

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

/** Positions of the messages that a node stands for; undefined when they are not on the active branch. */
export function rangeOf(state: SessionState, id: NodeId): { readonly from: number; readonly to: number } | undefined {
  const node = state.nodes.get(id);
  const from = node && state.positionOf(node.first);
  const to = node && state.positionOf(node.last);
  return from === undefined || to === undefined ? undefined : { from, to };
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

/** How many messages one row of a range stands for. */
const chunkOf = (count: number): number => Math.max(MOST_ROWS, Math.ceil(count / MOST_ROWS));

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

/** The first item of a list in order that ends at a position or behind it, by bisection. */
function firstEndingFrom<Item>(
  items: readonly Item[],
  position: number,
  endOf: (item: Item) => number,
): Item | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(items[middle]!) < position) low = middle + 1;
    else high = middle;
  }
  return items[low];
}

/** The item of the frontier that stands for the message at a position. */
function frontierAt({ frontier }: SessionState, position: number): FrontierItem | undefined {
  const item = firstEndingFrom(frontier, position, ({ to }) => to);
  return item && item.from <= position ? item : undefined;
}

/** The leaf of the tree that stands for the message at a position. */
export function leafAt(state: SessionState, position: number): NodeId | undefined {
  let at = frontierAt(state, position)?.node;
  while (at && at.children.length > 0) {
    const below = firstEndingFrom(at.children, position, (id) => rangeOf(state, id)?.to ?? Infinity);
    const range = below === undefined ? undefined : rangeOf(state, below);
    at = below !== undefined && range && range.from <= position ? state.nodes.get(below) : undefined;
  }
  return at?.id;
}

function leafRange(state: SessionState, position: number): { readonly from: number; readonly to: number } | undefined {
  const leaf = leafAt(state, position);
  return leaf && rangeOf(state, leaf);
}

/** Whether a node is in the tree: on the frontier, or below it. */
export function stands(state: SessionState, id: NodeId): boolean {
  const range = rangeOf(state, id);
  const item = range && frontierAt(state, range.from);
  if (!item || range.to > item.to) return false;
  for (let at: NodeId | undefined = id; at !== undefined; at = state.parentsOf(at)[0])
    if (at === item.node.id) return true;
  return false;
}

function nodeIdOf(state: SessionState, text: string): NodeId {
  for (const id of state.nodes.keys()) if (id === text) return id;
  throw new Error('an event stands below a summary that is gone');
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
