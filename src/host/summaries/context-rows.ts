import type { ScoredResult } from '../../app/searchable.ts';
import type { GaugePart } from '../../core/budget/gauge.ts';
import type { CompressionId, MessageId, NodeId } from '../../core/model/ids.ts';
import type { KeyEvent, KeyEventKind } from '../../core/model/key-event.ts';
import { supportOf } from '../../core/model/statement-check.ts';
import type { CheckedSpan, SummaryNode } from '../../core/model/summary.ts';
import type { Step, Task } from '../../core/model/task.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { GaugeView } from '../../protocol/views.ts';
import type { EventStatus } from '../../core/context/ledger-lines.ts';
import type { EventIndex, PlacedEvent } from './event-index.ts';

const SECTIONS = ['context', 'summaries', 'events', 'content', 'tasks', 'compressions'] as const;
export type SectionName = (typeof SECTIONS)[number];
/** Sections that are shown even if they are empty. */
const PERMANENT_SECTIONS: ReadonlySet<SectionName> = new Set(['context', 'summaries', 'events']);
const CONTENT_LISTS = ['topics', 'decisions', 'preferences', 'files'] as const;
export type ContentList = (typeof CONTENT_LISTS)[number];

type RowContent =
  | { readonly kind: 'section'; readonly section: SectionName }
  /** The parent of a filter's results. */
  | { readonly kind: 'filter'; readonly filter: TreeFilter }
  | { readonly kind: 'part'; readonly name: GaugePart; readonly tokens: number }
  | { readonly kind: 'node'; readonly node: NodeId }
  /** Summaries that the user has reverted, so that their messages are sent instead. */
  | { readonly kind: 'reverted' }
  | { readonly kind: 'revertedNode'; readonly node: NodeId }
  | { readonly kind: 'message'; readonly message: MessageId }
  | { readonly kind: 'eventKind'; readonly of: KeyEventKind }
  | { readonly kind: 'nodeEvents'; readonly node: NodeId }
  | { readonly kind: 'event'; readonly event: KeyEvent; readonly status: EventStatus }
  | { readonly kind: 'contentList'; readonly list: ContentList }
  | { readonly kind: 'contentEntry'; readonly list: ContentList; readonly text: string; readonly node: NodeId }
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'compression'; readonly compression: CompressionId }
  /** A range of the rows below the row `of`, if there are too many to show at once; `end` is exclusive. */
  | { readonly kind: 'range'; readonly of: ContextRow; readonly from: number; readonly end: number };

/** A row with its parent, for `reveal`, and a stable ID, so that VS Code keeps it expanded and selected. */
export type ContextRow = RowContent & { readonly id: string; readonly parent: ContextRow | undefined };
export type RowOf<Kind extends ContextRow['kind']> = Extract<ContextRow, { kind: Kind }>;

/** The data of the rows. Events and gauge are only requested when needed. */
export interface TreeSource {
  readonly state: SessionState;
  readonly events: () => EventIndex;
  readonly gauge: () => GaugeView;
}

