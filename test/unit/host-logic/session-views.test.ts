import assert from 'node:assert/strict';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import type * as SessionViewsModule from '../../../src/host/session-views.ts';
import { hostIn, l10n } from '../../support/fake-editor.ts';
import { Harness, says } from '../app/harness.ts';

const load = hostIn({
  l10n,
  env: { language: 'en' },
  commands: { executeCommand: () => Promise.resolve() },
  window: {},
  workspace: {},
});

describe('showing a session above a threshold', () => {
  it('calls no model until a message is sent', async () => {
    const { SessionViews } = await load<typeof SessionViewsModule>('session-views.ts');
    await using harness = await Harness.open();
    harness.set({ policy: resolvePolicy('frugal') });
    harness.summarizer = says('They went through a listing.');
    const conversation = await harness.filled(60);
    const nothing = (): Promise<void> => Promise.resolve();
    const view = {
      refresh: nothing,
      showCurrentSession: nothing,
      setTitle: nothing,
      onDidChange: () => ({ dispose: nothing }),
    };
    const app = {
      sessions: { current: conversation, listChanged: nothing },
      open: { keepOnly: nothing },
      queued: { restoreAndWatch: nothing },
      calibrations: { save: nothing },
      snapshots: { schedule: nothing },
      models: { isReady: () => Promise.resolve(true) },
      chosenModel: nothing,
      describe: (error: unknown) => assert.fail(String(error)),
      ...{ panel: view, gauge: view, gaugeItem: view, tree: view, chart: view, files: view, documentPanel: view },
    };
    const views = new SessionViews(app as never);
    await views.currentChanged();
    await conversation.settled();
    assert.deepEqual([harness.summaryRequests.length, conversation.state.counters.compressions], [0, 0]);
    await conversation.send('Go on?');
    await conversation.settled();
    assert.deepEqual([harness.summaryRequests.length > 0, conversation.state.counters.compressions], [true, 1]);
    views.dispose();
  });
});
