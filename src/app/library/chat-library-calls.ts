import type { Phrase } from '../../core/text/phrase.ts';
import type { ChatHit, ChatQuery, FileDeed } from './chat-index.ts';
import type { CopiedSession, PassReport } from './library.ts';
import type { Relation } from './relations.ts';
import type { LibraryEntry } from './read-session.ts';
import type { Refused, Tool } from './source.ts';

/** A tool's chats on this machine, found without reading them. */
export interface FoundChats {
  readonly tool: Tool;
  readonly sessions: number;
  readonly bytes: number;
  /** Last change of the newest one, in ms since the epoch. */
  readonly newestAt: number;
  readonly refused: readonly Refused[];
}

/** A chat as lists show it. */
export interface ListedChat {
  readonly key: string;
  readonly entry: LibraryEntry;
  /** Its relation to another chat of the same tool. */
  readonly relation?: Relation | undefined;
  /** The tool no longer has it. */
  readonly isGone: boolean;
}

export interface ChatList {
  readonly chats: readonly ListedChat[];
  readonly refused: readonly Refused[];
  /** Tools with copies on disk, including those left by a run that was killed. */
  readonly copied: readonly Tool[];
  /** Size of the copies on disk. */
  readonly bytes: number;
}

export interface FollowOptions {
  readonly tools: readonly Tool[];
  /** Chats whose last change is older than this (ms) aren't kept; 0 keeps all. */
  readonly keepMs: number;
}

/** Notifications from the library. */
export type ChatNews =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'changed' }
  /** Background work failed; it will be retried. */
  | { readonly type: 'failed'; readonly message: string };

/** The chats from other tools. It runs in a worker thread, so arguments and results must be plain data. */
export interface ChatLibrary {
  find(): Promise<readonly FoundChats[]>;
  /** Follows only these tools from now on. Resolves when their chats have been read. */
  follow(options: FollowOptions): Promise<PassReport>;
  /** Cancels reading. What was read is kept, and the next `follow` reads the rest. */
  cancel(): Promise<void>;
  list(): Promise<ChatList>;
  /** Undefined if the chat is no longer in the library. */
  read(key: string): Promise<CopiedSession | undefined>;
  search(query: ChatQuery): Promise<readonly ChatHit[]>;
  /** All tool calls, in any chat, that read or changed the file, which is given by the end of its path. */
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

/** A method call, sent to the worker. */
export interface ChatCall {
  readonly id: number;
  readonly method: keyof ChatLibrary;
  readonly args: readonly unknown[];
}

/** A message from the worker: a call's result, its error, or a notification. */
export type ChatReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: Phrase }
  | { readonly news: ChatNews };
