import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../../../src/app/ports.ts';
import { summarizerOf, type NeededReasoning, type SummarizerConfig } from '../../../src/app/summarizer.ts';
import type { Usage } from '../../../src/core/model/message.ts';
import { reasoningPlan } from '../../../src/core/tokens/model-info.ts';
import { ThinkFilter, thinkingHabit, type ThinkingHabit } from '../../../src/providers/think-filter.ts';
import { Harness, texts } from '../app/harness.ts';

/** The final reply if it arrives in chunks of that many characters. */
function read(reply: string, size: number, habit: ThinkingHabit = thinkingHabit('llama3')): string {
  const filter = new ThinkFilter(habit);
  let text = '';
  const take = (chunks: Iterable<ChatChunk>): void => {
    for (const chunk of chunks) {
      if (chunk.type === 'text') text += chunk.text;
      else if (chunk.type === 'thinking' && chunk.retracts) text = '';
    }
  };
  for (let at = 0; at < reply.length; at += size) take(filter.take(reply.slice(at, at + size)));
  take(filter.end());
  return text;
}

describe('thinking filter', () => {
  const forms: Readonly<Record<string, string>> = {
    '<think>': '<think>\nHm.\n</think>\n\nThe answer.',
    '<thinking>': '<thinking>Hm, <b>.</thinking>The answer.',
    '[THINK]': '[THINK]Hm.[/THINK]The answer.',
    '<seed:think>': '<seed:think>Hm.</seed:think>The answer.',
    harmony: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>The answer.',
    'a closing tag alone': 'Hm, first this.\n\nThen that.\n</think>\n\nThe answer.',
  };
  for (const [name, reply] of Object.entries(forms)) {
    it(`removes thinking from the reply: ${name}`, () => {
      for (const size of [1, 2, 3, 7, 1000]) assert.equal(read(reply, size), 'The answer.', `pieces of ${size}`);
    });
  }

  it('holds back thinking without an opening tag once the model is known to think that way', () => {
    const habit = thinkingHabit('some-model');
    assert.equal(read('Hm.\n</think>\nOne.', 4, habit), 'One.');
    const filter = new ThinkFilter(habit);
    assert.deepEqual([...filter.take('Hm again.')], [{ type: 'thinking' }]);
    assert.equal(thinkingHabit('deepseek-r1:14b').unopened, true);
    assert.equal(thinkingHabit('qwen3-30b-a3b-thinking-2507').unopened, true);
  });

  it('keeps thinking tags that are part of the answer', () => {
    for (const answer of [
      'Close it with `</think>` and go on.',
      'Write\n<think>\nwhat you think\n</think>\nand then the rest.',
      '<thinkers> is no tag.',
      'The tags are [THINK] and\n[/THINK]',
    ]) {
      for (const size of [1, 5, 1000]) assert.equal(read(answer, size), answer);
    }
  });

  it('treats a reply cut off by the output limit before its closing tag as thinking, not as an answer', () => {
    const filter = new ThinkFilter(thinkingHabit('deepseek-r1:14b'));
    const chunks = [...filter.take('Hm, first this.'), ...filter.end(true)];
    assert.deepEqual(chunks, [{ type: 'thinking' }]);
  });

  it('treats the text as the answer when the closing tag expected from the model never arrives', () =>
    assert.equal(read('Just this.', 3, { unopened: true }), 'Just this.'));
});

