import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { messageText } from '../../core/model/message.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import type { StepStatus } from '../../core/model/task.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { partName } from '../gauge/gauge-item.ts';
import { appendDroppedNotice, KIND_ICON, kindHeading, kindName, statusName } from '../platform/key-event-kinds.ts';
import { sentLevelOf, type EventStatus } from '../../core/context/ledger-lines.ts';
import {
  locale,
  messagesText,
  shortLine,
  roleName,
  shortTokens,
  tokensText,
  truncateAtWord,
} from '../platform/l10n.ts';
import { documentUri, openMessageDocument, openNodeDocument, openRendered } from './document-uris.ts';
import type { PlacedEvent } from './event-index.ts';
import {
  firstAndLastRow,
  eventsBelow,
  hasWarning,
  isSent,
  revertedNodes,
  undoneCompressionOf,
  type ContextRow,
  type RowOf,
  type ContentList,
  type SectionName,
  type TreeFilter,
  type TreeSource,
} from './context-rows.ts';
import { checkWarnings, levelName, triggerName, verificationText } from './summary-texts.ts';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** The tree item for a row. Takes time proportional to its content. */
export function treeItem(
  conversation: Conversation,
  source: TreeSource,
  row: ContextRow,
  now: number,
): vscode.TreeItem {
  const { state, journal, meter } = conversation;
  switch (row.kind) {
    case 'section':
      return sectionItem(source, row.section);
    case 'filter': {
      const name = vscode.l10n.t('Filter: {0}', filterName(row.filter));
      return item(name, Expanded, 'filter', undefined, 'threadkeeper.filter');
    }
    case 'part':
      return item(partName(row.name), None, 'circle-small-filled', tokensText(row.tokens));
    case 'node': {
      const node = state.nodes.get(row.node);
      return node ? nodeItem(conversation, source, node, now) : goneItem();
    }
    case 'reverted':
      return item(vscode.l10n.t('Reverted summaries'), Collapsed, 'unfold', String(revertedNodes(state).length));
    case 'revertedNode': {
      const node = state.nodes.get(row.node);
      if (!node) return goneItem();
      const isUndone = undoneCompressionOf(state, node.id) !== undefined;
      const suffix = state.summaries.isExpanded(node.id) ? '.turn' : isUndone ? '.compression' : '';
      const open = (): Promise<void> => openNodeDocument(journal.id, node);
      return item(node.title, None, 'unfold', rangeText(state, node), `threadkeeper.reverted${suffix}`, open);
    }
    case 'nodeEvents':
      return item(vscode.l10n.t('Key events'), Collapsed, 'quote', statusCounts(eventsBelow(source, row)));
    case 'range':
      return rangeItem(source, row);
    case 'message': {
      const message = state.messages.get(row.message);
      if (!message) return goneItem();
      const position = state.positionOf(row.message) ?? 0;
      const icon = message.role === 'user' ? 'account' : message.role === 'tool' ? 'tools' : 'comment';
      const description = `${position + 1} · ${roleName(message.role)}`;
      const open = (): Promise<void> => openMessageDocument(journal.id, row.message, position);
      return item(shortLine(messageText(message)), None, icon, description, 'threadkeeper.message', open);
    }
    case 'eventKind':
      return item(kindHeading(row.of), Collapsed, KIND_ICON[row.of], statusCounts(source.events().ofKind(row.of)));
    case 'event': {
      const { event, status } = row;
      const position = state.positionOf(event.message) ?? 0;
      const description = `${position + 1} · ${statusName(status)}`;
      const contextValue = status === 'pinned' ? 'threadkeeper.event.pinned' : 'threadkeeper.event';
      const open = (): Promise<void> => openMessageDocument(journal.id, event.message, position, event);
      return item(shortLine(event.quote), None, STATUS_ICON[status], description, contextValue, open);
    }
    case 'contentList':
      return item(contentName(row.list), Collapsed, CONTENT_ICON[row.list]);
    case 'contentEntry': {
      const node = state.nodes.get(row.node);
      const open = node && (() => openNodeDocument(journal.id, node));
      const description = node && rangeText(state, node);
      return item(shortLine(row.text), None, CONTENT_ICON[row.list], description, undefined, open);
    }
    case 'task': {
      const { task } = row;
      const done = task.steps.filter(({ status }) => status === 'done').length;
      const ended = task.endedAt === undefined ? undefined : ago(now - task.endedAt);
      const steps = task.steps.length > 0 && vscode.l10n.t('{0}/{1} steps', done, task.steps.length);
      const facts = [steps, ended].filter(Boolean).join(' · ');
      const icon = ended === undefined ? 'target' : 'history';
      return item(task.goal, task.steps.length > 0 ? Collapsed : None, icon, facts);
    }
    case 'step':
      return item(row.step.text, None, STEP_ICON[row.step.status], stepName(row.step.status));
    case 'compression': {
      const entry = state.compressions.find(({ id }) => id === row.compression);
      if (!entry) return goneItem();
      const isUndone = state.summaries.isCompressionUndone(entry.id);
      const { before, after } = meter.providerSizes(entry.tokens);
      const facts = `${shortTokens(before)} → ${shortTokens(after)} · ${ago(now - entry.at)}`;
      const icon = isUndone ? 'discard' : 'archive';
      const contextValue = isUndone ? 'threadkeeper.compression.undone' : 'threadkeeper.compression';
      const open = (): Promise<void> =>
        openRendered(documentUri(journal.id, 'compressions', 'all', vscode.l10n.t('Compression History')));
      return item(triggerName(entry.trigger), None, icon, facts, contextValue, open);
    }
  }
}

