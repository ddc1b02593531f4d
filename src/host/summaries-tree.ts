import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import type { GaugePart } from '../core/budget/gauge.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type KeyEventKind } from '../core/model/key-event.ts';
import type { MessageId, NodeId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import type { FrontierItem } from '../core/state/frontier.ts';
import { levelOf } from '../core/context/assemble.ts';
import type { ContextGauge } from './context-gauge.ts';
import { partName } from './gauge-item.ts';
import { short } from './gauge-item.ts';
import { openMessageDocument, openNodeDocument } from './documents.ts';

/** A row of the tree. Children are worked out when a row is opened, so that what is closed costs nothing. */
export type Row =
  | { readonly kind: 'section'; readonly section: 'context' | 'summaries' | 'events' | 'tasks' }
  | { readonly kind: 'part'; readonly name: GaugePart; readonly tokens: number }
  | { readonly kind: 'node'; readonly node: NodeId }
  | { readonly kind: 'nodeEvents'; readonly node: NodeId }
  | { readonly kind: 'messages'; readonly from: number; readonly to: number }
  | { readonly kind: 'message'; readonly message: MessageId }
  | { readonly kind: 'eventKind'; readonly of: KeyEventKind }
  /** `under` is the row above: an event stands below its kind and below its summary, and ids must differ. */
  | { readonly kind: 'event'; readonly event: KeyEvent; readonly under: string }
  | { readonly kind: 'task'; readonly label: string; readonly status: string };

/** Rows of messages shown at once below one row; more fold into ranges. */
const MOST_ROWS = 100;

/** The *Summaries* view: what is in the context now, the tree of summaries down to its sources, the key events. */
export class SummariesTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #conversation: () => Conversation | undefined;
  readonly #latest: () => Promise<Conversation | undefined>;
  readonly #gauge: ContextGauge;

  /** `latest` opens the newest session of the workspace when none is open; it makes none. */
  constructor(
    conversation: () => Conversation | undefined,
    latest: () => Promise<Conversation | undefined>,
    gauge: ContextGauge,
  ) {
    this.#conversation = conversation;
    this.#latest = latest;
    this.#gauge = gauge;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const conversation = row ? this.#conversation() : await this.#latest();
    if (!conversation || conversation.state.counters.messagesEver === 0) return [];
    if (!row) return this.#sections(conversation);
    switch (row.kind) {
      case 'section':
        return this.#section(conversation, row.section);
      case 'node':
        return nodeChildren(conversation, row.node);
      case 'messages':
        return messageRows(conversation, row.from, row.to);
      case 'nodeEvents':
        return eventsIn(conversation, row.node).map((event) => ({ kind: 'event', event, under: row.node }));
      case 'eventKind':
        return eventsOf(conversation, row.of).map((event) => ({ kind: 'event', event, under: row.of }));
      case 'part':
      case 'message':
      case 'event':
      case 'task':
        return [];
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const conversation = this.#conversation();
    const item = conversation ? treeItem(conversation, row) : new vscode.TreeItem('');
    item.id = rowId(row);
    return item;
  }

  #sections({ state }: Conversation): Row[] {
    const sections: Row[] = [
      { kind: 'section', section: 'context' },
      { kind: 'section', section: 'summaries' },
      { kind: 'section', section: 'events' },
    ];
    if (state.task || state.endedTasks.length > 0) sections.push({ kind: 'section', section: 'tasks' });
    return sections;
  }

  #section(conversation: Conversation, section: Extract<Row, { kind: 'section' }>['section']): Row[] {
    const { state } = conversation;
    switch (section) {
      case 'context':
        return this.#gauge
          .view(conversation)
          .parts.filter((part) => part.tokens > 0)
          .map((part) => ({ kind: 'part', name: part.name, tokens: part.tokens }));
      case 'summaries':
        return state.frontier.map((item) => ({ kind: 'node', node: item.node.id }));
      case 'events':
        return KEY_EVENT_KINDS.filter((kind) => eventsOf(conversation, kind).length > 0).map((of) => ({
          kind: 'eventKind',
          of,
        }));
      case 'tasks':
        return [...(state.task ? [state.task] : []), ...state.endedTasks].flatMap((task) => [
          { kind: 'task', label: task.goal, status: task.endedAt === undefined ? 'in_progress' : 'done' } as const,
          ...task.steps.map((step) => ({ kind: 'task', label: step.text, status: step.status }) as const),
        ]);
    }
  }
}

