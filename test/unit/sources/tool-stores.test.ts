import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSession, type ReadSession } from '../../../src/app/library/read-session.ts';
import type { Source, SourceFile, Tool } from '../../../src/app/library/source.ts';
import { allSources } from '../../../src/sources/all-sources.ts';
import { Databases } from '../../../src/sources/databases.ts';
import { database, ms } from '../../support/tool-homes/conversation.ts';

/** Chats that are stored in several places, in another place, or with more than the conversation. */
describe('stores of other tools', () => {
  let home = '';
  let scratch = '';
  let databases: Databases;

  beforeEach(() => {
    home = mkdtempSync(path.join(os.tmpdir(), 'threadkeeper-home-'));
    scratch = mkdtempSync(path.join(os.tmpdir(), 'threadkeeper-scratch-'));
    databases = new Databases(scratch);
  });
  afterEach(async () => {
    await databases.close();
    assert.deepEqual(readdirSync(scratch), [], 'copies of databases are removed');
    for (const folder of [home, scratch]) rmSync(folder, { recursive: true, force: true });
  });

  const find = async (tool: Tool, env: Readonly<Record<string, string>> = {}): Promise<[Source, SourceFile][]> => {
    const source = allSources({ folder: home, env }, databases).find((one) => one.tool === tool)!;
    const { files, unreadable } = await source.find();
    assert.deepEqual(unreadable, []);
    return files.map((file) => [source, file]);
  };
  const readAll = async (tool: Tool, env: Readonly<Record<string, string>> = {}): Promise<ReadSession[]> =>
    Promise.all((await find(tool, env)).map((one) => readSession(...one)));
  const readOnly = async (tool: Tool, env: Readonly<Record<string, string>> = {}): Promise<ReadSession> => {
    const [only, ...others] = await readAll(tool, env);
    assert.ok(only && others.length === 0, `${others.length + 1} sessions`);
    return only;
  };
  const textsOf = ({ messages }: ReadSession): string[] => messages.map(({ role, text }) => `${role}: ${text}`);

  describe('opencode', () => {
    const TABLES =
      'CREATE TABLE session (id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
      'CREATE TABLE session_v2 (id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
      'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);' +
      'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);' +
      'CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT)';
    const stored = (id: string, role: string, second: number, text: string): Record<string, (string | number)[][]> => ({
      message: [[id, 'ses_1', ms(second), JSON.stringify({ role, time: { created: ms(second) } })]],
      part: [[`prt_${id}`, id, 'ses_1', ms(second), JSON.stringify({ type: 'text', text })]],
    });
    const row = (id: string, type: string, seq: number, second: number, data: object): (string | number)[] => [
      id,
      'ses_1',
      type,
      seq,
      ms(second),
      JSON.stringify({ ...data, time: { created: ms(second) } }),
    ];
    const reply = (text: string): object => ({ model: { id: 'gpt-5' }, content: [{ type: 'text', text }] });
    const write = (name: string, rows: readonly (string | number)[][]): string => {
      const [asked, answered] = [stored('msg_1', 'user', 0, 'One?'), stored('msg_2', 'assistant', 1, 'One.')];
      return database(home, name, TABLES, {
        session: [['ses_1', '/home/sam/api', 'The port', ms(0), ms(1)]],
        session_v2: [['ses_1', '/home/sam/api', 'The port', ms(0), ms(9)]],
        message: [...asked['message']!, ...answered['message']!],
        part: [...asked['part']!, ...answered['part']!],
        session_message: rows,
      });
    };

    it('reads a session that version 2 copied and continued once, in order', async () => {
      write('.local/share/opencode/opencode.db', [
        row('msg_1', 'user', 1, 0, { text: 'One?' }),
        row('msg_2', 'assistant', 2, 1, reply('One.')),
        row('msg_3', 'user', 3, 5, { text: 'Two?' }),
        row('msg_4', 'assistant', 4, 6, reply('Two.')),
        row('msg_5', 'shell', 5, 7, { shellID: 'sh_1', command: 'ls', output: { output: 'a.ts\n' }, exit: 0 }),
        row('msg_6', 'synthetic', 6, 8, { text: 'Added.' }),
      ]);
      const session = await readOnly('opencode');
      assert.deepEqual(textsOf(session), [
        'user: One?',
        'assistant: One.',
        'user: Two?',
        'assistant: Two.',
        'tool: $ ls\na.ts',
      ]);
    });

    it('reads messages that version 1 wrote in both formats once', async () => {
      write('.local/share/opencode/opencode.db', [
        row('msg_a', 'user', 1, 0, { text: 'One?' }),
        row('msg_b', 'agent-switched', 2, 0, { agent: 'build' }),
        row('msg_c', 'assistant', 3, 2, reply('One.')),
      ]);
      assert.deepEqual(textsOf(await readOnly('opencode')), ['user: One?', 'assistant: One.']);
    });

    it('reads images of messages and tool results', async () => {
      const image = { type: 'file', mime: 'image/png', uri: 'data:image/png;base64,QQ==' };
      write('.local/share/opencode/opencode.db', [
        row('msg_3', 'user', 3, 5, { text: 'Look.', files: [image, { mime: 'text/plain', uri: 'file:///a.ts' }] }),
        row('msg_4', 'assistant', 4, 6, {
          content: [
            { type: 'tool', id: 'c', name: 'shot', state: { status: 'completed', input: {}, content: [image] } },
          ],
        }),
      ]);
      const { messages, skipped } = await readOnly('opencode');
      const block = { type: 'image', mediaType: 'image/png', base64: 'QQ==' };
      assert.deepEqual(messages[2]?.blocks, [{ type: 'text', text: 'Look.' }, block]);
      assert.deepEqual(messages[4]?.blocks?.[1], block);
      assert.equal(skipped.length, 1);
    });

    it('reads the database that the environment names', async () => {
      const file = write('elsewhere/mine.db', []);
      assert.equal((await readOnly('opencode', { OPENCODE_DB: file })).messages.length, 2);
      assert.equal((await readOnly('kilo', { KILO_DB: file })).messages.length, 2);
    });
  });
});