const SECTION_ICON: Readonly<Record<SectionName, string>> = {
  context: 'pulse',
  summaries: 'layers',
  events: 'quote',
  content: 'list-tree',
  tasks: 'checklist',
  compressions: 'history',
};

function sectionItem({ state, gauge, events }: TreeSource, section: SectionName): vscode.TreeItem {
  const icon = SECTION_ICON[section];
  switch (section) {
    case 'context':
      return item(vscode.l10n.t('In context now'), Collapsed, icon, tokensText(gauge().used));
    case 'summaries': {
      const isEmpty = state.frontier.length === 0 && revertedNodes(state).length === 0;
      const description = isEmpty ? vscode.l10n.t('none yet') : String(state.frontier.length);
      return item(vscode.l10n.t('Summaries'), isEmpty ? None : Expanded, icon, description);
    }
    case 'events': {
      const { all } = events();
      const description = all.length === 0 ? vscode.l10n.t('none yet') : statusCounts(all);
      return item(vscode.l10n.t('Key events'), all.length === 0 ? None : Collapsed, icon, description);
    }
    case 'content':
      return item(vscode.l10n.t('Summary contents'), Collapsed, icon);
    case 'tasks':
      return item(vscode.l10n.t('Tasks'), Collapsed, icon);
    case 'compressions':
      return item(vscode.l10n.t('Compressions'), Collapsed, icon, String(state.compressions.length));
  }
}

/** The tree item for a range, named by the messages that its rows cover, or else by their positions in the list. */
function rangeItem(source: TreeSource, row: RowOf<'range'>): vscode.TreeItem {
  const { of, from, end } = row;
  const [first, last] = firstAndLastRow(source, row);
  const start = positionsOf(source.state, first)?.from;
  const finish = positionsOf(source.state, last)?.to;
  if (start === undefined || finish === undefined)
    return item(vscode.l10n.t('Items {0}–{1}', from + 1, end), Collapsed, rangeIcon(of));
  const count = first.kind === 'node' ? String(end - from) : undefined;
  const name =
    start === finish
      ? vscode.l10n.t('Message {0}', start + 1)
      : vscode.l10n.t('Messages {0}–{1}', start + 1, finish + 1);
  return item(name, Collapsed, rangeIcon(of), count);
}

function positionsOf(state: SessionState, row: ContextRow): { readonly from: number; readonly to: number } | undefined {
  if (row.kind === 'node') return state.spanOf(row.node);
  const position = row.kind === 'message' ? state.positionOf(row.message) : undefined;
  return position === undefined ? undefined : { from: position, to: position };
}

