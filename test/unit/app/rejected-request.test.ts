import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { Harness, says, texts, throws } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('when the model’s context window is far smaller than assumed', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  const refusesAbove = (window: number, contextWindow?: number): void => {
    harness.script = (request, signal) => {
      const input = Math.ceil(JSON.stringify(request.messages).length / 4);
      const output = contextWindow === undefined ? 0 : request.maxOutputTokens + (request.reasoningTokens ?? 0);
      return input + output > window
        ? throws(new ModelFault('context_too_long', 'too long', { contextWindow }))(request, signal)
        : says('It fits.')(request, signal);
    };
  };
  const longMessages = async (count: number): Promise<Conversation> => {
    const reply = { textTokens: 4096, reasoningTokens: 4096, maxOutput: 16_384 };
    harness.set({ contextWindow: 32_768, reservedTokens: 8192, reply });
    const conversation = await harness.converse();
    harness.script = says('Each part of the plan, once more in full. '.repeat(160));
    for (let i = 0; i < count; i++) await conversation.send(`Question ${i}: what is next?`);
    harness.requests.length = 0;
    return conversation;
  };

  it('takes the context window from the provider’s refusal, also for previews', async () => {
    const conversation = await longMessages(9);
    refusesAbove(6000, 6000);
    await conversation.send('Are you there?');
    assert.equal(texts(conversation).at(-1), 'It fits.');
    assert.equal(harness.requests.length, 2);
    assert.ok(conversation.meter.budget() < 6000, `a budget of ${conversation.meter.budget()}`);
    const { request } = await conversation.previewSend({ text: 'And now?' });
    await conversation.send('And now?');
    assert.equal(harness.requests.at(-1)?.maxOutputTokens, request.maxOutputTokens);
    assert.ok(request.maxOutputTokens + (request.reasoningTokens ?? 0) < 6000);
  });

  it('sends a short session again with a lower output limit', async () => {
    const conversation = await longMessages(0);
    refusesAbove(6000, 6000);
    await conversation.send('Are you there?');
    await conversation.send('And now?');
    assert.deepEqual(texts(conversation), ['Are you there?', 'It fits.', 'And now?', 'It fits.']);
    assert.equal(harness.requests.length, 3);
    assert.equal(conversation.state.compressions.length, 0);
  });

  it('leaves room for a reply when the context nearly fills the server’s window', async () => {
    const reply = { textTokens: 1024, reasoningTokens: 0, maxOutput: 16_384 };
    harness.set({ contextWindow: 32_768, reservedTokens: 1024, reply });
    const conversation = await harness.converse();
    conversation.meter.calibrateByRejection(conversation.context(), 20_000);
    const text = 'word '.repeat(Math.floor(conversation.meter.budget() * 0.98) - conversation.context().total);
    const { context, request } = await conversation.previewSend({ text });
    assert.ok(context.total > 18_000 && context.total <= conversation.meter.budget(), `${context.total} tokens`);
    assert.ok(request.maxOutputTokens >= 500, `${request.maxOutputTokens} tokens`);
  });

  it('reports a refusal if there is nothing to compress, and keeps the message', async () => {
    const conversation = await harness.converse();
    harness.script = throws(new ModelFault('context_too_long', 'too long'));
    await assert.rejects(conversation.send('Are you there?'), { reason: 'context_too_long' });
    assert.deepEqual(texts(conversation), ['Are you there?']);
    assert.equal(harness.requests.length, 1);
  });

  it('compresses until the request fits if the refusal names no number', async () => {
    const conversation = await longMessages(9);
    refusesAbove(2500);
    await conversation.send('Are you there?');
    assert.equal(texts(conversation).at(-1), 'It fits.');
  });
});