describe('reasoning plan', () => {
  const big = { contextWindow: 1_000_000, maxOutput: 128_000 };
  it('uses the lowest effort for a summary and the vendor’s default for a chat', () => {
    const efforts = ['none', 'low', 'medium', 'high'] as const;
    assert.deepEqual(reasoningPlan({ ...big, efforts }, 'summary'), { effort: 'none', tokens: 1_024 });
    assert.deepEqual(reasoningPlan({ ...big, efforts }, 'chat'), { tokens: 16_384 });
    assert.deepEqual(reasoningPlan({ ...big, efforts: ['low', 'high'] }, 'summary'), { effort: 'low', tokens: 4_096 });
    assert.deepEqual(reasoningPlan({ ...big, efforts: [] }, 'summary'), { tokens: 4_096 });
    assert.deepEqual(reasoningPlan(big, 'chat'), { tokens: 0 });
  });

  it('uses the effort that the user chose, or the next lower one that the model supports', () => {
    const efforts = ['low', 'high'] as const;
    assert.equal(reasoningPlan({ ...big, efforts }, 'chat', 'medium').effort, 'low');
    assert.equal(reasoningPlan({ ...big, efforts }, 'chat', 'max').effort, 'high');
    assert.equal(reasoningPlan({ ...big, efforts }, 'chat', 'none').effort, 'low');
  });

  it('limits the reasoning tokens in a small context window', () =>
    assert.equal(reasoningPlan({ contextWindow: 4_096, maxOutput: 4_096, efforts: [] }, 'chat').tokens, 512));
});

function thinker(tokens: number): { model: ChatModel; requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: ChatModel = {
    id: 'test/thinker',
    provider: 'test',
    model: 'thinker',
    async *stream(request) {
      requests.push(request);
      await Promise.resolve();
      const limit = request.maxOutputTokens + (request.reasoningTokens ?? 0);
      yield { type: 'thinking' };
      const reasoning = Math.min(limit, tokens);
      if (limit > tokens) yield { type: 'text', text: 'Said.' };
      yield { type: 'usage', usage: { input: 100, output: reasoning + (limit > tokens ? 2 : 0), reasoning } };
      yield { type: 'end', ending: limit > tokens ? 'complete' : 'length' };
    },
  };
  return { model, requests };
}

/** Requests a summary from a model with these limits. `used` gets the usage of each call. */
const summarized = (
  model: ChatModel,
  limits: Partial<SummarizerConfig> = {},
  used: Usage[] = [],
  needed?: NeededReasoning,
) =>
  summarizerOf(
    { model, maxInputTokens: 10_000, ...limits },
    new AbortController().signal,
    (usage) => used.push(usage),
    needed,
  ).complete({ system: 's', prompt: 'p', maxTokens: 140, temperature: 0.3 });

describe('summary by a model that thinks past its limit', () => {
  const complete = (model: ChatModel, used: Usage[]) => summarized(model, { reasoning: { tokens: 1_024 } }, used);

  it('retries the summary once with a higher limit, and counts both calls', async () => {
    const used: Usage[] = [];
    const { model, requests } = thinker(5_000);
    const reply = await complete(model, used);
    assert.deepEqual([reply.text, reply.calls, reply.usage], ['Said.', 2, { input: 200, output: 1_164 + 5_002 }]);
    const thinking = requests.map(({ reasoningTokens }) => reasoningTokens);
    assert.deepEqual(thinking, [1_024, 16_384]);
    assert.equal(used.length, 2);
  });

  it('has the higher limit from then on, as far as the context window allows', async () => {
    const { model, requests } = thinker(5_000);
    const needed: NeededReasoning = new Map();
    const limits = { reasoning: { tokens: 1_024 } };
    await summarized(model, limits, [], needed);
    await summarized(model, limits, [], needed);
    await summarized(model, { ...limits, contextWindow: 8_192 }, [], needed);
    assert.deepEqual(
      requests.map(({ reasoningTokens }) => reasoningTokens),
      [1_024, 16_384, 16_384, 8_192 - 1 - 140],
    );
  });

  it('fails with highest_output_limit if the retry is not enough, and reports the usage of both calls', async () => {
    const used: Usage[] = [];
    await assert.rejects(complete(thinker(50_000).model, used), (error) =>
      ModelFault.is(error, 'highest_output_limit'),
    );
    const outputs = used.map(({ output }) => output);
    assert.deepEqual(outputs, [1_164, 16_524]);
  });
});

