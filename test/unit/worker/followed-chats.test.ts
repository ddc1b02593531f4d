import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  promises,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ChatLibraryEvent } from '../../../src/app/library/chat-library-calls.ts';
import { TOOLS } from '../../../src/app/library/source.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { FollowedChats } from '../../../src/worker/followed-chats.ts';
import { withFileSystem } from '../../support/failing-files.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { TOOL_FIXTURES } from '../../support/tool-homes/all-tools.ts';
import { claudeMessage, iso, jsonl, putFile } from '../../support/tool-homes/conversation.ts';
import { traces } from '../../support/traces.ts';
import { until } from '../../support/until.ts';

const SESSION = '.claude/projects/p/s.jsonl';
const MESSAGE = { role: 'user', content: 'Which port?' };
const userRecord = (text: string): string => jsonl(claudeMessage('user', text));
const codexRecords = (text: string): string => {
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  return jsonl(
    { timestamp: iso(0), type: 'session_meta', payload: { id: 'x', timestamp: iso(0), cwd: '/p' } },
    { timestamp: iso(0), type: 'response_item', payload: message },
  );
};

/** SQL that each tool runs to store a new message. It doesn't change the session's own modification time. */
const WRITES = {
  goose: {
    format: /^database/,
    statement: `INSERT INTO messages VALUES (5, '20260302_1', 'user', '[{"type":"text","text":"And the host?"}]', 1772442003)`,
  },
  opencode: {
    format: /^database/,
    statement: `INSERT INTO message (id, session_id, time_created, data) VALUES ('msg_5', 'ses_1', 1772442005000, '{"role":"user"}');
      INSERT INTO part (id, message_id, session_id, time_created, data)
        VALUES ('prt_5', 'msg_5', 'ses_1', 1772442005000, '{"type":"text","text":"And the host?"}')`,
  },
  cursor: {
    format: /^headers/,
    statement: `UPDATE cursorDiskKV SET value = replace(value, '"type":2}]', '"type":2},{"bubbleId":"b4","type":1}]')
        WHERE key = 'composerData:cc1';
      INSERT INTO cursorDiskKV VALUES ('bubbleId:cc1:b4', '{"bubbleId":"b4","type":1,"text":"And the host?"}')`,
  },
  zed: {
    format: /^plain/,
    statement: `UPDATE threads SET data = replace(data, '"messages":[', '"messages":[{"User":{"id":"u0","content":[{"Text":"Hello"}]}},')`,
  },
} as const;

const TOOL = `
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
const database = new DatabaseSync(process.argv[1]);
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE started (at INTEGER)');
console.log('done');
for await (const line of createInterface({ input: process.stdin })) {
  database.exec(line);
  console.log('done');
}`;

