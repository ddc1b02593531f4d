import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import { messageId, nodeId, type NodeId } from '../../../src/core/model/ids.ts';
import type { Message } from '../../../src/core/model/message.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import type * as ChatCommandsModule from '../../../src/host/external-chats/external-chat-commands.ts';
import type * as CalibrationsModule from '../../../src/host/models/calibrations.ts';
import { learnedFacts } from '../../../src/host/models/learned-facts.ts';
import type * as ModelsModule from '../../../src/host/models/models.ts';
import type * as SpendModule from '../../../src/host/models/spend-limit.ts';
import type * as ExportModule from '../../../src/host/import-export/export-session.ts';
import type * as OpenModule from '../../../src/host/sessions/open-conversations.ts';
import type * as SettingsModule from '../../../src/host/platform/settings.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { defaultSettings, hostIn, memento, workspaceWith } from '../../support/fake-editor.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { serving } from '../../support/loopback-server.ts';
import { eventLoopYielder } from '../../support/yielders.ts';
import { textMessage } from '../../support/session-messages.ts';

/** Invalid settings, and what the user is told about each. */
const INVALID = [
  ['chat.provider', 'opnai', /threadkeeper\.chat\.provider/],
  ['chat.baseUrl', null, /threadkeeper\.chat\.baseUrl/],
  ['chat.contextWindow', 'large', /threadkeeper\.chat\.contextWindow/],
  ['chat.reservedTokens', 2.5, /threadkeeper\.chat\.reservedTokens/],
  ['summarizer.provider', 7, /threadkeeper\.summarizer\.provider/],
  ['summarizer.prompt', 'Summarize it.', /threadkeeper\.summarizer\.prompt/],
  ['compression.policy', 'steadier', /threadkeeper\.compression\.policy/],
  ['compression.monthlySpendLimit', -1, /threadkeeper\.compression\.monthlySpendLimit/],
  ['models.overrides', { m: { contextWindow: 'large' } }, /threadkeeper\.models\.overrides/],
  ['keyEvents.rules', [{ kind: 'decisions', phrase: 'x' }], /threadkeeper\.keyEvents\.rules/],
  ['export.maskSecrets', 'yes', /threadkeeper\.export\.maskSecrets/],
  ['memory.maxTokens', 'many', /threadkeeper\.memory\.maxTokens/],
  ['task.autoReset', 'yes', /threadkeeper\.task\.autoReset/],
  ['recall.budget', 2, /threadkeeper\.recall\.budget/],
  ['sources.tools', ['claude'], /threadkeeper\.sources\.tools/],
  ['sources.keepDays', '30', /threadkeeper\.sources\.keepDays/],
] as const;
const CONTRADICTION = ['compression.backgroundThreshold', 0.99, /background threshold/] as const;

