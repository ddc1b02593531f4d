import assert from 'node:assert/strict';
import { SpendLimitReached } from '../../../src/app/spend-limited-model.ts';
import { PromptsTooLong, UnusableAnswers } from '../../../src/core/compress/summary-model.ts';
import type * as CommandsModule from '../../../src/host/summaries/compression-commands.ts';
import { hostIn } from '../../support/fake-editor.ts';

describe('compression by command', () => {
  it('offers the settings when the spend limit was reached, and the log after other failures', async () => {
    const [offered, shown]: [string[], string[]] = [[], []];
    const window = {
      withProgress: (_: object, work: (...parameters: unknown[]) => unknown) =>
        work(undefined, { onCancellationRequested: () => undefined }),
      showWarningMessage: (text: string, label: string) => {
        shown.push(text.split('. ', 1)[0]!);
        return Promise.resolve(void offered.push(label));
      },
    };
    const { compressHistory } = await hostIn({ window })<typeof CommandsModule>('summaries/compression-commands.ts');
    const app = { describe: () => ({ text: 'It failed.' }), channel: { warn: () => undefined } };
    const record = { tokens: { before: 9, after: 1 }, messages: { before: 9, after: 1 } };
    for (const fault of [new SpendLimitReached(), new Error(), new UnusableAnswers(), new PromptsTooLong()]) {
      const conversation = {
        compressor: { onDidChange: () => ({ dispose: () => undefined }) },
        compressNow: () => Promise.resolve({ kind: 'committed', record, fault }),
        meter: { providerSizes: (sizes: object) => sizes },
      };
      await compressHistory(conversation as never, true, app as never);
    }
    assert.deepEqual(offered, ['Open Settings', 'Show Log', 'Show Log', 'Show Log']);
    assert.deepEqual(shown.slice(2), [
      'The summarizer returned no usable response',
      'The summarizer’s context window is too small for the messages',
    ]);
  });

  it('says that messages were lost if so no compression since the selected one can be undone', async () => {
    const shown: string[] = [];
    const window = { showInformationMessage: (text: string) => Promise.resolve(void shown.push(text)) };
    const { undoSince } = await hostIn({ window })<typeof CommandsModule>('summaries/compression-commands.ts');
    const state = {
      compressions: [{ id: 'c1', nodes: ['n1'] }],
      summaries: { isCompressionUndone: () => false },
      nodes: new Map([['n1', { isLost: true }]]),
      isReverted: () => false,
    };
    const conversation = { state, journal: { state, append: () => assert.fail('nothing can be undone') } };
    await assert.rejects(undoSince(conversation as never, 'c1' as never), { reason: 'lost' });
    assert.deepEqual(shown, []);
  });
});
