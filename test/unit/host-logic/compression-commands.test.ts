import assert from 'node:assert/strict';
import { SpendLimitReached } from '../../../src/app/spend-limited-model.ts';
import type * as CommandsModule from '../../../src/host/summaries/compression-commands.ts';
import { hostIn, l10n } from '../../support/fake-editor.ts';

describe('compression by command', () => {
  it('offers the settings when the spend limit was reached, and the log after other failures', async () => {
    const offered: string[] = [];
    const editor = {
      l10n,
      env: { language: 'en' },
      ProgressLocation: {},
      window: {
        withProgress: (_: object, work: (...parameters: unknown[]) => unknown) =>
          work(undefined, { onCancellationRequested: () => undefined }),
        showWarningMessage: (_: string, label: string) => Promise.resolve(void offered.push(label)),
      },
    };
    const { compressHistory } = await hostIn(editor)<typeof CommandsModule>('summaries/compression-commands.ts');
    const app = { describe: () => ({ text: 'It failed.' }), channel: { warn: () => undefined } };
    const record = { tokens: { before: 9, after: 1 }, messages: { before: 9, after: 1 } };
    for (const fault of [new SpendLimitReached(), new Error()]) {
      const conversation = {
        compressor: { onDidChange: () => ({ dispose: () => undefined }) },
        compressNow: () => Promise.resolve({ kind: 'committed', record, fault }),
        meter: { providerSizes: (sizes: object) => sizes },
      };
      await compressHistory(conversation as never, true, app as never);
    }
    assert.deepEqual(offered, ['Open Settings', 'Show Log']);
  });
});