describe('summary that the provider refuses mid-stream', () => {
  it('fails with content_refused and reports the usage', async () => {
    const used: Usage[] = [];
    const model: ChatModel = {
      ...thinker(0).model,
      async *stream() {
        await Promise.resolve();
        yield { type: 'text', text: 'I' };
        yield { type: 'usage', usage: { input: 100, output: 1 } };
        throw new ModelFault('content_refused', 'refused');
      },
    };
    await assert.rejects(summarized(model, {}, used), (error) => ModelFault.is(error, 'content_refused'));
    assert.deepEqual(used, [{ input: 100, output: 1 }]);
  });
});

describe('summary retry', () => {
  const second = async (limits: { contextWindow?: number; maxOutputTokens?: number }): Promise<number[]> => {
    const { model, requests } = thinker(50_000);
    const asked = summarized(model, { reasoning: { tokens: 1_024 }, ...limits });
    await assert.rejects(asked, (error) => ModelFault.is(error, 'highest_output_limit'));
    return requests.map(({ reasoningTokens = 0 }) => reasoningTokens);
  };

  it('raises the token limit only as far as the model’s output limit and context window allow', async () => {
    assert.deepEqual(await second({ contextWindow: 8_192 }), [1_024, 8_192 - 100 - 140]);
    assert.deepEqual(await second({ maxOutputTokens: 4_096 }), [1_024, 4_096 - 140]);
    assert.deepEqual(await second({ maxOutputTokens: 1_100 }), [1_024], 'no further attempt is paid for');
  });
});

describe('compression with a model that only thinks', () => {
  it('falls back to extractive summaries, reports the fault, and logs and counts the failed calls', async () => {
    await using harness = await Harness.open();
    harness.summary = { model: thinker(50_000).model, maxInputTokens: 100_000 };
    const conversation = await harness.filled(40);
    const outcome = await conversation.compressNow();
    assert.ok(outcome.kind === 'committed' && ModelFault.is(outcome.fault, 'highest_output_limit'));
    assert.ok([...conversation.state.nodes.values()].every(({ rung }) => rung === 'extractive'));
    const [failed] = harness.logged('history_compression_failed');
    assert.deepEqual(
      [failed?.level, failed?.fields['error'], failed?.fields['calls']],
      ['error', 'highest_output_limit', 2],
    );
    const [done] = harness.logged('history_compression_complete');
    assert.deepEqual([done?.fields['fallback'], done?.fields['error']], ['extractive', 'highest_output_limit']);
    const { calls } = outcome.record;
    assert.deepEqual([calls.count, calls.costUsd, done?.fields['calls']], [2, 0.002, 2]);
    assert.equal(calls.inputTokens + calls.outputTokens, conversation.state.counters.compressionTokens);
    assert.ok(conversation.state.counters.compressionTokens > 16_384);
    assert.ok(conversation.state.counters.compressionCostUsd >= 0.002);
    await conversation.close();
  });
});

