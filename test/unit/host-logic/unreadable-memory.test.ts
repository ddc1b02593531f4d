import assert from 'node:assert/strict';
import { StoreFault } from '../../../src/app/ports.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import type * as CalibrationsModule from '../../../src/host/models/calibrations.ts';
import { learnedFacts } from '../../../src/host/models/learned-facts.ts';
import type * as ModelsModule from '../../../src/host/models/models.ts';
import type * as SpendModule from '../../../src/host/models/spend-limit.ts';
import type * as OpenModule from '../../../src/host/sessions/open-conversations.ts';
import { defaultSettings, hostIn, l10n, memento, workspaceWith } from '../../support/fake-editor.ts';
import { inStore, messageAdded, testClock } from '../storage/test-store.ts';

const warnings: string[] = [];
const load = hostIn({
  l10n,
  env: { language: 'en' },
  window: { showWarningMessage: (text: string) => Promise.resolve(void warnings.push(text)) },
  workspace: workspaceWith(defaultSettings()),
});
const { OpenConversations } = await load<typeof OpenModule>('sessions/open-conversations.ts');
const { Models } = await load<typeof ModelsModule>('models/models.ts');
const { calibrations } = await load<typeof CalibrationsModule>('models/calibrations.ts');
const { spendLimit } = await load<typeof SpendModule>('models/spend-limit.ts');

describe('a workspace memory that cannot be read', () => {
  it('is reported, and sessions can be read nevertheless', () =>
    inStore(async (store) => {
      const clock = testClock();
      const warn = (): void => undefined;
      const fault = new StoreFault('other', phrase('Couldn’t access {0}.', phrase('the workspace memory')));
      const conversations = new OpenConversations({
        clock,
        log: { event: () => undefined, warn },
        models: new Models({ get: () => Promise.resolve(undefined) } as never, {} as never, learnedFacts(memento())),
        spend: spendLimit(
          memento(),
          () => clock.now(),
          () => null,
          warn,
        ),
        calibrations: calibrations(memento()),
        counts: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
        memory: { load: () => Promise.reject(fault), text: () => '' } as never,
        rules: { load: () => Promise.resolve(), text: '' } as never,
      });
      const journal = await store.create('Bookings', 'w');
      await journal.append(messageAdded(0));
      const conversation = await conversations.open(journal);
      assert.deepEqual(conversation.state.path, ['m0']);
      assert.deepEqual(warnings, ['Couldn’t access the workspace memory.']);
      await conversation.close();
    }));
});
