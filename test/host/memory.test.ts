import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import { keyEventId } from '../../src/core/model/ids.ts';
import type { KeyEvent } from '../../src/core/model/key-event.ts';
import { answerChatRequest, decisionsTool, recallTool } from '../../src/host/participant/participant.ts';
import { WorkspaceMemory } from '../../src/host/memory/workspace-memory.ts';
import type { MemoryFile } from '../../src/storage/memory-file.ts';
import { keyEvent } from '../support/key-events.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { answering, product, run, withSettings } from './product.ts';
import { sessionMessage } from '../support/session-messages.ts';

const TEXT =
  'Always use four spaces. We decided to keep the cache in Valkey. The key is sk-proj-Zx81hYq0PbN4cTt7LmVw93Kd.';

const message = sessionMessage('memory-1', TEXT);

function event(kind: KeyEvent['kind'], quote: string): KeyEvent {
  const start = TEXT.indexOf(quote);
  const id = keyEventId(`memory-1:${start}-${start + quote.length}`);
  return keyEvent(quote, { id, message: message.id, kind, start });
}

const preference = event('preference', 'Always use four spaces.');
const decision = event('decision', 'We decided to keep the cache in Valkey.');
const never = new vscode.CancellationTokenSource().token;

describe('workspace memory', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  let folder: string;
  folderForAllTests((made) => (folder = made));
  before(async () => {
    const conversation = await app.sessions.create('Caches');
    await conversation.journal.append(
      { type: 'message_added', message },
      { type: 'event_added', event: preference },
      { type: 'event_added', event: decision },
    );
  });
  afterEach(async () => {
    for (const { id } of app.memory.entries) await app.memory.remove(id);
  });

  it('reads its file again after a read error', async () => {
    let faults = 1;
    const file = {
      read: () => (faults-- > 0 ? Promise.reject(new Error('too many open files')) : Promise.resolve([])),
    } as unknown as MemoryFile;
    const memory = new WorkspaceMemory(file, { id: String, now: Date.now });
    await assert.rejects(memory.load(), /too many open files/);
    await memory.load();
    memory.dispose();
  });

  it('adds a key event from the tree, and sends it in every session within its token budget', async () => {
    await run('rememberEvent', { kind: 'event', event: preference });
    await run('rememberEvent', { kind: 'event', event: preference });
    const texts = app.memory.entries.map(({ text }) => text);
    assert.deepEqual(texts, ['Always use four spaces.']);
    const other = await app.sessions.create('Another session');
    assert.match(other.settings().memory, /^<workspace_memory-[^]*- \[preference\] Always use four spaces\./);
    assert.ok(other.meter.context().tokens.memory > 0);
    await withSettings({ 'memory.maxTokens': 0 }, () => {
      assert.equal(other.settings().memory, '');
      assert.deepEqual([...app.memory.omittedIds], [app.memory.entries[0]?.id], 'the tree says that it has no room');
      return Promise.resolve();
    });
  });

  it('offers key events when a task is reset, stores the selected ones, and never asks twice', async () => {
    const conversation = await app.sessions.create('With a constraint');
    const constraint = {
      ...preference,
      id: keyEventId('c'),
      kind: 'constraint',
      quote: 'Never log a password.',
    } as const;
    await conversation.journal.append(
      { type: 'message_added', message: { ...message, id: preference.message } },
      { type: 'event_added', event: constraint },
    );
    await conversation.setTask('Ship it', []);
    let asked = 0;
    const kept = new Promise<void>((resolve) => app.memory.onDidChange(resolve));
    await answering(
      {
        showInformationMessage: (_text: string, choose?: string) => {
          asked += choose === 'Select…' ? 1 : 0;
          return Promise.resolve(choose);
        },
        showQuickPick: (items: readonly unknown[]) => Promise.resolve(items),
      },
      async () => {
        await conversation.resetTask();
        await kept;
        await conversation.setTask('Ship more', []);
        await conversation.resetTask();
      },
    );
    assert.equal(asked, 1);
    assert.ok(app.memory.entries.some(({ kind, text }) => kind === 'constraint' && text === 'Never log a password.'));
  });

  it('can be edited, and a removed entry can be restored', async () => {
    await app.memory.add([{ kind: 'preference', text: 'Always use four spaces.' }]);
    const [first] = app.memory.entries;
    await answering({ showInputBox: () => Promise.resolve('Always use  tabs.') }, () => run('editMemory', first));
    assert.equal(app.memory.entries[0]?.text, 'Always use tabs.');
    const before = app.memory.entries;
    await answering({ showInformationMessage: (_text: string, undo: string) => Promise.resolve(undo) }, () =>
      run('forgetMemory', before[0]),
    );
    assert.deepEqual(app.memory.entries, before);
  });

  it('is exported as a Markdown file with secrets masked', async () => {
    await app.memory.add([
      { kind: 'preference', text: 'Always use tabs.' },
      { kind: 'fact', text: 'The token is sk-proj-Zx81hYq0PbN4cTt7LmVw93Kd' },
    ]);
    const file = path.join(folder, 'MEMORY.md');
    await run('exportMemory', vscode.Uri.file(file));
    const text = await readFile(file, 'utf8');
    assert.match(text, /^# Memory\n\n## Preferences\n\n- Always use tabs\./);
    assert.doesNotMatch(text, /sk-proj/);
  });
});

describe('integration with VS Code’s own chat', () => {
  it('asks for confirmation before its tools run, and masks secrets in their quotes', async () => {
    const app = await product();
    const tool = recallTool(app.history.recall);
    const input = { query: 'cache Valkey' };
    const prepared = await tool.prepareInvocation?.({ input }, never);
    assert.match(JSON.stringify(prepared?.confirmationMessages?.message), /“cache Valkey”.*model of this chat/);
    const found = JSON.stringify((await tool.invoke({ input, toolInvocationToken: undefined }, never))?.content);
    assert.match(found, /keep the cache in Valkey/);
    assert.doesNotMatch(found, /sk-proj/);
    const list = decisionsTool(app.history.recall);
    const decisions = await list.invoke({ input: {}, toolInvocationToken: undefined }, never);
    assert.match(
      JSON.stringify(decisions?.content),
      /session “Caches”, message 1, user\] We decided to keep the cache/,
    );
    await assert.rejects(async () => tool.invoke({ input: { query: '' }, toolInvocationToken: undefined }, never));
  });

  it('registers its tools with VS Code', () => {
    const names = vscode.lm.tools.map(({ name }) => name);
    for (const name of ['threadkeeper_recall', 'threadkeeper_decisions']) assert.ok(names.includes(name), name);
  });

  it('the chat participant quotes messages as text, without calling a model', async () => {
    const app = await product();
    const said: string[] = [];
    const stream = {
      markdown: (text: string | vscode.MarkdownString) => void said.push(typeof text === 'string' ? text : text.value),
      progress: () => undefined,
    };
    await answerChatRequest(app.history.recall, { prompt: 'cache Valkey', command: undefined }, stream, never);
    assert.match(said.join(''), /keep&nbsp;the&nbsp;cache|keep the cache/);
    said.length = 0;
    await answerChatRequest(app.history.recall, { prompt: '', command: 'decisions' }, stream, never);
    assert.match(said.join(''), /Valkey/);
  });
});
