import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ModelFault } from '../../../src/app/fault.ts';
import { ModelRegistry } from '../../../src/providers/model-registry.ts';
import { WireServer } from '../../support/wire-server.ts';

describe('the model registry', () => {
  it('keeps a model while its settings stay the same, and creates another when they change', async () => {
    const registry = new ModelRegistry();
    const config = { provider: 'openai', model: 'gpt-5-mini', apiKey: 'a' } as const;
    const first = await registry.createModel(config);
    assert.equal(await registry.createModel({ ...config }), first);
    assert.notEqual(await registry.createModel({ ...config, apiKey: 'b' }), first);
    registry.clear();
    assert.notEqual(await registry.createModel(config), first);
  });

  it('keeps models in use and evicts the least recently used one', async () => {
    const registry = new ModelRegistry();
    const config = (model: string) => ({ provider: 'anthropic', model, apiKey: 'a' }) as const;
    const used = await registry.createModel(config('used'));
    const unused = await registry.createModel(config('unused'));
    for (let n = 0; n < 8; n += 1) {
      await registry.createModel(config(`other ${n}`));
      assert.equal(await registry.createModel(config('used')), used);
    }
    assert.notEqual(await registry.createModel(config('unused')), unused);
  });

  it('lists the models of an OpenAI-compatible server', async () => {
    await using server = await WireServer.start();
    const config = { provider: 'compatible', model: '', baseUrl: server.url } as const;
    const model = await new ModelRegistry().createModel(config);
    const models = await model.listModels(new AbortController().signal);
    assert.ok(models.some(({ id }) => id === 'gpt-4o'));
  });

  it('rejects an invalid base URL and accepts the corrected one', async () => {
    const registry = new ModelRegistry();
    const config = { provider: 'compatible', model: 'm', baseUrl: 'not an address' } as const;
    await assert.rejects(registry.createModel(config), (error) => ModelFault.is(error, 'invalid_base_url'));
    assert.ok(await registry.createModel({ ...config, baseUrl: 'http://localhost:1234' }));
  });

  it('loads each SDK only when its first model is created', async () => {
    const factory = new URL('../../../src/providers/model-registry.ts', import.meta.url).href;
    const script = `
      import { registerHooks } from 'node:module';
      const seen = new Set();
      registerHooks({ load(url, context, next) {
        const sdk = /node_modules\\/(openai|@anthropic-ai)\\//.exec(url)?.[1];
        if (sdk) seen.add(sdk);
        return next(url, context);
      } });
      const { ModelRegistry } = await import(${JSON.stringify(factory)});
      const registry = new ModelRegistry();
      const report = [[...seen]];
      for (const provider of ['openai', 'anthropic']) {
        await registry.createModel({ provider, model: 'm', apiKey: 'k' });
        report.push([...seen]);
      }
      console.log(JSON.stringify(report));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    assert.deepEqual(JSON.parse(stdout), [[], ['openai'], ['openai', '@anthropic-ai']]);
  });
});
