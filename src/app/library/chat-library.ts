import type { Phrase } from '../../core/text/phrase.ts';
import type { ChatHit, ChatQuery, FileDeed } from './chat-index.ts';
import type { CopiedSession, PassReport } from './library.ts';
import type { Relation } from './relations.ts';
import type { LibraryEntry } from './read-session.ts';
import type { Refused, Tool } from './source.ts';

/** What a tool has on this machine, told without reading its chats. */
export interface FoundChats {
  readonly tool: Tool;
  readonly sessions: number;
  readonly bytes: number;
  /** When the newest one was changed, in ms since the epoch. */
  readonly newestAt: number;
  readonly refused: readonly Refused[];
}

/** A chat as lists show it. */
export interface ListedChat {
  readonly key: string;
  readonly entry: LibraryEntry;
  /** How it stands to another chat of the tool. */
  readonly relation?: Relation | undefined;
  /** The tool no longer has it. */
  readonly isGone: boolean;
}

export interface ChatList {
  readonly chats: readonly ListedChat[];
  readonly refused: readonly Refused[];
  /** The tools of which there are copies on disk, also such as a pass that was killed has left. */
  readonly copied: readonly Tool[];
  /** What our copies take on disk. */
  readonly bytes: number;
}

export interface FollowOptions {
  readonly tools: readonly Tool[];
  /** Chats that were changed longer ago than so many ms are not kept; 0 keeps all. */
  readonly keepMs: number;
}

/** What the library tells while it works. */
export type ChatNews =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'changed' }
  /** Something that nobody waited for went wrong; it is tried again. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * The chats from other tools, for the editor. It works in a thread of its own, so everything that is asked and answered
 * is plain data.
 */
export interface ChatLibrary {
  find(): Promise<readonly FoundChats[]>;
  /** Follows these tools and no others from now on; resolves when what they have has been read. */
  follow(options: FollowOptions): Promise<PassReport>;
  /** Ends the pass that runs; what it has read is kept, and the rest is read by the next one. */
  cancel(): Promise<void>;
  list(): Promise<ChatList>;
  /** Undefined for a chat that is no longer kept. */
  read(key: string): Promise<CopiedSession | undefined>;
  search(query: ChatQuery): Promise<readonly ChatHit[]>;
  /** What was done to a file in any chat, by its path. */
  fileDeeds(file: string): Promise<readonly FileDeed[]>;
  forget(tool: Tool): Promise<void>;
  close(): Promise<void>;
}

export const CHAT_LIBRARY_METHODS = [
  'find',
  'follow',
  'cancel',
  'list',
  'read',
  'search',
  'fileDeeds',
  'forget',
  'close',
] as const;

/** A call of a method, sent to the thread. */
export interface ChatCall {
  readonly id: number;
  readonly method: keyof ChatLibrary;
  readonly args: readonly unknown[];
}

/** What the thread sends: the result of a call, why it failed, or news. */
export type ChatReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: Phrase }
  | { readonly news: ChatNews };