/** Whether a command's argument is a row of the view, as in its menus. */
export function isRow(value: unknown): value is ContextRow {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Below a filter, IDs include the parent's ID, because the same row may be shown in several places. */
const idBelow = ({ id }: ContextRow, ownId: string): string => (id.startsWith('filter/') ? `${id}/${ownId}` : ownId);

const rowOf = (content: RowContent, id: string, parent?: ContextRow): ContextRow => ({ ...content, id, parent });
const sectionRow = (section: SectionName): ContextRow => rowOf({ kind: 'section', section }, `section/${section}`);
const kindRow = (of: KeyEventKind, parent: ContextRow): ContextRow =>
  rowOf({ kind: 'eventKind', of }, `events/${of}`, parent);
const nodeRow = (node: NodeId, parent: ContextRow): ContextRow =>
  rowOf({ kind: 'node', node }, idBelow(parent, `node/${node}`), parent);
const messageRow = (message: MessageId, parent: ContextRow): ContextRow =>
  rowOf({ kind: 'message', message }, idBelow(parent, `message/${message}`), parent);
const eventRow = ({ event, status }: PlacedEvent, below: ContextRow, parent: ContextRow): ContextRow =>
  rowOf({ kind: 'event', event, status }, `event/${below.id}/${event.id}`, parent);
const rangeRow = (of: ContextRow, parent: ContextRow, from: number, end: number): ContextRow =>
  rowOf({ kind: 'range', of, from, end }, `${of.id}/${from}-${end}`, parent);

/** The rows below a row, or the topmost ones. Takes time proportional to the shown rows. */
export function childrenOf(source: TreeSource, row?: ContextRow): ContextRow[] {
  const { state } = source;
  if (!row)
    return SECTIONS.filter((name) => PERMANENT_SECTIONS.has(name) || sectionList(source, name).count > 0).map(
      sectionRow,
    );
  const list = listBelow(source, row.kind === 'range' ? row.of : row);
  const rows = folded(list, row);
  if (row.kind === 'section' && row.section === 'summaries' && revertedNodes(state).length > 0)
    return [...rows, rowOf({ kind: 'reverted' }, 'reverted', row)];
  const span = row.kind === 'node' ? state.spanOf(row.node) : undefined;
  if (!span || row.kind !== 'node' || state.nodes.get(row.node)?.children.length !== 0) return rows;
  // Messages are always in a range, so that they aren't mixed with their events.
  const messages = rows[0]?.kind === 'range' ? rows : [rangeRow(row, row, 0, list.count)];
  const hasEvents = source.events().between(span.from, span.to).length > 0;
  const events = rowOf({ kind: 'nodeEvents', node: row.node }, `events/${row.id}`, row);
  return hasEvents ? [events, ...messages] : messages;
}

/** The rows below a row, which are only created when they are shown. */
interface RowList {
  readonly count: number;
  /** Creates the row of an entry; `parent` is a range or the list's own row. */
  readonly row: (at: number, parent: ContextRow) => ContextRow;
}

const listOf = <Entry>(
  entries: readonly Entry[],
  row: (entry: Entry, parent: ContextRow, at: number) => ContextRow,
): RowList => ({ count: entries.length, row: (at, parent) => row(entries[at]!, parent, at) });

function listBelow(source: TreeSource, row: ContextRow): RowList {
  const { state } = source;
  switch (row.kind) {
    case 'section':
      return sectionList(source, row.section);
    case 'node': {
      const span = state.spanOf(row.node);
      const { children = [] } = (span && state.nodes.get(row.node)) ?? {};
      if (!span || children.length > 0) return listOf(children, nodeRow);
      return { count: span.to - span.from + 1, row: (at, parent) => messageRow(state.path[span.from + at]!, parent) };
    }
    case 'reverted':
      return listOf(revertedNodes(state), ({ id }, parent) =>
        rowOf({ kind: 'revertedNode', node: id }, `reverted/${id}`, parent),
      );
    case 'nodeEvents':
    case 'eventKind':
      // An event is both below its kind and below its summary.
      return listOf(eventsBelow(source, row), (event, parent) => eventRow(event, row, parent));
    case 'contentList':
      return listOf(contentOf(state).get(row.list) ?? [], (entry, parent, at) =>
        rowOf({ kind: 'contentEntry', list: row.list, ...entry }, `${row.id}/${at}`, parent),
      );
    case 'task':
      return listOf(row.task.steps, (step, parent, at) => rowOf({ kind: 'step', step }, `${row.id}/${at}`, parent));
    default:
      return listOf([], nodeRow);
  }
}

function sectionList(source: TreeSource, section: SectionName): RowList {
  const { state } = source;
  switch (section) {
    case 'context': {
      const parts = source.gauge().parts.filter(({ tokens }) => tokens > 0);
      return listOf(parts, (part, parent) => rowOf({ kind: 'part', ...part }, `part/${part.name}`, parent));
    }
    case 'summaries':
      return listOf(state.frontier, ({ node }, parent) => nodeRow(node.id, parent));
    case 'events':
      return listOf(source.events().kinds(), kindRow);
    case 'content':
      return listOf([...contentOf(state).keys()], (list, parent) =>
        rowOf({ kind: 'contentList', list }, `content/${list}`, parent),
      );
    case 'tasks':
      return listOf(tasks(state), (task, parent, at) => rowOf({ kind: 'task', task }, `task/${at}`, parent));
    case 'compressions': {
      const newestFirst = state.compressions.toReversed();
      return listOf(newestFirst, ({ id }, parent) =>
        rowOf({ kind: 'compression', compression: id }, `compression/${id}`, parent),
      );
    }
  }
}

export function eventsBelow(
  { state, events }: TreeSource,
  row: RowOf<'eventKind' | 'nodeEvents'>,
): readonly PlacedEvent[] {
  if (row.kind === 'eventKind') return events().ofKind(row.of);
  const span = state.spanOf(row.node);
  return span ? events().between(span.from, span.to) : [];
}

const tasks = (state: SessionState): readonly Task[] => [...(state.task ? [state.task] : []), ...state.endedTasks];

/** Nodes that the user has reverted individually or with their compression, and that no newer summary covers. */
export function revertedNodes(state: SessionState): SummaryNode[] {
  return [...state.summaries.reverted].flatMap((id) => {
    const node = state.nodes.get(id);
    const from = node && state.positionOf(node.first);
    const isUncovered = from !== undefined && !state.frontier.some((item) => item.from <= from && from <= item.to);
    return node && isUncovered ? [node] : [];
  });
}

/** The undone compression with which a summary was reverted. It can only be redone as a whole. */
export const undoneCompressionOf = (
  { compressions, summaries }: SessionState,
  node: NodeId,
): CompressionId | undefined =>
  compressions.find(({ id, nodes }) => nodes.includes(node) && summaries.isCompressionUndone(id))?.id;

/** Whether a summary is sent, that is, neither covered by another one nor reverted. */
export const isSent = ({ frontier }: Pick<SessionState, 'frontier'>, { id }: SummaryNode): boolean =>
  frontier.some(({ node }) => node.id === id);

/** The ways to regenerate a summary: a parent only from its children, without a model; instructions need a model. */
export const regenerateOptions = (state: Pick<SessionState, 'frontier'>, node: SummaryNode, hasModel: boolean) => [
  ...(node.children.length > 0 ? (['children'] as const) : (['same', 'model'] as const)),
  ...(node.children.length === 0 && hasModel ? (['instructions'] as const) : []),
  ...(isSent(state, node) ? (['finer'] as const) : []),
];

/** The content of the summaries, each with the newest one that contains it, newest first, without empty lists. */
function contentOf({ frontier }: SessionState) {
  const newestFirst = frontier.toReversed();
  const found = CONTENT_LISTS.map((list) => {
    const nodes = new Map<string, NodeId>();
    for (const { node } of newestFirst)
      for (const text of entriesOf(node, list)) if (!nodes.has(text)) nodes.set(text, node.id);
    return [list, [...nodes].map(([text, node]) => ({ text, node }))] as const;
  });
  return new Map(found.filter(([, entries]) => entries.length > 0));
}

function entriesOf({ structured }: SummaryNode, list: ContentList): readonly string[] {
  if (!structured) return [];
  return list === 'decisions' ? structured.decisions.map(({ what }) => what) : (structured[list] ?? []);
}

/**
 * Maximum number of rows below a row. More are folded into ranges, and those into wider ones, so that expanding a row
 * takes about the same time in the longest session as in one with a hundred messages. Ten gives round limits.
 */
const MAX_ROWS = 10;

/** The rows of a list below its row or a range of it: entries, or ranges if there are too many. */
function folded(list: RowList, row: ContextRow): ContextRow[] {
  const { of, from, end } = row.kind === 'range' ? row : { of: row, from: 0, end: list.count };
  const count = end - from;
  if (count <= MAX_ROWS) return Array.from({ length: count }, (_, at) => list.row(from + at, row));
  let size = MAX_ROWS;
  while (count > size * MAX_ROWS) size *= MAX_ROWS;
  return Array.from({ length: Math.ceil(count / size) }, (_, part) => {
    const start = from + part * size;
    return rangeRow(of, row, start, Math.min(end, start + size));
  });
}

export function firstAndLastRow(
  source: TreeSource,
  { of, from, end }: RowOf<'range'>,
): readonly [ContextRow, ContextRow] {
  const list = listBelow(source, of);
  return [list.row(from, of), list.row(end - 1, of)];
}

export type RowTarget =
  | Pick<RowOf<'node'>, 'kind' | 'node'>
  | Pick<RowOf<'message'>, 'kind' | 'message'>
  | Pick<RowOf<'event'>, 'kind' | 'event'>;

/** The row for a summary, message, or event in the unfiltered tree; undefined if there is none. */
export function findRow(source: TreeSource, target: RowTarget): ContextRow | undefined {
  const { state } = source;
  if (target.kind === 'event') {
    const { id, kind } = target.event;
    const ofKind = source.events().ofKind(kind);
    const at = ofKind.findIndex(({ event }) => event.id === id);
    return entryBelow(source, kindRow(kind, sectionRow('events')), at);
  }
  const first = target.kind === 'node' ? state.nodes.get(target.node)?.first : target.message;
  const position = first && state.positionOf(first);
  if (position === undefined) return undefined;
  let row: ContextRow | undefined = sectionRow('summaries');
  let siblings = state.frontier.map(({ node }) => node.id);
  for (const node of summariesOf(state, position)) {
    row = row && entryBelow(source, row, siblings.indexOf(node.id));
    if (target.kind === 'node' && target.node === node.id) return row;
    siblings = [...node.children];
    if (target.kind === 'message' && siblings.length === 0)
      return row && entryBelow(source, row, position - state.positionOf(node.first)!);
  }
  return undefined;
}

/** An entry of a row's list, with the ranges above it. */
function entryBelow(source: TreeSource, row: ContextRow, at: number): ContextRow | undefined {
  const rows = childrenOf(source, row);
  const range = rows.find((each) => each.kind === 'range' && each.from <= at && at < each.end);
  return range ? entryBelow(source, range, at) : rows[at - (row.kind === 'range' ? row.from : 0)];
}

/** The summaries of the tree that cover the message at a position, topmost first. */
export function summariesOf(state: SessionState, position: number): SummaryNode[] {
  const found: SummaryNode[] = [];
  let siblings: readonly SummaryNode[] = state.frontier.map(({ node }) => node);
  for (;;) {
    const node = siblings.find(({ id }) => {
      const span = state.spanOf(id);
      return span && span.from <= position && position <= span.to;
    });
    if (!node) return found;
    found.push(node);
    siblings = node.children.flatMap((id) => state.nodes.get(id) ?? []);
  }
}

export type TreeFilter =
  /** Summaries for which `hasWarning` returns true. */
  | { readonly by: 'warnings' }
  | { readonly by: 'kind'; readonly of: KeyEventKind }
  | { readonly by: 'text'; readonly text: string };

/** Maximum number of search results, best first. */
const MAX_FOUND = 20;

export interface FilterSource extends TreeSource {
  readonly search: (text: string, limit: number) => readonly ScoredResult[];
}

export const filterRow = (filter: TreeFilter): RowOf<'filter'> => ({
  kind: 'filter',
  id: `filter/${JSON.stringify(filter)}`,
  parent: undefined,
  filter,
});

/** The rows that match a filter, below its row or a range of it. Takes time proportional to the shown rows. */
export function filteredRows(source: FilterSource, filter: TreeFilter, row: ContextRow): ContextRow[] {
  switch (filter.by) {
    case 'warnings':
      return folded(listOf(warnedNodes(source.state), nodeRow), row);
    case 'kind':
      return childrenOf(source, kindRow(filter.of, row));
    case 'text':
      return source.search(filter.text, MAX_FOUND).flatMap((hit) => rowOfHit(source, hit, row) ?? []);
  }
}

function rowOfHit({ state, events }: TreeSource, hit: ScoredResult, parent: ContextRow): ContextRow | undefined {
  switch (hit.kind) {
    case 'message':
      return messageRow(hit.message, parent);
    case 'summary': {
      const leaf = summariesOf(state, hit.position).at(-1);
      return leaf && nodeRow(leaf.id, parent);
    }
    case 'event': {
      const found = events()
        .between(hit.position, hit.position)
        .find(({ event }) => event.start === hit.start);
      return found && eventRow(found, parent, parent);
    }
  }
}

/** The statements of a summary that a check didn't find in its messages. */
export const unsupportedIn = (state: SessionState, node: SummaryNode): readonly CheckedSpan[] =>
  (state.summaries.checkOf(node)?.statements ?? []).filter(({ reason }) => supportOf(reason) === false);

/** Whether a summary is stale, or the audit or a check has found a fault in it. */
export const hasWarning = (state: SessionState, node: SummaryNode): boolean =>
  node.audit.faults.length > 0 || unsupportedIn(state, node).length > 0 || state.stale.has(node.id);

/** Summaries of the tree with a warning, parents before their children. Visits all summaries. */
function warnedNodes(state: SessionState): NodeId[] {
  const withChildren = (node: SummaryNode): SummaryNode[] => [
    node,
    ...node.children.flatMap((id) => state.nodes.get(id) ?? []).flatMap(withChildren),
  ];
  const all = state.frontier.flatMap(({ node }) => withChildren(node));
  return all.filter((node) => hasWarning(state, node)).map(({ id }) => id);
}
