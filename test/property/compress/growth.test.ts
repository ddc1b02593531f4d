import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { answers, sessions } from './arbitraries.ts';
import { runs } from '../runs.ts';
import { countCovered, grow, modelWith, SMALL_SETTINGS, tools } from './compression-fixtures.ts';

describe('a session growing through random compressions', () => {
  it('covers each message with exactly one frontier node, and keeps the frontier’s texts bounded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sessions, { minLength: 2, maxLength: 5 }),
        fc.array(answers, { minLength: 1, maxLength: 5 }),
        async (parts, script) => {
          const all: SourceMessage[] = [];
          const model = modelWith(script);
          const shared = tools();
          let frontier: readonly SummaryNode[] = [];
          for (const [index, part] of parts.entries()) {
            const renamed = part.map((message) => ({ ...message, id: `${index}-${message.id}` as typeof message.id }));
            const result = await grow({ messages: renamed, frontier }, SMALL_SETTINGS, { ...shared, model });
            all.push(...renamed.slice(0, result.covered));
            ({ frontier } = result);
            assert.equal(countCovered(frontier, all), all.length);
            assert.ok(result.tokens <= SMALL_SETTINGS.frontierTokens || frontier.length === 1);
          }
        },
      ),
      runs(60),
    );
  });
});
