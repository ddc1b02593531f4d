import path from 'node:path';
import type { DroppedEvent, DroppedGroup } from '../../app/library/dropped-events.ts';
import type { ChatList, ListedChat } from '../../app/library/chat-library-calls.ts';
import type { UnreadablePath, Tool } from '../../app/library/source.ts';

/** A row of the *Chats from Other Tools* view. */
export type ChatRow =
  | { readonly kind: 'workspace'; readonly folder: string; readonly isOpen: boolean; readonly rows: readonly ChatRow[] }
  | { readonly kind: 'tool'; readonly tool: Tool; readonly isOpen: boolean; readonly rows: readonly ChatRow[] }
  | ChatItemRow
  | CompactionRow
  | DroppedGroupRow
  | DroppedEventRow
  | { readonly kind: 'nothingDropped' }
  | { readonly kind: 'unreadablePaths'; readonly unreadable: readonly UnreadablePath[] }
  | { readonly kind: 'unreadablePath'; readonly unreadable: UnreadablePath };

export interface ChatItemRow {
  readonly kind: 'chat';
  readonly chat: ListedChat;
  /** Other files of the same chat, and the chats of its subagents. */
  readonly below: readonly ChatItemRow[];
}

/** A compaction by the tool itself. */
export interface CompactionRow {
  readonly kind: 'compaction';
  readonly chat: ListedChat;
  /** 0-based position among the chat's compactions. */
  readonly index: number;
}

/** Key events that a compaction dropped, which are shown together. */
export interface DroppedGroupRow {
  readonly kind: 'dropped';
  readonly chat: ListedChat;
  readonly group: DroppedGroup;
}

export interface DroppedEventRow {
  readonly kind: 'droppedEvent';
  readonly chat: ListedChat;
  readonly event: DroppedEvent;
}

/** The rows of the view: by workspace, the open one first, then by tool and time. */
export function chatRows(
  { chats, unreadable }: Pick<ChatList, 'chats' | 'unreadable'>,
  openFolders: readonly string[],
): readonly ChatRow[] {
  const topLevel = chatItems(chats).sort((a, b) => byTime(a.chat, b.chat));
  const workspaces = [...Map.groupBy(topLevel, ({ chat }) => chat.entry.workspace ?? '')].map(([folder, items]) => {
    const isOpen = openFolders.some((open) => isWithin(folder, open));
    const byTool = [...Map.groupBy(items, ({ chat }) => chat.entry.tool)];
    const rows = byTool.map(([tool, ofTool]) => ({ kind: 'tool' as const, tool, isOpen, rows: ofTool }));
    return { kind: 'workspace' as const, folder, isOpen, rows };
  });
  return [
    ...workspaces.filter(({ isOpen }) => isOpen),
    ...workspaces.filter(({ isOpen, folder }) => !isOpen && folder !== ''),
    ...workspaces.filter(({ isOpen, folder }) => !isOpen && folder === ''),
    ...(unreadable.length > 0 ? [{ kind: 'unreadablePaths' as const, unreadable }] : []),
  ];
}

/** The rows below a row, except a compaction's, which are only computed when it's expanded. */
export function childRows(row: ChatRow): readonly ChatRow[] {
  switch (row.kind) {
    case 'workspace':
    case 'tool':
      return row.rows;
    case 'chat': {
      const { chat, below } = row;
      const compactions = Array.from({ length: chat.entry.compactions }, (_, index) => index);
      return [...compactions.map((index) => ({ kind: 'compaction' as const, chat, index })), ...below];
    }
    case 'unreadablePaths':
      return row.unreadable.map((unreadable) => ({ kind: 'unreadablePath' as const, unreadable }));
    case 'dropped': {
      const { chat, group } = row;
      const [only, ...others] = group.events;
      // A group with a single event is shown as that event.
      return only && others.length > 0 ? group.events.map((event) => ({ kind: 'droppedEvent', chat, event })) : [];
    }
    case 'compaction':
    case 'droppedEvent':
    case 'nothingDropped':
    case 'unreadablePath':
      return [];
  }
}

/** An item for each file. Copies and subagents are below their chat, all others at the top level. */
function chatItems(chats: readonly ListedChat[]): ChatItemRow[] {
  const groups = [...Map.groupBy(chats, ({ entry }) => qualifiedId(entry.tool, entry.id)).values()]
    .flatMap((same) => (same.some(isCopy) ? [same] : same.map((one) => [one])))
    .map(mainFirst);
  const ids = new Set(chats.map(({ entry }) => qualifiedId(entry.tool, entry.id)));
  const parentOf = ({ chat: { entry } }: MainChat): string | undefined => {
    const parent = qualifiedId(entry.tool, entry.parent ?? entry.id);
    return parent !== qualifiedId(entry.tool, entry.id) && ids.has(parent) ? parent : undefined;
  };
  const byParent = Map.groupBy(groups, parentOf);
  const remaining = new Set(groups);
  const itemsOf = (mainChats: readonly MainChat[]): ChatItemRow[] =>
    mainChats.flatMap((one) => {
      if (!remaining.delete(one)) return [];
      const { chat, copies } = one;
      const subagents = byParent.get(qualifiedId(chat.entry.tool, chat.entry.id)) ?? [];
      const below = [
        ...copies.map((copy) => ({ kind: 'chat' as const, chat: copy, below: [] })),
        ...itemsOf(subagents).sort((a, b) => byTime(a.chat, b.chat)),
      ];
      return [{ kind: 'chat', chat, below }];
    });
  // In damaged files, chats may be each other's subagents. Such a cycle isn't below any top-level chat, so it's added
  // here.
  return [...itemsOf(byParent.get(undefined) ?? []), ...itemsOf([...remaining])];
}

interface MainChat {
  readonly chat: ListedChat;
  readonly copies: readonly ListedChat[];
}

/**
 * Selects the file that represents a chat. Files that the tool still has come first, then those with the most messages,
 * then the newest.
 */
function mainFirst(same: readonly ListedChat[]): MainChat {
  const [main, ...others] = same.toSorted(
    (a, b) => Number(a.isGone) - Number(b.isGone) || b.entry.messages - a.entry.messages || byTime(a, b),
  );
  const { relation: _, ...chat } = main!;
  const relation = same.find((one) => !isCopy(one))?.relation;
  const shared = main!.relation?.shared ?? 0;
  return {
    chat: others.length === 0 ? main! : { ...chat, relation },
    copies: others.map((one) => ({ ...one, relation: { kind: 'copy', of: one.entry.id, shared } })),
  };
}

const isCopy = ({ relation }: ListedChat): boolean => relation?.kind === 'copy';
const qualifiedId = (tool: Tool, id: string): string => `${tool} ${id}`;

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
export const isChatItemRow = (row: unknown): row is ChatItemRow => hasKind(row, 'chat');
export const isDroppedEventsRow = (row: unknown): row is DroppedGroupRow | DroppedEventRow =>
  hasKind(row, 'dropped') || hasKind(row, 'droppedEvent');
