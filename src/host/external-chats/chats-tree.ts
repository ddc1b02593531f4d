import path from 'node:path';
import * as vscode from 'vscode';
import type { DroppedEvent, DroppedGroup } from '../../app/library/dropped-events.ts';
import type { Relation } from '../../app/library/session-relations.ts';
import { TOOL_NAMES, type UnreadablePath } from '../../app/library/source.ts';
import { yieldIfDue, type Yielder } from '../../core/pace/yielder.ts';
import { runYielding } from '../../core/pace/steps.ts';
import { KIND_ICON, kindName } from '../platform/key-event-kinds.ts';
import { dateTimeText, keyEventsText, messagesText, shortLine, titleText, translated } from '../platform/l10n.ts';
import type { ChatList, ListedChat } from '../../app/library/chat-library-calls.ts';
import { isUnder, openFolders } from '../platform/workspace-files.ts';
import type { ExternalChats } from './external-chats.ts';
import { chatItems, type ChatItem, type ChatRow } from './chat-rows.ts';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** Growth after which dropped events are determined again. Doing that for each new message would be slow. */
const OUTDATED_GROWTH = 1.1;

/** The *Chats from Other Tools* view. */
export function chatsTree(chats: ExternalChats, yielder: Yielder) {
  /** By the chat's key and the compaction's index: the dropped events, and the number of messages at that time. */
  const droppedByCompaction = new Map<string, { messages: number; groups: Promise<readonly DroppedGroup[]> }>();

  /** The rows by workspace, the open one first, then by tool and time. */
  const topRows = ({ chats: listed, unreadable }: ChatList): readonly ChatRow[] => {
    const rankOf = (folder: string): number => {
      if (folder === '') return 2;
      return openFolders().some((opened) => isUnder(opened, folder)) ? 0 : 1;
    };
    const workspaces = [...Map.groupBy(chatItems(listed), ({ chat }) => chat.entry.workspace ?? '')]
      .map(([folder, items]) => ({ folder, items, rank: rankOf(folder) }))
      .sort((a, b) => a.rank - b.rank);
    const sameName = Map.groupBy(workspaces, ({ folder }) => path.basename(folder));
    return [
      ...workspaces.map(({ folder, items, rank }): ChatRow => {
        const state = rank === 0 ? Expanded : Collapsed;
        const name = folder === '' ? vscode.l10n.t('No workspace') : path.basename(folder);
        const isAmbiguous = (sameName.get(path.basename(folder)) ?? []).length > 1;
        return {
          item: treeItem(name, state, {
            iconPath: new vscode.ThemeIcon('folder'),
            tooltip: folder,
            ...(isAmbiguous && { description: path.dirname(folder) }),
          }),
          rows: [...Map.groupBy(items, ({ chat }) => chat.entry.tool)].map(([tool, ofTool]) => ({
            item: treeItem(TOOL_NAMES[tool], state, {
              contextValue: 'threadkeeper.tool',
              description: String(ofTool.length),
            }),
            load: () => chatRows(ofTool),
            tool,
          })),
        };
      }),
      ...(unreadable.length > 0 ? [unreadableRow(unreadable)] : []),
    ];
  };

  /** Yields, because formatting the times of hundreds of chats takes noticeable time. */
  const chatRows = async (items: readonly ChatItem[]): Promise<readonly ChatRow[]> => {
    const rows: ChatRow[] = [];
    for (const each of items) {
      rows.push(chatRow(each));
      await yieldIfDue(yielder);
    }
    return rows;
  };

  const chatRow = ({ chat, below }: ChatItem): ChatRow => {
    const { key, entry, isGone, relation } = chat;
    const tool = TOOL_NAMES[entry.tool];
    const title = titleText(entry.title);
    const when = dateTimeText(entry.updatedAt);
    const lines = [title, `${tool} · ${messagesText(entry.messages)} · ${when}`, entry.path];
    if (isGone) lines.push(vscode.l10n.t('{0} no longer has this chat. This is Threadkeeper’s copy.', tool));
    const rows = [
      ...Array.from({ length: entry.compactions }, (_, index) => compactionRow(chat, index)),
      ...below.map(chatRow),
    ];
    return {
      item: treeItem(title, rows.length > 0 ? Collapsed : None, {
        id: key,
        description: [...(relation ? [relationText(relation)] : []), when].join(' · '),
        iconPath: new vscode.ThemeIcon(isGone ? 'archive' : ICONS[relation?.kind ?? 'none']),
        contextValue: 'threadkeeper.chat',
        command: openCommand(chat),
        tooltip: lines.join('\n'),
      }),
      rows,
      chat,
    };
  };

  const compactionRow = (chat: ListedChat, index: number): ChatRow => {
    const tooltip = vscode.l10n.t(
      '{0} replaced the earlier messages with a summary. Expand to see the key events that are missing from it.',
      TOOL_NAMES[chat.entry.tool],
    );
    const label = vscode.l10n.t('Compaction {0}', index + 1);
    return {
      item: treeItem(label, Collapsed, { iconPath: new vscode.ThemeIcon('fold'), tooltip }),
      load: () => droppedRows(chat, index),
    };
  };

  const droppedRows = async (chat: ListedChat, index: number): Promise<readonly ChatRow[]> => {
    const { messages } = chat.entry;
    const key = `${chat.key} ${index}`;
    let dropped = droppedByCompaction.get(key);
    if (!dropped || messages < dropped.messages || messages > dropped.messages * OUTDATED_GROWTH)
      droppedByCompaction.set(key, (dropped = { messages, groups: droppedBy(chat, index) }));
    // Retry after a failure.
    dropped.groups.catch(() => droppedByCompaction.delete(key));
    const groups = await dropped.groups;
    return groups.length === 0
      ? [{ item: treeItem(vscode.l10n.t('No missing key events found.'), None) }]
      : groups.map((group) => groupRow(chat, group));
  };

  const droppedBy = async ({ key }: ListedChat, index: number): Promise<readonly DroppedGroup[]> => {
    const copy = await chats.library.read(key);
    const compaction = copy?.compactions[index];
    if (!compaction) return [];
    const { droppedEvents } = await import('../../app/library/dropped-events.ts');
    const { messages } = copy;
    const { before, summary } = compaction;
    return runYielding(droppedEvents(messages.slice(0, before), summary, messages.slice(before)), yielder);
  };

  return {
    onDidChangeTreeData: chats.onDidChange,
    getChildren: async (row?: ChatRow): Promise<ChatRow[]> => [
      ...(row ? (row.rows ?? (await row.load?.()) ?? []) : topRows(await chats.list())),
    ],
    getTreeItem: ({ item }: ChatRow): vscode.TreeItem => item,
  };
}

