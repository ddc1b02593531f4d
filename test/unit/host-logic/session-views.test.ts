import assert from 'node:assert/strict';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { Sessions } from '../../../src/app/sessions.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type * as ImportModule from '../../../src/host/import-export/import-file.ts';
import type { PageConnection } from '../../../src/host/chat/page-connection.ts';
import type * as SessionViewsModule from '../../../src/host/session-views.ts';
import type { SessionViews } from '../../../src/host/session-views.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { Harness, says } from '../app/harness.ts';
import { until } from '../../support/until.ts';

const shown: string[] = [];
const load = hostIn({
  commands: { executeCommand: () => Promise.resolve() },
  window: { showInformationMessage: (text: string) => void shown.push(text) },
});

async function viewsOf(
  conversation: Conversation | undefined,
  sessions: readonly object[] = [],
  more: object = {},
): Promise<SessionViews> {
  const { SessionViews: Views } = await load<typeof SessionViewsModule>('session-views.ts');
  const nothing = (): Promise<void> => Promise.resolve();
  const view = {
    refresh: nothing,
    showCurrentSession: nothing,
    setTitle: nothing,
    onDidChange: () => ({ dispose: nothing }),
  };
  const app = {
    sessions: { current: conversation, listChanged: nothing },
    store: { list: () => Promise.resolve(sessions) },
    openConversations: { keepOnly: nothing },
    queued: { restoreAndWatch: nothing },
    ...{ drafts: { retry: nothing }, attachments: { retry: nothing } },
    calibrations: { save: nothing },
    snapshots: { schedule: nothing },
    models: { isReady: () => Promise.resolve(true) },
    chosenModel: nothing,
    describe: (error: unknown) => assert.fail(String(error)),
    ...{ panel: view, gauge: view, gaugeItem: view, tree: view, chart: view, files: view, documentPanel: view },
    ...more,
  };
  return new Views(app as never);
}

describe('showing a session', () => {
  it('says once that other sessions were saved by a newer version', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.filled(2);
    const unreadable = { isNewer: true, workspace: '' };
    const views = await viewsOf(conversation, [{ workspace: '' }, { isNewer: true, workspace: 'w' }, unreadable]);
    for (let times = 0; times < 2; times++) await views.currentSessionChanged();
    await conversation.settled();
    views.dispose();
    assert.deepEqual(shown, [
      '1 session was saved by a newer version of Threadkeeper. Update the extension to open it.',
    ]);
  });
});

describe('a task that ends by itself because all its steps are done', () => {
  it('is reported like one that the user ends', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.converse();
    const views = await viewsOf(conversation, [], { taskEnded: () => Promise.resolve() });
    await views.currentSessionChanged();
    await conversation.setTask('Ship it', [{ text: 'Test it', status: 'done' }]);
    shown.length = 0;
    await conversation.send('What is next?');
    await conversation.settled();
    await conversation.setTask('Rest', []);
    await conversation.resetTask();
    assert.deepEqual(shown, ['Task ended. Any open steps were skipped.']);
    views.dispose();
  });
});

describe('unsent texts and attachments that a full disk rejected', () => {
  it('are stored when the session’s file is written again, although it has no unsaved messages', async () => {
    await using harness = await Harness.open();
    const conversation = await harness.filled(2);
    const tries: string[] = [];
    const views = await viewsOf(conversation, [], {
      drafts: { retry: () => tries.push('texts') },
      attachments: { retry: () => tries.push('attachments') },
    });
    await views.currentSessionChanged();
    await conversation.journal.append({ type: 'session_renamed', title: 'Questions' });
    assert.deepEqual(tries, ['texts', 'attachments']);
    await conversation.settled();
    views.dispose();
  });
});

describe('showing a session above a threshold', () => {
  it('calls no model until a message is sent', async () => {
    await using harness = await Harness.open();
    harness.set({ policy: resolvePolicy('frugal') });
    harness.summarizer = says('They went through a listing.');
    const conversation = await harness.filled(60);
    const views = await viewsOf(conversation);
    await views.currentSessionChanged();
    await conversation.settled();
    assert.deepEqual([harness.summaryRequests.length, conversation.state.counters.compressions], [0, 0]);
    await conversation.send('Go on?');
    await conversation.settled();
    assert.deepEqual([harness.summaryRequests.length > 0, conversation.state.counters.compressions], [true, 1]);
    views.dispose();
  });
});

