import path from 'node:path';
import * as vscode from 'vscode';
import type { DroppedEvent, DroppedGroup } from '../../app/library/dropped-events.ts';
import { TOOL_NAMES } from '../../app/library/source.ts';
import type { Yielder } from '../../core/pace/yielder.ts';
import { runYielding } from '../../core/pace/steps.ts';
import { KIND_ICON, kindName } from '../platform/key-event-kinds.ts';
import { keyEventsText, locale, messagesText, oneLine, titleText, translated } from '../platform/l10n.ts';
import type { ListedChat } from '../../app/library/chat-library-calls.ts';
import type { ExternalChats } from './external-chats.ts';
import {
  chatRows,
  childRows,
  type ChatItemRow,
  type ChatRow,
  type CompactionRow,
  type DroppedGroupRow,
} from './chat-rows.ts';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/**
 * Growth of a chat after which what a compaction dropped is determined again. Reading a chat in progress for each new
 * message would be slow, and few messages repeat what was dropped.
 */
const OUTDATED_GROWTH = 1.1;

/** What a compaction dropped when the chat had a number of messages. */
interface Dropped {
  readonly messages: number;
  readonly groups: Promise<readonly DroppedGroup[]>;
}

/** The *Chats from Other Tools* view. */
export class ChatsTree implements vscode.TreeDataProvider<ChatRow>, vscode.Disposable {
  readonly #chats: ExternalChats;
  readonly #yielder: Yielder;
  /** What expanded compactions dropped, by the chat's key and the compaction's index. */
  readonly #dropped = new Map<string, Dropped>();
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(chats: ExternalChats, yielder: Yielder) {
    this.#chats = chats;
    this.#yielder = yielder;
    this.#subscription = chats.onDidChange(() => this.#changed.fire(undefined));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async getChildren(row?: ChatRow): Promise<ChatRow[]> {
    if (row?.kind === 'compaction') return this.#droppedRows(row);
    if (row) return [...childRows(row)];
    const { workspaceFolders = [] } = vscode.workspace;
    return [
      ...chatRows(
        await this.#chats.list(),
        workspaceFolders.map(({ uri }) => uri.fsPath),
      ),
    ];
  }

  async #droppedRows(row: CompactionRow): Promise<ChatRow[]> {
    const { chat, index } = row;
    const { messages } = chat.entry;
    const key = `${chat.key} ${index}`;
    let dropped = this.#dropped.get(key);
    if (!dropped || messages < dropped.messages || messages > dropped.messages * OUTDATED_GROWTH)
      this.#dropped.set(key, (dropped = { messages, groups: this.#droppedBy(row) }));
    // Retry after a failure.
    dropped.groups.catch(() => this.#dropped.delete(key));
    const groups = await dropped.groups;
    return groups.length === 0
      ? [{ kind: 'nothingDropped' }]
      : groups.map((group) => ({ kind: 'dropped', chat, group }));
  }

  async #droppedBy({ chat, index }: CompactionRow): Promise<readonly DroppedGroup[]> {
    const copy = await this.#chats.library.read(chat.key);
    const compaction = copy?.compactions[index];
    if (!compaction) return [];
    const { droppedEvents } = await import('../../app/library/dropped-events.ts');
    const { messages } = copy;
    const { before, summary } = compaction;
    return runYielding(droppedEvents(messages.slice(0, before), summary, messages.slice(before)), this.#yielder);
  }

