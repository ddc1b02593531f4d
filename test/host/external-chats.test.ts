import assert from 'node:assert/strict';
import { appendFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import type { ChatRow } from '../../src/host/external-chats/chat-rows.ts';
import { portsChat } from '../support/external-chats.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { jsonl, putFile } from '../support/tool-homes/conversation.ts';
import { answering, collectIn, product, replacing, run, transcript, withSettings } from './product.ts';

const said = portsChat('/home/sam/api');
const FIRST = 'Never use port 80 for the bookings service. We decided to use Valkey for the cache.';
const RECORDS = [
  said(0, 'user', FIRST),
  said(1, 'assistant', [{ type: 'text', text: 'Understood: not port 80.' }]),
  said(2, 'user', 'They talked about ports.', { isCompactSummary: true }),
  said(3, 'user', 'Which port is free?'),
  said(4, 'assistant', [
    { type: 'text', text: '8080 is free.' },
    { type: 'tool_use', id: 'c1', name: 'Edit', input: { file_path: '/home/sam/api/config.ts' } },
  ]),
];
const SESSION = '.claude/projects/-home-sam-api/ports.jsonl';

type Picked = readonly { readonly label: string; readonly description?: string }[];

describe('chats from other tools in the editor', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  let home = '';
  folderForAllTests((made) => (home = made));
  let realHome: string | undefined;
  const threads: Worker[] = [];
  const began = (thread: Worker): unknown => threads.push(thread);
  const environment: [string, string | undefined][] = [];

  before(() => {
    realHome = process.env['HOME'];
    for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'CLAUDE_CONFIG_DIR'])
      environment.push([name, process.env[name]]);
    for (const [name] of environment) Reflect.deleteProperty(process.env, name);
    process.env['HOME'] = home;
    putFile(home, SESSION, jsonl(...RECORDS));
    process.on('worker', began);
  });
  after(async () => {
    process.off('worker', began);
    await vscode.workspace.getConfiguration('threadkeeper.sources').update('tools', undefined, true);
    for (const [name, value] of environment) if (value !== undefined) process.env[name] = value;
    assert.equal(process.env['HOME'], realHome);
  });

  /** The folder of the copies. */
  const copies = () => path.join(path.dirname(app.folder), 'all-chats');

  /** All rows of the view, at all levels, except those below compactions. */
  async function allRows(): Promise<readonly ChatRow[]> {
    const { chatsTree } = app;
    const withRowsBelow = async (rows: readonly ChatRow[]): Promise<readonly ChatRow[]> => {
      const all: ChatRow[] = [];
      for (const row of rows)
        all.push(row, ...(isCompaction(row) ? [] : await withRowsBelow(await chatsTree.getChildren(row))));
      return all;
    };
    return withRowsBelow(await chatsTree.getChildren());
  }
  const isCompaction = ({ load, tool }: ChatRow): boolean => load !== undefined && tool === undefined;
  const chatRow = async (): Promise<ChatRow> => (await allRows()).find(({ chat }) => chat)!;

  async function eventually(isSo: () => Promise<boolean>): Promise<void> {
    for (const since = Date.now(); !(await isSo()); await new Promise((resolve) => setTimeout(resolve, 50)))
      assert.ok(Date.now() - since < 60_000, 'it did not come');
  }

  it('are not read before the user selects a tool', async () => {
    assert.deepEqual(await allRows(), []);
    await assert.rejects(readdir(copies()), { code: 'ENOENT' });
  });

  it('are found, and copied once the user selects their tool', async () => {
    let offered: Picked = [];
    await answering(
      {
        showQuickPick: (items: Picked) => {
          offered = items;
          return Promise.resolve(items);
        },
      },
      () => run('findChats'),
    );
    const tools = offered.map(({ label, description = '' }) => [
      label,
      description.split(' · ').length,
      description.split(' · ')[0],
    ]);
    assert.deepEqual(tools, [['Claude Code', 3, '1 session']]);
    const labels = (await allRows()).map(({ item }) => item.label);
    assert.deepEqual(labels, [
      'api',
      'Claude Code',
      'Never use port 80 for the bookings service. We decided to…',
      'Compaction 1',
    ]);
  });

  it('show messages that the tool adds', async () => {
    appendFileSync(path.join(home, SESSION), jsonl(said(5, 'user', 'Thanks.')));
    await eventually(async () => (await chatRow()).chat?.entry.messages === 5);
  });

  it('are read once for concurrent requests, and an invalid setting causes no error', async () => {
    const { chats } = app;
    const follow = chats.library.follow.bind(chats.library);
    let passes = 0;
    const counted: typeof follow = (options) => {
      passes++;
      return follow(options);
    };
    await replacing(chats.library, 'follow', counted, async () => {
      await Promise.all([chats.follow(), chats.follow()]);
      assert.equal(passes, 1);
      await withSettings({ 'sources.keepDays': -1 }, () => chats.follow());
    });
  });

  it('are followed again after the reader thread has ended, and the user is told', async () => {
    const told: string[] = [];
    await answering({ showWarningMessage: collectIn(told) }, async () => {
      await threads.at(-1)!.terminate();
      appendFileSync(path.join(home, SESSION), jsonl(said(6, 'user', 'Bye.')));
      await eventually(async () => threads.length > 1 && (await chatRow()).chat?.entry.messages === 6);
    });
    assert.deepEqual(told, [
      'Reading chats from other tools stopped unexpectedly (exit 1). It restarts automatically.',
    ]);
  });

  it('are removed after the configured number of days, even when no tool is selected anymore', async () => {
    const { chats } = app;
    const follow = chats.library.follow.bind(chats.library);
    const asked: string[] = [];
    const noted: typeof follow = (options) => {
      asked.push(JSON.stringify(options));
      return follow(options);
    };
    await replacing(chats.library, 'follow', noted, () =>
      withSettings({ 'sources.tools': [], 'sources.keepDays': 30 }, async () => {
        await chats.close();
        asked.length = 0;
        await chats.follow();
        assert.deepEqual(asked, [JSON.stringify({ tools: [], keepMs: 30 * 24 * 3_600_000 })]);
      }),
    );
    const configuration = vscode.workspace.getConfiguration('threadkeeper');
    await configuration.update('sources.tools', ['claude-code'], vscode.ConfigurationTarget.Global);
    await chats.follow();
  });

  it('open read-only, and can be continued as a session of the user’s own', async () => {
    const chosen = { provider: 'local', model: 'chosen before' };
    await (await app.sessions.create()).journal.append({ type: 'model_selected', ...chosen });
    await run('openKeptChat', await chatRow());
    const opened = app.sessions.current!;
    assert.equal(transcript(opened)[2], 'user: Which port is free?');
    assert.match(transcript(opened)[3]!, /^assistant: 8080 is free/);
    const { action, text } = app.describe(opened.journal.readOnly);
    assert.match(text, /^This chat from .+ is read-only\.$/);
    assert.equal(action, undefined, 'no other window is there to take over from');
    assert.equal(opened.state.compressions.length, 1);
    await eventually(() => Promise.resolve(opened.state.events.size > 0));
    const isListed = (await app.sessions.list()).some(({ id }) => id === opened.journal.id);
    assert.equal(isListed, false);
    await answering({ showInformationMessage: collectIn([]) }, () => run('continueHere', opened.state.path[2]));
    const own = app.sessions.current!;
    assert.notEqual(own.journal.id, opened.journal.id);
    assert.equal(own.journal.readOnly, undefined);
    assert.deepEqual([own.state.provider, own.state.model], Object.values(chosen));
    assert.equal(transcript(own).length, 3);
    await own.send('Go on.');
    assert.equal(transcript(own)[3], 'user: Go on.');
  });

  it('show key events dropped by their own compaction, to copy or restore', async () => {
    // The current session would be used if it already continued the chat.
    await app.sessions.create();
    const { chatsTree } = app;
    const compaction = (await allRows()).find(isCompaction);
    const entries = await chatsTree.getChildren(compaction);
    const entry = entries.find(({ dropped }) => dropped);
    const quotes = entry?.dropped?.map(({ quote }) => quote) ?? [];
    assert.ok(
      quotes.some((quote) => quote.includes('Never use port 80')),
      quotes.join(', '),
    );
    const listed = quotes.map((quote) => `- ${quote}`).join('\n');
    await answering({ showInformationMessage: () => Promise.resolve(undefined) }, async () => {
      await run('copyDropped', entry);
      assert.equal(await vscode.env.clipboard.readText(), listed);
      const chats = new Set((await app.sessions.list()).map(({ id }) => id));
      await run('restoreDropped', entry);
      const continued = app.sessions.current!;
      assert.ok(!chats.has(continued.journal.id), 'the chat was continued');
      assert.equal(transcript(continued)[0], `user: ${FIRST}`);
      // Attachments aren't the user's words.
      const attached = app.attachments
        .contents(continued.journal.id)
        .attachments.map(({ kind, name, text }) => [kind, name, text]);
      assert.deepEqual(attached, [['paste', 'Key events dropped by Claude Code', listed]]);
      const [one] = await chatsTree.getChildren(entry);
      await run('restoreDropped', one ?? entry);
      assert.equal(app.sessions.current, continued, 'which is not done twice');
      assert.equal(app.attachments.contents(continued.journal.id).attachments.length, 2);
    });
  });

  it('stay when the tool deletes them, and go when the user deletes the copies', async () => {
    rmSync(path.join(home, SESSION));
    await eventually(async () => (await chatRow()).chat?.isGone === true);
    await answering(
      {
        showWarningMessage: (_text: string, _options: unknown, forget: string) => Promise.resolve(forget),
        showInformationMessage: () => Promise.resolve(undefined),
      },
      async () => {
        await run(
          'forgetChats',
          (await allRows()).find(({ tool }) => tool),
        );
      },
    );
    assert.deepEqual(await allRows(), []);
    const kept = (await readdir(copies())).filter((name) => name.endsWith('.gz'));
    assert.deepEqual(kept, []);
    await withSettings({ 'sources.tools': [] }, () => Promise.resolve());
  });
});
