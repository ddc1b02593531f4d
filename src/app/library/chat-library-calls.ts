import type { Phrase } from '../../core/text/phrase.ts';
import type { ChatHit, ChatQuery, FileEffect } from './chat-index.ts';
import type { CopiedSession, SyncReport } from './library.ts';
import type { KeptSession } from './library-store.ts';
import type { UnreadablePath, Tool } from './source.ts';

/** A tool's chats on this machine, counted without reading them. */
export interface FoundChats {
  readonly tool: Tool;
  readonly sessions: number;
  readonly bytes: number;
  /** Last change of the newest one, in ms since the epoch. */
  readonly newestAt: number;
  readonly unreadable: readonly UnreadablePath[];
}

export type ListedChat = Pick<KeptSession, 'key' | 'entry' | 'relation' | 'isGone'>;

export interface ChatList {
  readonly chats: readonly ListedChat[];
  readonly unreadable: readonly UnreadablePath[];
  /** Tools with copies on disk, including incomplete ones of a process that was killed. */
  readonly copied: readonly Tool[];
  /** Size of the copies on disk. */
  readonly bytes: number;
}

export interface FollowOptions {
  readonly tools: readonly Tool[];
  /** Maximum time since a copied chat's last change, in ms; 0: no limit. */
  readonly keepMs: number;
}

export type ChatLibraryEvent =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'changed' }
  /** Background work failed; it will be retried. */
  | { readonly type: 'failed'; readonly message: string };

/** The chats from other tools. It runs in a worker thread, so arguments and results are plain data. */
export interface ChatLibrary {
  find(): Promise<readonly FoundChats[]>;
  /** Follows only these tools from now on. Resolves when their chats have been read. */
  follow(options: FollowOptions): Promise<SyncReport>;
  /** Cancels reading. The next `follow` continues where it stopped. */
  cancel(): Promise<void>;
  list(): Promise<ChatList>;
  /** Undefined if the chat is no longer in the library. */
  read(key: string): Promise<CopiedSession | undefined>;
  search(query: ChatQuery): Promise<readonly ChatHit[]>;
  /** The tool calls in all chats that read or changed a file. `file` is a whole path, or the end of one. */
  fileEffects(file: string): Promise<readonly FileEffect[]>;
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
  'fileEffects',
  'forget',
  'close',
] as const;

export interface ChatCall {
  readonly id: number;
  readonly method: keyof ChatLibrary;
  readonly args: readonly unknown[];
}

/** A message from the worker: a call's result, its error, or a notification. */
export type ChatReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: Phrase }
  | { readonly event: ChatLibraryEvent };
