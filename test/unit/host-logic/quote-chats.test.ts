import assert from 'node:assert/strict';
import type * as ExternalChatsModule from '../../../src/host/external-chats/external-chats.ts';
import type { FollowedChats } from '../../../src/worker/followed-chats.ts';
import { followClaudeCode } from '../../support/external-chats.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { jsonl, putFile } from '../../support/tool-homes/conversation.ts';

describe('quotes from copied chats', () => {
  let tempFolder = '';
  let chats: FollowedChats;
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

  folderForAllTests((made) => (tempFolder = made));
  before(async () => {
    const userLine = (cwd: string, content: string): string =>
      jsonl({ type: 'user', cwd, timestamp: '2026-03-02T09:00:00Z', message: { role: 'user', content } });
    putFile(
      tempFolder,
      'home/.claude/projects/api/a.jsonl',
      userLine('/home/sam/api', `The api port is 4600, the token ${secret}.`),
    );
    putFile(tempFolder, 'home/.claude/projects/web/b.jsonl', userLine('/home/sam/api/web', 'The web port is 4601.'));
    putFile(tempFolder, 'home/.claude/projects/other/c.jsonl', userLine('/home/sam/other', 'The other port is 4602.'));
    chats = await followClaudeCode(tempFolder);
  });
  after(() => chats.close());

  async function quotes(folders: readonly string[] | undefined, limit = 5): Promise<readonly string[]> {
    const workspaceFolders = folders?.map((fsPath) => ({ uri: { fsPath } }));
    const load = hostIn({ workspace: { workspaceFolders } });
    const { quoteChats } = await load<typeof ExternalChatsModule>('external-chats/external-chats.ts');
    const external = { list: () => chats.list(), library: chats };
    const found = await quoteChats(external, 'port', limit);
    return found.map(({ session, message, text }) => `${session.replace(/:.*/, '')} ${message} ${text}`);
  }

  it('are those of the open folders, with the tool’s name and masked secrets', async () => {
    assert.deepEqual((await quotes(['/home/sam/api'])).toSorted(), [
      'Claude Code 1 The api port is 4600, the token [redacted: github-token].',
      'Claude Code 1 The web port is 4601.',
    ]);
    assert.deepEqual((await quotes(['/home/sam/other', '/home/sam/api/web'])).toSorted(), [
      'Claude Code 1 The other port is 4602.',
      'Claude Code 1 The web port is 4601.',
    ]);
    assert.equal((await quotes(['/home/sam'], 2)).length, 2);
  });

  it('are empty without an open folder, or if nothing was copied', async () => {
    assert.deepEqual(await quotes(undefined), []);
    assert.deepEqual(await quotes(['/home/sam/new']), []);
  });
});
