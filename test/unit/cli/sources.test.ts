import assert from 'node:assert/strict';
import fs, { mkdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { command as search } from '../../../src/cli/search.ts';
import { TOOL_FIXTURES } from '../../support/tool-homes/all-tools.ts';
import { claudeMessage, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { claudeRecords } from '../../support/tool-homes/terminal-tools.ts';
import { runCli, runJson } from './run-cli.ts';
import { folderForAllTests } from '../../support/per-test.ts';

describe('command line with other tools’ chats', () => {
  let home = '';

  folderForAllTests((made) => (home = made));
  before(() => {
    const seen = new Set<string>();
    for (const { tool, write } of TOOL_FIXTURES) {
      // One format per tool, because two would share a database.
      if (!seen.has(tool)) write(home);
      seen.add(tool);
    }
    const records = claudeRecords.map((record) => ({ ...record, sessionId: 'claude-2' }));
    const more = claudeMessage('user', 'And the harbour pilot?', {
      sessionId: 'claude-2',
      timestamp: '2026-03-03T09:00:00Z',
    });
    putFile(home, '.claude/projects/-home-sam-api/claude-2.jsonl', jsonl(...records, more));
    putFile(home, '.codex/sessions/rollout-broken.jsonl', 'no JSON at all\n');
  });

  it('lists the sessions of every tool, newest first, and names unreadable files', async () => {
    const { sessions, refused } = (await runJson('sources', '--home', home)) as {
      sessions: { id: string; tool: string; workspace: string; messages: number; updated: number; relation?: object }[];
      refused: { path: string; tool: string; reason: string }[];
    };
    assert.equal(new Set(sessions.map(({ tool }) => tool)).size, 15);
    const times = sessions.map(({ updated }) => updated);
    const expected = sessions.map(({ updated }) => updated).sort((a, b) => b - a);
    assert.deepEqual(times, expected);
    const resumed = sessions.find(({ id }) => id === 'claude-2');
    assert.deepEqual(resumed?.relation, { kind: 'continued', of: 'claude-1', shared: 4 });
    assert.deepEqual([resumed?.workspace, resumed?.messages], ['/home/sam/api', 5]);
    const reasons = refused.map((one) => [one.tool, path.basename(one.path), one.reason]);
    assert.deepEqual(reasons, [
      ['codex', 'rollout-broken.jsonl', 'The file contains no readable messages. Skipped: 1 × invalid JSON line.'],
    ]);
  });

  it('lists sessions in a human-readable format', async () => {
    const { code, out, err } = await runCli(['sources', '--home', home]);
    assert.equal(code, 0);
    assert.match(out, /^2026-03-03 {2}claude-code +5 {2}.* \(continues claude-1\)\n +\/.*\/claude-2\.jsonl$/m);
    assert.match(out, /chats: 16, skipped files: 1, dates in UTC\n$/);
    assert.match(err, /codex: .*rollout-broken\.jsonl: The file contains no readable messages/);
  });

  it('finds text in the chats of any tool', async () => {
    const { hits } = (await runJson('search', '--query', 'harbour pilot', '--home', home)) as {
      hits: { session: string; tool: string; message: number; start: number; end: number; text: string }[];
    };
    const [first] = hits;
    assert.deepEqual(
      [first?.session, first?.tool, first?.message, first?.text],
      ['claude-2', 'claude-code', 4, 'And the harbour pilot?'],
    );
    const asked = ['search', '--query', 'where is the port set', '--home', home, '--limit', '40'];
    const everywhere = (await runJson(...asked)) as { hits: typeof hits };
    assert.equal(new Set(everywhere.hits.map(({ tool }) => tool)).size, 15);
  });

  it('masks secrets in search results, wherever the excerpt ends', async () => {
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const text = `The lighthouse token is ${key}, and ${'nothing else matters here. '.repeat(60)}`;
    const folder = path.join(home, 'with-secret');
    putFile(
      folder,
      '.claude/projects/p/secret.jsonl',
      jsonl({ type: 'user', timestamp: '2026-03-02T09:00:00Z', message: { role: 'user', content: text } }),
    );
    const args = ['search', '--query', 'lighthouse token', '--home', folder];
    const { hits } = (await runJson(...args)) as { hits: { text: string; start: number; title: string }[] };
    assert.match(hits[0]?.text ?? '', /The lighthouse token is \[redacted: /);
    for (const shown of [JSON.stringify(hits), (await runCli(args)).out]) assert.ok(!shown.includes(key.slice(0, 12)));
    const { sessions } = (await runJson('sources', '--home', folder)) as { sessions: { title: string }[] };
    assert.ok(!JSON.stringify(sessions).includes(key.slice(0, 12)));
  });

  describe('while the files are read', () => {
    const { createReadStream } = fs;
    const said = (content: string): object => ({ type: 'user', message: { role: 'user', content } });
    const run = async (file: string, onRead: (reads: number) => void) => {
      let reads = 0;
      fs.createReadStream = (...args: Parameters<typeof createReadStream>) => {
        if (args[0] === file) onRead(++reads);
        return createReadStream(...args);
      };
      syncBuiltinESMExports();
      const options = { query: 'lighthouse', home: file.slice(0, file.indexOf('.claude')) };
      const result = await search.run({ options, env: {} } as never);
      return { ...(result?.json as { hits: { message: number }[]; refused: { path: string }[] }), reads };
    };
    afterEach(() => {
      fs.createReadStream = createReadStream;
      syncBuiltinESMExports();
    });

    it('names a chat that its tool rewrites or deletes during the search', async () => {
      for (const change of [
        (file: string) => fs.writeFileSync(file, jsonl(said('Hi'))),
        (file: string) => rmSync(file),
      ]) {
        const lines = jsonl(said('Hi'), said('The lighthouse keeper.'));
        const file = putFile(home, 'rewritten/.claude/projects/p/s.jsonl', lines);
        const { hits, refused } = await run(file, (reads) => reads === 2 && change(file));
        assert.deepEqual([hits, refused.map((one) => one.path)], [[], [file]]);
      }
    });

    it('keeps the results of a chat that are still there when its tool shortens it during the search', async () => {
      const lines = jsonl(said('A lighthouse on a cliff.'), said('Lighthouse.'));
      const file = putFile(home, 'shortened/.claude/projects/p/s.jsonl', lines);
      const shortened = jsonl(said('A lighthouse on a cliff.'));
      const { hits, refused } = await run(file, (reads) => reads === 2 && fs.writeFileSync(file, shortened));
      assert.deepEqual([hits.map(({ message }) => message), refused.map((one) => one.path)], [[0], [file]]);
    });

    it('reads a chat once more, however many results it has', async () => {
      const lines = jsonl(said('The lighthouse.'), said('A lighthouse lamp, and a boat.'), said('Which lighthouse?'));
      const { hits, reads } = await run(putFile(home, 'three/.claude/projects/p/s.jsonl', lines), () => undefined);
      assert.deepEqual([hits.map(({ message }) => message).sort(), reads], [[0, 1, 2], 2]);
    });
  });

  it('says when nothing is found', async () => {
    assert.match((await runCli(['search', '--query', 'zebra', '--home', home])).out, /^No results\./);
    const nobody = path.join(home, 'nobody');
    mkdirSync(nobody);
    const { sessions } = await runJson('sources', '--home', nobody);
    assert.deepEqual(sessions, []);
  });

  it('rejects a home that is missing or not a folder', async () => {
    const missing = path.join(home, 'missing');
    const file = putFile(home, 'home.txt', 'no folder');
    for (const [given, reason] of [
      [missing, `The folder ${missing} doesn’t exist. Check --home.`],
      [file, `${file} isn’t a folder. Check --home.`],
      [path.join(file, 'sub'), `The folder ${path.join(file, 'sub')} doesn’t exist. Check --home.`],
      ['', 'Missing option --home.'],
    ] as const)
      for (const command of [['sources'], ['search', '--query', 'port'], ['mcp']]) {
        const { code, out, err } = await runCli([...command, '--home', given]);
        assert.deepEqual([code, out, err], [2, '', `threadkeeper: ${reason}\n`]);
      }
  });

  it('imports a single session of a tool, and rejects an empty one', async () => {
    const qwen = TOOL_FIXTURES.find(({ tool }) => tool === 'qwen')!.write(home);
    const { messages, format } = (await runJson('import', qwen)) as { messages: unknown[]; format: string };
    assert.deepEqual([messages.length, format], [4, 'qwen']);
    const empty = putFile(home, 'empty.json', { requests: [], responderUsername: 'GitHub Copilot' });
    const { code, err } = await runCli(['import', empty]);
    assert.deepEqual([code, err], [2, 'threadkeeper: The file contains no messages.\n']);
  });
});
