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
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import files from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Library, type SyncReport } from '../../../src/app/library/library.ts';
import { readSession, type ReadSession } from '../../../src/app/library/read-session.ts';
import { TOOL_NAMES, TOOLS, type Tool } from '../../../src/app/library/source.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { TranscriptError, type TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { withFileSystem } from '../../support/failing-files.ts';
import { TOOL_FIXTURES } from '../../support/tool-homes/all-tools.ts';
import { LibraryCopies } from '../../../src/storage/library-copies.ts';
import {
  ARGS,
  START_TIME,
  database,
  fileOf,
  jsonl,
  OUTPUT,
  putFile,
  zedThread,
  type ExpectedMessage,
} from '../../support/tool-homes/conversation.ts';
import { claudeRecords } from '../../support/tool-homes/terminal-tools.ts';
import { homeForEachTest } from '../../support/tool-homes/home-for-each-test.ts';

const REASON =
  /contains no (?:readable )?messages|damaged|still being written|can’t be read|isn’t in a known [\w ]+ format|is empty|no such table|newer than/;
/** A tool's output, many times longer than any context window. */
const HUGE = `${OUTPUT} // ${'port '.repeat(400_000)}`;

type Change = (value: unknown) => unknown;

/** All objects and lists of a document, innermost first. */
function deep(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return change(value.map((one) => deep(one, change)));
  if (typeof value !== 'object' || value === null) return change(value);
  return change(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deep(one, change)])));
}
const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
// A call's arguments are defined by the tool.
const withMore: Change = (value) =>
  isFields(value) && !isDeepStrictEqual(value, ARGS) ? { ...value, addedLater: { of: [1] } } : value;
const renamed: Change = (value) =>
  isFields(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [`${name}2`, one])) : value;
const larger: Change = (value) => (typeof value === 'string' ? value.replaceAll(OUTPUT, HUGE) : value);

/** Changes every JSON value of a file: a document, its lines, or a database's columns. Other values stay unchanged. */
function changeFile(file: string, change: Change): void {
  const changed = (text: string): string | undefined => {
    try {
      return JSON.stringify(deep(JSON.parse(text), change));
    } catch {
      return undefined;
    }
  };
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, 15).equals(Buffer.from('SQLite format 3'))) {
    const text = bytes.toString('utf8');
    const lines = text.split('\n').map((line) => (line === '' ? line : (changed(line) ?? String(change(line)))));
    return writeFileSync(file, changed(text) ?? lines.join('\n'));
  }
  const store = new DatabaseSync(file);
  for (const { name } of store.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
    for (const row of store.prepare(`SELECT rowid AS place, * FROM ${String(name)}`).all()) {
      for (const [column, value] of Object.entries(row)) {
        const isPacked = value instanceof Uint8Array;
        const text = isPacked ? zstdDecompressSync(value).toString('utf8') : value;
        const next = typeof text === 'string' && /^[[{]/.test(text) ? changed(text) : undefined;
        if (next === undefined) continue;
        const stored = isPacked ? zstdCompressSync(next) : next;
        store.prepare(`UPDATE ${String(name)} SET ${column} = ? WHERE rowid = ?`).run(stored, row['place'] as number);
      }
    }
  }
  store.close();
}

function renameTables(file: string): void {
  const store = new DatabaseSync(file);
  for (const { name } of store.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
    store.exec(`ALTER TABLE ${String(name)} RENAME TO ${String(name)}_2`);
  store.close();
}

const isDatabase = (file: string): boolean => /\.(?:db|vscdb)$/.test(file);
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name));
const withoutBlocks = (messages: readonly TranscriptMessage[]): object[] =>
  messages.map(({ blocks: _, ...message }) => message);

/** All except for the last one are unchanged. The last one may be cut. */
function assertBeginning(read: readonly TranscriptMessage[], expected: readonly ExpectedMessage[]): void {
  assert.ok(read.length > 0 && read.length <= expected.length);
  assert.deepEqual(withoutBlocks(read.slice(0, -1)), expected.slice(0, read.length - 1));
}