/** A window's sessions, without a stored one: `create` opens each new one. */
const sessionsOf = (create: () => Promise<Conversation>): { sessions: Sessions; store: object } => {
  let created: Conversation | undefined;
  const store = { create: async () => (created = await create()).journal, list: () => Promise.resolve([]) };
  const sessions = new Sessions({
    store: store as never,
    log: { event: () => undefined, warn: (message) => assert.fail(message) },
    workspace: 'w',
    openConversation: () => Promise.resolve(created!),
    snapshots: { entries: () => [], events: () => undefined },
    lastShown: { get: () => undefined, set: () => undefined },
  });
  return { sessions, store };
};

describe('deleting the session that is shown', () => {
  it('keeps it connected to the chat until its reply has stopped', async () => {
    const [started, stopping, stopped] = [Promise.withResolvers(), Promise.withResolvers(), Promise.withResolvers()];
    await using harness = await Harness.open(async function* (_, signal) {
      started.resolve(true);
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      stopping.resolve(true);
      await stopped.promise;
      yield { type: 'end', ending: 'complete' };
    });
    const { sessions } = sessionsOf(() => harness.converse());
    let shown: PageConnection | undefined;
    const showCurrentSession = async (): Promise<void> => {
      await sessions.currentOrLatest();
      shown = views.connection();
    };
    const views: SessionViews = await viewsOf(undefined, [], {
      sessions,
      panel: { showCurrentSession, setTitle: () => undefined },
    });
    sessions.onDidChange((what) => void (what === 'current' && views.currentSessionChanged()));
    const deleted = await sessions.create();
    const sent = deleted.send('Which port?').catch(() => undefined);
    await started.promise;
    const closed = sessions.close(deleted);
    await stopping.promise;
    assert.equal(views.connection().conversation, deleted);
    stopped.resolve(true);
    await Promise.all([sent, closed]);
    await until(() => shown !== undefined && shown.conversation !== deleted);
    assert.equal(shown!.conversation, sessions.current);
    views.dispose();
  });
});

describe('canceling an import that was started without an open session', () => {
  /** Imports two messages, and cancels after the first one, when the chat is open or not. Returns the shown session. */
  async function cancelImport(harness: Harness, isChatOpen: boolean) {
    const { sessions, store } = sessionsOf(() => harness.converse());
    let shown: PageConnection | undefined;
    const showCurrentSession = async (): Promise<void> => {
      if (!isChatOpen) return;
      await sessions.currentOrLatest();
      shown = views.connection();
    };
    const panel = { showCurrentSession, setTitle: () => undefined };
    const views: SessionViews = await viewsOf(undefined, [], { sessions, panel });
    sessions.onDidChange((what) => void (what === 'current' && views.currentSessionChanged()));
    let isCanceled = false;
    const batches = (async function* () {
      yield { messages: [] };
      await until(() => shown !== undefined || !isChatOpen);
      isCanceled = true;
      yield { messages: [{ id: messageId('m'), parent: null, role: 'user', content: [], at: 0 } as const] };
    })();
    const { importMessages } = await load<typeof ImportModule>('import-export/import-file.ts');
    const watch = { isCancelled: () => isCanceled, report: () => undefined };
    assert.equal(await importMessages({ sessions, store } as never, 'Chat', batches, watch, []), undefined);
    if (isChatOpen) await until(() => sessions.current !== undefined && shown?.conversation === sessions.current);
    else await new Promise((resolve) => setTimeout(resolve, 100));
    views.dispose();
    return { sessions, shown };
  }

  it('shows an open session in a chat that was opened meanwhile', async () => {
    await using harness = await Harness.open();
    const { sessions, shown } = await cancelImport(harness, true);
    assert.ok(shown);
    assert.equal(shown.conversation.journal.readOnly, undefined);
    assert.equal(shown.conversation, sessions.current);
  });

  it('opens no session if the chat is closed', async () => {
    await using harness = await Harness.open();
    const { sessions } = await cancelImport(harness, false);
    assert.equal(sessions.current, undefined);
  });
});
