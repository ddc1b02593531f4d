import assert from 'node:assert/strict';
import vm from 'node:vm';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import type { SessionJournal, SessionStore } from '../../../src/app/ports.ts';
import { compressionId, keyEventId, taskId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { Task } from '../../../src/core/model/task.ts';
import type * as AttachmentsModule from '../../../src/host/chat/attachments.ts';
import { Drafts } from '../../../src/host/chat/drafts.ts';
import type * as ImplicitContextModule from '../../../src/host/chat/implicit-context.ts';
import type * as PageRequestsModule from '../../../src/host/chat/page-requests.ts';
import { defaultSettings, hostIn, workspaceWith } from '../../support/fake-editor.ts';
import { Harness, says, texts, throws } from '../app/harness.ts';
import { inStore, testClock } from '../storage/test-store.ts';
import { openForEachTest } from '../../support/per-test.ts';

const settings = defaultSettings();
const load = hostIn({ workspace: workspaceWith(settings) });
const { Attachments } = await load<typeof AttachmentsModule>('chat/attachments.ts');
const { ImplicitContext } = await load<typeof ImplicitContextModule>('chat/implicit-context.ts');
const { pageRequests } = await load<typeof PageRequestsModule>('chat/page-requests.ts');

const NOT_STORED = { read: () => [], write: () => true, retry: () => undefined, forget: () => undefined };

describe('a message from the page', () => {
  let harness: Harness;
  let current: Conversation;
  let drafts: Drafts;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    current = await harness.converse();
    drafts = new Drafts({ folder: harness.folder, warn: () => undefined });
  });

  /** Sends a text in the current session as the page does. `refreshed` is called when the active file is looked at. */
  async function send(text: string, refreshed: () => void): Promise<unknown> {
    const attachments = new Attachments({ clock: harness.clock } as never, {} as never, NOT_STORED);
    const editor = {
      get current() {
        refreshed();
        return undefined;
      },
    };
    const sessions = {
      get current() {
        return current;
      },
    };
    const implicit = new ImplicitContext({ attachments, drafts, editor, sessions, describe: () => undefined } as never);
    const currentConnection = () => ({ conversation: current, post: () => undefined });
    const app = { attachments, currentConnection, drafts, implicit, describe: () => undefined };
    const { journal } = current;
    return pageRequests(app as never).send({ type: 'send', session: journal.id, text, attachments: [], pasted: [] });
  }

  it('is sent even if the automatic attachment fails', async () => {
    await send('Are you there?', () => {
      throw new Error('EISDIR: illegal operation on a directory, realpath');
    });
    assert.deepEqual([...current.state.messages.values()].map(messageText), ['Are you there?', 'Fine.']);
  });

  it('becomes the draft of its session if it cannot be stored, because the page may have been closed', async () => {
    const { journal } = current;
    drafts.set(journal.id, 'Are you');
    await current.close();
    await assert.rejects(send('Are you there?', () => undefined));
    assert.equal(drafts.get(journal.id), 'Are you there?');
    drafts.set(journal.id, 'Hello?');
    await assert.rejects(send('Are you there?', () => undefined));
    assert.equal(drafts.get(journal.id), 'Are you there?\nHello?');
  });

  describe('when another session is opened before the answer', () => {
    /** Sends a text, and opens another session when the automatic attachment is refreshed afterwards. */
    async function sendAndLeave(): Promise<void> {
      const other = await harness.converse();
      let refreshes = 0;
      await send('Are you there?', () => {
        if (++refreshes === 2) current = other;
      });
    }

    it('becomes a draft of its own session if it cannot be stored', async () => {
      const { id } = current.journal;
      await current.close();
      await assert.rejects(sendAndLeave(), { reason: 'elsewhere' });
      assert.deepEqual([drafts.get(id), drafts.get(current.journal.id)], ['Are you there?', '']);
    });

    it('becomes a draft of its own session if that is not shown anymore', async () => {
      const { id } = current.journal;
      const other = await harness.converse();
      const isShown = () => (current = other);
      await assert.rejects(send('Are you there?', isShown), { reason: 'elsewhere' });
      assert.deepEqual([drafts.get(id), drafts.get(current.journal.id)], ['Are you there?', '']);
    });

    it('stays in its session if only the reply fails', async () => {
      const fault = new ModelFault('overloaded', 'busy');
      harness.script = throws(fault);
      await assert.rejects(sendAndLeave(), fault);
    });
  });
});

