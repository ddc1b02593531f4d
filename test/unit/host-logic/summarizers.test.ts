import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import { modelInfo } from '../../../src/core/tokens/model-info.ts';
import { spendLimit, type SpendLimit } from '../../../src/host/models/spend-limit.ts';
import { summarizerConfig } from '../../../src/host/models/summarizers.ts';
import { says, throws, type Script } from '../app/harness.ts';
import { memento } from '../../support/fake-editor.ts';

const chosen = { provider: 'openai', model: 'gpt-4o-mini', baseUrl: '' } as const;

describe('the summarizer', () => {
  let script: Script;
  let calls: number;
  let isPriced: boolean;
  let models: Parameters<typeof summarizerConfig>[0];
  let limit: SpendLimit;

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
    limit = spendLimit(
      memento(),
      () => 0,
      () => 0.5,
      (message) => assert.fail(message),
    );
    models = {
      make: () => Promise.resolve(model),
      info: ({ model: name }) => modelInfo(isPriced ? name : 'my-finetune'),
    };
  });

  async function ask(): Promise<string> {
    const made = await summarizerConfig(models, chosen);
    assert.ok(made);
    let text = '';
    const request = { system: [], messages: [], maxOutputTokens: 100 };
    for await (const chunk of made.model.stream(request, new AbortController().signal)) {
      if (chunk.type === 'text') text += chunk.text;
    }
    return text;
  }

  it('gets the context window minus its reasoning tokens, and is tried again after a fault', async () => {
    script = throws(new ModelFault('refused_key', 'no'));
    for (let n = 0; n < 4; n++) await assert.rejects(ask(), (error) => ModelFault.is(error, 'refused_key'));
    script = says('A summary.');
    assert.equal(await ask(), 'A summary.');
    assert.equal(calls, 5);
    const made = await summarizerConfig(models, { ...chosen, model: 'my-finetune' });
    assert.deepEqual([made?.maxInputTokens, made?.reasoning?.tokens], [32_768 - 4_096, 4_096]);
  });

  it('uses no model if none is selected', async () => {
    assert.equal(await summarizerConfig(models, { provider: 'local', model: 'local', baseUrl: '' }), undefined);
  });

  it('is subject to the spend limit only if its model has a price', () => {
    const gate = limit.gate(() => models.info(chosen).price !== undefined);
    gate.recordCost(null);
    gate.recordCost(0.25);
    assert.equal(gate.state(), 'open');
    gate.recordCost(0.25);
    assert.equal(gate.state(), 'spent');
    isPriced = false;
    assert.equal(gate.state(), 'open');
  });
});
