import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as ExportModule from '../../../src/host/import-export/export-session.ts';
import type * as ImportModule from '../../../src/host/import-export/import-file.ts';
import type * as TranscriptModule from '../../../src/host/import-export/transcript-batches.ts';
import { messageId, type MessageId, type SessionId } from '../../../src/core/model/ids.ts';
import { messageText, type Message } from '../../../src/core/model/message.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { readStoredSession } from '../../../src/storage/session-store.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { jsonl } from '../../support/tool-homes/conversation.ts';
import { Harness, texts } from '../app/harness.ts';
import { textMessage } from '../../support/session-messages.ts';

interface Appended {
  readonly message?: Message;
  /** The new title. */
  readonly title?: string;
}

const never = { isCancelled: () => false, report: (): unknown => undefined };
const saved: string[] = [];
const shownMessages: string[] = [];
interface QuickPickOptions {
  readonly canPickMany?: boolean;
}
/** What the user selects in a list in which several items can be selected. */
let pickMany = (items: readonly unknown[]): readonly unknown[] | undefined => items;
const load = hostIn({
  Uri: { joinPath: (_: unknown, name: string) => name },
  window: {
    showQuickPick: (items: readonly unknown[], { canPickMany }: QuickPickOptions) =>
      Promise.resolve(canPickMany ? pickMany(items) : items[0]),
    showInformationMessage: (text: string) => void shownMessages.push(text),
    withProgress: (_: unknown, work: (...args: readonly unknown[]) => unknown) =>
      work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
    showSaveDialog: ({ defaultUri }: { readonly defaultUri: string }) =>
      Promise.resolve(saved.push(defaultUri)).then(() => undefined),
  },
  workspace: { workspaceFolders: [{ uri: 'file:///w' }], fs: { stat: () => Promise.resolve({ size: 1 }) } },
});
const { scanTranscript } = await load<typeof TranscriptModule>('import-export/transcript-batches.ts');
const { importMessages, importFile } = await load<typeof ImportModule>('import-export/import-file.ts');
const { exportSession } = await load<typeof ExportModule>('import-export/export-session.ts');

