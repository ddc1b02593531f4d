import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { readSession, type ReadSession } from '../../../src/app/library/read-session.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import {
  database,
  iso,
  jsonl,
  ms,
  OPENCODE_TABLES,
  putFile,
  zedThread,
} from '../../support/tool-homes/conversation.ts';
import { homeForEachTest } from '../../support/tool-homes/home-for-each-test.ts';

/** Chats that are stored in several places, in another place, or with more than the conversation. */
describe('stores of other tools', () => {
  let home = '';
  const { closeDatabases, find, readAll, readOnly } = homeForEachTest((folder) => (home = folder));
  const textsOf = ({ messages }: ReadSession): string[] => messages.map(({ role, text }) => `${role}: ${text}`);

  describe('opencode', () => {
    const TABLES =
      OPENCODE_TABLES +
      'CREATE TABLE session_v2 (id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);' +
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
      assert.deepEqual(textsOf(await readOnly('opencode')), [
        ...['user: One?', 'assistant: One.', 'user: Two?', 'assistant: Two.', 'tool: $ ls\na.ts'],
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

    it('omits what the user reverted, up to a message or a part of one', async () => {
      const columns = TABLES.replaceAll('time_updated INTEGER)', 'time_updated INTEGER, revert TEXT)');
      const asked = ['One?', 'Two?'].map((text, index) => stored(`msg_${index}`, 'user', index, text));
      const more = ['prt_x', 'msg_1', 'ses_1', ms(5), JSON.stringify({ type: 'text', text: 'And more.' })];
      const read = async (revert: object | null): Promise<string[]> => {
        rmSync(path.join(home, '.local'), { recursive: true, force: true });
        await closeDatabases();
        const session = ['ses_1', '/home/sam/api', 'The port', ms(0), ms(1), JSON.stringify(revert)];
        database(home, '.local/share/opencode/opencode.db', columns, {
          session: [session],
          message: asked.flatMap(({ message }) => message!),
          part: [...asked.flatMap(({ part }) => part!), more],
          session_message: [
            row('msg_2', 'user', 3, 6, { text: 'Three?' }),
            row('msg_3', 'user', 4, 7, { text: 'Four?' }),
          ],
        });
        return textsOf(await readOnly('opencode'));
      };
      const [one, two, three, four] = ['One?', 'Two?\nAnd more.', 'Three?', 'Four?'].map((text) => `user: ${text}`);
      assert.deepEqual(await read(null), [one, two, three, four]);
      assert.deepEqual(await read({ messageID: 'msg_3' }), [one, two, three]);
      assert.deepEqual(await read({ messageID: 'msg_1' }), [one]);
      assert.deepEqual(await read({ messageID: 'msg_1', partID: 'prt_x' }), [one, 'user: Two?']);
      assert.deepEqual(await read({ messageID: 'msg_0' }), []);
      assert.deepEqual(await read({ messageID: 'lost' }), [one, two, three, four]);
    });

    it('omits what the user reverted in a session that is stored in files', async () => {
      const storage = '.local/share/opencode/storage';
      putFile(home, `${storage}/session/p/ses_1.json`, JSON.stringify({ id: 'ses_1', revert: { messageID: 'msg_2' } }));
      for (const id of ['msg_1', 'msg_2']) {
        putFile(home, `${storage}/message/ses_1/${id}.json`, JSON.stringify({ id, role: 'user' }));
        putFile(home, `${storage}/part/${id}/prt_1.json`, JSON.stringify({ type: 'text', text: id }));
      }
      assert.deepEqual(textsOf(await readOnly('opencode')), ['user: msg_1']);
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

  describe('Codex', () => {
    const ID = (last: number): string => `0195a1b2-0000-7000-8000-00000000000${last}`;
    const meta = (id: string, more: object = {}): object => ({
      timestamp: iso(0),
      ordinal: 0,
      type: 'session_meta',
      payload: { id, cwd: '/home/sam/api', ...more },
    });
    const item = (role: string, text: string, ordinal = 1): object => ({
      timestamp: iso(ordinal),
      ordinal,
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
    });
    const rollout = (name: string): string => `.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-0${name}.jsonl`;
    const titleOf = ({ facts }: ReadSession): unknown => [facts.id, facts.title, facts.parent];

    it('reads a compressed session, once if it also exists uncompressed, with its name', async () => {
      const text = jsonl(meta(ID(1)), item('user', 'One?'), item('assistant', 'One.'));
      putFile(
        home,
        '.codex/session_index.jsonl',
        jsonl({ id: ID(1), thread_name: 'Old' }, { id: ID(1), thread_name: 'Ports' }),
      );
      const file = putFile(home, `${rollout(`0-${ID(1)}`)}.zst`, '');
      writeFileSync(file, zstdCompressSync(text));
      const session = await readOnly('codex');
      assert.deepEqual(textsOf(session), ['user: One?', 'assistant: One.']);
      assert.deepEqual(titleOf(session), [ID(1), 'Ports', undefined]);
      putFile(home, rollout(`0-${ID(1)}`), text);
      assert.equal((await readOnly('codex')).messages.length, 2);
    });

    it('refuses a damaged compressed session with a reason', async () => {
      const damaged = zstdCompressSync('x'.repeat(1e4)).subarray(0, 12);
      writeFileSync(putFile(home, `${rollout(`0-${ID(1)}`)}.zst`, ''), damaged);
      await assert.rejects(readOnly('codex'), /damaged or still being written/);
    });

    it('keeps the identity of a fork or subagent that repeats the description of another session', async () => {
      const fork = meta(ID(2), { forked_from_id: ID(1) });
      const subagent = meta(ID(3), { parent_thread_id: ID(1), source: { subagent: { other: 'guardian' } } });
      putFile(home, rollout(`0-${ID(2)}`), jsonl(fork, meta(ID(1)), item('user', 'One?')));
      putFile(home, rollout(`1-${ID(3)}`), jsonl(subagent, meta(ID(1)), item('user', 'Two?')));
      const sessions = await readAll('codex');
      assert.deepEqual(sessions.map(titleOf), [
        [ID(2), undefined, undefined],
        [ID(3), undefined, ID(1)],
      ]);
    });

    it('reads what a fork inherits from the file of another session, also from a fork and a revision', async () => {
      const first = jsonl(meta(ID(1)), item('user', 'One?', 1), item('assistant', 'One.', 2));
      putFile(home, rollout(`0-${ID(1)}`), first + jsonl(item('user', 'Elsewhere?', 3)));
      const fork = (id: string, thread: string, end: number, ordinal: number): object => ({
        ...meta(id, { history_base: { thread_id: thread, end_byte_offset: end, end_ordinal_exclusive: ordinal } }),
        ordinal,
      });
      const second = jsonl(fork(ID(2), ID(1), first.length, 3), item('user', 'Two?', 4));
      putFile(home, rollout(`1-${ID(2)}`), second + jsonl(item('user', 'Never mind.', 5)));
      const revision = `${ID(2)}_${ID(9)}`;
      putFile(home, rollout(`2-${revision}`), jsonl(fork(ID(2), ID(2), second.length, 5), item('user', 'Three?', 6)));
      const sessions = await readAll('codex');
      assert.deepEqual(sessions.map(textsOf), [
        ['user: One?', 'assistant: One.', 'user: Elsewhere?'],
        ['user: One?', 'assistant: One.', 'user: Two?', 'user: Never mind.'],
        ['user: One?', 'assistant: One.', 'user: Two?', 'user: Three?'],
      ]);
      const ids = sessions.map(({ facts }) => facts.id);
      assert.deepEqual(ids, [ID(1), ID(2), ID(2)]);
    });

    it('reports that what a fork inherits no longer exists', async () => {
      const base = { thread_id: ID(1), end_byte_offset: 9, end_ordinal_exclusive: 3 };
      putFile(home, rollout(`1-${ID(2)}`), jsonl(meta(ID(2), { history_base: base }), item('user', 'Two?')));
      const session = await readOnly('codex');
      assert.deepEqual(textsOf(session), ['user: Two?']);
      assert.ok(
        session.skipped.some(({ reason }) => inEnglish(reason) === 'message that no longer exists in the tool'),
      );
    });

    it('skips what Codex adds as user messages', async () => {
      const added = ['recommended_plugins', 'skill', 'turn_aborted', 'subagent_notification', 'goal_context'];
      const texts = [
        ...added.map((name) => `<${name}>\nAdded.\n</${name}>`),
        '<codex_internal_context source="goal">\nAdded.\n</codex_internal_context>',
        '<hook_prompt hook_run_id="stop:0">Run the tests.</hook_prompt>',
        '<external_ide>Added.</external_ide>',
        '# AGENTS.md instructions for /home/sam/api\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>',
        '# AGENTS.md instructions\n\n<INSTRUCTIONS>\nfor `api`\n\nBe brief.\n</INSTRUCTIONS>',
        'Warning: apply_patch was requested via shell. Use the apply_patch tool instead of exec_command.',
        '<skill> is a tag, isn’t it?',
      ];
      putFile(home, rollout(`0-${ID(1)}`), jsonl(meta(ID(1)), ...texts.map((text) => item('user', text))));
      assert.deepEqual(textsOf(await readOnly('codex')), ['user: <skill> is a tag, isn’t it?']);
    });
  });

  describe('Cline', () => {
    const session = (name: string, messages: readonly object[], root = '.cline/data/sessions'): string =>
      putFile(home, `${root}/s1/${name}.messages.json`, { version: 1, sessionId: 's1', messages });
    const user = (content: unknown): object => ({ role: 'user', content, ts: ms(0) });

    it('reads the outputs of tools, and users’ texts without the tags around them', async () => {
      putFile(home, '.cline/data/sessions/s1/s1.json', { cwd: '/home/sam/api', metadata: { title: 'The port' } });
      const outputs = [
        { query: 'a.ts', result: 'port = 8080', success: true },
        { query: 'b.ts', result: '', error: 'No such file', success: false },
        { title: 'Ports', url: 'http://localhost' },
      ];
      session('s1', [
        user('<mode_notice>Switched.</mode_notice>\n<user_input mode="act">Which port?</user_input>'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'read_files', input: {} }], ts: ms(1) },
        user([{ type: 'tool_result', tool_use_id: 'c', content: outputs }]),
      ]);
      assert.deepEqual(textsOf(await readOnly('cline')), [
        'user: Which port?',
        'assistant: read_files {}',
        'tool: port = 8080\nNo such file\n{"title":"Ports","url":"http://localhost"}',
      ]);
    });

    it('tells the results of tools that are called by text, and context, from the user’s words', async () => {
      const text = (...texts: readonly string[]): object => user(texts.map((one) => ({ type: 'text', text: one })));
      const details = '<environment_details>\n# Current Mode\nACT MODE\n</environment_details>';
      session('s1', [
        text('<task>\nWhich port?\n</task>\n\n<file_content path="a.ts">\n</file_content>', details),
        text("[read_file for 'a.ts'] Result:", 'port = 8080', details),
        text("[list_files for 'src'] Result:\na.ts", '\n# task_progress RECOMMENDED\n', details),
        text("[ask_followup_question for 'In `a`\nor [b]?'] Result:\n<answer>\nIn a.\n</answer>", details),
        text('[attempt_completion] Result:', 'The user has provided feedback:\n<feedback>\nNo.\n</feedback>'),
        text(
          '[TASK RESUMPTION] This task was interrupted.',
          'New message (use the <response>):\n<user_message>\nGo on.\n</user_message>',
        ),
        text('[ERROR] You did not use a tool in your previous response!'),
        text(
          "[execute_command for 'npm i'] Result:",
          'Still running.\n\nThe user provided the following feedback:\n<feedback>\nNever use npm.\n</feedback>',
        ),
        text(
          '[TASK RESUMPTION] Interrupted <1 minute ago.\n\nNew message:\n<user_message>\nUse pnpm.\n</user_message>',
        ),
        text('The user has provided feedback on the results.\n\n<feedback>\nGood.\n</feedback>'),
        text('[a note] Result: mine'),
      ]);
      assert.deepEqual(textsOf(await readOnly('cline')), [
        'user: Which port?\n\n<file_content path="a.ts">\n</file_content>',
        "tool: [read_file for 'a.ts'] Result:\nport = 8080",
        "tool: [list_files for 'src'] Result:\na.ts",
        'user: In a.',
        'user: No.',
        'user: Go on.',
        "tool: [execute_command for 'npm i'] Result:\nStill running.\n\nThe user provided the following feedback:",
        'user: Never use npm.',
        'user: Use pnpm.',
        'user: Good.',
        'user: [a note] Result: mine',
      ]);
    });

    it('tells subagents’ sessions from the one that started them', async () => {
      putFile(home, '.cline/data/sessions/s1/s1.json', { cwd: '/home/sam/api', metadata: { title: 'The port' } });
      session('s1', [user('Which port?')]);
      session('agent_7', [user('Look at the ports.')]);
      session('agent_8__task_1', [user('Look at the hosts.')]);
      const facts = (await readAll('cline')).map(({ facts: { id, parent, title } }) => [id, parent, title]);
      assert.deepEqual(facts.sort(), [
        ['s1', undefined, 'The port'],
        ['s1__agent_7', 's1', undefined],
        ['s1__agent_8__task_1', 's1', undefined],
      ]);
    });

    it('reads the folders that the environment names, and tasks outside of editors', async () => {
      session('s1', [user('Which port?')], 'elsewhere/sessions');
      putFile(home, 'elsewhere/tasks/t1/api_conversation_history.json', [user('<task>\nWhich host?\n</task>')]);
      const texts = async (env: Readonly<Record<string, string>>): Promise<string[]> =>
        (await readAll('cline', env)).flatMap(textsOf);
      const folder = path.join(home, 'elsewhere');
      assert.deepEqual(await texts({ CLINE_DATA_DIR: folder }), ['user: Which host?', 'user: Which port?']);
      assert.deepEqual(await texts({ CLINE_SESSION_DATA_DIR: path.join(folder, 'sessions') }), ['user: Which port?']);
    });
  });

  describe('Roo Code and Kilo Code', () => {
    it('reads the folders that editors’ settings name', async () => {
      const task = (folder: string): string => {
        putFile(home, `${folder}/tasks/t/api_conversation_history.json`, [{ role: 'user', content: folder }]);
        return JSON.stringify(path.join(home, folder));
      };
      const setting = (name: string, value: string): string =>
        `{\n  // Mine.\n  "${name}.customStoragePath" : ${value},\n}`;
      putFile(home, '.config/Code/User/settings.json', setting('roo-cline', task('roo "A"')));
      putFile(home, '.config/VSCodium/User/profiles/1a2b/settings.json', setting('roo-cline', task('roo B')));
      putFile(home, '.vscode-server/data/Machine/settings.json', setting('kilo-code', task('kilo')));
      putFile(home, '.config/Cursor/User/settings.json', setting('roo-cline', '"tasks"'));
      assert.deepEqual((await readAll('roo')).flatMap(textsOf), ['user: roo "A"', 'user: roo B']);
      assert.deepEqual((await readAll('kilo')).flatMap(textsOf), ['user: kilo']);
      assert.deepEqual(await readAll('cline'), []);
    });
  });

  describe('Zed', () => {
    it('does not take an empty parent for a session', async () => {
      zedThread(home, { messages: [] });
      const facts = (await find('zed')).map(([, file]) => [file.facts.title, file.facts.parent]);
      assert.deepEqual(facts, [[undefined, undefined]]);
    });

    it('reads images of messages and of tool results, which may have several contents', async () => {
      const image = { Image: { source: 'QQ==', size: { width: 1, height: 1 } } };
      const use = { ToolUse: { id: 'c', name: 'shot', input: {} } };
      const tool_results = {
        c: { content: [{ Text: 'One.' }, image, { Text: 'Two.' }], is_error: false },
        // Before 2026, a result had one content.
        d: { content: image },
      };
      const messages = [
        { User: { id: 'u', content: [{ Text: 'Look.' }, image] } },
        { Agent: { content: [use], tool_results } },
      ];
      zedThread(home, { version: '0.3.0', messages });
      const read = (await readOnly('zed')).messages.map(({ blocks }) => blocks);
      const block = { type: 'image', mediaType: 'image/png', base64: 'QQ==' };
      assert.deepEqual(read[0], [{ type: 'text', text: 'Look.' }, block]);
      const result = { type: 'tool_result', callId: 'c', text: 'One.\nTwo.', isError: false };
      assert.deepEqual(read[2], [result, block, { ...result, callId: 'd', text: '' }, block]);
    });
  });

  describe('Goose', () => {
    const write = (name: string): string => {
      const message = (id: number, role: string, text: string, metadata?: object): (string | number | null)[] => [
        id,
        'g1',
        role,
        JSON.stringify([{ type: 'text', text }]),
        ms(id) / 1000,
        metadata ? JSON.stringify(metadata) : null,
      ];
      const modelOnly = { userVisible: false, agentVisible: true };
      return database(
        home,
        name,
        'CREATE TABLE sessions (id TEXT, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT, parent_session_id TEXT);' +
          'CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)',
        {
          sessions: [['g1', 'The port', '/home/sam/api', '2026-03-02 09:00:00', '2026-03-02 09:00:09', 'g0']],
          messages: [
            message(1, 'user', 'One?', { userVisible: true, agentVisible: false }),
            message(2, 'assistant', 'One.', { userVisible: true, agentVisible: false }),
            message(3, 'user', 'Two?', { userVisible: false, agentVisible: false }),
            message(4, 'user', 'It was about one.', modelOnly),
            message(5, 'assistant', 'Continue the session.', modelOnly),
            message(6, 'user', 'Two?'),
            message(7, 'user', 'A tool was called.', modelOnly),
            message(8, 'assistant', 'Two.'),
          ],
        },
      );
    };

    it('reads each message once although a compaction repeated it, and the summary as a compaction', async () => {
      write('.local/share/goose/sessions/sessions.db');
      const session = await readOnly('goose');
      assert.deepEqual(textsOf(session), ['user: One?', 'assistant: One.', 'user: Two?', 'assistant: Two.']);
      const compactions = session.compactions.map(({ summary, before }) => [summary, before]);
      assert.deepEqual(compactions, [['It was about one.', 2]]);
      assert.equal(session.facts.parent, 'g0');
    });

    it('reads the folder that the environment names', async () => {
      write('elsewhere/data/sessions/sessions.db');
      assert.equal((await readOnly('goose', { GOOSE_PATH_ROOT: path.join(home, 'elsewhere') })).messages.length, 4);
    });
  });

  describe('Qwen Code', () => {
    const record = (type: string, text: string, more: object = {}): object => ({
      type,
      sessionId: 's1',
      timestamp: iso(0),
      cwd: '/home/sam/api',
      message: { role: type === 'assistant' ? 'model' : 'user', parts: [{ text }] },
      ...more,
    });
    const title = { type: 'system', subtype: 'custom_title', sessionId: 's1', systemPayload: { customTitle: 'Ports' } };
    const factsOf = ({ facts: { id, parent, title: name } }: ReadSession): unknown => [id, parent, name];

    it('reads titles, archived sessions, and subagents, but no notifications as the user’s words', async () => {
      putFile(
        home,
        '.qwen/projects/p/chats/archive/s1.jsonl',
        jsonl(
          record('user', 'Which port?'),
          record('assistant', 'Of a subagent.', { isSidechain: true, agentId: 'a1' }),
          ...['notification', 'cron'].map((subtype) => record('user', 'Task a1 is done.', { subtype })),
          title,
        ),
      );
      putFile(
        home,
        '.qwen/projects/p/subagents/s1/agent-a1.jsonl',
        jsonl(record('user', 'Look at the ports.', { isSidechain: true, agentId: 'a1' })),
      );
      const sessions = await readAll('qwen');
      assert.deepEqual(sessions.map(factsOf), [
        ['s1', undefined, 'Ports'],
        ['a1', 's1', undefined],
      ]);
      assert.deepEqual(sessions.map(textsOf), [
        ['user: Which port?', 'tool: Task a1 is done.', 'tool: Task a1 is done.'],
        ['user: Look at the ports.'],
      ]);
    });

    it('reads the folder that the environment names, and which session started another', async () => {
      const parent = {
        type: 'system',
        subtype: 'parent_session',
        sessionId: 's1',
        systemPayload: { parentSessionId: 's0' },
      };
      putFile(home, 'elsewhere/projects/p/chats/s1.jsonl', jsonl(parent, record('user', 'Which port?')));
      assert.deepEqual(factsOf(await readOnly('qwen', { QWEN_RUNTIME_DIR: path.join(home, 'elsewhere') })), [
        's1',
        's0',
        undefined,
      ]);
    });
  });

  describe('Cursor', () => {
    const TABLES =
      'CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);' +
      'CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);' +
      'CREATE TABLE composerHeaders (composerId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER, isSubagent INTEGER, value TEXT)';
    const chat = (id: string, text: string, more: object = {}): string[][] => [
      [
        `composerData:${id}`,
        JSON.stringify({ _v: 14, ...more, fullConversationHeadersOnly: [{ bubbleId: 'b1', type: 1 }] }),
      ],
      [`bubbleId:${id}:b1`, JSON.stringify({ type: 1, text })],
    ];
    const write = (rows: readonly string[][], headers: readonly (string | number)[][]): string =>
      database(home, '.config/Cursor/User/globalStorage/state.vscdb', TABLES, {
        cursorDiskKV: rows,
        composerHeaders: headers,
        ItemTable: [],
      });
    const identifier = { workspaceIdentifier: { id: 'w', uri: { fsPath: '/home/sam/api' } } };

    it('reads titles, times, folders, and subagents from the table of chats', async () => {
      write(
        [...chat('c1', 'Which port?'), ...chat('c2', 'Look at the ports.')],
        [
          ['c1', ms(0), ms(5), 0, JSON.stringify({ name: 'The port', ...identifier })],
          ['c2', ms(1), ms(2), 1, JSON.stringify({ subagentInfo: { parentComposerId: 'c1' }, ...identifier })],
        ],
      );
      const found = await find('cursor');
      assert.deepEqual(
        found.map(([, { facts, modifiedAt }]) => [facts.id, facts.title, facts.workspace, facts.parent, modifiedAt]),
        [
          ['c1', 'The port', '/home/sam/api', undefined, ms(5)],
          ['c2', undefined, '/home/sam/api', 'c1', ms(2)],
        ],
      );
    });

    it('reads the transcript of a chat whose messages were deleted from the database', async () => {
      write(chat('c1', 'Which port?').slice(0, 1), []);
      const record = { role: 'user', message: { content: [{ type: 'text', text: 'Which port?' }] } };
      putFile(home, '.cursor/projects/p/agent-transcripts/c1/c1.jsonl', jsonl(record));
      const found = await find('cursor');
      assert.deepEqual(textsOf(await readSession(...found.at(-1)!)), ['user: Which port?']);
    });

    it('lists a chat once that is also stored as a transcript, and reads the user’s text without tags', async () => {
      write(chat('c1', 'Which port?', { name: 'The port' }), []);
      const transcript = (name: string, text: string): string =>
        putFile(
          home,
          `.cursor/projects/p/agent-transcripts/${name}.jsonl`,
          jsonl({ role: 'user', message: { content: [{ type: 'text', text }] } }),
        );
      transcript('c1/c1', '<user_query>\nWhich port?\n</user_query>');
      transcript('c3/c3', '<timestamp>Monday</timestamp>\n<user_query>\nWhich host?\n</user_query>');
      transcript('c3/subagents/c4', 'Look at the hosts.');
      const sessions = await readAll('cursor');
      assert.deepEqual(sessions.map(({ facts }) => [facts.id, facts.parent]).sort(), [
        ['c1', undefined],
        ['c3', undefined],
        ['c4', 'c3'],
      ]);
      assert.deepEqual(sessions.map(textsOf).flat().sort(), [
        'user: Look at the hosts.',
        'user: Which host?',
        'user: Which port?',
      ]);
    });
  });

  it('reads the tool results of Continue’s CLI, and those of its extension once', async () => {
    const call = (id: string): object => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } });
    const calling = (id: string, status: string): object => ({
      message: { role: 'assistant', content: '', toolCalls: [call(id)] },
      contextItems: [],
      toolCallStates: [{ toolCallId: id, status, output: [{ name: 'a.ts', content: `Result ${id}` }] }],
    });
    putFile(home, '.continue/sessions/s1.json', {
      sessionId: 's1',
      title: 'The port',
      workspaceDirectory: '/home/sam/api',
      history: [
        { message: { role: 'user', content: 'Which port?' }, contextItems: [] },
        calling('a', 'errored'),
        calling('b', 'done'),
        { message: { role: 'tool', toolCallId: 'b', content: 'Result b' }, contextItems: [] },
      ],
    });
    const session = await readOnly('continue');
    assert.deepEqual(textsOf(session), [
      'user: Which port?',
      'assistant: Read {}',
      'tool: Result a',
      'assistant: Read {}',
      'tool: Result b',
    ]);
    assert.deepEqual(session.messages[2]?.blocks, [
      { type: 'tool_result', callId: 'a', text: 'Result a', isError: true },
    ]);
  });

  it('does not take Roo Code’s mark of a truncation as the user’s words', async () => {
    putFile(home, '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/t1/api_conversation_history.json', [
      { role: 'user', content: '<task>\nWhich port?\n</task>', ts: ms(0), truncationParent: 'x' },
      { role: 'user', content: '[Sliding window truncation]', ts: ms(1), isTruncationMarker: true, truncationId: 'x' },
      { role: 'assistant', content: '8080.', ts: ms(2) },
    ]);
    assert.deepEqual(textsOf(await readOnly('roo')), ['user: Which port?', 'assistant: 8080.']);
  });
});
