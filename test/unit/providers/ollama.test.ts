import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { ModelFault } from '../../../src/app/fault.ts';
import type { ListingModel } from '../../../src/providers/listed-model.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { image, user } from '../../support/chat-messages.ts';
import { LoopbackServer, serving } from '../../support/loopback-server.ts';
import { openForAllTests } from '../../support/per-test.ts';
import { ask, turn } from './protocols.ts';

const REPLY = `${JSON.stringify({ message: { content: 'ok' } })}\n${JSON.stringify({ done: true, done_reason: 'stop' })}\n`;
/** As proxies send them to keep a connection open. */
const BLANK_LINES = ' \n\n';
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };

describe('the Ollama provider', () => {
  let server: LoopbackServer;
  let answer: RequestListener;
  let refusals: [status: number, body: string][];
  let asked: Record<string, unknown>[];

  openForAllTests(async () => (server = await new LoopbackServer().listen((...args) => answer(...args))));
  beforeEach(() => {
    refusals = [];
    asked = [];
    answer = (request, response) => {
      void text(request).then((body) => {
        asked.push(JSON.parse(body) as Record<string, unknown>);
        const [status, said] = refusals.shift() ?? [200, REPLY];
        response.writeHead(status, { ...(status === 429 && { 'retry-after': '7' }) }).end(said);
      });
    };
  });

  const model = (name = 'qwen2'): ListingModel =>
    createOpenAiModel({ baseUrl: server.url, model: name, provider: 'compatible', api: 'ollama' });

  for (const [status, body, reason] of [
    [400, '{"error":"invalid options"}', 'bad_request'],
    [401, '{"error":"unauthorized"}', 'no_key'],
    [403, '<html>403 Forbidden</html>', 'forbidden'],
    [404, '{"error":"model \\"qwen2\\" not found, try pulling it first"}', 'model_not_found'],
    [503, '{"error":"server busy, please try again"}', 'overloaded'],
  ] as const) {
    it(`maps a refusal with status ${status} to ${reason}`, async () => {
      refusals = [[status, body]];
      const { fault } = await turn(model(), ask('hi'));
      assert.deepEqual([fault?.reason, fault?.status], [reason, status]);
    });
  }

  it('reports a network fault when the server is down', async () => {
    const one = createOpenAiModel({ baseUrl: 'http://127.0.0.1:1', model: 'qwen2', api: 'ollama' });
    const { fault } = await turn(one, ask('hi'));
    assert.equal(fault?.reason, 'network');
  });

  it('reports a network fault when the connection is lost before a reply', async () => {
    answer = (request) => request.destroy();
    const { fault } = await turn(model(), ask('hi'));
    assert.equal(fault?.reason, 'network');
  });

  it('reports a network fault when the connection is lost while its facts are read', async () => {
    const entry = { id: 'qwen3:8b', object: 'model', created: 1, owned_by: 'library' };
    answer = (request, response) => {
      if (request.url === '/v1/models')
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [entry] }));
      else request.destroy();
    };
    const listing = model('qwen3:8b').listModels(new AbortController().signal);
    await assert.rejects(listing, (error) => ModelFault.is(error, 'network'));
  });

  for (const [named, id, owner] of [
    ['llama3.2:1b', 'llama3.2:1b', 'library'],
    ['qwen3', 'qwen3:latest', 'library'],
    ['hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M', 'hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M', 'unsloth'],
  ] as const) {
    it(`recognizes Ollama by its model list and reads the context window: ${named}`, async () => {
      const answers: Readonly<Record<string, unknown>> = {
        '/v1/models': { data: [{ id, object: 'model', created: 1, owned_by: owner }] },
        '/api/version': { version: '0.14.2' },
        '/api/show': { model_info: { 'qwen3.context_length': 40_960 }, capabilities: ['completion'] },
        '/api/ps': { models: [{ name: id, model: id, context_length: 16_384 }] },
      };
      const [listed] = await serving(
        ({ url = '' }, response) =>
          response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[url])),
        (baseUrl) =>
          createOpenAiModel({ baseUrl, model: named, provider: 'compatible' }).listModels(new AbortController().signal),
      );
      const facts = { contextWindow: 40_960, takesImages: false };
      assert.deepEqual(listed, { id: named, isOllama: true, loadedContext: 16_384, facts });
    });
  }

  for (const [end, reason] of [
    ['{"error":"an error was encountered while running the model: CUDA out of memory"}', 'overloaded'],
    ['[]', 'malformed'],
    ['', 'cut_stream'],
  ] as const) {
    it(`keeps the text of a reply that ends with “${end}”, and reports ${reason}`, async () => {
      refusals = [[200, `${JSON.stringify({ message: { content: 'The half' } })}\n${end}`]];
      const { text: said, fault } = await turn(model(), ask('hi'));
      assert.deepEqual([said, fault?.reason], ['The half', reason]);
    });
  }

  it('sends images', async () => {
    await turn(model(), ask('', { messages: [user('see', image())] }));
    assert.deepEqual(asked[0]?.['messages'], [
      { role: 'system', content: 'You help developers.' },
      { role: 'user', content: 'see', images: ['AAAA'] },
    ]);
  });

  it('holds back no text if thinking is sent in a separate field', async () => {
    const parts = [{ message: { content: '', thinking: 'hm' } }, { message: { content: 'The half' } }];
    const end = { message: { content: '' }, done: true, done_reason: 'length' };
    refusals = [[200, [...parts, end].map((part) => `${JSON.stringify(part)}\n`).join(BLANK_LINES)]];
    assert.equal((await turn(model('deepseek-r1:14b'), ask('hi'))).text, 'The half');
  });

  it('reads how long to wait after a rate limit', async () => {
    refusals = [[429, '{"error":"too many requests"}']];
    const { fault } = await turn(model(), ask('hi'));
    assert.deepEqual([fault?.reason, fault?.retryAfterMs], ['rate_limited', 7_000]);
  });

  it('stops sending parameters that the model has refused', async () => {
    const one = model();
    const request = ask('hi', { effort: 'medium', temperature: 0.3, jsonSchema: { name: 's', schema: SCHEMA } });
    refusals = [
      [400, '{"error":"\\"qwen2\\" does not support thinking"}'],
      [400, '{"error":"invalid JSON schema in format"}'],
    ];
    assert.equal((await turn(one, request)).text, 'ok');
    assert.equal((await turn(one, request)).text, 'ok');
    const options = asked.map((body) => ['think' in body, 'format' in body]);
    assert.deepEqual(options, [
      [true, true],
      [false, true],
      [false, false],
      [false, false],
    ]);
    assert.ok(!one.wireBody!(request).includes('think'));
  });
});
