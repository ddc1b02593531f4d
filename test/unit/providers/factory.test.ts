import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import { ModelRegistry } from '../../../src/providers/factory.ts';
import { WireServer } from '../../support/wire-server.ts';
import { ask, turn } from './protocols.ts';

const NOTHING = { search: () => [] };

describe('the registry of models', () => {
  it('keeps a model while its settings stay, and makes another when they change', () => {
    const registry = new ModelRegistry();
    const config = { provider: 'openai', model: 'gpt-5-mini', apiKey: 'a' } as const;
    const first = registry.createModel(config, NOTHING);
    assert.equal(registry.createModel({ ...config }, NOTHING), first);
    assert.notEqual(registry.createModel({ ...config, apiKey: 'b' }, NOTHING), first);
    registry.clear();
    assert.notEqual(registry.createModel(config, NOTHING), first);
  });

  it('names the local model, which answers from the session it is given', async () => {
    const registry = new ModelRegistry();
    const config = { provider: 'local', model: 'local' } as const;
    const model = registry.createModel(config, {
      search: () => [{ text: 'Redis', message: 'm1', role: 'user', at: 0, score: 1 }],
    });
    assert.equal(model.id, 'local');
    assert.match((await turn(model, ask('cache?'))).text, /> Redis/);
    assert.deepEqual(await registry.listModels(config, new AbortController().signal), [{ id: 'local', facts: {} }]);
  });

  it('lists the models of a compatible server', async () => {
    const server = await WireServer.start();
    try {
      const config = { provider: 'compatible', model: '', baseUrl: server.url } as const;
      const models = await new ModelRegistry().listModels(config, new AbortController().signal);
      assert.ok(models.some(({ id }) => id === 'gpt-4o'));
    } finally {
      await server.stop();
    }
  });

  it('refuses a base URL that is none, and takes the mended one', () => {
    const registry = new ModelRegistry();
    const config = { provider: 'compatible', model: 'm', baseUrl: 'not an address' } as const;
    assert.throws(
      () => registry.createModel(config, NOTHING),
      (error) => ModelFault.is(error, 'bad_request'),
    );
    assert.ok(registry.createModel({ ...config, baseUrl: 'http://localhost:1234' }, NOTHING));
  });
});