const treeItem = (
  label: string,
  state: vscode.TreeItemCollapsibleState,
  more: Partial<vscode.TreeItem> = {},
): vscode.TreeItem => Object.assign(new vscode.TreeItem(label, state), more);

const openCommand = (chat: ListedChat, message?: number): vscode.Command => ({
  command: 'threadkeeper.openKeptChat',
  title: vscode.l10n.t('Open'),
  arguments: [{ chat }, message],
});

/** Key events that a compaction dropped, which are shown together. A single one has no rows below. */
function groupRow(chat: ListedChat, { from, to, events }: DroppedGroup): ChatRow {
  const position =
    from === to ? vscode.l10n.t('Message {0}', from + 1) : vscode.l10n.t('Messages {0}–{1}', from + 1, to + 1);
  const isSingle = events.length === 1;
  const { item } = eventRow(chat, events[0]!, isSingle ? position : `${keyEventsText(events.length)} · ${position}`);
  item.tooltip = events.map(({ kind, quote }) => `${kindName(kind)}: ${quote}`).join('\n\n');
  if (isSingle) return { item, chat, dropped: events };
  item.collapsibleState = Collapsed;
  return { item, rows: events.map((event) => eventRow(chat, event, kindName(event.kind))), chat, dropped: events };
}

function eventRow(chat: ListedChat, event: DroppedEvent, description: string): ChatRow {
  const { kind, quote, message } = event;
  const item = treeItem(shortLine(quote), None, {
    description,
    tooltip: quote,
    iconPath: new vscode.ThemeIcon(KIND_ICON[kind]),
    contextValue: 'threadkeeper.dropped',
    command: openCommand(chat, message),
  });
  return { item, chat, dropped: [event] };
}

function unreadableRow(unreadable: readonly UnreadablePath[]): ChatRow {
  return {
    item: treeItem(vscode.l10n.t('Unreadable files'), Collapsed, {
      iconPath: new vscode.ThemeIcon('warning'),
      description: String(unreadable.length),
    }),
    rows: unreadable.map(({ path: file, reason }) => {
      const description = translated(reason);
      return { item: treeItem(path.basename(file), None, { description, tooltip: `${file}\n${description}` }) };
    }),
  };
}

const ICONS = {
  none: 'comment-discussion',
  copy: 'copy',
  continued: 'debug-continue',
  fork: 'repo-forked',
  subagent: 'type-hierarchy-sub',
} as const;

const relationText = ({ kind, shared }: Relation): string =>
  ({
    copy: vscode.l10n.t('same chat in another file'),
    continued: vscode.l10n.t('continues another chat'),
    fork: vscode.l10n.t('fork after message {0}', shared),
    subagent: vscode.l10n.t('subagent'),
  })[kind];