describe('a transcript to import', () => {
  let folder: string;
  folderForAllTests((made) => (folder = made));

  const scan = (content: string | Buffer, progress = never) => {
    const file = path.join(folder, 'transcript.jsonl');
    writeFileSync(file, content);
    return scanTranscript({ scheme: 'file', path: file, fsPath: file } as never, progress);
  };

  async function sessionIn(harness: Harness) {
    const conversation = await harness.converse();
    return { conversation, sessions: { current: conversation, create: () => Promise.resolve(conversation) } };
  }

  it('becomes a session whose title says that messages may be missing until all are stored', async () => {
    await using harness = await Harness.open();
    const { conversation } = await sessionIn(harness);
    const create = async (title: string) => {
      await conversation.journal.append({ type: 'session_renamed', title });
      return conversation;
    };
    const sessions = { current: conversation, create, listChanged: () => undefined };
    const titles: string[] = [];
    const readTitle = async (): Promise<void> => {
      const stored = await readStoredSession(harness.folder, conversation.journal.id, NEVER_YIELDS);
      titles.push(stored?.state.title ?? '');
    };
    const batches = async function* () {
      yield { messages: [textMessage('user', 'a')] };
      await readTitle();
      yield { messages: [textMessage('user', 'b', { parent: messageId('a') })] };
    };
    // While they are counted, the process may be killed.
    conversation.meter.countNew = readTitle;
    await importMessages({ sessions } as never, 'Chat', batches(), never, []);
    assert.deepEqual(titles, ['Importing (incomplete if interrupted): Chat', 'Chat']);
  });

  it('stays if another session is opened once all messages are stored, and gets its title', async () => {
    await using harness = await Harness.open();
    const { conversation } = await sessionIn(harness);
    const other = await harness.converse();
    const create = async (title: string) => {
      await conversation.journal.append({ type: 'session_renamed', title });
      return conversation;
    };
    const sessions = { current: conversation, create, listChanged: () => undefined };
    const store = { open: async (id: SessionId) => (await harness.reopen(id)).journal };
    const batches = async function* () {
      yield { messages: [textMessage('user', 'a')] };
      sessions.current = other;
      await conversation.close();
    };
    assert.equal(await importMessages({ sessions, store } as never, 'Chat', batches(), never, []), 1);
    const { state } = (await readStoredSession(harness.folder, conversation.journal.id, NEVER_YIELDS))!;
    assert.deepEqual([state.title, state.deleted], ['Chat', false]);
  });

  it('shows its first and last date, even if its messages are in another order', async () => {
    const lines = [2, 3, 1].map((at) => ({ role: 'user', content: 'Hello.', at, id: `m${at}`, parent: null }));
    const preview = await scan(jsonl(...lines));
    assert.deepEqual([preview?.isExact, preview?.from, preview?.to], [true, 1, 3]);
  });

  it('shows the first messages of the session, although an export begins with those of other branches', async () => {
    const parents = [
      ['m4', 'm1'],
      ['m1', null],
      ['m2', 'm1'],
      ['m3', 'm2'],
    ] as const;
    const lines = parents.map(([id, parent]) => ({ role: 'user', content: `This is ${id}.`, at: 1, id, parent }));
    const preview = await scan(jsonl(...lines));
    const texts = preview?.first.map(({ text }) => text);
    assert.deepEqual(texts, ['This is m1.', 'This is m2.', 'This is m3.']);
  });

  it('shows the beginnings of its messages without half of an emoji', async () => {
    const preview = await scan(jsonl({ role: 'user', content: `${'a'.repeat(199)}😀` }));
    assert.deepEqual(preview?.first, [{ role: 'user', text: 'a'.repeat(199) }]);
  });

  it('may be UTF-16 with a byte order mark', async () => {
    const line = `\uFEFF${JSON.stringify({ role: 'user', content: 'Où ?' })}\r\n`;
    const preview = await scan(Buffer.from(line, 'utf16le'));
    assert.deepEqual(preview?.first, [{ role: 'user', text: 'Où ?' }]);
  });

  it('reports progress and can be canceled before its end, even if the user may have undone its messages', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => {
      const message = { role: 'user', content: `Row ${at}: ${'a boat and its sails, '.repeat(200)}` };
      return { type: 'user', uuid: `u${at}`, parentUuid: at > 0 ? `u${at - 1}` : null, sessionId: 's', message };
    });
    let reports = 0;
    const preview = await scan(jsonl(...lines), { isCancelled: () => false, report: () => reports++ });
    assert.deepEqual([preview?.format, preview?.messages], ['claude-code', 400]);
    const all = reports;
    reports = 0;
    const canceled = await scan(jsonl(...lines), { isCancelled: () => reports === 2, report: () => reports++ });
    assert.equal(canceled, undefined);
    assert.ok(all > 10, `${all} reports`);
  });

  it('leaves no session if its model cannot be stored', async () => {
    const events: string[] = [];
    const append = ({ type }: { readonly type: string }) => {
      if (type === 'model_selected') return Promise.reject(new Error('no space left'));
      return Promise.resolve(events.push(type));
    };
    const created = { journal: { id: 'new', append }, import: (work: () => unknown) => work() };
    const sessions = {
      current: undefined as object | undefined,
      list: () => Promise.resolve([]),
      create: () => Promise.resolve((sessions.current = created)),
      close: () => Promise.resolve(events.push('closed')),
    };
    const batches = (async function* () {
      yield await Promise.resolve({ messages: [] });
    })();
    const model = [{ type: 'model_selected', provider: 'openai', model: 'm' }] as const;
    await assert.rejects(importMessages({ sessions } as never, 'Chat', batches, never, model), /no space left/);
    assert.deepEqual(events, ['session_deleted', 'closed']);
  });

  it('is imported to its end if the user has sent a message before canceling', async () => {
    await using harness = await Harness.open();
    const { conversation, sessions } = await sessionIn(harness);
    let sent: Promise<void> | undefined;
    const batches = (async function* () {
      let parent: MessageId | null = null;
      for (const text of ['one', 'two', 'three']) {
        const message: Message = textMessage('user', text, { parent });
        yield await Promise.resolve({ messages: [message] });
        parent = message.id;
        sent ??= conversation.send('hello');
      }
    })();
    const canceled = { isCancelled: () => sent !== undefined, report: () => undefined };
    assert.equal(await importMessages({ sessions } as never, 'Chat', batches, canceled, []), 3);
    await sent;
    assert.deepEqual(texts(conversation), ['one', 'two', 'three', 'hello', 'Fine.']);
    assert.equal(conversation.state.deleted, false);
  });

  it('lets a message be sent before its model is shown, for which the page may wait until the session is closed', async () => {
    await using harness = await Harness.open();
    const { conversation, sessions } = await sessionIn(harness);
    const modelChanged = () => conversation.send('hello').then(() => conversation.close());
    const batches = (async function* () {
      yield await Promise.resolve({ messages: [textMessage('user', 'one')] });
    })();
    const model = [{ type: 'model_selected', provider: 'local', model: '' }] as const;
    assert.equal(await importMessages({ sessions, modelChanged } as never, 'Chat', batches, never, model), 1);
    assert.deepEqual(texts(conversation), ['one', 'hello', 'Fine.']);
  });

  it('stays with what was read if the rest cannot be read after the user has sent a message', async () => {
    await using harness = await Harness.open();
    const { conversation, sessions } = await sessionIn(harness);
    let sent: Promise<void> | undefined;
    const batches = (async function* () {
      yield { messages: [textMessage('user', 'one')] };
      sent = conversation.send('hello');
      throw await Promise.resolve(new Error('unreadable'));
    })();
    await assert.rejects(importMessages({ sessions } as never, 'Chat', batches, never, []), /unreadable/);
    await sent;
    assert.deepEqual(texts(conversation), ['one', 'hello', 'Fine.']);
    assert.equal(conversation.state.deleted, false);
  });
});