describe('chats followed from other tools', () => {
  let place = '';
  let home = '';
  const opened: FollowedChats[] = [];
  const tools: ChildProcess[] = [];

  folderForEachTest((made) => (place = made));
  beforeEach(() => {
    home = path.join(place, 'home');
    putFile(home, SESSION, userRecord('Which port?'));
  });
  afterEach(async () => {
    for (const chats of opened.splice(0)) await chats.close();
    for (const tool of tools.splice(0)) tool.kill();
  });

  function open(window = 'one', news: ChatLibraryEvent[] = [], env: Record<string, string> = {}): FollowedChats {
    const options = { folder: path.join(place, 'copies'), home: { folder: home, env }, window };
    const chats = new FollowedChats({ ...options, onLibraryEvent: (one) => news.push(one) });
    opened.push(chats);
    return chats;
  }

  it('are listed again once an unreadable catalog becomes readable', async () => {
    mkdirSync(path.join(place, 'copies/catalog.json'), { recursive: true });
    const chats = open();
    await assert.rejects(chats.list(), /EISDIR/);
    rmdirSync(path.join(place, 'copies/catalog.json'));
    assert.deepEqual((await chats.list()).chats, []);
  });

  /** Another process that has a database open and writes to it on request. */
  async function openTool(file: string): Promise<(statements: string) => Promise<void>> {
    const tool = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', TOOL, file]);
    tools.push(tool);
    const heard = async (): Promise<void> => {
      const [said] = (await once(tool.stdout, 'data')) as [Buffer];
      assert.equal(String(said), 'done\n');
    };
    await heard();
    return async (statements) => {
      tool.stdin.write(`${statements.replace(/\s+/g, ' ')}\n`);
      await heard();
    };
  }

  const messages = async (chats: FollowedChats): Promise<number> =>
    (await chats.list()).chats.reduce((sum, { entry }) => sum + entry.messages, 0);

  it('stay listed if the catalog is damaged, also those that their tool has deleted', async () => {
    const news: ChatLibraryEvent[] = [];
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    unlinkSync(path.join(home, SESSION));
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    await chats.close();
    await writeFile(path.join(place, 'copies/catalog.json'), '{"version":1,"sess');
    const again = open('two', news);
    assert.equal(await messages(again), 1);
    assert.match(JSON.stringify(news), /the catalog is damaged/);
    await again.follow({ tools: ['claude-code'], keepMs: 0 });
    const gone = (await again.list()).chats.map(({ isGone }) => isGone);
    assert.deepEqual(gone, [true]);
  });

  it('are copied again if the folder of the copies was deleted', async () => {
    const news: ChatLibraryEvent[] = [];
    const chats = open('one', news);
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    rmSync(path.join(place, 'copies'), { recursive: true });
    await until(() => existsSync(path.join(place, 'copies/catalog.json')));
    await chats.close();
    const again = open('two');
    assert.deepEqual(
      (await again.search({ text: 'port', limit: 5 })).map(({ text }) => text),
      ['Which port?'],
    );
    assert.deepEqual(
      news.filter(({ type }) => type === 'failed'),
      [],
    );
  });

  /** Deletes the copies and all else but the lock. */
  function deleteCopies(): void {
    for (const name of readdirSync(path.join(place, 'copies')))
      if (name !== 'library.lock') rmSync(path.join(place, 'copies', name), { recursive: true });
  }

  it('are copied again if all files but the lock were deleted', async () => {
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    deleteCopies();
    await until(() => existsSync(path.join(place, 'copies/catalog.json')));
    assert.equal(await messages(chats), 1);
  });

  it('are not read again every second if they were deleted and nothing can be written', async () => {
    const news: ChatLibraryEvent[] = [];
    await open('one', news).follow({ tools: ['claude-code'], keepMs: 0 });
    deleteCopies();
    mkdirSync(path.join(place, 'copies/catalog.json.next'));
    const failures = () => news.filter(({ type }) => type === 'failed').length;
    await until(() => failures() > 0);
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    assert.equal(failures(), 1);
  });

  it('stay listed if only the catalog was deleted, also those that their tool has deleted', async () => {
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    unlinkSync(path.join(home, SESSION));
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    unlinkSync(path.join(place, 'copies/catalog.json'));
    // Longer than the interval of the checks.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal((await chats.list()).chats.length, 1);
  });

  it('are not given up if the catalog is damaged and there is no previous one', async () => {
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    await chats.close();
    await writeFile(path.join(place, 'copies/catalog.json'), '{"version":1,"sess');
    const again = open('two');
    await assert.rejects(again.list(), SyntaxError);
    await assert.rejects(again.follow({ tools: ['claude-code'], keepMs: 0 }), SyntaxError);
    assert.equal(await readFile(path.join(place, 'copies/catalog.json'), 'utf8'), '{"version":1,"sess');
  });

  it('leave no title behind when they are deleted', async () => {
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    await chats.forget('claude-code');
    const copies = path.join(place, 'copies');
    for (const name of readdirSync(copies))
      assert.doesNotMatch(await readFile(path.join(copies, name), 'utf8'), /port/);
  });

  it('are counted before any of them is read', async () => {
    const chats = open();
    const found = await chats.find();
    assert.deepEqual(
      found.filter(({ sessions }) => sessions > 0).map(({ tool, sessions, bytes }) => [tool, sessions, bytes > 50]),
      [['claude-code', 1, true]],
    );
    assert.equal((await chats.list()).chats.length, 0);
  });

  for (const [value, folder] of [
    ['the folder set by VS Code’s Snap package', 'snap/code/182/.local/share'],
    ['the default folder', '.local/share/'],
    ['empty', undefined],
  ])
    it(`are found once in ~/.local/share if XDG_DATA_HOME is ${value}`, async () => {
      const tools = ['opencode', 'goose', 'zed'] as const;
      for (const tool of tools) TOOL_FIXTURES.find((one) => one.tool === tool)!.write(home);
      const variable = folder === undefined ? '' : `${home}/${folder}`;
      const found = await open('one', [], { XDG_DATA_HOME: variable, AIDER_CHAT_HISTORY_FILE: '' }).find();
      const chats = found.filter(({ sessions }) => sessions > 0).map(({ tool, sessions }) => [tool, sessions]);
      assert.deepEqual(chats, [['claude-code', 1], ...tools.map((tool) => [tool, 1])]);
    });

  it('are read again when a file grows and when a file appears in a new folder', async () => {
    const chats = open();
    assert.equal((await chats.follow({ tools: ['claude-code'], keepMs: 0 })).read, 1);
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    await until(async () => (await messages(chats)) === 2);
    putFile(home, '.claude/projects/q/t.jsonl', userRecord('Which database?'));
    await until(async () => (await messages(chats)) === 3);
  });

  for (const [tool, isLarge] of [
    ['goose', false],
    ['goose', true],
    ['opencode', false],
    ['cursor', false],
    ['zed', false],
  ] as const) {
    const name = `${isLarge ? 'large ' : ''}${tool} database`;
    it(`are read again when a tool writes to a database that it has open: ${name}`, async () => {
      const write = TOOL_FIXTURES.find((one) => one.tool === tool && WRITES[tool].format.test(one.format))!.write;
      const file = write(home);
      const writer = await openTool(file);
      if (isLarge) {
        await writer('CREATE TABLE large (content BLOB); INSERT INTO large VALUES (zeroblob(40000000))');
        await writer('PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO started VALUES (1)');
      }
      const chats = open();
      assert.equal((await chats.follow({ tools: [tool], keepMs: 0 })).read, 1);
      const before = await messages(chats);
      await writer(WRITES[tool].statement);
      // The test's time limit is far below the interval of full scans, so that only the file watcher can be in time.
      await until(async () => (await messages(chats)) > before);
      const traced = traces(path.dirname(file));
      await chats.follow({ tools: [tool], keepMs: 0 });
      assert.deepEqual(traces(path.dirname(file)), traced);
    });
  }

  it('are read without leaving a trace outside our folder, whatever the tool', async () => {
    for (const tool of TOOLS) TOOL_FIXTURES.find((one) => one.tool === tool)?.write(home);
    const before = traces(home);
    const outside = mkdtempSync(path.join(place, 'outside-'));
    const { TMPDIR: real = os.tmpdir() } = process.env;
    process.env['TMPDIR'] = outside;
    try {
      const chats = open();
      await chats.find();
      await chats.follow({ tools: TOOLS, keepMs: 0 });
    } finally {
      process.env['TMPDIR'] = real;
    }
    assert.deepEqual(traces(home), before);
    assert.deepEqual(readdirSync(outside), []);
    const copies = readdirSync(path.join(place, 'copies'));
    const others = copies.filter(
      (name) => !/^(library\.lock|catalog\.json(\.previous)?|[\w-]+\.(jsonl\.gz|index))$/.test(name),
    );
    assert.deepEqual(others, []);
    for (const name of copies) {
      if (name !== 'library.lock') assert.equal(statSync(path.join(place, 'copies', name)).mode & 0o077, 0, name);
    }
  });

  it('are followed by one window and shown in another, which takes over when the first closes', async () => {
    const [first, second] = [open('one'), open('two')];
    await first.follow({ tools: ['claude-code'], keepMs: 0 });
    assert.equal((await second.follow({ tools: ['claude-code'], keepMs: 0 })).read, 0);
    assert.equal(await messages(second), 1);
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    await until(async () => (await messages(second)) === 2);
    await first.close();
    appendFileSync(path.join(home, SESSION), userRecord('And the key?'));
    await until(async () => (await messages(second)) === 3);
  });

  it('are read from a database while another window counts them', async () => {
    const write = TOOL_FIXTURES.find(({ tool, format }) => tool === 'goose' && WRITES[tool].format.test(format))!.write;
    await openTool(write(home));
    const [first, second] = [open('one'), open('two')];
    const { copyFile } = promises;
    let isCounted = false;
    const countBefore: typeof copyFile = async (...args) => {
      if (!isCounted) {
        isCounted = true;
        await second.find();
      }
      await copyFile(...args);
    };
    const following = () => first.follow({ tools: ['goose'], keepMs: 0 });
    const { read, unreadable } = await withFileSystem({ copyFile: countBefore }, following);
    assert.deepEqual([read, unreadable], [1, []]);
  });

  it('are found after deleting the database copies that a killed thread left behind long ago', async () => {
    const copies = path.join(place, 'copies');
    for (const name of ['scratch-old', 'scratch-new']) putFile(copies, `${name}/copy.db`, 'A copy.');
    utimesSync(path.join(copies, 'scratch-old'), new Date('2020-01-01'), new Date('2020-01-01'));
    await open().find();
    assert.deepEqual(readdirSync(copies), ['scratch-new']);
  });

  it('are followed without delay when a window’s thread has ended and a new one starts', async () => {
    await open('one').follow({ tools: ['claude-code'], keepMs: 0 });
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    const next = open('one');
    await next.follow({ tools: ['claude-code'], keepMs: 0 });
    assert.equal(await messages(next), 2);
  });

  it('are followed without delay when a thread ended while it created the lock', async () => {
    putFile(place, 'copies/library.lock', '');
    const chats = open('one');
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    assert.equal(await messages(chats), 1);
  });

  it('stay with the window that reads them, however long reading takes', async function () {
    if (process.platform === 'win32') return this.skip();
    // Reading a pipe would wait until somebody writes to it.
    const pipe = path.join(place, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const chats = open('one', [], { AIDER_CHAT_HISTORY_FILE: pipe });
    const pass = chats.follow({ tools: ['aider'], keepMs: 0 });
    const lock = path.join(place, 'copies/library.lock');
    await until(() => existsSync(lock));
    const longAgo = new Date('2020-01-01');
    utimesSync(lock, longAgo, longAgo);
    try {
      await until(() => statSync(lock).mtimeMs > longAgo.getTime());
    } finally {
      await writeFile(pipe, '# aider chat started at 2026-03-02 09:00:00\n\n#### Which port?\n\n8080\n');
    }
    assert.equal((await pass).read, 1);
  });

  it('are still followed after the user cancels a sync, which itself stops reading', async () => {
    for (let index = 0; index < 50; index++)
      putFile(home, `.claude/projects/p/${index}.jsonl`, userRecord(`Port ${index}?`));
    const news: ChatLibraryEvent[] = [];
    const chats = open('one', news);
    // The user cancels while one pass runs and another one waits.
    const passes = [1, 2].map(() => chats.follow({ tools: ['claude-code'], keepMs: 0 }));
    await until(() => news.some(({ type }) => type === 'progress'));
    await chats.cancel();
    const read = (await Promise.all(passes)).reduce((sum, report) => sum + report.read, 0);
    assert.ok(read > 0 && read < 51, `${read} chats`);
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    await until(async () => (await messages(chats)) === 52);
  });

  it('are read even after the clock was set back', async () => {
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    await until(async () => (await messages(chats)) === 2);
    const { now } = Date;
    try {
      Date.now = () => now() - 3_600_000;
      appendFileSync(path.join(home, SESSION), userRecord('And the key?'));
      await until(async () => (await messages(chats)) === 3);
    } finally {
      Date.now = now;
    }
  });

  it('are read even if one tool’s folder is gone and another tool’s file has a malformed URI', async () => {
    const chats = open();
    const session = { sessionId: 'c', title: 'Ports', workspaceDirectory: 'file:///home/sam/100%/api' };
    putFile(home, '.continue/sessions/c.json', JSON.stringify({ ...session, history: [{ message: MESSAGE }] }));
    putFile(home, 'api/.aider.chat.history.md', '# aider chat started at 2026-03-02 09:00:00\n\n#### Which port?\n');
    const mounted = path.join(home, 'mounted');
    putFile(home, 'mounted/readme.md', 'A file system that has gone.');
    const { readdir } = promises;
    const gone = Object.assign(new Error('ENOTCONN: socket is not connected, scandir'), { code: 'ENOTCONN' });
    const readdirUnlessGone = ((...args: Parameters<typeof readdir>) =>
      args[0] === mounted ? Promise.reject(gone) : readdir(...args)) as typeof readdir;
    await withFileSystem({ readdir: readdirUnlessGone }, async () => {
      const followed = ['continue', 'claude-code', 'aider'] as const;
      const found = await chats.find();
      const sessions = followed.map((tool) => found.find((one) => one.tool === tool)?.sessions);
      assert.deepEqual(sessions, [1, 1, 1]);
      const { read, unreadable } = await chats.follow({ tools: followed, keepMs: 0 });
      assert.equal(read, 3);
      const reasons = unreadable.map(({ path: where, reason }) => [where, inEnglish(reason).split(':')[0]]);
      assert.deepEqual(reasons, [[mounted, 'The file can’t be read']]);
    });
    const { chats: listed } = await chats.list();
    assert.equal(listed.find(({ entry }) => entry.tool === 'continue')?.entry.workspace, '/home/sam/100%/api');
  });

  it('can be forgotten from any window, and are not stored again by the window that follows them', async () => {
    const [first, second] = [open('one'), open('two')];
    await first.follow({ tools: ['claude-code'], keepMs: 0 });
    await second.follow({ tools: [], keepMs: 0 });
    await second.forget('claude-code');
    const copiesLeft = readdirSync(path.join(place, 'copies')).filter((name) => name.endsWith('.gz'));
    assert.deepEqual(copiesLeft, []);
    appendFileSync(path.join(home, SESSION), userRecord('And the host?'));
    await until(async () => (await messages(first)) === 0);
  });

  for (const [state, before] of [
    ['not searched yet', ''],
    ['searched before', 'port'],
  ] as const)
    it(`are found while others, ${state}, are removed by another window`, async () => {
      putFile(
        home,
        '.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-x.jsonl',
        codexRecords('The port is 8080.'),
      );
      const [writer, reader] = [open('one'), open('two')];
      await writer.follow({ tools: ['claude-code', 'codex'], keepMs: 0 });
      assert.equal((await reader.list()).chats.length, 2);
      const search = async (text: string): Promise<readonly string[]> =>
        (await reader.search({ text, limit: 5 })).map((hit) => hit.text);
      if (before !== '') assert.equal((await search(before)).length, 2);
      const removed = (await reader.list()).chats.find(({ entry }) => entry.tool === 'codex')?.key ?? '';
      await writer.forget('codex');
      assert.deepEqual(await search('port'), ['Which port?']);
      assert.deepEqual(await reader.fileEffects('a.ts'), []);
      assert.equal(await reader.read(removed), undefined);
    });

  const DAY_MS = 24 * 3_600_000;

  /** Runs `work` with a clock that is set to another time. */
  async function atTime(shiftMs: number, work: () => Promise<unknown>): Promise<void> {
    const { now } = Date;
    try {
      Date.now = () => now() + shiftMs;
      await work();
    } finally {
      Date.now = now;
    }
  }

  it('are kept forever unless a retention period is set, and are removed a day after its end', async () => {
    const old = putFile(home, '.claude/projects/p/old.jsonl', userRecord('Long ago.'));
    utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'));
    const chats = open();
    await chats.follow({ tools: ['claude-code'], keepMs: 0 });
    unlinkSync(old);
    assert.equal(await messages(chats), 2);
    const keep = { tools: ['claude-code'], keepMs: 2 * DAY_MS } as const;
    for (const [shiftMs, kept] of [
      [0, 2],
      [DAY_MS - 60_000, 2],
      [DAY_MS, 1],
    ] as const) {
      await atTime(shiftMs, () => chats.follow(keep));
      assert.equal(await messages(chats), kept);
    }
  });

  it('are kept if the clock was far ahead and is corrected within a day', async () => {
    const chats = open();
    const keep = { tools: ['claude-code'], keepMs: 30 * DAY_MS } as const;
    await chats.follow(keep);
    for (const shiftMs of [1000 * DAY_MS, 1000 * DAY_MS + 3_600_000, 0, 1001 * DAY_MS, 0]) {
      await atTime(shiftMs, () => chats.follow(keep));
      assert.deepEqual(
        (await chats.list()).chats.map(({ isGone }) => isGone),
        [false],
      );
    }
  });

  it('are removed after the retention period even when no tool is followed any more', async () => {
    const old = putFile(home, '.claude/projects/p/old.jsonl', userRecord('Long ago.'));
    utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'));
    await open().follow({ tools: ['claude-code'], keepMs: 0 });
    await opened.splice(0)[0]?.close();
    const next = open('two');
    const keep = { tools: [], keepMs: 2 * DAY_MS };
    await next.follow(keep);
    await atTime(DAY_MS, () => next.follow(keep));
    assert.equal(await messages(next), 1);
    assert.equal(readdirSync(path.join(place, 'copies')).filter((name) => name.endsWith('.gz')).length, 1);
  });
});
