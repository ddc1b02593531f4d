import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import type { SessionEvent } from '../../src/core/journal/schema.ts';
import { messageId } from '../../src/core/model/ids.ts';
import { pageRequests } from '../../src/host/chat/page-requests.ts';
import { MessageViews } from '../../src/host/chat/message-views.ts';
import { ifExists } from '../../src/storage/disk-errors.ts';
import { folderForAllTests, openForAllTests } from '../support/per-test.ts';
import { WireServer } from '../support/wire-server.ts';
import { answeredBy, product, rejection, run, sampleSession, transcript, withSettings } from './product.ts';
import { sessionMessage } from '../support/session-messages.ts';

const PROVIDERS = [
  { provider: 'openai', model: 'gpt-4o-mini', path: '/v1' },
  { provider: 'anthropic', model: 'claude-haiku-4-5', path: '' },
] as const;

describe('a turn in the editor', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  let server: WireServer;
  let exports: string;
  folderForAllTests((made) => (exports = made));
  openForAllTests(async () => (server = await WireServer.start()));

  it('is answered by the local provider without an API key or network access', async () => {
    const conversation = await app.sessions.create();
    await conversation.send('We settled on port 8443 for the staging gateway.');
    await conversation.send('Which port did we settle on?');
    const texts = transcript(conversation);
    assert.equal(texts.length, 4);
    assert.match(texts[3] ?? '', /No model is configured/);
    assert.match(texts[3] ?? '', /port 8443/);
  });

  for (const { provider, model, path: base } of PROVIDERS) {
    it(`streams a reply from ${provider}, and stores the reported usage`, async () => {
      server.reset().answer({ text: 'Use a bounded queue.', usage: { input_tokens: 21, output_tokens: 6 } });
      const holder = { provider, baseUrl: server.url };
      await app.keys.set(holder, 'sk-test-key');
      const settings = { 'chat.provider': provider, 'chat.model': model, 'chat.baseUrl': `${server.url}${base}` };
      await withSettings(settings, async () => {
        const conversation = await app.sessions.create();
        const pieces: string[] = [];
        const listening = conversation.onUpdate((update) => {
          if (update.type === 'reply_text') pieces.push(update.text);
        });
        await conversation.send('How do I limit memory?');
        listening.dispose();
        assert.ok(pieces.length > 1, 'the reply came in pieces');
        assert.equal(pieces.join(''), 'Use a bounded queue.');
        assert.deepEqual(transcript(conversation), ['user: How do I limit memory?', 'assistant: Use a bounded queue.']);
        const reply = conversation.state.messages.get(conversation.state.head!);
        assert.ok((reply?.usage?.input ?? 0) > 0 && (reply?.usage?.output ?? 0) > 0, 'usage is kept with the reply');
        assert.equal(conversation.state.counters.chatTokens, (reply?.usage?.input ?? 0) + (reply?.usage?.output ?? 0));
      });
      await app.keys.clear(provider);
    });
  }

  it('reports a missing API key in one sentence, and keeps the message', async () => {
    await withSettings({ 'chat.provider': 'openai' }, async () => {
      const conversation = await app.sessions.create();
      const { text, action } = app.describe(await rejection(conversation.send('Hello?')));
      assert.equal(text, 'No API key is set for this provider. Set an API key or select another model.');
      assert.equal(action?.command, 'setModelKey');
      assert.deepEqual(transcript(conversation), ['user: Hello?']);
    });
  });

  it('says that the base URL is missing, as after Settings Sync, which leaves it out', async () => {
    await withSettings({ 'chat.provider': 'compatible', 'chat.model': 'm' }, async () => {
      const conversation = await app.sessions.create();
      const { text } = app.describe(await rejection(conversation.send('Hello?')));
      assert.match(text, /^The base URL is missing or invalid\./);
      assert.deepEqual(transcript(conversation), ['user: Hello?']);
    });
  });

  /** Runs with an OpenAI key that was entered for the server, and with the settings for an address. */
  async function withKey(key: string, url: string, body: () => Promise<void>, more = {}): Promise<void> {
    const { keys } = await product();
    await keys.set({ provider: 'openai', baseUrl: server.url }, key);
    const settings = { 'chat.provider': 'openai', 'chat.model': 'gpt-4o-mini', 'chat.baseUrl': `${url}/v1` };
    await withSettings({ ...settings, ...more }, body);
    await keys.clear('openai');
  }

  it('keeps the reply if a setting becomes invalid while it arrives', async () => {
    const edited = Promise.withResolvers<undefined>();
    server.reset().answer('Use a bounded queue.').disturbNext({ kind: 'hold', afterText: 1, until: edited.promise });
    await withSettings(answeredBy(server), async () => {
      const conversation = await app.sessions.create();
      const begun = Promise.withResolvers<undefined>();
      const listening = conversation.onUpdate((update) => {
        if (update.type === 'reply_text') begun.resolve(undefined);
      });
      const logged = listenToLog(app.channel);
      const sent = conversation.send('How do I limit memory?');
      await begun.promise;
      await withSettings({ 'chat.reservedTokens': 2 }, async () => {
        edited.resolve(undefined);
        await sent;
      });
      listening.dispose();
      const errors = logged.stop().filter((line) => line.includes('a listener failed'));
      assert.deepEqual(errors, []);
      assert.deepEqual(transcript(conversation), ['user: How do I limit memory?', 'assistant: Use a bounded queue.']);
    });
  });

  it('reports a rejected API key in one sentence, and succeeds on retry once the key is accepted', async () => {
    server.reset().answer('Hello.').refuseNext(401);
    await withKey('sk-wrong', server.url, async () => {
      const conversation = await app.sessions.create();
      const { text, action } = app.describe(await rejection(conversation.send('Anyone there?')));
      assert.equal(text, 'The provider rejected the API key. Set a valid API key.');
      assert.equal(action?.command, 'setModelKey');
      await conversation.retry(conversation.state.head!);
      assert.deepEqual(transcript(conversation), ['user: Anyone there?', 'assistant: Hello.']);
    });
  });

  it('never sends an API key to an address other than the one it was entered for', async () => {
    server.reset().answer('Hello.');
    await withKey('sk-test-key', server.url.replace('127.0.0.1', 'localhost'), async () => {
      const conversation = await app.sessions.create();
      const { reason } = app.describe(await rejection(conversation.send('Anyone there?')));
      assert.equal(reason, 'no_key');
      assert.equal(server.requests.length, 0);
    });
  });

  it('never writes an API key to a journal, export or log, even when the server rejects it', async () => {
    const planted = 'sk-planted-key-4711';
    const logged = listenToLog(app.channel);
    server.reset().answer('Fine.').refuseNext(401);
    const session = async (): Promise<void> => {
      const conversation = await app.sessions.create();
      app.describe(await rejection(conversation.send('Is it well?')));
      await conversation.retry(conversation.state.head!);
      // The log describes what compression does.
      server.refuseNext(401);
      await (await sampleSession()).compressNow();
      for (const name of ['session.jsonl', 'session.md']) {
        const file = vscode.Uri.file(path.join(exports, name));
        await run('exportSession', file);
      }
    };
    await withKey(planted, server.url, session, { 'export.maskSecrets': false });
    assert.ok(server.requests.some(({ headers }) => headers['authorization'] === `Bearer ${planted}`));
    const lines = logged.stop();
    assert.ok(lines.length > 0, 'compression left no line in the log');
    assert.ok(!lines.some((line) => line.includes(planted)), 'the log holds the key');
    // <user data>/User/globalStorage/<extension>/sessions
    const storage = path.dirname(app.folder);
    const logs = path.resolve(storage, '../../../logs');
    const read: string[] = [];
    for (const folder of [storage, exports, logs]) {
      for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const name = path.join(file.parentPath, file.name);
        if (!file.isFile()) continue;
        read.push(name);
        // Some files only exist for a moment before they replace others.
        const text = await ifExists(readFile(name, 'latin1'));
        assert.ok(text?.includes(planted) !== true, `${name} holds the key`);
      }
    }
    for (const ending of ['.jsonl', '.checkpoint.json', 'session.md']) {
      assert.ok(
        read.some((name) => name.endsWith(ending)),
        `no ${ending} was looked at: ${read.join(', ')}`,
      );
    }
  });
});