describe('an export with several conversations', () => {
  let uri: never;
  folderForAllTests((folder) => {
    const said = (text: string): object => ({
      author: { role: 'user' },
      content: { content_type: 'text', parts: [text] },
    });
    const conversation = (title: string, day: number, ...texts: readonly string[]): object => ({
      title,
      create_time: new Date(2026, 2, day).getTime() / 1000,
      mapping: Object.fromEntries(
        texts.map((text, at) => [
          `n${at}`,
          { message: said(text), parent: `n${at - 1}`, children: at === texts.length - 1 ? [] : [`n${at + 1}`] },
        ]),
      ),
    });
    const file = path.join(folder, 'conversations.json');
    const conversations = [
      conversation('Ports', 3, 'Which port?', '', 'And for staging?'),
      conversation('Sails', 1, 'Which sail?'),
      conversation('', 2, 'Which mast?'),
    ];
    writeFileSync(file, JSON.stringify(conversations));
    uri = { scheme: 'file', path: file, fsPath: file } as never;
  });

  /**
   * Imports the conversations that the user selects, and returns the new sessions. Cancels after `completed` ones.
   * During an import, the user does `meanwhile`.
   */
  async function imported(
    select: typeof pickMany,
    completed = Infinity,
    meanwhile: (sessions: { current: object | undefined }) => boolean = () => false,
  ): Promise<readonly string[]> {
    pickMany = select;
    const made: string[][] = [];
    const sessions = {
      current: undefined as object | undefined,
      list: () => Promise.resolve([]),
      create: (title: string) => {
        const texts = [title];
        made.push(texts);
        const append = (...events: readonly Appended[]) => {
          for (const { message, title: renamed } of events) {
            if (message) texts.push(messageText(message));
            if (renamed !== undefined) opened.state.title = texts[0] = renamed;
          }
          return Promise.resolve();
        };
        const runs = (work: () => unknown): unknown => {
          opened.isReplying = meanwhile(sessions);
          return made.length > completed ? false : work();
        };
        const journal = { append, close: () => Promise.resolve() };
        store.open = () => Promise.resolve(journal);
        const opened = { journal, state: { title }, import: runs, isReplying: false };
        sessions.current = opened;
        return Promise.resolve(opened);
      },
      open: () => Promise.resolve(),
      listChanged: () => undefined,
    };
    const store: { open?: () => Promise<object> } = {};
    let ids = 0;
    const clock = { now: () => 0, id: () => `m${++ids}` };
    await importFile({ sessions, store, clock, panel: { open: () => undefined } } as never, uri, []);
    return made.map((texts) => texts.join(' | '));
  }

  it('becomes a session with a title for each conversation that the user selects, listed newest first', async () => {
    let listed: readonly unknown[] = [];
    const sessions = await imported((items) => (listed = items).slice(0, 2));
    const rows = listed.map((item) => Object.values(item as Record<string, unknown>).slice(0, 2));
    assert.deepEqual(rows, [
      ['Ports', 'Mar 3, 2026 · 2 messages'],
      ['conversations', 'Mar 2, 2026 · 1 message'],
      ['Sails', 'Mar 1, 2026 · 1 message'],
    ]);
    assert.deepEqual(sessions, ['conversations | Which mast?', 'Ports | Which port? | And for staging?']);
    assert.equal(shownMessages.at(-1), 'Imported sessions: 2. Messages: 3. Skipped: 1 × empty message.');
  });

  it('says how many of the selected conversations were imported before it was canceled', async () => {
    await imported((items) => items, 1);
    assert.equal(shownMessages.at(-1), 'Imported sessions: 1/3. Messages: 1.');
  });

  it('is not imported any further if the user sends a message into a session and opens another', async () => {
    const other = { journal: { id: 'other' } };
    const sessions = await imported(
      (items) => items,
      Infinity,
      (opened) => (opened.current = other) === other,
    );
    assert.deepEqual(sessions, ['Sails | Which sail?']);
    assert.equal(shownMessages.at(-1), 'Imported sessions: 1/3. Messages: 1.');
  });

  it('is not imported if the user selects none', async () => {
    for (const none of [[], undefined]) {
      assert.deepEqual(await imported(() => none), []);
      assert.equal(shownMessages.at(-1), 'Import was canceled. Nothing was imported.');
    }
  });
});

