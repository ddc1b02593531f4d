import path from 'node:path';
import * as vscode from 'vscode';
import { TOOL_NAMES } from '../../app/library/source.ts';
import { COMMAND } from '../platform/ids.ts';
import { locale, messagesText } from '../platform/l10n.ts';
import { translated } from '../platform/translated.ts';
import type { ListedChat } from '../../app/library/chat-library.ts';
import type { AllChats } from './all-chats.ts';
import { chatRows, rowsBelow, type ChatItemRow, type ChatRow } from './chat-rows.ts';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** The *All Chats* view. */
export class ChatsTree implements vscode.TreeDataProvider<ChatRow>, vscode.Disposable {
  readonly #chats: AllChats;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;

  constructor(chats: AllChats) {
    this.#chats = chats;
    this.#subscription = chats.onDidChange(() => this.#changed.fire(undefined));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async getChildren(row?: ChatRow): Promise<ChatRow[]> {
    if (row) return [...rowsBelow(row)];
    const { workspaceFolders = [] } = vscode.workspace;
    return [
      ...chatRows(
        await this.#chats.list(),
        workspaceFolders.map(({ uri }) => uri.fsPath),
      ),
    ];
  }

  getTreeItem(row: ChatRow): vscode.TreeItem {
    switch (row.kind) {
      case 'workspace': {
        const name = row.folder === '' ? vscode.l10n.t('No Workspace') : path.basename(row.folder);
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
        const item = new vscode.TreeItem(vscode.l10n.t('Compaction {0}', row.index + 1), None);
        item.iconPath = new vscode.ThemeIcon('fold');
        item.contextValue = 'threadkeeper.compaction';
        item.tooltip = vscode.l10n.t(
          '{0} replaced the earlier messages with a summary.',
          TOOL_NAMES[row.chat.entry.tool],
        );
        return item;
      }
      case 'refusals': {
        const item = new vscode.TreeItem(vscode.l10n.t('Not read'), Collapsed);
        item.iconPath = new vscode.ThemeIcon('warning');
        item.description = String(row.refused.length);
        return item;
      }
      case 'refusal': {
        const item = new vscode.TreeItem(path.basename(row.refused.path), None);
        item.description = translated(row.refused.reason);
        item.tooltip = `${row.refused.path}\n${translated(row.refused.reason)}`;
        return item;
      }
    }
  }
}

const ICONS = {
  none: 'comment-discussion',
  copy: 'copy',
  continued: 'debug-continue',
  fork: 'repo-forked',
  subagent: 'type-hierarchy-sub',
} as const;

/** How a chat stands to another one, in a word or two. */
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
  const { chat, subagents } = row;
  const { entry, isGone } = chat;
  const hasRows = entry.compactions > 0 || subagents.length > 0;
  const item = new vscode.TreeItem(entry.title, hasRows ? Collapsed : None);
  const when = new Date(entry.updatedAt).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' });
  item.id = chat.key;
  const relation = relationText(chat);
  item.description = relation === undefined ? when : `${relation} · ${when}`;
  item.iconPath = new vscode.ThemeIcon(isGone ? 'archive' : ICONS[chat.relation?.kind ?? 'none']);
  item.contextValue = 'threadkeeper.chat';
  item.command = { command: COMMAND.openKeptChat, title: vscode.l10n.t('Open'), arguments: [row] };
  item.tooltip = [
    entry.title,
    `${TOOL_NAMES[entry.tool]} · ${messagesText(entry.messages)} · ${when}`,
    entry.path,
    ...(isGone
      ? [vscode.l10n.t('{0} no longer has this chat. This is Threadkeeper’s copy.', TOOL_NAMES[entry.tool])]
      : []),
  ].join('\n');
  return item;
}