describe('requests from the page in the editor', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  const messageAdded = (id: string, parent: string | null, role: 'user' | 'assistant', text: string): SessionEvent => {
    return { type: 'message_added', message: sessionMessage(id, text, { parent, role }) };
  };

  it('show the other reply when a regenerated one is deleted, and the deleted one again after undo', async () => {
    const conversation = await app.sessions.create();
    const { deleteMessage, undoDelete, switchBranch } = pageRequests(app);
    await conversation.journal.append(
      messageAdded('why', null, 'user', 'Why?'),
      messageAdded('first', 'why', 'assistant', 'First.'),
      messageAdded('second', 'why', 'assistant', 'Second.'),
    );
    const [first, second] = [messageId('first'), messageId('second')];
    await deleteMessage({ type: 'deleteMessage', message: second });
    assert.deepEqual(transcript(conversation), ['user: Why?', 'assistant: First.']);
    const branches = (at = first) =>
      new MessageViews(conversation).of(conversation.state.messages.get(at)!).branches?.ids;
    assert.equal(branches(), undefined, 'nothing leads to a message that is not shown');
    await undoDelete({ type: 'undoDelete', message: second });
    assert.deepEqual(transcript(conversation), ['user: Why?', 'assistant: Second.']);
    assert.deepEqual(branches(), [first, second]);
    await conversation.journal.append(messageAdded('more', 'second', 'user', 'And?'));
    await deleteMessage({ type: 'deleteMessage', message: second });
    assert.deepEqual(transcript(conversation), ['user: Why?', 'user: And?'], 'what follows it stays');
    assert.deepEqual(branches(messageId('more')), [first, second], 'and leads to the other reply');
    await switchBranch({ type: 'switchBranch', message: first });
    assert.deepEqual(branches(), [first, second], 'it leads to what follows it');
  });

  it('reject a pin that is too large to go with every request', async () => {
    const conversation = await app.sessions.create();
    const text = 'word '.repeat(1_000);
    await conversation.journal.append(messageAdded('longer', null, 'user', text));
    const { pinQuote } = pageRequests(app);
    await assert.rejects(pinQuote({ type: 'pinQuote', session: conversation.journal.id, quote: text }), {
      reason: 'too_large',
    });
  });

  it('search all messages for words or a quote, and yield along the way', async () => {
    const conversation = await app.sessions.create();
    const texts = Array.from({ length: 40 }, (_, at) =>
      messageAdded(`m${at}`, at === 0 ? null : `m${at - 1}`, 'user', `No. ${at}.`),
    );
    await conversation.journal.append(...texts);
    let yields = 0;
    const yielder = { isDue: () => true, yield: () => Promise.resolve().then(() => void (yields += 1)) };
    const { find, pinQuote } = pageRequests({
      clock: { ...app.clock, yielder },
      currentConnection: () => app.currentConnection(),
    } as never);
    assert.deepEqual(await find({ type: 'find', words: 'NO. 3' }), [3, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
    assert.ok(yields >= 40, `${yields} of 40`);
    yields = 0;
    await assert.rejects(pinQuote({ type: 'pinQuote', session: conversation.journal.id, quote: 'never said' }), {
      reason: 'not_found',
    });
    assert.ok(yields >= 40, `${yields} of 40`);
  });

  it('open a linked image', async () => {
    await app.sessions.create();
    const image = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'dot.png');
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await writeFile(image.fsPath, Buffer.from(dot, 'base64'));
    try {
      await pageRequests(app).openFile({ type: 'openFile', path: 'dot.png' });
      assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, 'dot.png');
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await rm(image.fsPath);
    }
  });
});

/** Reads a log channel's output as it's written, before it reaches a file. */
function listenToLog(channel: vscode.LogOutputChannel): { stop(): readonly string[] } {
  const lines: string[] = [];
  const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
  const before = levels.map((level) => channel[level].bind(channel));
  for (const [at, level] of levels.entries()) {
    const write = before[at]!;
    channel[level] = (first: string | Error, ...more: unknown[]) => {
      lines.push([first, ...more].map((part) => (part instanceof Error ? inspect(part) : String(part))).join(' '));
      write(String(first), ...more);
    };
  }
  return {
    stop: () => {
      for (const [at, level] of levels.entries()) channel[level] = before[at]!;
      return lines;
    },
  };
}
