import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findQuotes } from '../../../src/core/audit/quotes.ts';
import { Cancelled, CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { answers, sessions } from './arbitraries.ts';
import { runs } from '../runs.ts';
import {
  counter,
  countCovered,
  goodAnswer,
  grow,
  modelWith,
  scriptedModel,
  SMALL_SETTINGS,
  tools,
  totalTokens,
} from './compression-fixtures.ts';

describe('summaries of random sessions by models that answer anything', () => {
  it('are not empty, are smaller than their source, quote verbatim and cover each message once', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.array(answers, { minLength: 1, maxLength: 6 }), async (messages, script) => {
        const model = modelWith(script);
        const result = await grow({ messages }, SMALL_SETTINGS, { ...tools(), model });
        assert.equal(countCovered(result.frontier, messages), result.covered);
        assert.ok(totalTokens(messages.slice(result.covered)) < 24 || result.covered === messages.length);
        const source = new Map<string, string>();
        let at = 0;
        for (const leaf of result.nodes.filter(({ depth }) => depth === 0)) {
          source.set(
            leaf.id,
            messages
              .slice(at, at + leaf.messages)
              .map(messageText)
              .join('\n'),
          );
          at += leaf.messages;
          for (const text of [leaf.brief, leaf.detailed]) {
            assert.notEqual(text, '');
            assert.ok(counter.text(text) + 4 < leaf.tokens.source);
            if (leaf.rung === 'extractive' || leaf.rung === 'cut') continue;
            for (const { quote } of findQuotes(text)) assert.ok(source.get(leaf.id)!.includes(quote), quote);
          }
        }
        for (const node of result.nodes) {
          assert.ok(node.tokens.detailed < node.tokens.source);
          assert.equal(node.tokens.detailed, counter.text(node.detailed) + 4);
          assert.equal(node.tokens.brief, counter.text(node.brief) + 4);
        }
      }),
      runs(150),
    );
  });

  it('are never requested with more input than the model accepts', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 0, max: 1_500 }), async (messages, most) => {
        const model = scriptedModel(({ system, prompt }) => {
          assert.ok(counter.text(system) + counter.text(prompt) <= most);
          return '';
        }, most);
        await grow({ messages }, SMALL_SETTINGS, { ...tools(), model });
      }),
      runs(80),
    );
  });

  it('fail with the provider’s error when any call fails', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, answers, fc.nat({ max: 5 }), async (messages, answer, failing) => {
        const model = scriptedModel((_, call) => {
          if (call === failing + 1) throw new Error('gone');
          return answer;
        });
        const run = grow({ messages }, SMALL_SETTINGS, { ...tools(), model });
        const outcome = await run.then(
          () => 'done',
          (error: unknown) => (error instanceof Error ? error.message : 'other'),
        );
        assert.equal(outcome, model.requests.length > failing ? 'gone' : 'done');
      }),
      runs(80),
    );
  });

  it('stop at any point when cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.nat({ max: 3 }), async (messages, after) => {
        const cancel = { aborted: false };
        const model = scriptedModel((_, call) => {
          cancel.aborted = call > after;
          return goodAnswer('Fine.');
        });
        const run = grow(
          { messages },
          { ...SMALL_SETTINGS, concurrency: 1 },
          { ...tools(), model, pace: new CancellableYielder(undefined, cancel) },
        );
        const stopped = await run.then(
          () => false,
          (error: unknown) => error instanceof Cancelled,
        );
        assert.equal(stopped, cancel.aborted);
        assert.ok(model.requests.length <= after + 1);
      }),
      runs(80),
    );
  });
});