function rowId(row: Row): string {
  switch (row.kind) {
    case 'section':
      return `section/${row.section}`;
    case 'part':
      return `part/${row.name}`;
    case 'node':
      return `node/${row.node}`;
    case 'messages':
      return `messages/${row.from}-${row.to}`;
    case 'nodeEvents':
      return `events/${row.node}`;
    case 'message':
      return `message/${row.message}`;
    case 'eventKind':
      return `events/${row.of}`;
    case 'event':
      return `event/${row.under}/${row.event.id}`;
    case 'task':
      return `task/${row.status}/${row.label}`;
  }
}

function treeItem(conversation: Conversation, row: Row): vscode.TreeItem {
  const { state, journal } = conversation;
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  switch (row.kind) {
    case 'section': {
      const item = new vscode.TreeItem(
        SECTION_LABEL[row.section](),
        row.section === 'summaries' ? Expanded : Collapsed,
      );
      item.iconPath = new vscode.ThemeIcon(SECTION_ICON[row.section]);
      if (row.section === 'context')
        item.description = vscode.l10n.t('{0} tokens', short(conversation.context().total));
      if (row.section === 'summaries' && state.frontier.length === 0) {
        item.description = vscode.l10n.t('none yet');
        item.collapsibleState = None;
      }
      return item;
    }
    case 'part': {
      const item = new vscode.TreeItem(partName(row.name), None);
      item.description = vscode.l10n.t('{0} tokens', row.tokens.toLocaleString(vscode.env.language));
      item.iconPath = new vscode.ThemeIcon('circle-small-filled');
      return item;
    }
    case 'node': {
      const node = state.nodes.get(row.node);
      if (!node) return new vscode.TreeItem(vscode.l10n.t('This is no longer in the session.'), None);
      const item = new vscode.TreeItem(node.title, Collapsed);
      const from = state.positionOf(node.first) ?? 0;
      const shown: FrontierItem = { node, from, to: state.positionOf(node.last) ?? from };
      const after = node.tokens[levelOf(state, shown)] ?? node.tokens.detailed;
      item.description = `${shown.from + 1}–${shown.to + 1} · ${short(node.tokens.source)} → ${short(after)}`;
      item.iconPath = new vscode.ThemeIcon(
        node.audit.faults.length > 0 ? 'warning' : node.depth > 0 ? 'layers' : 'note',
      );
      item.contextValue = 'threadkeeper.node';
      item.tooltip = nodeTooltip(conversation, node.id);
      item.command = command(vscode.l10n.t('Open'), () => openNodeDocument(journal.id, node));
      return item;
    }
    case 'messages': {
      const item = new vscode.TreeItem(vscode.l10n.t('Messages {0}–{1}', row.from + 1, row.to + 1), Collapsed);
      item.iconPath = new vscode.ThemeIcon('list-unordered');
      return item;
    }
    case 'nodeEvents': {
      const item = new vscode.TreeItem(vscode.l10n.t('Key events'), Collapsed);
      item.description = String(eventsIn(conversation, row.node).length);
      item.iconPath = new vscode.ThemeIcon('quote');
      return item;
    }
    case 'message': {
      const message = state.messages.get(row.message);
      const text = message ? messageText(message) : '';
      const item = new vscode.TreeItem(oneLine(text), None);
      item.description = `${(state.positionOf(row.message) ?? 0) + 1} · ${message?.role ?? ''}`;
      item.iconPath = new vscode.ThemeIcon(
        message?.role === 'user' ? 'account' : message?.role === 'tool' ? 'tools' : 'comment',
      );
      item.command = command(vscode.l10n.t('Open'), () =>
        openMessageDocument(journal.id, row.message, state.positionOf(row.message) ?? 0),
      );
      return item;
    }
    case 'eventKind': {
      const item = new vscode.TreeItem(KIND_LABEL[row.of](), Collapsed);
      item.description = String(eventsOf(conversation, row.of).length);
      item.iconPath = new vscode.ThemeIcon(KIND_ICON[row.of]);
      return item;
    }
    case 'event': {
      const { event } = row;
      const item = new vscode.TreeItem(oneLine(event.quote), None);
      const position = (state.positionOf(event.message) ?? 0) + 1;
      item.description = event.pinned
        ? `${position} · ${vscode.l10n.t('pinned')}`
        : event.status === 'active'
          ? String(position)
          : `${position} · ${event.status}`;
      item.iconPath = new vscode.ThemeIcon(
        event.pinned ? 'pinned' : event.status === 'active' ? 'quote' : 'circle-slash',
      );
      item.contextValue = event.pinned ? 'threadkeeper.event.pinned' : 'threadkeeper.event';
      item.tooltip = event.quote;
      item.command = command(vscode.l10n.t('Open'), () =>
        openMessageDocument(journal.id, event.message, position - 1, event.quote),
      );
      return item;
    }
    case 'task': {
      const item = new vscode.TreeItem(row.label, None);
      item.description = row.status;
      item.iconPath = new vscode.ThemeIcon(
        row.status === 'done' ? 'pass' : row.status === 'skipped' ? 'debug-step-over' : 'circle-large-outline',
      );
      return item;
    }
  }
}