describe('a window that opens', () => {
  let folder: string;
  folderForEachTest((made) => (folder = made));

  /** Opens a window with a model server and an invalid setting. Resolves to what was requested from the server. */
  async function inWindow(
    change: readonly [string, unknown],
    work: (window: Awaited<ReturnType<typeof openWindow>>) => Promise<void>,
  ): Promise<readonly string[]> {
    const requests: string[] = [];
    await serving(
      (request, response) => {
        requests.push(request.url ?? '');
        response.setHeader('Content-Type', 'application/json');
        response.end('{"data":[{"id":"m"}]}');
      },
      async (baseUrl) => {
        const settings = defaultSettings();
        Object.assign(settings['chat']!, { provider: 'compatible', model: 'm', baseUrl });
        const [section = '', name = ''] = change[0].split('.');
        settings[section]![name] = change[1];
        await using window = await openWindow(settings);
        await work(window);
      },
    );
    return requests;
  }

  /** A window with a session of two messages. */
  async function openWindow(settings: ReturnType<typeof defaultSettings>, loadMemory = () => Promise.resolve()) {
    const warnings: string[] = [];
    const load = hostIn({
      window: {
        showInformationMessage: () => undefined,
        showWarningMessage: (text: string) => Promise.resolve(void warnings.push(text)),
      },
      workspace: {
        ...workspaceWith(settings),
        fs: { writeFile: (to: { path: string }, bytes: Uint8Array) => Promise.resolve(writeFileSync(to.path, bytes)) },
      },
    });
    const { OpenConversations } = await load<typeof OpenModule>('sessions/open-conversations.ts');
    const { Models } = await load<typeof ModelsModule>('models/models.ts');
    const { calibrations } = await load<typeof CalibrationsModule>('models/calibrations.ts');
    const { spendLimit } = await load<typeof SpendModule>('models/spend-limit.ts');
    const { exportSession } = await load<typeof ExportModule>('import-export/export-session.ts');
    const { checkSettings, readSettings } = await load<typeof SettingsModule>('platform/settings.ts');
    const clock = { now: () => 1, id: () => crypto.randomUUID(), yielder: eventLoopYielder() };
    const store = new FileSessionStore({ folder, clock, writer: 'this window' });
    const conversations = new OpenConversations({
      clock,
      log: { event: () => undefined, warn: () => undefined },
      models: new Models({ get: () => Promise.resolve('a-key') } as never, {} as never, learnedFacts(memento())),
      spend: spendLimit(
        memento(),
        clock.now,
        () => readSettings().compression.monthlySpendLimit,
        () => undefined,
      ),
      calibrations: calibrations(memento()),
      counts: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
      memory: { load: loadMemory, text: () => '' } as never,
      rules: { load: () => Promise.resolve(), text: '' } as never,
    });
    const journal = await store.create('Bookings', 'a workspace');
    let parent: ReturnType<typeof messageId> | null = null;
    for (const [role, text] of [
      ['user', 'We keep bookings in SQLite.'],
      ['assistant', 'Noted.'],
    ] as const) {
      const message: Message = textMessage(role, text, { parent });
      await journal.append({ type: 'message_added', message });
      parent = message.id;
    }
    const opened = (): OpenModule.OpenConversation => conversations.get(journal.id) ?? assert.fail();
    return {
      warnings,
      open: () => conversations.open(journal),
      regenerate: (node: NodeId) => opened().regenerateSummary({ node }, undefined, new AbortController().signal),
      check: (node: NodeId) =>
        opened().checkSummary(node, { provider: 'compatible', model: 'm', baseUrl: '' }, new AbortController().signal),
      search: async (query: string) => {
        const open = conversations.get(journal.id);
        await open?.search.updateIndex();
        return open?.search.search(query, 5) ?? [];
      },
      exported: async (conversation: Conversation) => {
        const file = path.join(folder, 'exported.md');
        await exportSession(conversation, { path: file } as never, { clock });
        return readFileSync(file, 'utf8');
      },
      checkSettings,
      [Symbol.asyncDispose]: async () => {
        await store.close();
      },
    };
  }

  for (const [name, value, told] of [...INVALID, CONTRADICTION])
    it(`with an invalid setting shows, searches, and exports its sessions, but sends nothing: ${name}`, async () => {
      const requests = await inWindow([name, value], async (window) => {
        const conversation = await window.open();
        assert.ok(conversation.context().total < conversation.meter.budget());
        assert.notEqual((await window.search('SQLite')).length, 0);
        assert.match(await window.exported(conversation), /We keep bookings in SQLite/);
        await assert.rejects(window.checkSettings(), told);
        const [, reply = assert.fail()] = conversation.state.path;
        for (const refused of [
          () => conversation.send('Which database?'),
          () => conversation.queue.send({ text: 'Which database?' }, 'queue'),
          () => conversation.editAndResend(messageId('We keep bookings in SQLite.'), 'We keep bookings in Postgres.'),
          () => conversation.retry(messageId('We keep bookings in SQLite.')),
          () => window.regenerate(nodeId('a summary')),
          () => window.check(nodeId('a summary')),
        ])
          await assert.rejects(refused, told);
        assert.equal(conversation.state.head, reply);
        assert.equal(conversation.state.messages.size, 2);
        const outcome = await conversation.compressNow();
        assert.match(outcome.kind === 'failed' ? String(outcome.error) : outcome.kind, told);
      });
      const sent = requests.filter((url) => !url.endsWith('/models'));
      assert.deepEqual(sent, []);
    });

  it('shows its sessions although the workspace memory can’t be read, and says so', async () => {
    const fault = new StoreFault('other', phrase('Couldn’t access {0}.', phrase('the workspace memory')));
    await using window = await openWindow(defaultSettings(), () => Promise.reject(fault));
    const { state } = await window.open();
    assert.equal(state.path.length, 2);
    assert.deepEqual(window.warnings, ['Couldn’t access the workspace memory.']);
  });
});

describe('the invalid list of tools whose chats are copied', () => {
  it('isn’t replaced when the copies of one tool are deleted', async () => {
    const settings = defaultSettings();
    settings['sources']!['tools'] = ['claude-code', 'codex', 'claude'];
    const updated: unknown[] = [];
    const load = hostIn({
      window: { showWarningMessage: (_: string, __: object, answer: string) => Promise.resolve(answer) },
      workspace: {
        getConfiguration: () => ({
          ...workspaceWith(settings).getConfiguration(),
          update: (_: string, tools: unknown) => Promise.resolve(void updated.push(tools)),
        }),
      },
    });
    const { deleteCopiedChats } = await load<typeof ChatCommandsModule>('external-chats/external-chat-commands.ts');
    const chats = {
      library: { list: () => Promise.resolve({ chats: [], copied: ['codex'] }), forget: () => assert.fail('deleted') },
    };
    await assert.rejects(
      deleteCopiedChats({ chats } as never, { item: {}, tool: 'codex' }),
      /threadkeeper\.sources\.tools/,
    );
    assert.deepEqual(updated, []);
  });
});

describe('invalid settings', () => {
  it('have their last valid value or else their default, and the others their current one', async () => {
    const settings = defaultSettings();
    const load = hostIn({ workspace: workspaceWith(settings) });
    const { readSettings } = await load<typeof SettingsModule>('platform/settings.ts');
    const read = () => {
      const { chat, keyEvents } = readSettings();
      return [chat.temperature, keyEvents.rules.length, chat.model];
    };
    Object.assign(settings['chat']!, { temperature: 9, model: 'm' });
    settings['keyEvents']!['rules'] = [{ kind: 'decisions' }, { kind: 'wishes' }];
    assert.deepEqual(read(), [null, 0, 'm']);
    settings['chat']!['temperature'] = 1;
    settings['keyEvents']!['rules'] = [{ kind: 'decision', phrase: 'we take' }];
    assert.deepEqual(read(), [1, 1, 'm']);
    Object.assign(settings['chat']!, { temperature: 9, model: 'n' });
    assert.deepEqual(read(), [1, 1, 'n']);
  });
});
