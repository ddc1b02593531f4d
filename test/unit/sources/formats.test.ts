import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readSession, type ReadSession } from '../../../src/app/library/read-session.ts';
import { TOOLS, type Refused, type Source, type SourceFile } from '../../../src/app/library/source.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { TranscriptError } from '../../../src/core/transcript/transcript-message.ts';
import { allSources } from '../../../src/sources/all-sources.ts';
import { Databases } from '../../../src/sources/databases.ts';
import { TOOL_FIXTURES } from '../../support/tool-homes/all-tools.ts';
import { AT, database, put } from '../../support/tool-homes/conversation.ts';
import { claudeRecords } from '../../support/tool-homes/terminal-tools.ts';

describe('the chats from other tools', () => {
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

  const find = async (): Promise<{ files: [Source, SourceFile][]; refused: Refused[] }> => {
    const files: [Source, SourceFile][] = [];
    const refused: Refused[] = [];
    for (const source of allSources({ folder: home, env: {} }, databases)) {
      const found = await source.find();
      files.push(...found.files.map((file): [Source, SourceFile] => [source, file]));
      refused.push(...found.refused);
    }
    return { files, refused };
  };
  const readOnly = async (): Promise<ReadSession> => {
    const { files, refused } = await find();
    assert.deepEqual(refused, []);
    assert.equal(files.length, 1, files.map(([, { path: file }]) => file).join(', '));
    return await readSession(...files[0]!);
  };
  /** The reason for which the only file, or its database, is refused. */
  const refusal = async (): Promise<string> => {
    const { files, refused } = await find();
    if (refused.length > 0) return refused.map(({ reason }) => inEnglish(reason)).join('; ');
    assert.equal(files.length, 1);
    try {
      const { messages } = await readSession(...files[0]!);
      return `${messages.length} messages`;
    } catch (error) {
      if (TranscriptError.is(error)) return error.message;
      throw error;
    }
  };

  for (const fixture of TOOL_FIXTURES) {
    it(`are read: ${fixture.tool}, ${fixture.format}`, async () => {
      const file = fixture.write(home);
      const [bytes, stamp, beside] = [readFileSync(file), statSync(file).mtimeMs, readdirSync(path.dirname(file))];
      const { facts, messages, compactions } = await readOnly();
      assert.deepEqual(
        messages.map(({ blocks: _, ...message }) => message),
        fixture.expected,
      );
      for (const call of messages.flatMap(({ blocks = [] }) => blocks).filter(({ type }) => type === 'tool_call')) {
        assert.deepEqual(
          { ...call, callId: 'c1' },
          { type: 'tool_call', callId: 'c1', name: 'read_file', json: '{"path":"config.ts"}' },
        );
      }
      assert.deepEqual(
        compactions.map(({ summary }) => summary),
        fixture.compactions ?? [],
      );
      if (fixture.workspace !== undefined) assert.equal(facts.workspace, fixture.workspace);
      if (fixture.title !== undefined) assert.equal(facts.title, fixture.title);
      assert.deepEqual(
        [readFileSync(file), statSync(file).mtimeMs, readdirSync(path.dirname(file))],
        [bytes, stamp, beside],
      );
    });

    it(`are refused by name where damaged: ${fixture.tool}, ${fixture.format}`, async () => {
      const file = fixture.write(home);
      writeFileSync(file, Buffer.from('\u0000\u0001 no conversation at all \n'.repeat(200)));
      assert.match(await refusal(), /contains no messages|damaged|can’t be read|isn’t in a known [\w ]+ format/);
    });

    it(`are refused by name where empty: ${fixture.tool}, ${fixture.format}`, async () => {
      writeFileSync(fixture.write(home), '');
      // SQLite takes an empty file for an empty database.
      assert.match(await refusal(), /is empty|no such table|isn’t in a known [\w ]+ format/);
    });
  }

  it('cover every tool, most in an old and a current format', () => {
    for (const tool of TOOLS) {
      const formats = TOOL_FIXTURES.filter((fixture) => fixture.tool === tool).length;
      assert.ok(formats >= (tool === 'aider' ? 1 : 2), tool);
    }
  });

  it('lose no message to a line that is still being written', async () => {
    const file = put(
      home,
      '.claude/projects/p/s.jsonl',
      `${claudeRecords.map((one) => JSON.stringify(one)).join('\n')}\n{"type":"us`,
    );
    const whole = await readOnly();
    assert.equal(whole.messages.length, 4);
    assert.deepEqual(whole.skipped, []);
    appendFileSync(
      file,
      `er","message":{"role":"user","content":"And the host?"},"timestamp":"2026-03-02T09:01:00Z"}\n`,
    );
    assert.equal((await readOnly()).messages.length, 5);
  });

  it('go on where reading stopped, and begin anew when the file was rewritten', async () => {
    const lines = claudeRecords.map((one) => `${JSON.stringify(one)}\n`);
    const file = put(home, '.claude/projects/p/s.jsonl', lines.slice(0, 2).join(''));
    const { files } = await find();
    const [source, found] = files[0]!;
    const first = await readSession(source, found);
    assert.equal(first.messages.length, 2, 'the reply is still growing');
    assert.equal(first.end.resume?.messages, 1, 'so it is read again');
    writeFileSync(file, lines.join(''));
    const rest = await readSession(source, found, first.end.resume);
    assert.deepEqual([rest.end.resumed, rest.messages.length], [true, 3]);
    assert.match(rest.messages[0]!.text, /I will look\.\nread_file/);
    writeFileSync(file, lines.join('').replace('Where', 'There'));
    const again = await readSession(source, found, rest.end.resume);
    assert.deepEqual([again.end.resumed, again.messages.length], [false, 4]);
  });

  it('skip a damaged line and say so', async () => {
    const [first, ...rest] = claudeRecords.map((one) => JSON.stringify(one));
    put(home, '.claude/projects/p/s.jsonl', `${[first, '{"type":', ...rest].join('\n')}\n`);
    const { messages, skipped } = await readOnly();
    assert.equal(messages.length, 4);
    assert.deepEqual(
      skipped.map(({ reason, count }) => `${count} × ${inEnglish(reason)}`),
      ['1 × invalid JSON line'],
    );
  });

  for (const fixture of TOOL_FIXTURES.filter(({ format }) => format === 'session as a document')) {
    it(`are refused where a document is cut off: ${fixture.tool}`, async () => {
      const file = fixture.write(home);
      truncateSync(file, statSync(file).size - 10);
      assert.match(await refusal(), /damaged or still being written|isn’t in a known [\w ]+ format/);
    });
  }

  it('are read however large a file is', async () => {
    const record = (index: number): string =>
      JSON.stringify({
        type: 'user',
        message: { role: 'user', content: `${index} ${'word '.repeat(2000)}` },
        timestamp: new Date(AT + index).toISOString(),
      });
    put(home, '.claude/projects/p/s.jsonl', Array.from({ length: 3000 }, (_, index) => `${record(index)}\n`).join(''));
    const { messages } = await readOnly();
    assert.equal(messages.length, 3000);
    assert.equal(messages[2999]?.at, AT + 2999);
  });

  for (const [what, write] of [
    [
      'VS Code',
      (to: string) =>
        put(to, '.config/Code/User/workspaceStorage/a/chatSessions/x.json', {
          version: 4,
          requests: [{ message: { text: 'Hi' } }],
        }),
    ],
    [
      'Copilot CLI',
      (to: string) =>
        put(
          to,
          '.copilot/session-state/x/events.jsonl',
          '{"type":"session.start","data":{"sessionId":"x","version":2},"timestamp":"2026-03-02T09:00:00Z"}\n',
        ),
    ],
    [
      'Cline',
      (to: string) =>
        put(to, '.cline/data/sessions/x/x.messages.json', { version: 2, messages: [{ role: 'user', content: 'Hi' }] }),
    ],
    [
      'Zed',
      (to: string) =>
        database(
          to,
          '.local/share/zed/threads/threads.db',
          'CREATE TABLE threads (id TEXT, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)',
          {
            threads: [['z', 'x', '2026-03-02T09:00:00Z', 'json', JSON.stringify({ version: '0.10.0', messages: [] })]],
          },
        ),
    ],
  ] as const) {
    it(`of a future version of ${what} are refused by name`, async () => {
      write(home);
      assert.match(await refusal(), /The file uses format version \S+, which is newer than/);
    });
  }

  it('are refused where a session holds no message', async () => {
    put(home, '.config/Code/User/workspaceStorage/a/chatSessions/x.json', { version: 3, requests: [] });
    assert.equal(await refusal(), 'The file contains no messages.');
  });

  it('are read from a database that its tool has open, without a trace beside it', async () => {
    const file = TOOL_FIXTURES.find(({ tool, format }) => tool === 'goose' && format === 'database')!.write(home);
    const open = new DatabaseSync(file);
    open.exec('PRAGMA journal_mode = WAL');
    open.exec(
      `INSERT INTO messages VALUES (5, '20260302_1', 'user', '[{"type":"text","text":"And the host?"}]', 1772442005)`,
    );
    const before = readdirSync(path.dirname(file)).map((name) => [
      name,
      statSync(path.join(path.dirname(file), name)).mtimeMs,
    ]);
    const { messages } = await readOnly();
    assert.equal(messages.at(-1)?.text, 'And the host?');
    assert.deepEqual(
      readdirSync(path.dirname(file)).map((name) => [name, statSync(path.join(path.dirname(file), name)).mtimeMs]),
      before,
    );
    // As a tool that was killed leaves it, on a machine that was restarted since.
    const left = mkdtempSync(path.join(os.tmpdir(), 'threadkeeper-home-'));
    cpSync(home, left, { recursive: true });
    open.close();
    rmSync(home, { recursive: true });
    renameSync(left, home);
    rmSync(`${file}-shm`);
    await databases.close();
    assert.equal((await readOnly()).messages.at(-1)?.text, 'And the host?');
    assert.deepEqual(
      readdirSync(path.dirname(file)).map((name) => name.replace(/^.*\.db/, '')),
      ['', '-wal'],
    );
  });
});
