import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkStatementsWithModel } from '../../../src/core/audit/model-check.ts';
import { checkStatements } from '../../../src/core/audit/statements.ts';
import { CallLog, type SummaryRequest } from '../../../src/core/compress/summary-model.ts';
import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { sessions } from '../compress/arbitraries.ts';
import { runs } from '../runs.ts';

const verdict = fc.record(
  {
    n: fc.oneof(fc.integer({ min: -1, max: 40 }), fc.string()),
    verdict: fc.constantFrom('told', 'otherwise', 'untold', 'maybe', 3),
    quote: fc.oneof(fc.string(), fc.constantFrom('we decided', 'never deploy', '\u0000'), fc.constant(null)),
    instead: fc.oneof(fc.string(), fc.constant(7)),
  },
  { requiredKeys: [] },
);
const answers = fc.oneof(
  fc.array(verdict, { maxLength: 30 }).map((statements) => JSON.stringify({ statements })),
  fc.array(verdict, { maxLength: 3 }).map((statements) => `{{}} ${JSON.stringify({ statements })} }`),
  fc.string(),
);
const summaries = fc.array(fc.oneof(fc.string(), fc.lorem({ mode: 'sentences', maxCount: 3 })), { maxLength: 40 });

/** A message of many short lines: headings and gaps take more tokens than the lines. */
const longListing = (lines: number): SourceMessage => ({
  id: messageId('listing'),
  role: 'tool',
  content: [{ type: 'text', text: Array.from({ length: lines }, (_, at) => `we ${at}`).join('\n\n') }],
});

describe('checking the statements of a summary with a model', () => {
  it('stays within the model’s input limit, fences all data, and keeps each statement in its place', async () => {
    const counter = await loadEncoding('o200k_base');
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(sessions, fc.nat(400)).map(([list, lines]) => [...list, longListing(lines)]),
        summaries.map((lines) => lines.join('\n')),
        answers,
        fc.integer({ min: 200, max: 12_000 }),
        async (messages, summary, text, maxInputTokens) => {
          const complete = ({ system, prompt, maxTokens }: SummaryRequest): Promise<{ text: string }> => {
            assert.ok(counter.text(system) + counter.text(prompt) + maxTokens <= maxInputTokens);
            const [record, statements] = [...prompt.matchAll(/^(=====\w+=====)\n([^]*?)\n\1$/gm)];
            assert.ok(record?.[2] !== undefined && statements?.[2] !== undefined);
            assert.equal(prompt.split(record[1]!).length, 5, 'no line within is a fence');
            return Promise.resolve({ text });
          };
          const { statements: found } = await checkStatementsWithModel(summary, messages, {
            model: { id: 'test/any', maxInputTokens, maxConcurrency: 3, complete },
            counter,
            pace: new CancellableYielder(),
            calls: new CallLog(),
          });
          const byCode = checkStatements(summary, messages);
          const texts = found.map(({ start, end }) => summary.slice(start, end));
          const expected = byCode.map((one) => one.text);
          assert.deepEqual(texts, expected);
          for (const [at, one] of found.entries()) {
            if (one.isByCode) assert.deepEqual(one, { ...byCode[at], isByCode: true });
            for (const { message, start, end } of one.sources)
              assert.ok(start < end && end <= messageText(messages[message]!).length);
          }
        },
      ),
      runs(60),
    );
  });
});
