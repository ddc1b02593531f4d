import type { TreeItem } from 'vscode';
import type { DroppedEvent } from '../../app/library/dropped-events.ts';
import type { ListedChat } from '../../app/library/chat-library-calls.ts';
import type { Tool } from '../../app/library/source.ts';

export interface ChatRow {
  readonly item: TreeItem;
  readonly rows?: readonly ChatRow[];
  /** Computes the rows of a tool or a compaction when it's expanded, because that takes long. */
  readonly load?: () => Promise<readonly ChatRow[]>;
  /** The targets of commands on the row. */
  readonly tool?: Tool;
  readonly chat?: ListedChat;
  readonly dropped?: readonly DroppedEvent[];
}

export const isChatRow = (row: unknown): row is ChatRow =>
  typeof row === 'object' && row !== null && ('chat' in row || 'tool' in row);

export interface ChatItem {
  readonly chat: ListedChat;
  /** Other files of the same chat, and the chats of its subagents. */
  readonly below: readonly ChatItem[];
}

/** An item for each file, newest first. Copies and subagents are below their chat, all others at the top level. */
export function chatItems(chats: readonly ListedChat[]): readonly ChatItem[] {
  const groups = [...Map.groupBy(chats, ({ entry }) => qualifiedId(entry.tool, entry.id)).values()]
    .flatMap((same) => (same.some(isCopy) ? [same] : same.map((one) => [one])))
    .map(mainChatOf);
  const ids = new Set(chats.map(({ entry }) => qualifiedId(entry.tool, entry.id)));
  const parentOf = ({ chat: { entry } }: MainChat): string | undefined => {
    const parent = qualifiedId(entry.tool, entry.parent ?? entry.id);
    return parent !== qualifiedId(entry.tool, entry.id) && ids.has(parent) ? parent : undefined;
  };
  const byParent = Map.groupBy(groups, parentOf);
  const remaining = new Set(groups);
  const itemsOf = (mainChats: readonly MainChat[]): ChatItem[] =>
    mainChats.flatMap((one) => {
      if (!remaining.delete(one)) return [];
      const { chat, copies } = one;
      const subagents = byParent.get(qualifiedId(chat.entry.tool, chat.entry.id)) ?? [];
      const below = [...copies.map((copy) => ({ chat: copy, below: [] })), ...newestFirst(itemsOf(subagents))];
      return [{ chat, below }];
    });
  // In damaged files, chats may be each other's subagents. Such a cycle isn't below any top-level chat, so it's added
  // here.
  return newestFirst([...itemsOf(byParent.get(undefined) ?? []), ...itemsOf([...remaining])]);
}

interface MainChat {
  readonly chat: ListedChat;
  readonly copies: readonly ListedChat[];
}

/** Selects a chat's main file: files that the tool still has first, then the most messages, then the newest. */
function mainChatOf(same: readonly ListedChat[]): MainChat {
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

const byTime = (a: ListedChat, b: ListedChat): number => b.entry.updatedAt - a.entry.updatedAt;
const newestFirst = (items: readonly ChatItem[]): readonly ChatItem[] =>
  items.toSorted((a, b) => byTime(a.chat, b.chat));