describe('reading chats from other tools', () => {
  let home = '';
  const { closeDatabases, sources, findAny, find, readAll, readOnly } = homeForEachTest((folder) => (home = folder));

  /** The only file's content, or the reason why it or its database is refused. */
  const outcomeOf = async (tool?: Tool): Promise<string | ReadSession> => {
    const { files, unreadable } = await findAny(tool);
    if (unreadable.length > 0) return unreadable.map(({ reason }) => inEnglish(reason)).join('; ');
    assert.equal(files.length, 1);
    try {
      return await readSession(...files[0]!);
    } catch (error) {
      if (TranscriptError.is(error)) return error.message;
      throw error;
    }
  };
  const refusal = async (tool?: Tool): Promise<string> => {
    const outcome = await outcomeOf(tool);
    return typeof outcome === 'string' ? outcome : `${outcome.messages.length} messages`;
  };

  for (const fixture of TOOL_FIXTURES) {
    const name = `${TOOL_NAMES[fixture.tool]}, ${fixture.format}`;

    it(`${name}: reads every message, role, time, tool call, model and usage`, async () => {
      const file = fixture.write(home);
      const [bytes, stamp, beside] = [readFileSync(file), statSync(file).mtimeMs, readdirSync(path.dirname(file))];
      const { facts, messages, compactions } = await readOnly();
      assert.deepEqual(withoutBlocks(messages), fixture.expected);
      for (const call of messages.flatMap(({ blocks = [] }) => blocks).filter(({ type }) => type === 'tool_call')) {
        assert.deepEqual(
          { ...call, callId: 'c1' },
          { type: 'tool_call', callId: 'c1', name: 'read_file', json: '{"path":"config.ts"}' },
        );
      }
      const summaries = compactions.map(({ summary }) => summary);
      assert.deepEqual(summaries, fixture.compactions ?? []);
      if (fixture.workspace !== undefined) assert.equal(facts.workspace, fixture.workspace);
      if (fixture.title !== undefined) assert.equal(facts.title, fixture.title);
      assert.deepEqual(
        [readFileSync(file), statSync(file).mtimeMs, readdirSync(path.dirname(file))],
        [bytes, stamp, beside],
      );
    });

    it(`${name}: refuses a broken file with a reason`, async () => {
      const file = fixture.write(home);
      writeFileSync(file, Buffer.from('\u0000\u0001 no conversation at all \n'.repeat(200)));
      assert.match(
        await refusal(fixture.tool),
        /contains no (?:readable )?messages|damaged|can’t be read|isn’t in a known [\w ]+ format/,
      );
    });

    it(`${name}: refuses an empty file with a reason`, async () => {
      writeFileSync(fixture.write(home), '');
      // SQLite accepts an empty file as an empty database.
      assert.match(await refusal(fixture.tool), /is empty|no such table|isn’t in a known [\w ]+ format/);
    });

    it(`${name}: reads the intact beginning of a truncated file, or refuses it with a reason`, async () => {
      const file = fixture.write(home);
      const { size } = statSync(file);
      for (const share of [0.95, 0.7, 0.4, 0.1]) {
        truncateSync(file, Math.floor(size * share));
        const outcome = await outcomeOf(fixture.tool);
        if (typeof outcome === 'string') assert.match(outcome, REASON);
        else assertBeginning(outcome.messages, fixture.expected);
        await closeDatabases();
      }
    });

    it(`${name}: reads huge tool output completely`, async () => {
      fixture.write(home);
      for (const file of filesBelow(home)) changeFile(file, larger);
      assert.deepEqual(
        withoutBlocks((await readOnly(fixture.tool)).messages),
        fixture.expected.map((one) => (one.role === 'tool' ? { ...one, text: one.text.replace(OUTPUT, HUGE) } : one)),
      );
    });

    it(`${name}: stores a chat completely and only once after reading it half-written`, async () => {
      const file = fixture.write(home);
      const whole = readFileSync(file);
      truncateSync(file, Math.floor(whole.length * 0.6));
      const library = await Library.open(new LibraryCopies(path.join(home, 'copies')));
      const pass = async (): Promise<SyncReport> => {
        const report = await library.sync(sources(fixture.tool));
        await closeDatabases();
        return report;
      };
      const first = await pass();
      assert.ok(first.read + first.unreadable.length > 0, 'read, or refused by name');
      writeFileSync(file, whole);
      utimesSync(file, new Date(), new Date(Date.now() + 5_000));
      assert.deepEqual((await pass()).unreadable, []);
      const [session, ...others] = library.sessions();
      assert.deepEqual(others, []);
      assert.deepEqual(withoutBlocks((await library.read(session!)).messages), fixture.expected);
    });

    it(`${name}: reads a future format with only additions, and refuses an incompatible one with a reason`, async () => {
      const file = fixture.write(home);
      for (const one of filesBelow(home)) if (fixture.tool !== 'aider') changeFile(one, withMore);
      assert.deepEqual(withoutBlocks((await readOnly(fixture.tool)).messages), fixture.expected);
      await closeDatabases();
      if (isDatabase(file)) renameTables(file);
      else if (fixture.tool === 'aider') writeFileSync(file, readFileSync(file, 'utf8').replace(/^#/gm, '%'));
      else for (const one of filesBelow(home)) changeFile(one, renamed);
      assert.match(await refusal(fixture.tool), REASON);
    });
  }

  it('is tested for every tool, in at least two formats except for aider', () => {
    for (const tool of TOOLS) {
      const formats = TOOL_FIXTURES.filter((fixture) => fixture.tool === tool).length;
      assert.ok(formats >= (tool === 'aider' ? 1 : 2), tool);
    }
  });

  it('loses no messages when a line is still being written', async () => {
    const file = putFile(
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

  it('resumes where it stopped, and starts over when the file was rewritten', async () => {
    const lines = claudeRecords.map((one) => `${JSON.stringify(one)}\n`);
    const file = putFile(home, '.claude/projects/p/s.jsonl', lines.slice(0, 2).join(''));
    const [source, found] = (await find())[0]!;
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

  it('refuses a document that is too large to read as a single text, with a reason', async () => {
    const file = TOOL_FIXTURES.find(({ format }) => format === 'session as a document')!.write(home);
    truncateSync(file, 400_000_001);
    assert.match(await refusal(), /larger than 400 MB and isn’t line-delimited/);
  });

  it('reads a very large line-delimited file', async () => {
    const record = (index: number): string =>
      JSON.stringify({
        type: 'user',
        message: { role: 'user', content: `${index} ${'word '.repeat(2000)}` },
        timestamp: new Date(START_TIME + index).toISOString(),
      });
    putFile(
      home,
      '.claude/projects/p/s.jsonl',
      Array.from({ length: 3000 }, (_, index) => `${record(index)}\n`).join(''),
    );
    const { messages } = await readOnly();
    assert.equal(messages.length, 3000);
    assert.equal(messages[2999]?.at, START_TIME + 2999);
  });

  const VSCODE = '.config/Code/User/workspaceStorage/a/chatSessions/x.json';
  for (const [what, write] of [
    ['VS Code', fileOf(VSCODE, { version: 4, requests: [{ message: { text: 'Hi' } }] })],
    [
      'Copilot CLI',
      fileOf(
        '.copilot/session-state/x/events.jsonl',
        jsonl({ type: 'session.start', data: { sessionId: 'x', version: 2 } }),
      ),
    ],
    [
      'Cline',
      fileOf('.cline/data/sessions/x/x.messages.json', { version: 2, messages: [{ role: 'user', content: 'Hi' }] }),
    ],
    ['Zed', (home: string) => zedThread(home, { version: '0.10.0', messages: [] })],
  ] as const) {
    it(`refuses a newer ${what} format and names its version`, async () => {
      write(home);
      assert.match(await refusal(), /The file uses format version \S+\. Versions newer than \S+ aren’t supported/);
    });
  }

  it('reads a chat without its title while the tool is writing its chat list', async () => {
    TOOL_FIXTURES.find(({ tool }) => tool === 'cline')!.write(home);
    const list = filesBelow(home).find((file) => file.endsWith('taskHistory.json'))!;
    for (const begun of ['', '[{"id":"1","ta']) {
      writeFileSync(list, begun);
      const { facts, messages } = await readOnly();
      assert.deepEqual([facts.title, messages.length > 0], [undefined, true]);
    }
  });

  it('does not follow symbolic links', async () => {
    TOOL_FIXTURES.find(({ tool, format }) => tool === 'opencode' && format.startsWith('files'))!.write(home);
    const { length } = (await readOnly()).messages;
    const elsewhere = putFile(home, 'elsewhere.json', { role: 'user' });
    const folder = path.join(home, '.local/share/opencode/storage/message/ses_0');
    symlinkSync(elsewhere, path.join(folder, 'msg_9.json'));
    putFile(home, '.local/share/opencode/storage/part/msg_9/prt_1.json', { type: 'text', text: 'Of elsewhere.' });
    assert.equal((await readOnly()).messages.length, length);
  });

  it('ignores the database of another editor in a portable folder', async () => {
    const tables = 'CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)';
    database(home, 'portable/user-data/User/globalStorage/state.vscdb', tables, { ItemTable: [['theme', 'dark']] });
    assert.deepEqual(await find(undefined, { VSCODE_PORTABLE: path.join(home, 'portable') }), []);
  });

  it('reads Cursor chats from a portable folder', async () => {
    TOOL_FIXTURES.find(({ tool }) => tool === 'cursor')!.write(home);
    renameSync(path.join(home, '.config/Cursor'), path.join(home, 'user-data'));
    assert.equal((await readOnly()).messages.length, 4);
  });

  it('lists aider’s history once, with its folder, even if the environment also names it', async () => {
    const history = putFile(home, 'code/api/.aider.chat.history.md', '# aider chat started at 2026-03-02 09:00:00\n');
    const facts = (await find(undefined, { AIDER_CHAT_HISTORY_FILE: history })).map(([, file]) => file.facts);
    assert.deepEqual(facts, [{ id: history, workspace: path.join(home, 'code/api'), title: 'api' }]);
  });

  it('reads Cursor tabs without an ID, and counts messages without text as skipped', async () => {
    const tabs = ['One?', 'Two?'].map((text) => ({
      bubbles: [
        { type: 'user', text },
        { type: 'ai', text: '' },
      ],
    }));
    database(
      home,
      '.config/Cursor/User/workspaceStorage/abc/state.vscdb',
      'CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)',
      { ItemTable: [['workbench.panel.aichat.view.aichat.chatdata', JSON.stringify({ tabs })]] },
    );
    const read = await readAll();
    const texts = read.map(({ messages }) => messages.map(({ text }) => text));
    assert.deepEqual(texts, [['One?'], ['Two?']]);
    const reasons = read.map(({ skipped }) => skipped.map(({ reason, count }) => `${count} × ${inEnglish(reason)}`));
    assert.deepEqual(reasons, [['1 × message without readable content'], ['1 × message without readable content']]);
  });

  it('refuses a session without messages', async () => {
    putFile(home, '.config/Code/User/workspaceStorage/a/chatSessions/x.json', { version: 3, requests: [] });
    assert.equal(await refusal(), 'The file contains no messages.');
  });

  it('does not call a file empty whose first line is still being written', async () => {
    putFile(home, '.claude/projects/p/s.jsonl', '{"type":"us');
    assert.equal(await refusal(), 'The file is damaged or still being written.');
  });

  it('reads a database that its tool has open, without changing its folder', async () => {
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
    // Like after a tool was killed and the machine restarted.
    const left = mkdtempSync(path.join(os.tmpdir(), 'threadkeeper-home-'));
    cpSync(home, left, { recursive: true });
    open.close();
    rmSync(home, { recursive: true });
    renameSync(left, home);
    rmSync(`${file}-shm`);
    await closeDatabases();
    assert.equal((await readOnly()).messages.at(-1)?.text, 'And the host?');
    const names = readdirSync(path.dirname(file)).map((name) => name.replace(/^.*\.db/, ''));
    assert.deepEqual(names, ['', '-wal']);
  });

  it('refuses a database whose write-ahead log is restarted while it is being copied', async () => {
    const file = TOOL_FIXTURES.find(({ tool, format }) => tool === 'goose' && format === 'database')!.write(home);
    const writer = new DatabaseSync(file);
    writer.exec('PRAGMA journal_mode = WAL; DELETE FROM messages');
    const said = (from: number, to: number): void => {
      for (let id = from; id < to; id++)
        writer.exec(
          `INSERT INTO messages VALUES (${id}, '20260302_1', 'user', '[{"type":"text","text":"${id}${' port'.repeat(300)}"}]', 1772442005)`,
        );
    };
    said(10, 12);
    writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    said(12, 90);
    const { copyFile } = files;
    const copyWhileWritten: typeof copyFile = async (from, to) => {
      await copyFile(from, to);
      if (from !== file) return;
      writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      said(90, 91);
    };
    assert.match(await withFileSystem({ copyFile: copyWhileWritten }, refusal), /still being written/);
    await closeDatabases();
    assert.equal((await readOnly()).messages.length, 81);
    writer.close();
  });
});
