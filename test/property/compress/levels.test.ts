import assert from 'node:assert/strict';
import fc from 'fast-check';
import { summarizeHierarchical } from '../../../src/core/compress/summarize-hierarchical.ts';
import { summarizeRecursive } from '../../../src/core/compress/summarize-recursive.ts';
import { sessions } from './arbitraries.ts';
import { runs } from '../runs.ts';
import { tools } from './small-runs.ts';

describe('levels of random sessions', () => {
  it('end below the target in summarizeRecursive and below each level in summarizeHierarchical', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 6, max: 600 }), async (messages, target) => {
        const recursive = await summarizeRecursive(messages, target, tools());
        assert.ok(recursive.tokens <= target, `${recursive.tokens} of ${target}`);
        const { tokens, unchanged } = await summarizeHierarchical(messages, tools());
        if (unchanged) return;
        assert.ok(tokens.brief <= tokens.source * 0.1);
        assert.ok(tokens.detailed <= tokens.source * 0.3);
        assert.ok(tokens.full <= tokens.source * 0.7);
        assert.ok(tokens.brief <= tokens.detailed && tokens.detailed <= tokens.full);
      }),
      runs(60),
    );
  });
});
