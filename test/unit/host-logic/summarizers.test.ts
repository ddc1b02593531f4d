import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import { modelInfo } from '../../../src/core/tokens/models.ts';
import { SpendLimit } from '../../../src/host/models/spend-limit.ts';
import { Summarizers } from '../../../src/host/models/summarizers.ts';
import { says, throws, type Script } from '../app/harness.ts';

const chosen = { provider: 'openai', model: 'gpt-4o-mini', baseUrl: '' } as const;
const background = { due: { trigger: 'messages', threshold: 50 }, urgency: 'background' } as const;
const command = { due: { trigger: 'command', threshold: 0 }, urgency: 'now' } as const;

describe('the summarizer', () => {
  let script: Script;
  let calls: number;
  let isPriced: boolean;
  let summarizers: Summarizers;

  beforeEach(() => {
    calls = 0;
    isPriced = true;
    const model: ChatModel = {
      id: 'openai/gpt-4o-mini',
      provider: 'openai',
      model: 'gpt-4o-mini',
      stream: (request, signal) => {
        calls++;
        return script(request, signal);
      },
    };
    const kept = new Map<string, unknown>();
    const state = {
      keys: () => [...kept.keys()],
      get: (key: string) => kept.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
    };
    const limit = new SpendLimit(
      state,
      () => 0,
      () => 0.5,
      (message) => assert.fail(message),
    );
    summarizers = new Summarizers(
      {
        make: () => Promise.resolve(model),
        info: ({ model: name }) => modelInfo(isPriced ? name : 'my-finetune'),
      },
      limit,
    );
  });

  async function ask(job: typeof background | typeof command): Promise<string> {
    const made = await summarizers.model(chosen, job);
    assert.ok(made);
    let text = '';
    const request = { purpose: 'summary' as const, system: [], messages: [], maxOutputTokens: 100 };
    for await (const chunk of made.model.stream(request, new AbortController().signal)) {
      if (chunk.type === 'text') text += chunk.text;
    }
    return text;
  }

  it('gets the context window minus its reasoning tokens, and is tried again after a fault', async () => {
    script = throws(new ModelFault('refused_key', 'no'));
    for (let n = 0; n < 4; n++) await assert.rejects(ask(background), (error) => ModelFault.is(error, 'refused_key'));
    script = says('A summary.');
    assert.equal(await ask(background), 'A summary.');
    assert.equal(calls, 5);
    const made = await summarizers.model({ ...chosen, model: 'my-finetune' }, command);
    assert.deepEqual([made?.maxInputTokens, made?.reasoning?.tokens], [32_768 - 4_096, 4_096]);
  });

  it('uses no model if none is selected', async () => {
    assert.equal(await summarizers.model({ provider: 'local', model: 'local', baseUrl: '' }, command), undefined);
  });

  it('is subject to the spend limit only if its model has a price', () => {
    const gate = summarizers.gate(() => chosen);
    gate.recordCost(null);
    gate.recordCost(0.25);
    assert.equal(gate.state(), 'open');
    gate.recordCost(0.25);
    assert.equal(gate.state(), 'spent');
    isPriced = false;
    assert.equal(gate.state(), 'open');
  });
});