describe('an attachment', () => {
  let harness: Harness;

  openForEachTest(async () => (harness = await Harness.open()));

  const named = (name: string) => ({ kind: 'file', name, text: 'A line.' }) as const;
  const names = (attachments: AttachmentsModule.Attachments, { journal }: Conversation): string[] =>
    attachments.views(journal.id).map(({ name }) => name);

  it('is only kept in the current session if it was added automatically', async () => {
    const attachments = new Attachments({ clock: harness.clock } as never, {} as never, NOT_STORED);
    const visited = [await harness.converse(), await harness.converse(), await harness.converse()];
    await attachments.addAll(visited[0]!, named('added.ts'));
    for (const conversation of visited) attachments.setImplicit(conversation.journal.id, named('active.ts'));
    assert.deepEqual(
      visited.map((conversation) => names(attachments, conversation)),
      [['added.ts'], [], ['active.ts']],
    );
  });

  it('is refused if another session is shown by then', async () => {
    const attachments = new Attachments({ clock: harness.clock } as never, {} as never, NOT_STORED);
    const [shown, own] = [await harness.converse(), await harness.converse()];
    const implicit = { refresh: () => Promise.resolve() };
    const currentConnection = () => ({ conversation: shown, post: () => undefined });
    const drafts = { get: () => '' };
    const { attach } = pageRequests({ attachments, drafts, implicit, currentConnection } as never);
    const what = { kind: 'paste', text: 'A line.' } as const;
    const request = { type: 'attach', session: own.journal.id, what } as const;
    await assert.rejects(async () => attach(request), { reason: 'elsewhere' });
    assert.deepEqual(names(attachments, shown), []);
  });

  it('is forgotten with its session', async () => {
    const attachments = new Attachments({ clock: harness.clock } as never, {} as never, NOT_STORED);
    const [erased, other] = [await harness.converse(), await harness.converse()];
    for (const conversation of [erased, other]) await attachments.addAll(conversation, named('added.ts'));
    attachments.forget(erased.journal.id);
    assert.deepEqual([names(attachments, erased), names(attachments, other)], [[], ['added.ts']]);
  });
});

describe('an edited message', () => {
  it('stays stored as an edit until it is in the session', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.converse();
    await conversation.send('Tabs?');
    const [message] = conversation.state.path;
    const drafts = new Drafts({ folder: harness.folder, warn: () => undefined });
    const { editAndResend } = pageRequests({ currentConnection: () => ({ conversation }), drafts } as never);
    const edits = () => Object.values(drafts.editsOf(conversation.journal.id));
    drafts.setEdit(conversation.journal.id, message!, 'Spaces?');
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const imported = conversation.import(() => promise);
    const sent = editAndResend({ type: 'editAndResend', message: message!, text: 'Spaces?' });
    assert.deepEqual(edits(), ['Spaces?']);
    harness.script = async function* (request, signal) {
      assert.deepEqual(edits(), []);
      yield* says('Fine.')(request, signal);
    };
    resolve(true);
    await Promise.all([imported, sent]);
    assert.deepEqual([texts(conversation), edits()], [['Spaces?', 'Fine.'], []]);
  });

  it('is refused if another session is shown by then', async () => {
    await using harness = await Harness.open();
    const [shown, other] = [await harness.converse(), await harness.converse()];
    await other.send('Tabs?');
    const [message] = other.state.path;
    const { editAndResend } = pageRequests({ currentConnection: () => ({ conversation: shown }) } as never);
    const request = { type: 'editAndResend', message: message!, text: 'Spaces?' } as const;
    await assert.rejects(async () => editAndResend(request), { reason: 'not_found' });
  });
});

describe('a pinned quote', () => {
  let harness: Harness;

  openForEachTest(async () => (harness = await Harness.open()));

  /** Pins a text from a new session with a message and its reply, and returns the quotes of the key events. */
  async function pin(quote: string, message: string, reply: string): Promise<string[]> {
    harness.script = says(reply);
    const conversation = await harness.converse();
    await conversation.send(message);
    const { pinQuote } = pageRequests({ clock: harness.clock, currentConnection: () => ({ conversation }) } as never);
    const start = () => pinQuote({ type: 'pinQuote', session: conversation.journal.id, quote });
    // Searches the reply before it returns. Nothing else can interrupt a regular expression.
    await vm.runInNewContext('start()', { start }, { timeout: 10_000 });
    return [...conversation.state.events.values()].map((event) => event.quote);
  }

  it('is found in its Markdown source, which has more marks and other white space', async () => {
    const source = 'Run **`npm test`**\n\n- always';
    assert.deepEqual(await pin('Run npm test - always', source, 'Fine.'), [source]);
  });

  it('is found if it has many marks and a newer message has a line of them', async () => {
    const cron = '* * * * * * * * /usr/bin/backup';
    assert.deepEqual(await pin(cron, `It runs ${cron} now.`, `/${'*'.repeat(200)}/`), [cron]);
  });

  it('is refused if another session is shown by then, even if that has the same text', async () => {
    const [shown, own] = [await harness.converse(), await harness.converse()];
    for (const conversation of [shown, own]) await conversation.send('Tabs?');
    const currentConnection = () => ({ conversation: shown });
    const { pinQuote } = pageRequests({ clock: harness.clock, currentConnection } as never);
    const request = { type: 'pinQuote', session: own.journal.id, quote: 'Tabs?' } as const;
    await assert.rejects(async () => pinQuote(request), { reason: 'elsewhere' });
    assert.equal(shown.state.events.size, 0);
  });
});

