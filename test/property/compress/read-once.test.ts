import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SummaryCache } from '../../../src/core/compress/summarize.ts';
import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { runs } from '../runs.ts';
import { SETTINGS } from '../../unit/compress/summarize-fixtures.ts';
import { goodAnswer, grow, scriptedModel, SMALL_SETTINGS, tools } from './compression-fixtures.ts';

/** The beginning of each summary by the model, in words that occur nowhere else. */
const SUMMARY_START = 'They settled matter';

const mark = (at: number): string => `note-${at}-of-many`;

/** Parts of a growing session. Each number is how often a message repeats a filler sentence. */
const parts = fc.array(fc.array(fc.integer({ min: 8, max: 14 }), { minLength: 4, maxLength: 16 }), {
  minLength: 1,
  maxLength: 4,
});

function messagesFrom(sizes: readonly number[], from: number): SourceMessage[] {
  return sizes.map((size, n): SourceMessage => {
    const at = from + n;
    const text = `We use ${mark(at)} here. ${'Then the list is handed to the caller, who shows it. '.repeat(size)}`;
    return { id: messageId(`m${at}`), role: at % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] };
  });
}

describe('a growing session with a reliable summarizer', () => {
  it('sends each message to the model at most once, sends no summary, and reuses cached summaries', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (sizes) => {
        const model = scriptedModel((_, call) => goodAnswer(`${SUMMARY_START} ${call}.`));
        const cache: SummaryCache = new Map();
        const shared = { ...tools(), model, cache };
        let frontier: readonly SummaryNode[] = [];
        let said: SourceMessage[] = [];
        let next = 0;
        for (const part of sizes) {
          const messages = [...said, ...messagesFrom(part, next)];
          next += part.length;
          const result = await grow({ messages, frontier }, SMALL_SETTINGS, shared);
          ({ frontier } = result);
          // Text that was too short to be compressed waits for the next compression.
          said = messages.slice(result.covered);

          const asked = model.requests.length;
          await grow({ messages }, SMALL_SETTINGS, shared);
          assert.equal(model.requests.length, asked, 'what has not changed is not summarized again');
        }
        for (let at = 0; at < next; at++) {
          const times = model.requests.filter(({ prompt }) => prompt.includes(mark(at))).length;
          assert.ok(times <= 1, `message ${at} is read ${times} times`);
        }
        for (const { prompt } of model.requests) assert.ok(!prompt.includes(SUMMARY_START), 'no model reads a summary');

        const asked = model.requests.length;
        const prompt = { ...SETTINGS.prompt, version: 'another' };
        await grow({ messages: messagesFrom(sizes[0]!, 0) }, { ...SMALL_SETTINGS, prompt }, shared);
        if (asked > 0) assert.ok(model.requests.length > asked, 'with another prompt it is');
      }),
      runs(60),
    );
  });
});
