import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../src/app/ports.ts';
import { anthropicBody, anthropicPrompt } from '../../../src/providers/anthropic-request.ts';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { assistant, image, tool, toolCall, toolResult, user } from '../../support/chat-messages.ts';
import { WireServer } from '../../support/wire-server.ts';
import { ask, turn } from './protocols.ts';
import { openForAllTests } from '../../support/per-test.ts';

const TALK: ChatRequest = {
  system: ['prompt', 'memory', 'ledger', 'summaries'],
  messages: [user('one'), assistant('two'), user('three')],
  maxOutputTokens: 100,
  cache: { key: 'session', idleMs: 0 },
};

type ServerEvent = Record<string, unknown> & { readonly type: string };

const sse = (...events: readonly ServerEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const start = (usage: Record<string, unknown>) => ({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'x', stop_reason: null, usage },
});
const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const stop = (reason: string, usage: Record<string, unknown>) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage,
});

describe('a request to Anthropic', () => {
  it('marks the last three system blocks and the newest user message for the prompt cache, four in all', () => {
    const { system, messages } = anthropicPrompt(TALK);
    const cached = system?.map((block) => 'cache_control' in block);
    assert.deepEqual(cached, [false, true, true, true]);
    const cachedMessages = messages.map((message) => JSON.stringify(message).includes('cache_control'));
    assert.deepEqual(cachedMessages, [false, false, true]);
  });

  it('sets the cache breakpoint before content that is sent in this request only, and none in requests without caching', () => {
    const asked = { ...user('three'), turnOnly: 'the task' };
    const { messages } = anthropicPrompt({ ...TALK, messages: [asked] });
    assert.deepEqual(messages[0]?.content, [
      { type: 'text', text: 'three', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'the task' },
    ]);
    const { cache: _, ...summary } = TALK;
    assert.doesNotMatch(JSON.stringify(anthropicPrompt(summary)), /cache_control/);
  });

  it('requests a cache lifetime of an hour if pauses exceed the default of five minutes', () => {
    const slow = { ...TALK, cache: { key: 'session', idleMs: 360_000 } };
    assert.equal(JSON.stringify(anthropicPrompt(slow)).match(/"ttl":"1h"/g)?.length, 4);
  });

  it('keeps the prefix unchanged as the conversation grows', () => {
    const later = { ...TALK, messages: [...TALK.messages, assistant('four'), user('five')] };
    const strip = (value: unknown): string =>
      JSON.stringify(value, (key, part: unknown) => (key === 'cache_control' ? undefined : part));
    const before = strip(anthropicPrompt(TALK).messages).slice(0, -1);
    assert.ok(strip(anthropicPrompt(later).messages).startsWith(before));
  });

  it('declares the tools of the history but allows no tool calls', () => {
    const prompt = anthropicPrompt({
      ...TALK,
      messages: [user('read it'), assistant(toolCall('c1')), tool(toolResult('c1', '', true)), user('and?')],
    });
    const tools = prompt.tools?.map((each) => each.name);
    assert.deepEqual(tools, ['read_file']);
    assert.deepEqual(prompt.tool_choice, { type: 'none' });
    const [, asked, answered] = prompt.messages;
    assert.deepEqual(asked?.content, [{ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a' } }]);
    assert.deepEqual(answered?.content, [
      { type: 'tool_result', tool_use_id: 'c1', content: '(no output)', is_error: true },
      { type: 'text', text: 'and?', cache_control: { type: 'ephemeral' } },
    ]);
  });

  it('sends images of supported types and names the type of others', () => {
    const { messages } = anthropicPrompt({
      ...TALK,
      messages: [user(image(), image('BBBB', 'image/svg+xml'))],
    });
    assert.deepEqual(messages[0]?.content, [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'text', text: '[image of type image/svg+xml]', cache_control: { type: 'ephemeral' } },
    ]);
  });

  it('requests JSON with a schema, unless the model has refused one', () => {
    const request = {
      ...TALK,
      jsonSchema: { name: 'summary', schema: { type: 'object', properties: {}, additionalProperties: false } },
    };
    assert.ok('output_config' in anthropicBody('m', request, new Set()));
    assert.ok(!('output_config' in anthropicBody('m', request, new Set(['schema']))));
  });
});

describe('the Anthropic provider', () => {
  let server: WireServer;
  openForAllTests(async () => (server = await WireServer.start()));
  beforeEach(() => void server.reset().answer('ok'));

  const model = () =>
    createAnthropicModel({
      apiKey: 'k',
      baseUrl: server.url,
      model: 'claude-haiku-4-5',
      firstTokenMs: 20_000,
      silenceMs: 20_000,
    });
  const replyWith = (...events: readonly ServerEvent[]) =>
    server.disturbNext({ kind: 'reply', status: 200, type: 'text/event-stream', body: sse(...events) });
  const END = { type: 'message_stop' };

  it('includes prompt cache reads and writes in the input usage', async () => {
    replyWith(
      start({ input_tokens: 10, cache_read_input_tokens: 2000, cache_creation_input_tokens: 300, output_tokens: 1 }),
      delta('hi'),
      stop('end_turn', { output_tokens: 25 }),
      END,
    );
    const { usage } = await turn(model(), ask('hi'));
    assert.deepEqual(usage, { input: 2310, output: 25, cachedInput: 2000, cacheWrite: 300 });
  });

  it('reports the input usage before the first text, so that an interrupted reply has it', async () => {
    replyWith(start({ input_tokens: 10, output_tokens: 1 }), delta('hi'));
    const { usage, fault } = await turn(model(), ask('hi'));
    assert.deepEqual(usage, { input: 10, output: 1 });
    assert.equal(fault?.reason, 'cut_stream');
  });

  it('reports a refusal by the model, and keeps the usage', async () => {
    replyWith(start({ input_tokens: 10, output_tokens: 1 }), stop('refusal', { output_tokens: 4 }), END);
    const { usage, fault } = await turn(model(), ask('hi'));
    assert.equal(fault?.reason, 'content_refused');
    assert.deepEqual(usage, { input: 10, output: 4 });
  });

  it('reports that the length ended the reply when the context window is full', async () => {
    replyWith(
      start({ input_tokens: 9, output_tokens: 1 }),
      delta('hi'),
      stop('model_context_window_exceeded', {}),
      END,
    );
    assert.equal((await turn(model(), ask('hi'))).ending, 'length');
  });

  it('omits thinking blocks, including redacted ones', async () => {
    replyWith(
      start({ input_tokens: 9, output_tokens: 1 }),
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: 'secret start', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'secret thought' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'secret data' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
      delta('the answer'),
      stop('end_turn', { output_tokens: 9 }),
      END,
    );
    assert.equal((await turn(model(), ask('hi'))).text, 'the answer');
  });

  it('never sends a temperature, and stops sending an effort that the model has refused', async () => {
    server.refuseNext(400, {
      type: 'invalid_request_error',
      message: 'This model does not support the effort parameter.',
    });
    const one = model();
    const request = ask('hi', { temperature: 0.3, effort: 'low' });
    assert.equal((await turn(one, request)).text, 'ok');
    assert.equal((await turn(one, request)).text, 'ok');
    const options = server.requests.map(({ body }) => ['temperature' in body, 'output_config' in body]);
    assert.deepEqual(options, [
      [false, true],
      [false, false],
      [false, false],
    ]);
  });

  it('requires a key before anything is sent', async () => {
    const keyless = createAnthropicModel({ model: 'claude-haiku-4-5' });
    assert.equal((await turn(keyless, ask('hi'))).fault?.reason, 'no_key');
  });

  it('reports a missing key rather than a wrong one if a custom server requires a key and none was sent', async () => {
    server.refuseNext(401, { type: 'authentication_error', message: 'x-api-key header is required' });
    const keyless = createAnthropicModel({ baseUrl: server.url, model: 'm' });
    assert.equal((await turn(keyless, ask('hi'))).fault?.reason, 'no_key');
  });

  it('counts the tokens of a request with the API', async () => {
    server.disturbNext({ kind: 'reply', status: 200, type: 'application/json', body: '{"input_tokens":421}' });
    assert.equal(await model().countTokens!(TALK, new AbortController().signal), 421);
    assert.equal(server.lastRequest?.path, '/v1/messages/count_tokens');
    assert.ok(!('stream' in server.lastRequest.body));
  });

  it('accepts a base URL with and without /v1', async () => {
    const one = createAnthropicModel({
      apiKey: 'k',
      baseUrl: `${server.url}/v1/`,
      model: 'm',
      firstTokenMs: 20_000,
      silenceMs: 20_000,
    });
    await turn(one, ask('hi'));
    assert.equal(server.lastRequest?.path, '/v1/messages');
  });
});