function rangeIcon(of: ContextRow): string {
  switch (of.kind) {
    case 'section':
      return SECTION_ICON[of.section];
    case 'eventKind':
      return KIND_ICON[of.of];
    case 'filter':
      return 'warning';
    default:
      return 'list-unordered';
  }
}

function nodeItem(conversation: Conversation, source: TreeSource, node: SummaryNode, now: number): vscode.TreeItem {
  const { state, journal } = conversation;
  const level = sentLevelOf(state, node.id);
  const after = node.tokens[level] ?? node.tokens.detailed;
  const facts = [
    rangeText(state, node),
    `${shortTokens(node.tokens.source)} → ${shortTokens(after)}`,
    ago(now - node.at),
    trustText(source, node),
  ];
  const icon = hasWarning(state, node) ? 'warning' : node.depth > 0 ? 'layers' : 'note';
  const description = facts.filter((fact) => fact !== '').join(' · ');
  const contextValue = node.depth > 0 ? 'threadkeeper.node.parent' : 'threadkeeper.node';
  return item(node.title, Collapsed, icon, description, contextValue, () => openNodeDocument(journal.id, node));
}

/** Counts such as "12 · 2 pinned · 3 superseded": all events sent verbatim, the pinned ones among them, and others. */
function statusCounts(list: readonly PlacedEvent[]): string {
  const count = (status: EventStatus): number => list.filter((event) => event.status === status).length;
  const others = (['pinned', 'dropped', 'superseded'] as const).filter((status) => count(status) > 0);
  const texts = others.map((status) => `${count(status)} ${statusName(status)}`);
  return [count('pinned') + count('active'), ...texts].join(' · ');
}

/** VS Code shows label and description on one line, so a label in these scripts would reverse the numbers after it. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const isolated = (label: string): string => (RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label);

/** @param open is called when the row is selected */
function item(
  label: string,
  state: vscode.TreeItemCollapsibleState,
  icon: string,
  description?: string,
  contextValue?: string,
  open?: () => Promise<void>,
): vscode.TreeItem {
  const iconPath = new vscode.ThemeIcon(icon);
  const command = open && { command: OPEN_ROW, title: vscode.l10n.t('Open'), arguments: [open] };
  return Object.assign(new vscode.TreeItem(isolated(label), state), { iconPath, description, contextValue, command });
}

const goneItem = (): vscode.TreeItem =>
  item(vscode.l10n.t('This item is no longer in the session.'), None, 'circle-slash');

/** Internal command of the view. Its argument is a function, so there is nothing to validate. */
export const OPEN_ROW = 'threadkeeper.internal.openRow';

export function rangeText(state: SessionState, node: SummaryNode): string {
  const range = state.spanOf(node.id);
  return range ? `${range.from + 1}–${range.to + 1}` : '';
}

/** A summary's kept key events, the results of its audit and check, and how it was generated. */
export function trustText({ state, events }: TreeSource, node: SummaryNode): string {
  const range = state.spanOf(node.id);
  const { kept, total } = range ? events().keptBetween(range.from, range.to) : { kept: 0, total: 0 };
  return [
    ...(total > 0 ? [vscode.l10n.t('{0}/{1} key events kept', kept, total)] : []),
    verificationText(node, state.summaries.checkOf(node)),
  ].join(' · ');
}

/** A time that is `ms` milliseconds ago, in minutes, hours, or days. */
function ago(ms: number): string {
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'narrow' });
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return format.format(-minutes, 'minute');
  if (minutes < 48 * 60) return format.format(-Math.round(minutes / 60), 'hour');
  return format.format(-Math.round(minutes / 1440), 'day');
}

const stepName = (status: StepStatus): string =>
  ({
    pending: vscode.l10n.t('pending'),
    in_progress: vscode.l10n.t('in progress'),
    done: vscode.l10n.t('done'),
    skipped: vscode.l10n.t('skipped'),
  })[status];