  getTreeItem(row: ChatRow): vscode.TreeItem {
    switch (row.kind) {
      case 'workspace': {
        const name = row.folder === '' ? vscode.l10n.t('No workspace') : path.basename(row.folder);
        const item = new vscode.TreeItem(name, row.isOpen ? Expanded : Collapsed);
        item.iconPath = new vscode.ThemeIcon('folder');
        item.tooltip = row.folder;
        return item;
      }
      case 'tool': {
        const item = new vscode.TreeItem(TOOL_NAMES[row.tool], row.isOpen ? Expanded : Collapsed);
        item.contextValue = 'threadkeeper.tool';
        item.description = String(row.rows.length);
        return item;
      }
      case 'chat':
        return chatItem(row);
      case 'compaction': {
        const item = new vscode.TreeItem(vscode.l10n.t('Compaction {0}', row.index + 1), Collapsed);
        item.iconPath = new vscode.ThemeIcon('fold');
        item.tooltip = vscode.l10n.t(
          '{0} replaced the earlier messages with a summary. Expand to see the key events that are missing from it.',
          TOOL_NAMES[row.chat.entry.tool],
        );
        return item;
      }
      case 'dropped':
        return groupItem(row);
      case 'droppedEvent':
        return eventItem(row.chat, row.event, kindName(row.event.kind));
      case 'nothingDropped':
        return new vscode.TreeItem(vscode.l10n.t('No missing key events found.'), None);
      case 'unreadablePaths': {
        const item = new vscode.TreeItem(vscode.l10n.t('Unreadable files'), Collapsed);
        item.iconPath = new vscode.ThemeIcon('warning');
        item.description = String(row.unreadable.length);
        return item;
      }
      case 'unreadablePath': {
        const item = new vscode.TreeItem(path.basename(row.unreadable.path), None);
        item.description = translated(row.unreadable.reason);
        item.tooltip = `${row.unreadable.path}\n${translated(row.unreadable.reason)}`;
        return item;
      }
    }
  }
}

function groupItem({ chat, group: { from, to, events } }: DroppedGroupRow): vscode.TreeItem {
  const position =
    from === to ? vscode.l10n.t('Message {0}', from + 1) : vscode.l10n.t('Messages {0}–{1}', from + 1, to + 1);
  const count = events.length > 1 ? `${keyEventsText(events.length)} · ` : '';
  const item = eventItem(chat, events[0]!, count + position);
  if (events.length > 1) item.collapsibleState = Collapsed;
  item.tooltip = events.map(({ kind, quote }) => `${kindName(kind)}: ${quote}`).join('\n\n');
  return item;
}

/** A row that opens the chat at the event's message. */
function eventItem(chat: ListedChat, { kind, quote, message }: DroppedEvent, description: string): vscode.TreeItem {
  const item = new vscode.TreeItem(oneLine(quote), None);
  item.description = description;
  item.tooltip = quote;
  item.iconPath = new vscode.ThemeIcon(KIND_ICON[kind]);
  item.contextValue = 'threadkeeper.dropped';
  const row: ChatItemRow = { kind: 'chat', chat, below: [] };
  item.command = { command: 'threadkeeper.openKeptChat', title: vscode.l10n.t('Open'), arguments: [row, message] };
  return item;
}

const ICONS = {
  none: 'comment-discussion',
  copy: 'copy',
  continued: 'debug-continue',
  fork: 'repo-forked',
  subagent: 'type-hierarchy-sub',
} as const;

function relationText({ relation }: ListedChat): string | undefined {
  if (!relation) return undefined;
  switch (relation.kind) {
    case 'copy':
      return vscode.l10n.t('same chat in another file');
    case 'continued':
      return vscode.l10n.t('continues another chat');
    case 'fork':
      return vscode.l10n.t('fork after message {0}', relation.shared);
    case 'subagent':
      return vscode.l10n.t('subagent');
  }
}

function chatItem(row: ChatItemRow): vscode.TreeItem {
  const { chat, below } = row;
  const { entry, isGone } = chat;
  const hasRows = entry.compactions > 0 || below.length > 0;
  const item = new vscode.TreeItem(titleText(entry.title), hasRows ? Collapsed : None);
  const when = new Date(entry.updatedAt).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' });
  item.id = chat.key;
  const relation = relationText(chat);
  item.description = relation === undefined ? when : `${relation} · ${when}`;
  item.iconPath = new vscode.ThemeIcon(isGone ? 'archive' : ICONS[chat.relation?.kind ?? 'none']);
  item.contextValue = 'threadkeeper.chat';
  item.command = { command: 'threadkeeper.openKeptChat', title: vscode.l10n.t('Open'), arguments: [row] };
  item.tooltip = [
    titleText(entry.title),
    `${TOOL_NAMES[entry.tool]} · ${messagesText(entry.messages)} · ${when}`,
    entry.path,
    ...(isGone
      ? [vscode.l10n.t('{0} no longer has this chat. This is Threadkeeper’s copy.', TOOL_NAMES[entry.tool])]
      : []),
  ].join('\n');
  return item;
}