describe('chat reply that is all thinking', () => {
  it('fails with output_limit, records the cost, and raises the limit for the next try', async () => {
    await using harness = await Harness.open();
    const { model, requests } = thinker(30_000);
    harness.chat = model;
    const reply = { textTokens: 4_000, reasoningTokens: 16_384, maxOutput: 128_000 };
    harness.set({ reservedTokens: 20_384, reply });
    const conversation = await harness.converse();
    const thinking: (number | null)[] = [];
    conversation.onUpdate(({ type }) => {
      if (type === 'reply_thinking') thinking.push(conversation.thinkingSince);
    });
    await assert.rejects(conversation.send('Why?'), (error) => ModelFault.is(error, 'output_limit'));
    assert.equal(conversation.state.counters.chatTokens, 100 + 20_384);
    await conversation.retry(conversation.state.head!);
    assert.equal(conversation.state.counters.chatTokens, 200 + 20_384 + 30_002);
    assert.deepEqual(
      requests.map(({ reasoningTokens }) => reasoningTokens),
      [16_384, 65_536],
    );
    assert.ok(thinking.every((since) => typeof since === 'number'));
    assert.equal(conversation.thinkingSince, null);
    await conversation.close();
  });

  it('raises the limit on retry even if the model was not known to think, and never lowers it', async () => {
    for (const [reply, expected] of [
      [{ textTokens: 4_000, reasoningTokens: 0, maxOutput: 16_000 }, [0, 12_000]],
      [{ textTokens: 4_000, reasoningTokens: 2_000, maxOutput: 128_000 }, [2_000, 8_000]],
    ] as const) {
      await using harness = await Harness.open();
      const { model, requests } = thinker(11_000);
      harness.chat = model;
      harness.set({ reservedTokens: 4_000, reply });
      const conversation = await harness.converse();
      await assert.rejects(conversation.send('Why?'), (error) => ModelFault.is(error, 'output_limit'));
      await conversation.retry(conversation.state.head!).catch(() => undefined);
      const thinking = requests.map(({ reasoningTokens = 0 }) => reasoningTokens);
      assert.deepEqual(thinking, expected);
      await conversation.close();
    }
  });

  it('fails with highest_output_limit when the model or its context window allows no higher limit', async () => {
    for (const [maxOutput, contextWindow, limits] of [
      [8_000, 128_000, [6_000]],
      [14_000, 128_000, [6_000, 10_000]],
      [128_000, 16_000, [6_000, 12_000]],
    ] as const) {
      await using harness = await Harness.open();
      const { model, requests } = thinker(50_000);
      harness.chat = model;
      const reply = { textTokens: 4_000, reasoningTokens: 6_000, maxOutput };
      harness.set({ contextWindow, reservedTokens: 10_000, reply });
      const conversation = await harness.converse();
      const faults: (string | undefined)[] = [];
      const refused = (error: unknown): void => void faults.push(ModelFault.is(error) ? error.reason : undefined);
      await conversation.send('Why?').catch(refused);
      while (faults.length < limits.length) await conversation.retry(conversation.state.head!).catch(refused);
      assert.deepEqual(faults, [...limits.slice(1).map(() => 'output_limit'), 'highest_output_limit']);
      const asked = requests.map(({ reasoningTokens = 0 }) => Math.ceil(reasoningTokens / 1_000) * 1_000);
      assert.deepEqual(asked, limits);
      for (const { maxOutputTokens, reasoningTokens = 0 } of requests)
        assert.ok(maxOutputTokens + reasoningTokens + conversation.context().total <= contextWindow);
      await conversation.close();
    }
  });

  it('leaves no retracted thinking in the session', async () => {
    await using harness = await Harness.open(async function* () {
      await Promise.resolve();
      yield { type: 'text', text: 'Hm, let me see.\n' };
      yield { type: 'thinking', retracts: true };
      yield { type: 'text', text: 'Four.' };
      yield { type: 'end', ending: 'complete' };
    });
    const conversation = await harness.converse();
    await conversation.send('2 + 2?');
    const { content } = conversation.state.messages.get(conversation.state.head!)!;
    assert.deepEqual(content, [{ type: 'text', text: 'Four.' }]);
    await conversation.close();
  });

  it('does not restore retracted thinking as a reply after a reload when no other text arrived', async () => {
    await using harness = await Harness.open();
    harness.script = async function* () {
      await Promise.resolve();
      yield { type: 'text', text: 'Hm, the user wants ' };
      harness.clock.ahead += 1_500;
      yield { type: 'text', text: 'a number.\n' };
      yield { type: 'thinking', retracts: true };
      yield { type: 'end', ending: 'length' };
    };
    const conversation = await harness.converse();
    await assert.rejects(conversation.send('2 + 2?'), (error) => ModelFault.is(error));
    const again = await harness.restart(conversation);
    assert.deepEqual(texts(again), ['2 + 2?']);
    await again.close();
  });
});
