import assert from 'node:assert/strict';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { withoutImages } from '../../../src/providers/without-images.ts';
import { image, user } from '../../support/chat-messages.ts';
import { WireServer } from '../../support/wire-server.ts';
import { ask } from './protocols.ts';
import { openForAllTests } from '../../support/per-test.ts';

const REQUEST = ask('unused', { messages: [user('see this', image('QUJD'))] });

describe('text-only model', () => {
  let server: WireServer;
  openForAllTests(async () => (server = await WireServer.start()));
  before(() => {
    server.answer('ok');
  });

  for (const [name, make] of [
    ['OpenAI', () => createOpenAiModel({ apiKey: 'k', baseUrl: `${server.url}/v1`, model: 'gpt-4' })],
    ['Anthropic', () => createAnthropicModel({ apiKey: 'k', baseUrl: server.url, model: 'claude-haiku-4-5' })],
  ] as const) {
    it(`gets placeholders instead of images in ${name} requests, both as sent and as previewed`, async () => {
      const withImages = make();
      const stripped = withoutImages(withImages);
      for (const model of [withImages, stripped]) {
        for await (const chunk of model.stream(REQUEST, AbortSignal.timeout(20_000))) assert.ok(chunk.type);
        const sent = server.lastRequest?.raw ?? '';
        assert.equal(sent.includes('QUJD'), model === withImages, sent);
        assert.equal(sent.includes('[image of type image/png]'), model === stripped, sent);
        assert.deepEqual(JSON.parse(model.wireBody?.(REQUEST) ?? ''), JSON.parse(sent));
      }
    });
  }
});
