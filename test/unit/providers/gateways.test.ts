import assert from 'node:assert/strict';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { assistant, image, tool, toolCall, toolResult, user } from '../../support/chat-messages.ts';
import { onStrictServer } from '../../support/strict/redirect-vendors.ts';
import { WireServer } from '../../support/wire-server.ts';
import { openForAllTests } from '../../support/per-test.ts';
import { ask, KEY, turn } from './protocols.ts';

const LONG = 'the queue waits for three hundred milliseconds, '.repeat(2_000);

describe('a model behind a gateway', () => {
  it('understands the gateway’s own error format: omits refused parameters and reports its context limit', () =>
    onStrictServer('vllm', { oldErrors: true }, async ({ url }) => {
      const model = createOpenAiModel({ baseUrl: url, model: 'phi-mini:1b' });
      assert.match((await turn(model, ask('Hello'))).text, /^They spoke/);
      assert.equal((await turn(model, ask(LONG))).fault?.reason, 'context_too_long');
    }));

  it('understands an error about a parameter whose name contains the API key', () =>
    onStrictServer('openai', { think: 0 }, async ({ url }) => {
      const model = createOpenAiModel({ apiKey: 'token', baseUrl: url, model: 'gpt-6-luna' });
      assert.match((await turn(model, ask('Hello'))).text, /^They spoke/);
    }));

  it('reports a request as unaffordable if the gateway reserves credit for the full output limit', () =>
    onStrictServer('openrouter', { credit: 0.001 }, async () => {
      const model = createOpenAiModel({
        apiKey: KEY,
        baseUrl: 'https://openrouter.ai/api/v1',
        model: 'openai/gpt-6.2-sol',
      });
      const { fault } = await turn(model, ask('Hello', { maxOutputTokens: 4_096 }));
      assert.equal(fault?.reason, 'unaffordable');
    }));

  it('forwards prompt cache breakpoints to Claude', () =>
    onStrictServer('openrouter', { think: 0 }, async (server) => {
      const model = createOpenAiModel({
        apiKey: KEY,
        baseUrl: 'https://openrouter.ai/api/v1',
        model: 'anthropic/claude-sonnet-5.5',
      });
      const cache = { key: 'session', idleMs: 0 };
      const first = ask(LONG, { cache });
      await turn(model, first);
      await turn(model, { ...first, messages: [...first.messages, assistant('So.'), user('And now?')] });
      const { reply } = server.answered.at(-1)!;
      assert.ok(reply.cache.read > reply.input * 0.95);
    }));

  for (const refuses of [false, true]) {
    it(
      refuses
        ? 'omits the prompt cache parameters if the gateway rejects them'
        : 'reads the conversation from OpenAI’s prompt cache, even with a changing task',
      () =>
        onStrictServer('openai', { think: 0, ...(refuses && { unknown: 'prompt_cache' }) }, async (server) => {
          const model = createOpenAiModel({ apiKey: KEY, baseUrl: server.url, model: 'gpt-6.1-terra' });
          const messages = [user(LONG)];
          for (let n = 0; n < 4; n++) {
            const question = user(`And row ${n}?`);
            const asked = { ...question, turnOnly: `The task: row ${n}.` };
            const cache = { key: 'session', idleMs: 0 };
            const { text, fault } = await turn(model, ask('', { messages: [...messages, asked], cache }));
            assert.equal(fault, undefined);
            messages.push(question, assistant(text));
          }
          const [, ...later] = server.answered;
          assert.equal(later.length, 3);
          for (const { reply } of later) assert.equal(reply.cache.read > reply.input * 0.95, !refuses);
        }),
    );
  }

  it('sends the Anthropic key as x-api-key, and no custom headers from the environment', () =>
    onStrictServer('anthropic', { think: 0 }, async (server) => {
      process.env['ANTHROPIC_CUSTOM_HEADERS'] = 'x-foo: bar';
      process.env['OPENAI_CUSTOM_HEADERS'] = 'x-foo: bar';
      try {
        await turn(createAnthropicModel({ apiKey: KEY, baseUrl: server.url, model: 'claude-haiku-4-5' }), ask('Hello'));
        const { headers } = server.exchanges.at(-1)!;
        assert.equal(headers['x-api-key'], KEY);
        assert.equal(headers['x-foo'], undefined);
        await turn(createOpenAiModel({ apiKey: KEY, baseUrl: server.url, model: 'any' }), ask('Hello'));
        assert.equal(server.exchanges.at(-1)!.headers['x-foo'], undefined);
        assert.equal(process.env['ANTHROPIC_CUSTOM_HEADERS'], 'x-foo: bar');
      } finally {
        delete process.env['ANTHROPIC_CUSTOM_HEADERS'];
        delete process.env['OPENAI_CUSTOM_HEADERS'];
      }
    }));

  it('treats a regional OpenAI address as OpenAI: uses the Responses endpoint and stores nothing', () =>
    onStrictServer('openai', { think: 0 }, async (server) => {
      const model = createOpenAiModel({ apiKey: KEY, baseUrl: 'https://eu.api.openai.com/v1', model: 'gpt-6-luna' });
      assert.match((await turn(model, ask('Hello'))).text, /^They spoke/);
      const { path, body } = server.answered.at(-1)!;
      assert.deepEqual([path, body['store'], model.maxConcurrency], ['/v1/responses', false, 24]);
    }));
});