describe('the suggested name of an exported file', () => {
  it('never ends in the middle of a character', async () => {
    // A mathematical letter, which takes two UTF-16 units.
    const title = `x${'𝐁'.repeat(60)}`;
    await exportSession({ state: { title } } as never, undefined, {} as never);
    assert.equal(saved.at(-1), `x${'𝐁'.repeat(39)}.md`);
    // VS Code can't encode a path with half a character.
    assert.doesNotThrow(() => encodeURIComponent(saved.at(-1)!));
  });
});

describe('the formats of an export', () => {
  for (const language of ['en', 'de', 'es', 'fr', 'ja', 'pt-br', 'zh-cn'])
    it(`are described in rows that VS Code doesn’t cut off, in ${language}`, async () => {
      const bundle = `l10n/bundle.l10n${language === 'en' ? '' : `.${language}`}.json`;
      const texts = new Map(Object.entries(JSON.parse(readFileSync(bundle, 'utf8')) as Record<string, string>));
      const rows: string[] = [];
      const commands = await hostIn({
        l10n: { t: (text: string) => texts.get(text) ?? text },
        window: {
          showQuickPick: (items: readonly { label: string; description?: string; detail: string }[]) => {
            for (const { label, description = '', detail } of items) rows.push(`${label} ${description}`, detail);
            return Promise.resolve(undefined);
          },
        },
      })<typeof ExportModule>('import-export/export-session.ts');
      await commands.exportSession({ state: { title: '' } } as never, undefined, {} as never);
      assert.equal(rows.length, 6);
      for (const row of rows) assert.ok(row.length <= 80, row);
    });
});
