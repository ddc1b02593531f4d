import * as vscode from 'vscode';
import { hasFaults } from '../documents/summary-faults.ts';
import { oneLine, short, tokensText } from '../../platform/l10n.ts';
import type { Conversation } from '../../../app/conversation.ts';
import { messageText } from '../../../core/model/message.ts';
import type { SummaryNode } from '../../../core/model/summary.ts';
import type { SessionState } from '../../../core/state/session-state.ts';
import { openMessageDocument, openNodeDocument, readDocument } from '../documents/open-document.ts';
import { documentUri } from '../documents/document-uris.ts';
import { partName } from '../../gauge/gauge-item.ts';
import { KIND_ICON, kindName } from '../../platform/key-event-kinds.ts';
import { triggerName } from '../documents/summary-facts.ts';
import { eventsBelow, listBelow, openedNodes, tasks } from './lists.ts';
import type { PlacedEvent, Standing } from './event-index.ts';
import { spanOf } from './places.ts';
import { rangeText, trust } from './row-facts.ts';
import { ago, SAID_ICON, saidName, STANDING_ICON, standingName, STEP_ICON, stepName } from './row-words.ts';
import type { RangeRow, Row, SectionName } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** How a row looks. Costs what it shows. */
export function treeItem(conversation: Conversation, source: TreeSource, row: Row, now: number): vscode.TreeItem {
  const { state, journal } = conversation;
  switch (row.kind) {
    case 'section':
      return sectionItem(source, row.section);
    case 'filter': {
      const made = item(vscode.l10n.t('Filter: {0}', row.name), Expanded, 'filter');
      made.contextValue = 'threadkeeper.filter';
      return made;
    }
    case 'part': {
      const label = row.name === 'reply' ? vscode.l10n.t('Response framing') : partName(row.name);
      return item(label, None, 'circle-small-filled', tokensText(row.tokens));
    }
    case 'node': {
      const node = state.nodes.get(row.node);
      return node ? nodeItem(conversation, source, node, now) : gone();
    }
    case 'opened':
      return item(vscode.l10n.t('Expanded'), Collapsed, 'unfold', String(openedNodes(state).length));
    case 'openedNode': {
      const node = state.nodes.get(row.node);
      if (!node) return gone();
      const made = item(node.title, None, 'unfold', rangeText(state, node));
      made.contextValue = state.isExpanded(node.id) ? 'threadkeeper.opened.turn' : 'threadkeeper.opened';
      made.command = opens(() => openNodeDocument(journal.id, node));
      return made;
    }
    case 'nodeEvents':
      return item(vscode.l10n.t('Key events'), Collapsed, 'quote', String(eventsBelow(source, row).length));
    case 'range':
      return rangeItem(source, row);
    case 'message': {
      const message = state.messages.get(row.message);
      if (!message) return gone();
      const position = state.positionOf(row.message) ?? 0;
      const icon = message.role === 'user' ? 'account' : message.role === 'tool' ? 'tools' : 'comment';
      const made = item(oneLine(messageText(message)), None, icon, `${position + 1} · ${message.role}`);
      made.contextValue = 'threadkeeper.message';
      made.command = opens(() => openMessageDocument(journal.id, row.message, position));
      return made;
    }
    case 'eventKind':
      return item(kindName(row.of), Collapsed, KIND_ICON[row.of], standings(source.events().ofKind(row.of)));
    case 'event': {
      const { event, standing } = row;
      const position = state.positionOf(event.message) ?? 0;
      const made = item(
        oneLine(event.quote),
        None,
        STANDING_ICON[standing],
        `${position + 1} · ${standingName(standing)}`,
      );
      made.contextValue = standing === 'pinned' ? 'threadkeeper.event.pinned' : 'threadkeeper.event';
      made.command = opens(() => openMessageDocument(journal.id, event.message, position, event.quote));
      return made;
    }
    case 'saidList':
      return item(saidName(row.list), Collapsed, SAID_ICON[row.list]);
    case 'saidEntry': {
      const node = state.nodes.get(row.node);
      const made = item(oneLine(row.text), None, SAID_ICON[row.list], node && rangeText(state, node));
      if (node) made.command = opens(() => openNodeDocument(journal.id, node));
      return made;
    }
    case 'task': {
      const task = tasks(state)[row.at];
      if (!task) return gone();
      const done = task.steps.filter(({ status }) => status === 'done').length;
      const ended = task.endedAt === undefined ? undefined : ago(now - task.endedAt);
      const facts = [vscode.l10n.t('{0}/{1} steps', done, task.steps.length), ended].filter(Boolean).join(' · ');
      return item(
        task.goal,
        task.steps.length > 0 ? Collapsed : None,
        ended === undefined ? 'target' : 'history',
        facts,
      );
    }
    case 'step':
      return item(row.text, None, STEP_ICON[row.status], stepName(row.status));
    case 'compression': {
      const entry = state.compressions[row.at];
      if (!entry) return gone();
      const isUndone = state.isCompressionUndone(entry.id);
      const facts = `${short(entry.tokens.before)} → ${short(entry.tokens.after)} · ${ago(now - entry.at)}`;
      const made = item(triggerName(entry.trigger), None, isUndone ? 'discard' : 'archive', facts);
      made.contextValue = isUndone ? 'threadkeeper.compression.undone' : 'threadkeeper.compression';
      made.command = opens(async () => {
        await readDocument(documentUri(journal.id, 'compressions', 'all', vscode.l10n.t('Compressions')));
      });
      return made;
    }
  }
}