const contentName = (list: ContentList): string =>
  ({
    topics: vscode.l10n.t('Topics'),
    decisions: vscode.l10n.t('Decisions'),
    preferences: vscode.l10n.t('Preferences'),
    files: vscode.l10n.t('Files'),
  })[list];

const STATUS_ICON: Readonly<Record<EventStatus, string>> = {
  pinned: 'pinned',
  active: 'quote',
  superseded: 'history',
  dropped: 'circle-slash',
};
const CONTENT_ICON: Readonly<Record<ContentList, string>> = {
  topics: 'tag',
  decisions: 'law',
  preferences: 'heart',
  files: 'file',
};
const STEP_ICON: Readonly<Record<StepStatus, string>> = {
  pending: 'circle-large-outline',
  in_progress: 'play-circle',
  done: 'pass',
  skipped: 'debug-step-over',
};

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

/** Maximum length of a text in a tooltip, in UTF-16 units. */
const MAX_TEXT = 600;

/** A row's tooltip; undefined if there is nothing to add to the row. */
export function tooltipOf(source: TreeSource, row: ContextRow): string | vscode.MarkdownString | undefined {
  const { state } = source;
  switch (row.kind) {
    case 'node':
    case 'revertedNode': {
      const node = state.nodes.get(row.node);
      return node && nodeTooltip(source, node);
    }
    case 'reverted':
      return vscode.l10n.t('Their original messages are sent instead.');
    case 'message': {
      const message = state.messages.get(row.message);
      return message && new vscode.MarkdownString().appendText(truncateAtWord(messageText(message), MAX_TEXT));
    }
    case 'event':
      return eventTooltip(row, state.positionOf(row.event.message) ?? 0);
    case 'contentEntry':
      return row.text;
    case 'task':
      return row.task.goal;
    case 'step':
      return row.step.text;
    case 'section': {
      if (row.section !== 'events') return undefined;
      const { all } = source.events();
      return all.length === 0
        ? vscode.l10n.t('Key events are detected when messages are compressed.')
        : droppedTooltip(all);
    }
    case 'eventKind':
      return droppedTooltip(source.events().ofKind(row.of));
    default:
      return undefined;
  }
}

function droppedTooltip(list: readonly PlacedEvent[]): vscode.MarkdownString | undefined {
  const dropped = list.filter(({ status }) => status === 'dropped').length;
  return dropped === 0 ? undefined : appendDroppedNotice(new vscode.MarkdownString(), dropped);
}

function nodeTooltip(source: TreeSource, node: SummaryNode): vscode.MarkdownString {
  const { state } = source;
  const text = new vscode.MarkdownString('', true);
  text
    .appendMarkdown('**')
    .appendText(node.title)
    .appendMarkdown('**\n\n')
    .appendText(truncateAtWord(node.brief, MAX_TEXT));
  const level = sentLevelOf(state, node.id);
  const facts = [
    messagesText(node.messages),
    ...(isSent(state, node) ? [vscode.l10n.t('sent as: {0}', levelName(level))] : []),
    trustText(source, node),
    node.model,
  ];
  text.appendMarkdown('\n\n---\n\n').appendText(facts.join(' · '));
  const staleText = vscode.l10n.t(
    'A child summary was changed. This summary will be regenerated at the next compression.',
  );
  const faults = checkWarnings(state, node).slice(0, 5);
  const warnings = [
    ...(state.stale.has(node.id) ? [staleText] : []),
    ...faults.map((fault) => truncateAtWord(fault, 140)),
  ];
  for (const warning of warnings) text.appendMarkdown('\n\n$(warning) ').appendText(warning);
  return text;
}

function eventTooltip({ event, status }: RowOf<'event'>, position: number): vscode.MarkdownString {
  const messageName = vscode.l10n.t('message {0}', position + 1);
  const facts = [kindName(event.kind), statusName(status), messageName, event.reason].join(' · ');
  return new vscode.MarkdownString().appendText(event.quote).appendMarkdown('\n\n---\n\n').appendText(facts);
}
