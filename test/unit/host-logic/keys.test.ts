import assert from 'node:assert/strict';
import type * as KeysModule from '../../../src/host/models/keys.ts';
import { hostIn } from '../../support/fake-editor.ts';

describe('API keys', () => {
  it('belong to one address, even if its scheme is missing, and are asked for with that address', async () => {
    const stored = new Map<string, string>();
    const secrets = {
      get: (name: string) => Promise.resolve(stored.get(name)),
      store: (name: string, value: string) => Promise.resolve(stored.set(name, value)),
    };
    const titles: string[] = [];
    const showInputBox = ({ title }: { title: string }) => Promise.resolve(titles.push(title) > 0 ? 'sk-1' : undefined);
    const { secretKeys, askForKey }: typeof KeysModule = await hostIn({ window: { showInputBox } })('models/keys.ts');
    const keys = secretKeys(secrets as never);
    assert.equal(await askForKey(keys, { provider: 'compatible', baseUrl: 'localhost:8080/v1' }), true);
    assert.deepEqual(titles, ['API Key for OpenAI-compatible server (localhost:8080/v1)']);
    assert.equal(await keys.get({ provider: 'compatible', baseUrl: 'localhost:9090/v1' }), undefined);
    assert.equal(await keys.get({ provider: 'compatible', baseUrl: 'localhost:8080/v1' }), 'sk-1');
  });
});