const SECTION_ICON: Readonly<Record<SectionName, string>> = {
  context: 'pulse',
  summaries: 'layers',
  events: 'quote',
  said: 'list-tree',
  tasks: 'checklist',
  compressions: 'history',
};

function sectionItem({ state, gauge, events }: TreeSource, section: SectionName): vscode.TreeItem {
  switch (section) {
    case 'context':
      return item(vscode.l10n.t('In Context Now'), Collapsed, SECTION_ICON.context, tokensText(gauge().used));
    case 'summaries': {
      const isEmpty = state.frontier.length === 0 && openedNodes(state).length === 0;
      const description = isEmpty ? vscode.l10n.t('none yet') : String(state.frontier.length);
      return item(vscode.l10n.t('Summaries'), isEmpty ? None : Expanded, SECTION_ICON.summaries, description);
    }
    case 'events':
      return item(vscode.l10n.t('Key events'), Collapsed, SECTION_ICON.events, String(events().keptCount));
    case 'said':
      return item(vscode.l10n.t('Summary Contents'), Collapsed, SECTION_ICON.said);
    case 'tasks':
      return item(vscode.l10n.t('Tasks'), Collapsed, SECTION_ICON.tasks);
    case 'compressions':
      return item(
        vscode.l10n.t('Compressions'),
        Collapsed,
        SECTION_ICON.compressions,
        String(state.compressions.length),
      );
  }
}

/** A range of summaries or messages is named by the messages that it stands for, others by their place in the list. */
function rangeItem(source: TreeSource, { of, from, end }: RangeRow): vscode.TreeItem {
  const list = listBelow(source, of);
  const [first] = list.run(from, from + 1);
  const [last] = list.run(end - 1, end);
  const start = first && positionsOf(source.state, first)?.from;
  const finish = last && positionsOf(source.state, last)?.to;
  if (start === undefined || finish === undefined)
    return item(vscode.l10n.t('{0}–{1}', from + 1, end), Collapsed, rangeIcon(of));
  const count = first?.kind === 'node' ? String(end - from) : undefined;
  const name =
    start === finish
      ? vscode.l10n.t('Message {0}', start + 1)
      : vscode.l10n.t('Messages {0}–{1}', start + 1, finish + 1);
  return item(name, Collapsed, rangeIcon(of), count);
}

function positionsOf(state: SessionState, row: Row): { readonly from: number; readonly to: number } | undefined {
  if (row.kind === 'node') return spanOf(state, row.node);
  const position = row.kind === 'message' ? state.positionOf(row.message) : undefined;
  return position === undefined ? undefined : { from: position, to: position };
}

function rangeIcon(of: RangeRow['of']): string {
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
  const level = state.levels.get(node.id) ?? 'detailed';
  const after = node.tokens[level] ?? node.tokens.detailed;
  const facts = [
    rangeText(state, node),
    `${short(node.tokens.source)} → ${short(after)}`,
    ago(now - node.at),
    trust(source, node),
  ];
  const isStale = state.stale.has(node.id);
  const icon = hasFaults(state, node) || isStale ? 'warning' : node.depth > 0 ? 'layers' : 'note';
  const made = item(node.title, Collapsed, icon, facts.filter((fact) => fact !== '').join(' · '));
  made.contextValue = node.depth > 0 ? 'threadkeeper.node.parent' : 'threadkeeper.node';
  made.command = opens(() => openNodeDocument(journal.id, node));
  return made;
}

/** "12 · 2 pinned · 3 superseded": what is not said of an event is that it is active. */
function standings(list: readonly PlacedEvent[]): string {
  const counts = new Map<Standing, number>();
  for (const { standing } of list) counts.set(standing, (counts.get(standing) ?? 0) + 1);
  const others = (['pinned', 'dropped', 'superseded'] as const).flatMap((standing) => {
    const count = counts.get(standing);
    return count === undefined ? [] : [`${count} ${standingName(standing)}`];
  });
  return [String(list.length), ...others].join(' · ');
}

function item(
  label: string,
  state: vscode.TreeItemCollapsibleState,
  icon: string,
  description?: string,
): vscode.TreeItem {
  const made = new vscode.TreeItem(label, state);
  made.iconPath = new vscode.ThemeIcon(icon);
  if (description !== undefined) made.description = description;
  return made;
}

const gone = (): vscode.TreeItem => item(vscode.l10n.t('This item is no longer in the session.'), None, 'circle-slash');

/** Rows carry closures, not arguments that a command would have to check: the command is internal to the view. */
export const OPEN_ROW = 'threadkeeper.internal.openRow';
const opens = (open: () => Promise<void>): vscode.Command => ({
  command: OPEN_ROW,
  title: vscode.l10n.t('Open'),
  arguments: [open],
});
