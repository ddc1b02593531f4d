import * as vscode from 'vscode';
import type { ScoredResult } from '../../app/search-results.ts';
import type { CompressionId, MessageId, NodeId } from '../../core/model/ids.ts';
import type { KeyEvent, KeyEventKind } from '../../core/model/key-event.ts';
import { messageText } from '../../core/model/message.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import type { Step, StepStatus, Task } from '../../core/model/task.ts';
import { sentLevelOf, type EventStatus } from '../../core/context/ledger-lines.ts';
import type { CompressionEntry } from '../../core/state/counters.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { withSpeaker } from '../../core/text/speakers.ts';
import { partName } from '../gauge/gauge-item.ts';
import { KIND_ICON, kindHeading, statusName } from '../platform/key-event-kinds.ts';
import { roleName, shortLine, shortTokens, tokensText, truncateAtWord } from '../platform/l10n.ts';
import { documentUri, openMessageDocument, openNodeDocument, openRendered } from './document-uris.ts';
import type { PlacedEvent } from './event-index.ts';
import {
  ago,
  droppedTooltip,
  eventTooltip,
  MAX_TEXT,
  nodeTooltip,
  rangeText,
  statusCounts,
  stepName,
  trustText,
  type TreeSource,
} from './context-row-texts.ts';
import { triggerName } from './summary-texts.ts';
import {
  childNodes,
  hasWarning,
  revertedNodes,
  summariesOf,
  undoneCompressionOf,
  warnedNodes,
} from './summary-tree.ts';

/** A row that can be revealed: a summary, a message, or a key event. */
export type RowTarget =
  | { readonly kind: 'node'; readonly node: NodeId }
  | { readonly kind: 'message'; readonly message: MessageId }
  | { readonly kind: 'event'; readonly event: KeyEvent };

/** What a row shows, as far as commands need it. */
type RowSubject =
  | RowTarget
  | { readonly kind: 'revertedNode'; readonly node: NodeId }
  | { readonly kind: 'compression'; readonly compression: CompressionId }
  /** A range of a row's list, if that is too long to show at once; `end` is exclusive. */
  | { readonly kind: 'range'; readonly from: number; readonly end: number }
  | { readonly kind: 'other' };

interface RowContent {
  readonly label: string;
  readonly icon: string;
  readonly description?: string;
  readonly contextValue?: string;
  /** Called when the row is selected. */
  readonly open?: () => Promise<void>;
  /** Takes time proportional to its content. Without it, the tooltip is the label. */
  readonly tooltip?: () => string | vscode.MarkdownString | undefined;
  /** The positions of the messages that the row covers. */
  readonly span?: ReturnType<SessionState['spanOf']>;
  readonly isExpanded?: boolean;
  /** Creates the rows below. If it's absent, the row can't be expanded. */
  readonly below?: ((row: ContextRow) => ContextRow[]) | undefined;
}

/** A row with its parent, for `reveal`, and a stable ID, so that VS Code keeps it expanded and selected. */
export type ContextRow = RowSubject &
  Pick<RowContent, 'tooltip' | 'span'> & {
    readonly id: string;
    readonly parent: ContextRow | undefined;
    readonly item: vscode.TreeItem;
    /** The rows below. Takes time proportional to the shown rows. */
    readonly children: () => ContextRow[];
  };