function nodeChildren(conversation: Conversation, id: NodeId): Row[] {
  const { state } = conversation;
  const node = state.nodes.get(id);
  if (!node) return [];
  if (node.children.length > 0) return node.children.map((child) => ({ kind: 'node', node: child }));
  const from = state.positionOf(node.first);
  const to = state.positionOf(node.last);
  if (from === undefined || to === undefined) return [];
  const events: Row[] = eventsIn(conversation, id).length > 0 ? [{ kind: 'nodeEvents', node: id }] : [];
  return [...events, { kind: 'messages', from, to }];
}

/** Key events quoted from the messages that a node covers, oldest first. */
function eventsIn({ state }: Conversation, id: NodeId): KeyEvent[] {
  const node = state.nodes.get(id);
  const from = node && state.positionOf(node.first);
  const to = node && state.positionOf(node.last);
  if (from === undefined || to === undefined) return [];
  return [...state.events.values()].filter((event) => {
    const position = state.positionOf(event.message);
    return position !== undefined && position >= from && position <= to && !state.isRemoved(event.id);
  });
}

function messageRows({ state }: Conversation, from: number, to: number): Row[] {
  const count = to - from + 1;
  if (count > MOST_ROWS) {
    const size = Math.max(MOST_ROWS, Math.ceil(count / MOST_ROWS));
    return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
      kind: 'messages',
      from: from + i * size,
      to: Math.min(to, from + (i + 1) * size - 1),
    }));
  }
  return state.path.slice(from, to + 1).map((message) => ({ kind: 'message', message }));
}

function eventsOf({ state }: Conversation, kind: KeyEventKind): KeyEvent[] {
  return [...state.events.values()].filter((event) => event.kind === kind && !state.isRemoved(event.id));
}

function nodeTooltip({ state }: Conversation, id: NodeId): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  const node = state.nodes.get(id);
  if (!node) return text;
  text.appendText(node.brief.slice(0, 600));
  const { identifiers, quotes } = node.audit;
  text.appendMarkdown(
    `\n\n${vscode.l10n.t('{0} messages · {1} of {2} identifiers · {3} of {4} quotes · {5}', node.messages, identifiers.known, identifiers.total, quotes.known, quotes.total, node.model)}`,
  );
  return text;
}

/** Rows carry closures, not arguments that a command would have to check: the command is internal to the view. */
export const OPEN_ROW = 'threadkeeper.internal.openRow';
function command(title: string, open: () => Promise<void>): vscode.Command {
  return { command: OPEN_ROW, title, arguments: [open] };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 120);
}

const SECTION_LABEL: Readonly<Record<'context' | 'summaries' | 'events' | 'tasks', () => string>> = {
  context: () => vscode.l10n.t('Now in context'),
  summaries: () => vscode.l10n.t('Summaries'),
  events: () => vscode.l10n.t('Key events'),
  tasks: () => vscode.l10n.t('Tasks'),
};
const SECTION_ICON = { context: 'pulse', summaries: 'layers', events: 'quote', tasks: 'checklist' } as const;
const KIND_LABEL: Readonly<Record<KeyEventKind, () => string>> = {
  decision: () => vscode.l10n.t('Decisions'),
  error: () => vscode.l10n.t('Errors'),
  preference: () => vscode.l10n.t('Preferences'),
  constraint: () => vscode.l10n.t('Constraints'),
  configuration: () => vscode.l10n.t('Configuration'),
  fact: () => vscode.l10n.t('Facts'),
  todo: () => vscode.l10n.t('To do'),
  outcome: () => vscode.l10n.t('Outcomes'),
};
const KIND_ICON: Readonly<Record<KeyEventKind, string>> = {
  decision: 'law',
  error: 'error',
  preference: 'heart',
  constraint: 'lock',
  configuration: 'settings',
  fact: 'lightbulb',
  todo: 'tasklist',
  outcome: 'pass',
};
