import assert from 'node:assert/strict';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import type * as SessionViewsModule from '../../../src/host/session-views.ts';
import type { SessionViews } from '../../../src/host/session-views.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { Harness, says } from '../app/harness.ts';

const shown: string[] = [];
const load = hostIn({
  commands: { executeCommand: () => Promise.resolve() },
  window: { showInformationMessage: (text: string) => void shown.push(text) },
});

async function viewsOf(conversation: Conversation, sessions: readonly object[] = []): Promise<SessionViews> {
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
    calibrations: { save: nothing },
    snapshots: { schedule: nothing },
    models: { isReady: () => Promise.resolve(true) },
    chosenModel: nothing,
    describe: (error: unknown) => assert.fail(String(error)),
    ...{ panel: view, gauge: view, gaugeItem: view, tree: view, chart: view, files: view, documentPanel: view },
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