/** Whether a command's argument is a row of the view, as in its menus. */
export function isRow(value: unknown): value is ContextRow {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Internal command of the view. Its argument is a function, so there is nothing to validate. */
export const OPEN_ROW = 'threadkeeper.internal.openRow';

/** VS Code shows label and description on one line, so a label in these scripts would reverse the numbers after it. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

function newRow(
  id: string,
  parent: ContextRow | undefined,
  { label, icon, description, contextValue, open, tooltip, span, isExpanded = false, below }: RowContent,
  subject: RowSubject = { kind: 'other' },
): ContextRow {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const isolated = RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label;
  const iconPath = new vscode.ThemeIcon(icon);
  const command = open && { command: OPEN_ROW, title: vscode.l10n.t('Open'), arguments: [open] };
  const item = Object.assign(new vscode.TreeItem(isolated, !below ? None : isExpanded ? Expanded : Collapsed), {
    ...{ id, iconPath, description, contextValue, command },
  });
  const row: ContextRow = { ...subject, id, parent, item, tooltip, span, children: () => below?.(row) ?? [] };
  return row;
}

/** Below a filter, IDs include the parent's ID, because the same row may be shown in several places. */
const idBelow = ({ id }: ContextRow, ownId: string): string => (id.startsWith('filter/') ? `${id}/${ownId}` : ownId);

/** The entries below the row `of`. Their rows are only created when they are shown. */
interface RowList<Entry> {
  readonly of: ContextRow;
  readonly entries: readonly Entry[];
  /** Creates the row of an entry; `parent` is a range or `of`. */
  readonly create: (entry: Entry, parent: ContextRow, at: number) => ContextRow;
  /** The icon of ranges. */
  readonly icon?: string;
}

/**
 * Maximum number of rows below a row. More are folded into ranges, and those into wider ones, so that expanding a row
 * takes about the same time in the longest session as in one with a hundred messages. Ten gives round limits.
 */
const MAX_ROWS = 10;

/** The rows of a list below its row or a range of it: entries, or ranges if there are too many. */
function folded<Entry>(list: RowList<Entry>, row = list.of, from = 0, end = list.entries.length): ContextRow[] {
  const count = end - from;
  if (count <= MAX_ROWS) return list.entries.slice(from, end).map((entry, at) => list.create(entry, row, from + at));
  let size = MAX_ROWS;
  while (count > size * MAX_ROWS) size *= MAX_ROWS;
  return Array.from({ length: Math.ceil(count / size) }, (_, part) => {
    const start = from + part * size;
    return rangeRow(list, row, start, Math.min(end, start + size));
  });
}

/** A range of a list, named by the messages that its rows cover, or else by their positions in the list. */
function rangeRow<Entry>(list: RowList<Entry>, parent: ContextRow, from: number, end: number): ContextRow {
  const { of, entries, create, icon = 'list-unordered' } = list;
  const [first, last] = [create(entries[from]!, of, from), create(entries[end - 1]!, of, end - 1)];
  const [start, finish] = [first.span?.from, last.span?.to];
  const label =
    start === undefined || finish === undefined
      ? vscode.l10n.t('Items {0}–{1}', from + 1, end)
      : start === finish
        ? vscode.l10n.t('Message {0}', start + 1)
        : vscode.l10n.t('Messages {0}–{1}', start + 1, finish + 1);
  const count = first.kind === 'node' && first.span ? { description: String(end - from) } : {};
  const content = { label, icon, ...count, below: (row: ContextRow) => folded(list, row, from, end) };
  return newRow(`${of.id}/${from}-${end}`, parent, content, { kind: 'range', from, end });
}

/** The topmost rows. Some sections are only shown if they aren't empty. */
export function topRows(source: TreeSource): ContextRow[] {
  const optional = [contentSection(source), tasksSection(source), compressionsSection(source)];
  return [
    contextSection(source),
    summariesSection(source),
    eventsSection(source),
    ...optional.filter((row) => row.children().length > 0),
  ];
}

const section = (name: string, content: RowContent): ContextRow => newRow(`section/${name}`, undefined, content);

const contextSection = ({ gauge }: TreeSource): ContextRow =>
  section('context', {
    label: vscode.l10n.t('In context now'),
    icon: 'pulse',
    description: tokensText(gauge.used),
    below: (row) => {
      const parts = gauge.parts.filter(({ tokens }) => tokens > 0);
      return parts.map(({ name, tokens }) => {
        const content = { label: partName(name), icon: 'circle-small-filled', description: tokensText(tokens) };
        return newRow(`part/${name}`, row, content);
      });
    },
  });

function summariesSection(source: TreeSource): ContextRow {
  const { state } = source.conversation;
  const { frontier } = state;
  const reverted = revertedNodes(state);
  const isEmpty = frontier.length === 0 && reverted.length === 0;
  const create = ({ node }: (typeof frontier)[number], parent: ContextRow) => nodeRow(source, node, parent);
  return section('summaries', {
    label: vscode.l10n.t('Summaries'),
    icon: 'layers',
    description: isEmpty ? vscode.l10n.t('none yet') : String(frontier.length),
    isExpanded: true,
    below: isEmpty
      ? undefined
      : (row) => [
          ...folded({ of: row, entries: frontier, create, icon: 'layers' }),
          ...(reverted.length > 0 ? [revertedRow(source, reverted, row)] : []),
        ],
  });
}

function nodeRow(source: TreeSource, node: SummaryNode, parent: ContextRow): ContextRow {
  const { state, journal } = source.conversation;
  const isParent = node.depth > 0;
  const after = node.tokens[sentLevelOf(state, node.id)] ?? node.tokens.detailed;
  const facts = [
    rangeText(state, node),
    `${shortTokens(node.tokens.source)} → ${shortTokens(after)}`,
    ago(source.now - node.at),
    trustText(source, node),
  ];
  const content = {
    label: node.title,
    icon: hasWarning(state, node) ? 'warning' : isParent ? 'layers' : 'note',
    description: facts.filter((fact) => fact !== '').join(' · '),
    contextValue: isParent ? 'threadkeeper.node.parent' : 'threadkeeper.node',
    open: () => openNodeDocument(journal.id, node),
    tooltip: () => nodeTooltip(source, node),
    span: state.spanOf(node.id),
    below: (row: ContextRow) => rowsBelowNode(source, node, row),
  };
  return newRow(idBelow(parent, `node/${node.id}`), parent, content, { kind: 'node', node: node.id });
}

/** The child summaries of a summary, or its key events and messages. */
function rowsBelowNode(source: TreeSource, node: SummaryNode, of: ContextRow): ContextRow[] {
  const { state } = source.conversation;
  const span = state.spanOf(node.id);
  if (!span) return [];
  if (node.children.length > 0)
    return folded({ of, entries: childNodes(state, node), create: (child, parent) => nodeRow(source, child, parent) });
  const messages: RowList<MessageId> = {
    of,
    entries: state.path.slice(span.from, span.to + 1),
    create: (id, parent) => messageRow(source, id, parent),
  };
  const rows = folded(messages);
  // Messages are always in a range, so that they aren't mixed with their events.
  const ranges = rows[0]?.kind === 'range' ? rows : [rangeRow(messages, of, 0, rows.length)];
  const events = source.events.between(span.from, span.to);
  if (events.length === 0) return ranges;
  const content = {
    label: vscode.l10n.t('Key events'),
    icon: 'quote',
    description: statusCounts(events),
    below: (row: ContextRow) => eventRows(source, events, row),
  };
  return [newRow(`events/${of.id}`, of, content), ...ranges];
}

/** Summaries that the user has reverted, so that their messages are sent instead. */
const revertedRow = (source: TreeSource, nodes: readonly SummaryNode[], parent: ContextRow): ContextRow =>
  newRow('reverted', parent, {
    label: vscode.l10n.t('Reverted summaries'),
    icon: 'unfold',
    description: String(nodes.length),
    tooltip: () => vscode.l10n.t('Their original messages are sent instead.'),
    below: (row) => folded({ of: row, entries: nodes, create: (node, above) => revertedNodeRow(source, node, above) }),
  });

function revertedNodeRow(source: TreeSource, node: SummaryNode, parent: ContextRow): ContextRow {
  const { state, journal } = source.conversation;
  const isUndone = undoneCompressionOf(state, node.id) !== undefined;
  const suffix = state.summaries.isExpanded(node.id) ? '.turn' : isUndone ? '.compression' : '';
  const content = {
    label: node.title,
    icon: 'unfold',
    description: rangeText(state, node),
    contextValue: `threadkeeper.reverted${suffix}`,
    open: () => openNodeDocument(journal.id, node),
    tooltip: () => nodeTooltip(source, node),
  };
  return newRow(`reverted/${node.id}`, parent, content, { kind: 'revertedNode', node: node.id });
}

function messageRow({ conversation }: TreeSource, id: MessageId, parent: ContextRow): ContextRow {
  const { state, journal } = conversation;
  const { role, content } = state.messages.get(id) ?? { role: 'user', content: [] };
  const position = state.positionOf(id) ?? 0;
  const text = messageText({ content });
  const shown = {
    label: shortLine(text),
    icon: role === 'user' ? 'account' : role === 'tool' ? 'tools' : 'comment',
    description: `${position + 1} · ${roleName(role)}`,
    contextValue: 'threadkeeper.message',
    open: () => openMessageDocument(journal.id, id, position),
    tooltip: () => new vscode.MarkdownString().appendText(truncateAtWord(text, MAX_TEXT)),
    span: { from: position, to: position },
  };
  return newRow(idBelow(parent, `message/${id}`), parent, shown, { kind: 'message', message: id });
}

function eventsSection(source: TreeSource): ContextRow {
  const { events } = source;
  const isEmpty = events.all.length === 0;
  return section('events', {
    label: vscode.l10n.t('Key events'),
    icon: 'quote',
    description: isEmpty ? vscode.l10n.t('none yet') : statusCounts(events.all),
    tooltip: () =>
      isEmpty ? vscode.l10n.t('Key events are detected when messages are compressed.') : droppedTooltip(events.all),
    below: isEmpty ? undefined : (row) => events.kinds().map((kind) => kindRow(source, kind, row)),
  });
}

function kindRow(source: TreeSource, kind: KeyEventKind, parent: ContextRow): ContextRow {
  const events = source.events.ofKind(kind);
  const icon = KIND_ICON[kind];
  return newRow(`events/${kind}`, parent, {
    label: kindHeading(kind),
    icon,
    description: statusCounts(events),
    tooltip: () => droppedTooltip(events),
    below: (row) => eventRows(source, events, row, icon),
  });
}

/** An event is both below its kind and below its summary, so its ID includes that of the row `of`. */
function eventRows(source: TreeSource, entries: readonly PlacedEvent[], of: ContextRow, icon?: string): ContextRow[] {
  const create = (event: PlacedEvent, parent: ContextRow): ContextRow => eventRow(source, event, of, parent);
  return folded({ of, entries, create, ...(icon && { icon }) });
}

function eventRow(source: TreeSource, placed: PlacedEvent, below: ContextRow, parent: ContextRow): ContextRow {
  const { journal } = source.conversation;
  const { event, status, position } = placed;
  const content = {
    label: shortLine(withSpeaker(event.speaker, event.quote)),
    icon: STATUS_ICON[status],
    description: `${position + 1} · ${statusName(status)}`,
    contextValue: status === 'pinned' ? 'threadkeeper.event.pinned' : 'threadkeeper.event',
    open: () => openMessageDocument(journal.id, event.message, position, event),
    tooltip: () => eventTooltip(placed),
  };
  return newRow(`event/${below.id}/${event.id}`, parent, content, { kind: 'event', event });
}

const contentSection = (source: TreeSource): ContextRow =>
  section('content', {
    label: vscode.l10n.t('Summary contents'),
    icon: 'list-tree',
    below: (row) =>
      CONTENT_LISTS.map((list) => contentListRow(source, list, row)).filter((each) => each.children().length > 0),
  });

const CONTENT_LISTS = ['topics', 'decisions', 'preferences', 'files'] as const;
type ContentList = (typeof CONTENT_LISTS)[number];

function contentListRow({ conversation }: TreeSource, list: ContentList, parent: ContextRow): ContextRow {
  const { state, journal } = conversation;
  const icon = CONTENT_ICON[list];
  const create = ([text, node]: readonly [string, SummaryNode], above: ContextRow, at: number): ContextRow =>
    newRow(`content/${list}/${at}`, above, {
      label: shortLine(text),
      icon,
      description: rangeText(state, node),
      open: () => openNodeDocument(journal.id, node),
      tooltip: () => text,
    });
  const below = (of: ContextRow): ContextRow[] => folded({ of, entries: contentOf(state, list), create });
  return newRow(`content/${list}`, parent, { label: contentName(list), icon, below });
}

/** The entries of a list in all summaries, each with the newest one that contains it, newest first. */
function contentOf({ frontier }: SessionState, list: ContentList): [string, SummaryNode][] {
  const nodes = new Map<string, SummaryNode>();
  for (const { node } of frontier.toReversed())
    for (const text of entriesOf(node, list)) if (!nodes.has(text)) nodes.set(text, node);
  return [...nodes];
}

function entriesOf({ structured }: SummaryNode, list: ContentList): readonly string[] {
  if (!structured) return [];
  return list === 'decisions' ? structured.decisions.map(({ what }) => what) : (structured[list] ?? []);
}

function tasksSection({ conversation: { state }, now }: TreeSource): ContextRow {
  const entries = [...(state.task ? [state.task] : []), ...state.endedTasks];
  const create = (task: Task, parent: ContextRow, at: number): ContextRow => taskRow(task, `task/${at}`, parent, now);
  return section('tasks', {
    label: vscode.l10n.t('Tasks'),
    icon: 'checklist',
    below: (of) => folded({ of, entries, create, icon: 'checklist' }),
  });
}

function taskRow({ goal, steps, endedAt }: Task, id: string, parent: ContextRow, now: number): ContextRow {
  const stepRow = ({ text, status }: Step, above: ContextRow, at: number): ContextRow => {
    const content = { label: text, icon: STEP_ICON[status], description: stepName(status), tooltip: () => text };
    return newRow(`${id}/${at}`, above, content);
  };
  const done = steps.filter(({ status }) => status === 'done').length;
  const progress = steps.length > 0 && vscode.l10n.t('{0}/{1} steps', done, steps.length);
  return newRow(id, parent, {
    label: goal,
    icon: endedAt === undefined ? 'target' : 'history',
    description: [progress, endedAt !== undefined && ago(now - endedAt)].filter(Boolean).join(' · '),
    tooltip: () => goal,
    below: steps.length === 0 ? undefined : (of) => folded({ of, entries: steps, create: stepRow }),
  });
}

function compressionsSection(source: TreeSource): ContextRow {
  const { compressions } = source.conversation.state;
  const create = (entry: CompressionEntry, parent: ContextRow): ContextRow => compressionRow(source, entry, parent);
  return section('compressions', {
    label: vscode.l10n.t('Compressions'),
    icon: 'history',
    description: String(compressions.length),
    below: (of) => folded({ of, entries: compressions.toReversed(), create, icon: 'history' }),
  });
}

function compressionRow({ conversation, now }: TreeSource, entry: CompressionEntry, parent: ContextRow): ContextRow {
  const { state, journal, meter } = conversation;
  const isUndone = state.summaries.isCompressionUndone(entry.id);
  const { before, after } = meter.providerSizes(entry.tokens);
  const content = {
    label: triggerName(entry.trigger),
    icon: isUndone ? 'discard' : 'archive',
    description: `${shortTokens(before)} → ${shortTokens(after)} · ${ago(now - entry.at)}`,
    contextValue: isUndone ? 'threadkeeper.compression.undone' : 'threadkeeper.compression',
    open: () => openRendered(documentUri(journal.id, 'compressions', 'all', vscode.l10n.t('Compression History'))),
  };
  return newRow(`compression/${entry.id}`, parent, content, { kind: 'compression', compression: entry.id });
}

/** The row for a summary, message, or event in the unfiltered tree; undefined if there is none. */
export function findRow(source: TreeSource, target: RowTarget): ContextRow | undefined {
  const { state } = source.conversation;
  if (target.kind === 'event') {
    const { id, kind } = target.event;
    const at = source.events.ofKind(kind).findIndex(({ event }) => event.id === id);
    return entryBelow(kindRow(source, kind, eventsSection(source)), at);
  }
  const first = target.kind === 'node' ? state.nodes.get(target.node)?.first : target.message;
  const position = first && state.positionOf(first);
  if (position === undefined) return undefined;
  let row: ContextRow | undefined = summariesSection(source);
  let siblings = state.frontier.map(({ node }) => node.id);
  for (const node of summariesOf(state, position)) {
    row = row && entryBelow(row, siblings.indexOf(node.id));
    if (target.kind === 'node' && target.node === node.id) return row;
    siblings = [...node.children];
    if (target.kind === 'message' && siblings.length === 0)
      return row && entryBelow(row, position - state.positionOf(node.first)!);
  }
  return undefined;
}

/** An entry of a row's list, with the ranges above it. */
function entryBelow(row: ContextRow, at: number): ContextRow | undefined {
  const rows = row.children();
  const range = rows.find((each) => each.kind === 'range' && each.from <= at && at < each.end);
  return range ? entryBelow(range, at) : rows[at - (row.kind === 'range' ? row.from : 0)];
}

export type TreeFilter =
  /** Summaries for which `hasWarning` returns true. */
  | { readonly by: 'warnings' }
  | { readonly by: 'kind'; readonly of: KeyEventKind }
  | { readonly by: 'text'; readonly text: string };

export function filterName(filter: TreeFilter): string {
  switch (filter.by) {
    case 'warnings':
      return vscode.l10n.t('Summaries with warnings');
    case 'kind':
      return kindHeading(filter.of);
    case 'text':
      return filter.text;
  }
}

/** The parent of the rows that match a filter. `hits` are those for a text. */
export const filterRow = (source: TreeSource, filter: TreeFilter, hits: readonly ScoredResult[] = []): ContextRow =>
  newRow(`filter/${JSON.stringify(filter)}`, undefined, {
    label: vscode.l10n.t('Filter: {0}', filterName(filter)),
    icon: 'filter',
    contextValue: 'threadkeeper.filter',
    isExpanded: true,
    below: (row) => {
      switch (filter.by) {
        case 'warnings': {
          const create = (node: SummaryNode, parent: ContextRow): ContextRow => nodeRow(source, node, parent);
          return folded({ of: row, entries: warnedNodes(source.conversation.state), create, icon: 'warning' });
        }
        case 'kind':
          return kindRow(source, filter.of, row).children();
        case 'text':
          return hits.flatMap((hit) => rowOfHit(source, hit, row) ?? []);
      }
    },
  });

function rowOfHit(source: TreeSource, hit: ScoredResult, parent: ContextRow): ContextRow | undefined {
  switch (hit.kind) {
    case 'message':
      return messageRow(source, hit.message, parent);
    case 'summary': {
      const leaf = summariesOf(source.conversation.state, hit.position).at(-1);
      return leaf && nodeRow(source, leaf, parent);
    }
    case 'event': {
      const placed = source.events.between(hit.position, hit.position);
      const found = placed.find(({ event }) => event.start === hit.start);
      return found && eventRow(source, found, parent, parent);
    }
  }
}

const contentName = (list: ContentList): string =>
  ({
    topics: vscode.l10n.t('Topics'),
    decisions: vscode.l10n.t('Decisions'),
    preferences: vscode.l10n.t('Preferences'),
    files: vscode.l10n.t('Files'),
  })[list];

const CONTENT_ICON: Readonly<Record<ContentList, string>> = {
  topics: 'tag',
  decisions: 'law',
  preferences: 'heart',
  files: 'file',
};
const STATUS_ICON: Readonly<Record<EventStatus, string>> = {
  pinned: 'pinned',
  active: 'quote',
  superseded: 'history',
  dropped: 'circle-slash',
};
const STEP_ICON: Readonly<Record<StepStatus, string>> = {
  pending: 'circle-large-outline',
  in_progress: 'play-circle',
  done: 'pass',
  skipped: 'debug-step-over',
};
