import path from 'node:path';
import { FollowedChats } from '../../src/worker/followed-chats.ts';

/** A chat of another tool, as the library lists it. */
export const CHAT_ENTRY = {
  id: 's',
  tool: 'codex',
  path: '/s',
  title: 'S',
  messages: 1,
  compactions: 0,
  updatedAt: 1,
} as const;

/** Copies the Claude Code chats in `folder`/home to `folder`/copies. The caller closes the result. */
export async function followClaudeCode(folder: string): Promise<FollowedChats> {
  const chats = new FollowedChats({
    folder: path.join(folder, 'copies'),
    home: { folder: path.join(folder, 'home'), env: {} },
    window: 'w',
    onLibraryEvent: () => undefined,
  });
  await chats.follow({ tools: ['claude-code'], keepMs: 0 });
  return chats;
}
