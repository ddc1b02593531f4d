import path from 'node:path';
import { FollowedChats } from '../../src/worker/followed-chats.ts';
import { claudeMessage, iso } from './tool-homes/conversation.ts';

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

/** Creates messages of the Claude Code chat `ports` in the folder `cwd`, a number of seconds after its start. */
export const portsChat =
  (cwd: string) =>
  (second: number, role: 'user' | 'assistant', content: unknown, more: object = {}): object => {
    const message = role === 'assistant' ? { id: `m${second}`, model: 'opus' } : {};
    return claudeMessage(role, content, { sessionId: 'ports', cwd, timestamp: iso(second), message, ...more });
  };

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