describe('response timeouts', () => {
  it('let the first token come as late as the user allows, even if the headers came at once', () =>
    onStrictServer('vllm', { firstTokenMs: 400 }, async ({ url }) => {
      const model = (firstTokenMs: number) =>
        createOpenAiModel({ baseUrl: url, model: 'llama3.1:8b', firstTokenMs, silenceMs: 100 });
      assert.equal((await turn(model(10_000), ask('Hello'))).ending, 'complete');
      assert.equal((await turn(model(150), ask('Hello'))).fault?.reason, 'timeout');
    }));
});

describe('a provider that refuses part of a request', () => {
  let server: WireServer;
  openForAllTests(async () => (server = await WireServer.start()));
  beforeEach(() => void server.reset().answer('ok'));
  const model = (api: 'chat' | 'responses') =>
    createOpenAiModel({ apiKey: KEY, baseUrl: server.url, api, model: 'any' });

  for (const api of ['chat', 'responses'] as const) {
    it(`answers without streaming if the organization may not stream: ${api}`, async () => {
      server.refuseNext(400, { message: 'Your organization must be verified to stream this model.' });
      const { text, ending } = await turn(model(api), ask('Hello'));
      assert.deepEqual([text, ending], ['ok', 'complete']);
      const streamed = server.requests.map(({ body }) => body['stream']);
      assert.deepEqual(streamed, [true, false]);
    });

    it(`is asked again without images, but still gets the images of the next request: ${api}`, async () => {
      const request = ask('', { messages: [user('What is this?', image())] });
      const one = model(api);
      server.refuseNext(400, { message: 'At least one of the image dimensions exceed max allowed size: 8000 pixels' });
      assert.equal((await turn(one, request)).text, 'ok');
      await turn(one, request);
      const images = server.requests.map(({ raw }) => raw.includes('AAAA'));
      assert.deepEqual(images, [true, false, true]);
    });
  }

  it('gets the tools of the history if it requires them', async () => {
    server.refuseNext(400, { message: 'Bedrock doesn’t support tool calling without `tools=` param specified' });
    const messages = [assistant(toolCall('c1')), tool(toolResult('c1', 'x'))];
    assert.equal((await turn(model('chat'), ask('', { messages }))).text, 'ok');
    const choices = server.requests.map(({ body }) => body['tool_choice']);
    assert.deepEqual(choices, [undefined, 'none']);
  });

  for (const [name, message, marks] of [
    // BYK/loreai#560
    ['MiniMax, Fireworks, and Kimi, without the lifetime', 'invalid params', 1],
    // BerriAI/litellm#15880
    [
      'Bedrock behind LiteLLM, without the lifetime',
      'messages.0.content.0.text.cache_control.ephemeral.ttl: Extra inputs are not permitted',
      1,
    ],
    ['a server without a cache, with none', 'messages.0.content.0.cache_control: Extra inputs are not permitted', 0],
  ] as const) {
    it(`gets the cache breakpoints that it supports: ${name}`, async () => {
      const one = createAnthropicModel({ apiKey: KEY, baseUrl: server.url, model: 'any' });
      server.refuseNext(400, { type: 'invalid_request_error', message });
      const request = ask('Hello', { cache: { key: 'session', idleMs: 360_000 } });
      for (let n = 0; n < 2; n++) assert.equal((await turn(one, request)).text, 'ok', 'answered');
      const [first, ...later] = server.requests.map(({ raw }) => raw);
      assert.match(first!, /"ttl":"1h"/);
      assert.equal(later.length, 2, 'remembered');
      for (const raw of later) {
        if (marks > 0) assert.doesNotMatch(raw, /"ttl"/);
        assert.equal(raw.includes('"cache_control"'), marks > 0);
      }
    });
  }

  for (const [name, status, message] of [
    ['DeepSeek', 400, 'The `reasoning_content` in the thinking mode must be passed back to the API.'],
    ['DeepSeek (Messages)', 400, 'The `content[].thinking` in the thinking mode must be passed back to the API.'],
    ['Kimi', 400, 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2'],
    ['Gemini', 400, 'Function call is missing a thought_signature in functionCall parts.'],
    ['llama.cpp', 500, 'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...'],
  ] as const) {
    it(`gets the tool calls of the history as text if it rejects them: ${name}`, async () => {
      const messages = [
        user('Read it.'),
        assistant(toolCall('c1', 'read', '{"path":"a.ts"}')),
        tool(toolResult('c1', 'export {}')),
        user('And now?'),
      ];
      const one = name.includes('Messages')
        ? createAnthropicModel({ apiKey: KEY, baseUrl: server.url, model: 'any' })
        : model('chat');
      server.refuseNext(status, { message });
      for (let n = 0; n < 2; n++)
        assert.equal((await turn(one, ask('', { messages, effort: 'high' }))).text, 'ok', 'answered');
      const [first, ...later] = server.requests;
      assert.match(first!.raw, /"tool_(calls|use)"/);
      assert.equal(later.length, 2, 'remembered');
      for (const { raw } of later) {
        assert.doesNotMatch(raw, /"tool/);
        assert.match(raw, /"assistant".*\[call of read: .*a\.ts.*"user".*\[result of a call: export \{\}\].*And now\?/);
        assert.match(raw, /"high"/);
      }
    });
  }
});
