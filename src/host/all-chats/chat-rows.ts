import path from 'node:path';
import type { DroppedEvent, DroppedGroup } from '../../app/library/dropped-events.ts';
import type { ChatList, ListedChat } from '../../app/library/chat-library.ts';
import type { Refused, Tool } from '../../app/library/source.ts';

/** A row of the *All Chats* view. */
export type ChatRow =
  | { readonly kind: 'workspace'; readonly folder: string; readonly isOpen: boolean; readonly rows: readonly ChatRow[] }
  | { readonly kind: 'tool'; readonly tool: Tool; readonly isOpen: boolean; readonly rows: readonly ChatRow[] }
  | ChatItemRow
  | CompactionRow
  | DroppedRow
  | DroppedEventRow
  | { readonly kind: 'nothingDropped' }
  | { readonly kind: 'refusals'; readonly refused: readonly Refused[] }
  | { readonly kind: 'refusal'; readonly refused: Refused };

export interface ChatItemRow {
  readonly kind: 'chat';
  readonly chat: ListedChat;
  /** Sub-agents that worked for it. */
  readonly subagents: readonly ListedChat[];
}

/** A compaction by the tool itself, by its number in the chat. */
export interface CompactionRow {
  readonly kind: 'compaction';
  readonly chat: ListedChat;
  readonly index: number;
}

/** Key events that a compaction lost, to be read at once. */
export interface DroppedRow {
  readonly kind: 'dropped';
  readonly chat: ListedChat;
  readonly group: DroppedGroup;
}

export interface DroppedEventRow {
  readonly kind: 'droppedEvent';
  readonly chat: ListedChat;
  readonly event: DroppedEvent;
}

/** The rows of the view: by workspace, the open one first, then tool and time. */
export function chatRows({ chats, refused }: ChatList, openFolders: readonly string[]): readonly ChatRow[] {
  const byParent = Map.groupBy(chats, ({ entry }) => parentKey(entry.tool, entry.parent ?? ''));
  const ids = new Set(chats.map(({ entry }) => parentKey(entry.tool, entry.id)));
  const isSubagent = ({ entry: { tool, id, parent } }: ListedChat): boolean =>
    parent !== undefined && parent !== id && ids.has(parentKey(tool, parent));
  const main = chats.filter((chat) => !isSubagent(chat)).sort(byTime);
  const workspaces = [...Map.groupBy(main, ({ entry }) => entry.workspace ?? '')].map(([folder, some]) => {
    const isOpen = openFolders.some((open) => isWithin(folder, open));
    const rows = [...Map.groupBy(some, ({ entry }) => entry.tool)].map(([tool, ofTool]) => ({
      kind: 'tool' as const,
      tool,
      isOpen,
      rows: ofTool.map((chat) => ({
        kind: 'chat' as const,
        chat,
        subagents: (byParent.get(parentKey(tool, chat.entry.id)) ?? []).filter(isSubagent).sort(byTime),
      })),
    }));
    return { kind: 'workspace' as const, folder, isOpen, rows };
  });
  return [
    ...workspaces.filter(({ isOpen }) => isOpen),
    ...workspaces.filter(({ isOpen, folder }) => !isOpen && folder !== ''),
    ...workspaces.filter(({ isOpen, folder }) => !isOpen && folder === ''),
    ...(refused.length > 0 ? [{ kind: 'refusals' as const, refused }] : []),
  ];
}

/** What stands below a row; what a compaction lost is found out when its row is opened. */
export function rowsBelow(row: ChatRow): readonly ChatRow[] {
  switch (row.kind) {
    case 'workspace':
    case 'tool':
      return row.rows;
    case 'chat': {
      const { chat, subagents } = row;
      const compactions = Array.from({ length: chat.entry.compactions }, (_, index) => index);
      return [
        ...compactions.map((index) => ({ kind: 'compaction' as const, chat, index })),
        ...subagents.map((one) => ({ kind: 'chat' as const, chat: one, subagents: [] })),
      ];
    }
    case 'refusals':
      return row.refused.map((refused) => ({ kind: 'refusal' as const, refused }));
    case 'dropped': {
      const { chat, group } = row;
      const [only, ...others] = group.events;
      // A group of one is its event.
      return only && others.length > 0 ? group.events.map((event) => ({ kind: 'droppedEvent', chat, event })) : [];
    }
    case 'compaction':
    case 'droppedEvent':
    case 'nothingDropped':
    case 'refusal':
      return [];
  }
}

const parentKey = (tool: Tool, id: string): string => `${tool} ${id}`;

function byTime(a: ListedChat, b: ListedChat): number {
  return b.entry.updatedAt - a.entry.updatedAt;
}

function isWithin(folder: string, open: string): boolean {
  const relative = path.relative(open, folder);
  return folder !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

const hasKind = (value: unknown, kind: ChatRow['kind']): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
export const isToolRow = (row: unknown): row is Extract<ChatRow, { kind: 'tool' }> => hasKind(row, 'tool');
export const isChatRow = (row: unknown): row is ChatItemRow => hasKind(row, 'chat');
export const isDroppedRow = (row: unknown): row is DroppedRow | DroppedEventRow =>
  hasKind(row, 'dropped') || hasKind(row, 'droppedEvent');
