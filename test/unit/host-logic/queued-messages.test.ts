import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import type { UserMessage } from '../../../src/app/user-message.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import { moveStoredQueues, QueuedMessages } from '../../../src/host/chat/queued-messages.ts';
import { Harness, texts as transcript } from '../app/harness.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { until } from '../../support/until.ts';

describe('messages queued when the window reloads', () => {
  let harness: Harness;
  let warnings: string[];
  let isCutReported: boolean;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(() => {
    warnings = [];
    isCutReported = false;
  });

  const store = () =>
    new QueuedMessages({
      folder: harness.folder,
      reportCut: () => (isCutReported = true),
      warn: (message) => warnings.push(message),
    });
  /** Opens a session in a window that restores and stores its queue. */
  async function watched(opening: Promise<Conversation>): Promise<Conversation> {
    const conversation = await opening;
    store().restoreAndWatch(conversation);
    return conversation;
  }
  const queueFile = ({ journal }: Conversation) => path.join(harness.folder, `${journal.id}.queue.json`);
  const texts = (conversation: Conversation) => conversation.queue.items.map(({ message }) => message.text);

  /** The texts that would be restored after a crash. */
  function stored({ journal }: Conversation): string[] {
    const found: string[] = [];
    const restore = (all: readonly UserMessage[]): unknown => found.push(...all.map(({ text }) => text));
    const onUpdate = () => ({ dispose: () => undefined });
    store().restoreAndWatch({ journal, onUpdate, queue: { unsent: [], restore } as never });
    return found;
  }

  /** Which of these messages exist after a reload. */
  async function reloaded(...messages: readonly UserMessage[]) {
    const conversation = await watched(harness.converse());
    conversation.queue.restore(messages);
    const again = await watched(harness.reopen(conversation.journal.id));
    return again.queue.items.map(({ message }) => message);
  }

  /** Delays what is sent, as an import does, until the returned function is called. */
  function delaySending(conversation: Conversation): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const imported = conversation.import(() => promise);
    return async () => {
      resolve(true);
      await imported;
    };
  }

  /** A session with a queued message in this window, opened in another one, too. */
  async function inTwoWindows() {
    const conversation = await watched(harness.converse());
    conversation.queue.restore([{ text: 'Why?' }]);
    const other = await watched(harness.secondWindow(conversation));
    return { conversation, other };
  }

  it('keep their attachments', async () => {
    const message: UserMessage = {
      text: 'Why?',
      attachments: [{ kind: 'file', name: 'a.ts', text: 'let a;', uri: 'file:///a.ts', lines: [1, 1] }],
      images: [{ type: 'image', mediaType: 'image/png', base64: 'AAAA' }],
      pasted: ['Why?'],
    };
    assert.deepEqual(await reloaded(message), [message]);
    assert.equal(isCutReported, false);
  });

  it('are not converted to JSON if their attachments alone are too large', async () => {
    const toJSON = (): unknown => assert.fail('It was converted.');
    const image = { type: 'image', mediaType: 'image/png', base64: 'A'.repeat(4_900_000), toJSON } as const;
    assert.deepEqual(await reloaded({ text: 'Why?', images: [image] }), [{ text: 'Why?', isCut: true }]);
  });

  it('keep only their text if the rest is too large, and the user is told', async () => {
    const large: UserMessage = { text: 'Why?', attachments: [{ kind: 'file', name: 'a', text: 'x'.repeat(300_000) }] };
    assert.deepEqual(await reloaded(large, { text: 'And?' }), [{ text: 'Why?', isCut: true }, { text: 'And?' }]);
    assert.equal(isCutReported, true);
  });

  it('are taken over from the state in which a preview stored them, once they can be stored', async () => {
    const conversation = await harness.converse();
    const { id } = conversation.journal;
    const older: UserMessage = { text: 'Why?', attachments: [{ kind: 'paste', name: 'a', text: 'let a;' }] };
    let preview: unknown = [
      [id, JSON.stringify([older])],
      ['s2', JSON.stringify(['And how?'])],
      ['s3', ''],
    ];
    const state = {
      get: (key: string) => (key === 'threadkeeper.queued' ? preview : undefined),
      update: (_key: string, value: unknown) => Promise.resolve(void (preview = value)),
    };
    const warn = () => undefined;
    await moveStoredQueues(state, { folder: path.join(harness.folder, 'missing'), warn });
    await writeFile(path.join(harness.folder, `${id}.queue.json`), JSON.stringify([{ text: 'Later' }]));
    // The window is closed before the state is updated.
    await moveStoredQueues({ ...state, update: () => Promise.resolve() }, { folder: harness.folder, warn });
    for (let times = 0; times < 2; times++) await moveStoredQueues(state, { folder: harness.folder, warn });
    store().restoreAndWatch(conversation);
    const messages = conversation.queue.items.map(({ message }) => message);
    assert.deepEqual([messages, preview], [[older, { text: 'Later' }], undefined]);
    assert.equal(await readFile(path.join(harness.folder, 's2.queue.json'), 'utf8'), '[{"text":"And how?"}]');
  });

  it('are stored before the page can show them as queued, in a file that only the user can read', async () => {
    const conversation = await watched(harness.converse());
    let isRestored = false;
    conversation.onUpdate(({ type }) => {
      if (type === 'queue_changed') isRestored = stored(conversation).includes('Why?');
    });
    conversation.queue.restore([{ text: 'Why?' }]);
    assert.ok(isRestored);
    assert.equal((await stat(queueFile(conversation))).mode & 0o077, 0);
    conversation.queue.remove(conversation.queue.items[0]!.id);
    assert.ok(!(await readdir(harness.folder)).some((name) => name.includes('.queue.json')));
  });

  it('are stored until they are in the session, also while one is being sent', async () => {
    const conversation = await watched(harness.converse());
    conversation.queue.restore([{ text: 'Why?' }, { text: 'And?' }]);
    const release = delaySending(conversation);
    const sent = conversation.queue.sendNow(conversation.queue.items[0]!.id);
    assert.deepEqual([texts(conversation), stored(conversation)], [['And?'], ['Why?', 'And?']]);
    await release();
    await sent;
    await until(() => stored(conversation).length === 0);
  });

  it('include one that is sent at once, until it is in the session', async () => {
    const conversation = await watched(harness.converse());
    const release = delaySending(conversation);
    const sent = conversation.queue.send({ text: 'Why?' }, 'queue');
    assert.deepEqual([texts(conversation), stored(conversation)], [[], ['Why?']]);
    await release();
    await sent;
    assert.deepEqual(stored(conversation), []);
  });

  it('don’t include one that could not be sent, which returns to the composer', async () => {
    const conversation = await watched(harness.converse());
    const { journal } = conversation;
    const append = journal.append.bind(journal);
    journal.append = () => Promise.reject(new StoreFault('other', phrase('broken')));
    await assert.rejects(conversation.queue.send({ text: 'Why?' }, 'queue'));
    journal.append = append;
    assert.deepEqual([texts(conversation), stored(conversation)], [[], []]);
  });

  it('are not queued again while they are being sent, when the journal changes otherwise', async () => {
    const conversation = await watched(harness.converse());
    conversation.queue.restore([{ text: 'Why?' }]);
    const release = delaySending(conversation);
    const sent = conversation.queue.sendNow(conversation.queue.items[0]!.id);
    // Listeners are called without events, as when a full disk has room again.
    await rm(path.join(harness.folder, `${conversation.journal.id}.jsonl`));
    await conversation.journal.append({ type: 'session_renamed', title: 'Questions' });
    assert.deepEqual(texts(conversation), []);
    await release();
    await sent;
    assert.deepEqual(texts(conversation), []);
  });

  it('are stored again when the journal changes otherwise, because the disk may have been full before', async () => {
    const conversation = await watched(harness.converse());
    conversation.queue.restore([{ text: 'Why?' }]);
    await rm(queueFile(conversation));
    await rm(path.join(harness.folder, `${conversation.journal.id}.jsonl`));
    await conversation.journal.append({ type: 'session_renamed', title: 'Questions' });
    assert.deepEqual(stored(conversation), ['Why?']);
  });

  it('are not restored if they are in the session, as when a crash follows right after that', async () => {
    const conversation = await watched(harness.converse());
    conversation.queue.restore([{ text: 'Why?' }, { text: 'And?' }]);
    const file = queueFile(conversation);
    const atCrash = await readFile(file);
    conversation.queue.remove(conversation.queue.items[1]!.id);
    await conversation.queue.sendNow(conversation.queue.items[0]!.id);
    await writeFile(file, atCrash);
    const again = await watched(harness.reopen(conversation.journal.id));
    assert.deepEqual(texts(again), ['And?']);
  });

  it('are restored in another window only when it takes over the session', async () => {
    const { conversation, other } = await inTwoWindows();
    assert.deepEqual(texts(other), []);
    await conversation.journal.close();
    await other.journal.takeOver();
    assert.deepEqual(texts(other), ['Why?']);
  });

  it('are those of the window that wrote last, after two windows have taken turns', async () => {
    const { conversation, other } = await inTwoWindows();
    await other.journal.takeOver();
    await until(() => conversation.journal.readOnly !== undefined);
    assert.deepEqual([texts(conversation), texts(other)], [[], ['Why?']]);
    other.queue.remove(other.queue.items[0]!.id);
    other.queue.restore([{ text: 'How?' }]);
    await conversation.journal.takeOver();
    assert.deepEqual(texts(conversation), ['How?']);
  });

  it('include one that a following window sends, until it is rejected, and leave the writer’s unchanged', async () => {
    const { conversation, other } = await inTwoWindows();
    const sent = other.queue.send({ text: 'And?' }, 'queue');
    assert.deepEqual(stored(conversation), ['And?', 'Why?']);
    conversation.queue.restore([{ text: 'How?' }]);
    assert.deepEqual(stored(conversation), ['Why?', 'How?', 'And?']);
    await assert.rejects(sent);
    assert.deepEqual(stored(conversation), ['Why?', 'How?']);
  });

  it('include one that a following window sent when it crashed', async () => {
    const { conversation, other } = await inTwoWindows();
    const sent = other.queue.send({ text: 'And?' }, 'queue');
    const file = queueFile(conversation);
    const atCrash = await readFile(file);
    await assert.rejects(sent);
    await writeFile(file, atCrash);
    conversation.queue.remove(conversation.queue.items[0]!.id);
    const again = await watched(harness.reopen(conversation.journal.id));
    assert.deepEqual(texts(again), ['And?']);
  });

  it('are all restored in a window that takes over', async () => {
    const { conversation, other } = await inTwoWindows();
    conversation.queue.restore([{ text: 'How?' }, { text: 'Where?' }]);
    await other.journal.takeOver();
    assert.deepEqual(texts(other), ['Why?', 'How?', 'Where?']);
    await until(() => conversation.journal.readOnly !== undefined);
    assert.deepEqual([texts(conversation), stored(other)], [[], ['Why?', 'How?', 'Where?']]);
  });

  it('stay stored when a window that had them earlier follows and sends another message', async () => {
    const conversation = await harness.converse();
    const ownStore = store();
    ownStore.restoreAndWatch(conversation);
    conversation.queue.restore([{ text: 'Why?' }]);
    await conversation.close();
    const other = await watched(harness.secondWindow(conversation));
    const again = await harness.reopen(conversation.journal.id);
    ownStore.restoreAndWatch(again);
    await assert.rejects(again.queue.send({ text: 'And?' }, 'queue'));
    assert.deepEqual([texts(other), stored(other)], [['Why?'], ['Why?']]);
  });

  it('don’t include one that another window was sending at once, which returns to its composer', async () => {
    const { conversation, other } = await inTwoWindows();
    const release = delaySending(conversation);
    const sent = conversation.queue.send({ text: 'And?' }, 'queue');
    const rejected = assert.rejects(sent, { reason: 'not_writer' });
    await other.journal.takeOver();
    assert.deepEqual(texts(other), ['Why?']);
    await until(() => conversation.journal.readOnly !== undefined);
    await release();
    await rejected;
    assert.deepEqual([texts(other), stored(other)], [['Why?'], ['Why?']]);
  });

  it('don’t include twice one that a following window sends once it may write', async () => {
    const { conversation, other } = await inTwoWindows();
    const release = delaySending(other);
    const sent = other.queue.send({ text: 'And?' }, 'queue');
    await conversation.close();
    await other.journal.takeOver();
    assert.deepEqual([texts(other), stored(other)], [['Why?'], ['And?', 'Why?']]);
    await release();
    await sent;
    assert.deepEqual([transcript(other), texts(other)], [['And?', 'Fine.'], ['Why?']]);
  });

  describe('when another window has sent the same one while it waited here', () => {
    /** Sends the queued message here, and then in the other window, which is done first. */
    async function sendInBoth(release: (other: Conversation) => Promise<void>) {
      const { conversation, other } = await inTwoWindows();
      await conversation.send('First');
      const sendHere = delaySending(conversation);
      const sent = conversation.queue.sendNow(conversation.queue.items[0]!.id);
      await other.journal.takeOver();
      await until(() => conversation.journal.readOnly !== undefined);
      await other.queue.sendNow(other.queue.items[0]!.id);
      await release(other);
      await Promise.allSettled([sendHere(), sent]);
      return conversation;
    }
    const once = ['First', 'Fine.', 'Why?', 'Fine.'];

    it('are no longer queued if that window goes on writing', async () => {
      const conversation = await sendInBoth(() => Promise.resolve());
      await until(() => texts(conversation).length === 0);
      await conversation.journal.takeOver();
      assert.deepEqual([texts(conversation), stored(conversation)], [[], []]);
      assert.deepEqual(transcript(conversation), once);
    });

    it('are not sent again if this window may write then', async () => {
      const conversation = await sendInBoth((other) => other.close());
      assert.deepEqual(transcript(conversation), once);
      assert.deepEqual([texts(conversation), stored(conversation)], [[], []]);
    });
  });

  it('stay queued if they cannot be stored, with a warning in the log', async () => {
    const conversation = await watched(harness.converse());
    await rm(harness.folder, { recursive: true });
    conversation.queue.restore([{ text: 'Why?' }]);
    assert.deepEqual(texts(conversation), ['Why?']);
    assert.match(warnings.join(), /could not be stored/);
  });
});
