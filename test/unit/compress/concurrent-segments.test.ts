import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import { summarizerOf } from '../../../src/app/summarizer.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import type { SummarizeSettings } from '../../../src/core/compress/summarize.ts';
import { counter, developerSession, goodAnswer, grow, tools } from './summarize-fixtures.ts';

const settings = { frontierTokens: 3_000, segment: { tokens: 2_000, messages: 120 } };
const session = developerSession(80);

/** A model whose answers take some turns of the event loop, depending on the prompt; `refuses` some calls first. */
function unevenModel(refuses: (open: number) => boolean = () => false) {
  const prompts: string[] = [];
  let open = 0;
  let most = 0;
  let refused = 0;
  const model: ChatModel = {
    id: 'openai/uneven',
    provider: 'openai',
    model: 'uneven',
    maxConcurrency: 24,
    async *stream({ messages }) {
      open++;
      most = Math.max(most, open);
      try {
        if (refuses(open)) {
          refused++;
          throw new ModelFault('rate_limited', 'Slow down.', { retryAfterMs: 700 });
        }
        const prompt = messages.map((message) => messageText(message)).join('\n');
        prompts.push(prompt);
        const turns = 1 + ((counter.text(prompt) * 7) % 5);
        for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
        const first = /retry number \d+/.exec(prompt)?.[0] ?? 'nothing';
        yield { type: 'text', text: goodAnswer(`They spoke of ${first}.`) };
        yield { type: 'end', ending: 'complete' };
      } finally {
        open--;
      }
    },
  };
  return { model, prompts, most: () => most, refused: () => refused };
}

const run = (model: ChatModel, more: Partial<SummarizeSettings> = {}) =>
  grow(
    { messages: session },
    { ...settings, ...more },
    tools({ model: summarizerOf({ model, maxInputTokens: 100_000 }, new AbortController().signal, () => undefined) }),
  );

describe('segments summarized concurrently', () => {
  it('give the same summaries in the same order, from the same prompts, as sequential ones', async () => {
    const one = unevenModel();
    const many = unevenModel();
    const alone = await run(one.model, { concurrency: 1 });
    const atOnce = await run(many.model);
    assert.equal(one.most(), 1);
    assert.ok(many.most() > 8, `${many.most()}`);
    assert.deepEqual([...many.prompts].sort(), [...one.prompts].sort());
    const said = ({ frontier }: typeof alone) => frontier.map(({ first, last, detailed }) => [first, last, detailed]);
    assert.deepEqual(said(atOnce), said(alone));
  });

  it('are many at the vendor’s own address and few at any other, whatever the provider is called', () => {
    const atOnce = (model: ChatModel): number =>
      summarizerOf({ model, maxInputTokens: 1_000 }, new AbortController().signal, () => undefined).maxConcurrency;
    assert.equal(atOnce(createOpenAiModel({ apiKey: 'k', model: 'gpt-6-luna' })), 24);
    assert.equal(atOnce(createAnthropicModel({ apiKey: 'k', model: 'claude-haiku-5-5' })), 24);
    const own = { apiKey: 'k', baseUrl: 'http://127.0.0.1:9/v1', model: 'any' };
    assert.equal(atOnce(createOpenAiModel({ ...own, provider: 'openai' })), 3);
    assert.equal(atOnce(createAnthropicModel(own)), 3);
  });

  it('each wait as long as the provider asks when it serves fewer at once', async () => {
    const uneven = unevenModel((open) => open > 10);
    const waits: number[] = [];
    const model = withRetries(uneven.model, {
      sleep: async (ms) => {
        waits.push(ms);
        for (let n = 0; n < 30; n++) await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const { frontier, covered, fault } = await run(model);
    assert.equal(fault, undefined);
    assert.equal(covered, session.length);
    assert.ok(frontier.length > 0);
    assert.ok(uneven.refused() > 0);
    const expected = Array.from({ length: uneven.refused() }, () => 700);
    assert.deepEqual(waits, expected);
  });
});
