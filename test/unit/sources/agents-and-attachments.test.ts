import assert from 'node:assert/strict';
import { readSession, type ReadSession } from '../../../src/app/library/read-session.ts';
import type { Tool } from '../../../src/app/library/source.ts';
import { allSources } from '../../../src/sources/all-sources.ts';
import type { Databases } from '../../../src/sources/databases.ts';
import { jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { homeForEachTest } from '../../support/tool-homes/home-for-each-test.ts';

describe('agents and attachments in other tools', () => {
  let home = '';
  let databases: Databases;
  homeForEachTest((folder, own) => {
    home = folder;
    databases = own;
  });

  const readAll = async (tool: Tool): Promise<ReadSession[]> => {
    const source = allSources({ folder: home, env: {} }, databases).find((one) => one.tool === tool)!;
    const { files, unreadable } = await source.find();
    assert.deepEqual(unreadable, []);
    return Promise.all(files.map((file) => readSession(source, file)));
  };

  it('finds the agents of Claude Code’s workflows, but not the list of their results', async () => {
    const said = (content: string, more: object = {}): object => ({
      type: 'user',
      sessionId: 's1',
      message: { role: 'user', content },
      ...more,
    });
    const project = '.claude/projects/-home-sam-api';
    putFile(home, `${project}/s1.jsonl`, jsonl(said('Which port?')));
    const run = `${project}/s1/subagents/workflows/run-1`;
    putFile(home, `${run}/agent-a1.jsonl`, jsonl(said('Look.', { isSidechain: true, agentId: 'a1' })));
    putFile(home, `${run}/journal.jsonl`, jsonl({ type: 'result', agentId: 'a1', result: '8080.' }));
    const sessions = await readAll('claude-code');
    assert.deepEqual(sessions.map(({ facts }) => [facts.id, facts.parent]).sort(), [
      ['a1', 's1'],
      ['s1', undefined],
    ]);
  });
});
