import assert from 'node:assert/strict';
import type * as L10nModule from '../../../src/host/platform/l10n.ts';
import type * as SessionCommandsModule from '../../../src/host/sessions/session-commands.ts';
import { hostIn } from '../../support/fake-editor.ts';

const env = { language: 'en' };
const { shortLine, shortTokens, truncateAtWord } = await hostIn({ env })<typeof L10nModule>('platform/l10n.ts');

describe('short texts in the editor', () => {
  it('never end in the middle of an emoji', () => {
    const text = `${'x'.repeat(119)}🗼 and so on`;
    assert.deepEqual([shortLine(text, 120), truncateAtWord(text, 120)], ['x'.repeat(119), `${'x'.repeat(119)}…`]);
  });

  it('leave out the colors of terminal output', () =>
    assert.equal(shortLine('\x1b[31mFAILED\x1b[0m tests/a.test.ts'), 'FAILED tests/a.test.ts'));

  it('show tokens with at most three digits', () => {
    const shown = [950, 12_449, 128_000, 999_600, 1_048_576].map(shortTokens);
    assert.deepEqual(shown, ['950', '12.4k', '128k', '1M', '1.05M']);
  });

  it('show tokens with the decimal mark of the display language', () => {
    const shown = ['de', 'pt-br', 'ja'].map((language) => {
      env.language = language;
      return shortTokens(12_449);
    });
    env.language = 'en';
    assert.deepEqual(shown, ['12,4k', '12,4k', '12.4k']);
  });

  it('show when a session was changed like the other dates, without seconds', async () => {
    const details: string[] = [];
    const showQuickPick = (items: readonly { readonly detail: string }[]) => {
      details.push(...items.map(({ detail }) => detail.replace('\u202f', ' ')));
      return Promise.resolve(undefined);
    };
    const loadCommands = hostIn({ window: { showQuickPick } });
    const { switchSession } = await loadCommands<typeof SessionCommandsModule>('sessions/session-commands.ts');
    const session = { id: 'a', title: 'Ports', messages: 2, updatedAt: new Date(2026, 2, 1, 9, 41, 7).getTime() };
    await switchSession({ sessions: { list: () => Promise.resolve([session]) } } as never);
    assert.deepEqual(details, ['Mar 1, 2026, 9:41 AM']);
  });

  it('show a session’s title as text, not as an icon', async () => {
    const labels: string[] = [];
    const showQuickPick = (items: readonly { readonly label: string }[]) => {
      labels.push(...items.map(({ label }) => label));
      return Promise.resolve(undefined);
    };
    const loadCommands = hostIn({ window: { showQuickPick } });
    const commands = await loadCommands<typeof SessionCommandsModule>('sessions/session-commands.ts');
    const session = { id: 'a', title: 'Why is $(pwd) empty?', messages: 2, updatedAt: 0, workspace: 'other' };
    const list = () => Promise.resolve([session]);
    const app = { sessions: { list }, store: { list }, workspace: 'this' } as never;
    await commands.switchSession(app);
    await commands.openOtherSession(app);
    assert.deepEqual(labels, ['Why is \\$(pwd) empty?', 'Why is \\$(pwd) empty?']);
  });
});