describe('a change of the history by the page', () => {
  it('is refused if another session is shown by then', async () => {
    await using harness = await Harness.open();
    const [shown, own] = [await harness.converse(), await harness.converse()];
    const requests = pageRequests({ currentConnection: () => ({ conversation: shown }) } as never);
    const session = own.journal.id;
    for (const change of [
      () =>
        requests.undoCompression({ type: 'undoCompression', session, compression: compressionId('c1'), undone: true }),
      () => requests.setEventPinned({ type: 'setEventPinned', session, event: keyEventId('e1'), pinned: true }),
      () => requests.removeEvent({ type: 'removeEvent', session, event: keyEventId('e1'), removed: true }),
    ])
      await assert.rejects(async () => change(), { reason: 'elsewhere' });
  });
});

describe('a preview of a compression', () => {
  let harness: Harness;

  openForEachTest(async () => (harness = await Harness.open()));

  it('is about the session in which it was requested, even if another one is opened meanwhile', async () => {
    const { pageRequests } = await load<typeof PageRequestsModule>('chat/page-requests.ts');
    let conversation = await harness.converse();
    const other = await harness.converse();
    await other.send('Hello');
    const app = {
      currentConnection: () => ({ conversation }),
      current: () => Promise.resolve({ conversation, estimateCost: () => ({ model: '', estimatedCostUsd: 0 }) }),
    };
    const preview = pageRequests(app as never).previewCompression();
    conversation = other;
    assert.equal((await preview).emptyText, 'No messages in this session yet.');
  });
});

describe('steps of a reply that become the task', () => {
  it('are set in the session of the reply even if another one is shown by then', () =>
    inStore(async (store) => {
      const [shown, own] = [await store.create('', 'test'), await store.create('', 'test')];
      await own.close();
      const setTask = (goal: string, steps: Task['steps']) =>
        shown.append({ type: 'task_set', task: { id: taskId('t1'), goal, steps } });
      const conversation = { journal: shown, state: shown.state, setTask };
      const sessions = { current: conversation, listChanged: () => undefined };
      const app = { sessions, store, clock: testClock(), currentConnection: () => ({ conversation }) };
      const task = { goal: 'Ship it', steps: [{ text: 'Write it', status: 'pending' }] } as const;
      await pageRequests(app as never).setTask({ type: 'setTask', session: own.id, ...task });
      assert.equal(shown.state.task, undefined);
      assert.deepEqual((await store.open(own.id)).state.task?.steps, task.steps);
    }));
});

describe('a step that is added to a task', () => {
  const task: Task = { id: taskId('t1'), goal: 'Ship it', steps: [{ text: 'Write it', status: 'pending' }] };
  const stepsOf = ({ state }: SessionJournal) => state.task?.steps.map(({ text, status }) => `${text}: ${status}`);

  /** Adds two steps and completes the first one, all at once, while this session or another one is shown. */
  async function addSteps(store: SessionStore, isShown: boolean, goal = 'Ship it'): Promise<SessionJournal> {
    const [journal, other] = [await store.create('', 'test'), await store.create('', 'test')];
    await journal.append({ type: 'task_set', task });
    const shown = isShown ? journal : other;
    const sessions = { current: { journal: shown, state: shown.state }, listChanged: () => undefined };
    if (!isShown) await journal.close();
    const { addStep, stepTask } = pageRequests({ sessions, store } as never);
    const session = journal.id;
    await Promise.all([
      stepTask({ type: 'stepTask', session, step: 0, status: 'done' }),
      addStep({ type: 'addStep', session, goal, step: 'Test it' }),
      addStep({ type: 'addStep', session, goal, step: 'Tag it' }),
    ]);
    return isShown ? journal : store.open(session);
  }
  const added = ['Write it: done', 'Test it: pending', 'Tag it: pending'];

  it('is added to those that are added or completed at the same moment', () =>
    inStore(async (store) => {
      const journal = await addSteps(store, true);
      assert.deepEqual([stepsOf(journal), journal.state.task?.id], [added, task.id]);
    }));

  it('is added to its own session even if another one is shown by then', () =>
    inStore(async (store) => assert.deepEqual(stepsOf(await addSteps(store, false)), added)));

  it('is not added to another task', () =>
    inStore(async (store) => assert.deepEqual(stepsOf(await addSteps(store, true, 'Other')), ['Write it: done'])));
});
