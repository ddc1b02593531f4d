import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../src/app/ports.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import type { RemoteSettings } from '../../../src/providers/remote-model.ts';
import { assistant, image, tool, toolCall, toolResult, user } from '../../support/chat-messages.ts';
import { serving } from '../../support/loopback-server.ts';
import { WireServer } from '../../support/wire-server.ts';
import { ask, turn } from './protocols.ts';
import { openForAllTests } from '../../support/per-test.ts';

const HISTORY: ChatRequest = ask('unused', {
  messages: [
    user('read it'),
    assistant('reading', toolCall('c1')),
    tool(toolResult('c1', 'ENOENT', true)),
    user('see this', image()),
  ],
});

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

describe('the provider for OpenAI and compatible servers', () => {
  let server: WireServer;
  openForAllTests(async () => (server = await WireServer.start()));
  beforeEach(() => void server.reset().answer('ok'));

  const chat = (more: Partial<RemoteSettings> = {}) =>
    createOpenAiModel({
      baseUrl: server.url,
      model: 'llama3',
      provider: 'compatible',
      firstTokenMs: 20_000,
      silenceMs: 20_000,
      ...more,
    });
  const responses = () =>
    createOpenAiModel({
      apiKey: 'k',
      baseUrl: `${server.url}/v1`,
      api: 'responses',
      model: 'gpt-5',
      firstTokenMs: 20_000,
      silenceMs: 20_000,
    });
  const replyWith = (body: string, type = 'text/event-stream') =>
    server.disturbNext({ kind: 'reply', status: 200, type, body });
  const chunk = (delta: Record<string, unknown>, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

  const streams = (...chunks: readonly string[]) => replyWith(`${chunks.join('')}data: [DONE]\n\n`);
  const replied = (...reply: Parameters<typeof replyWith>) => {
    replyWith(...reply);
    return turn(chat(), ask('hi'));
  };
  const streamed = (...chunks: readonly string[]) => replied(`${chunks.join('')}data: [DONE]\n\n`);
  const faultOf = async (...reply: Parameters<typeof replyWith>) => (await replied(...reply)).fault?.reason;
  const responseFault = async (body: string) => {
    replyWith(body);
    return (await turn(responses(), ask('hi'))).fault?.reason;
  };
  /** The usage of a reply in whose stream it's reported. */
  const usageRead = async (usage: object) =>
    (await replied(`${chunk({ content: 'yes' }, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\n`)).usage;

  it('identifies a model by provider and model name', () => {
    assert.equal(chat().id, 'compatible/llama3');
    assert.equal(responses().id, 'openai/gpt-5');
  });

  it('sends tool calls, results, and images in the Chat Completions format', async () => {
    await turn(chat(), HISTORY);
    assert.deepEqual(server.lastRequest?.body['messages'], [
      { role: 'system', content: 'You help developers.' },
      { role: 'user', content: 'read it' },
      {
        role: 'assistant',
        content: 'reading',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: ENOENT' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see this' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('sends tool calls, results, and images in the Responses format, with storage off', async () => {
    await turn(responses(), HISTORY);
    const body = server.lastRequest?.body;
    assert.equal(body?.['store'], false);
    assert.equal(body['instructions'], 'You help developers.');
    assert.deepEqual(body['input'], [
      { role: 'user', content: [{ type: 'input_text', text: 'read it' }] },
      { role: 'assistant', content: 'reading' },
      { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Error: ENOENT' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'see this' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
        ],
      },
    ]);
  });

  it('sends a tool call’s input as a JSON object, even if it’s other text', async () => {
    const inputs = ['*** Begin Patch', '["ls"]', '{ "path": "a" }'];
    const request = ask('unused', {
      messages: inputs.flatMap((json, at) => [
        assistant(toolCall(`c${at}`, 'tool', json)),
        tool(toolResult(`c${at}`, 'ok')),
      ]),
    });
    for (const model of [chat(), responses()]) {
      await turn(model, request);
      const sent = JSON.stringify(server.lastRequest?.body).matchAll(/"arguments":("(?:\\.|[^"\\])*")/g);
      assert.deepEqual(
        Array.from(sent, ([, text = '']) => JSON.parse(text) as unknown),
        ['{"input":"*** Begin Patch"}', '{"input":["ls"]}', '{ "path": "a" }'],
      );
    }
  });

  it('has the server enforce a schema', async () => {
    await turn(responses(), ask('hi', { jsonSchema: { name: 's', schema: SCHEMA } }));
    assert.match(JSON.stringify(server.lastRequest?.body['text']), /"strict":true/);
  });

  it('retries without a schema if the server does not support one, and does not send it again', async () => {
    server.refuseNext(400, { message: 'response_format is not supported by this server' });
    const model = chat();
    const request = ask('hi', { jsonSchema: { name: 's', schema: SCHEMA } });
    assert.equal((await turn(model, request)).text, 'ok');
    assert.equal((await turn(model, request)).text, 'ok');
    const formats = server.requests.map((each) => 'response_format' in each.body);
    assert.deepEqual(formats, [true, false, false]);
  });

  it('retries with the other name of the token limit, and without usage, if the server refuses them', async () => {
    server.refuseNext(400, { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." });
    server.refuseNext(422, { message: 'stream_options: Extra inputs are not permitted' });
    assert.equal((await turn(chat(), ask('hi'))).text, 'ok');
    const options = server.requests.map(({ body }) => [
      'max_tokens' in body,
      'max_completion_tokens' in body,
      'stream_options' in body,
    ]);
    assert.deepEqual(options, [
      [true, false, true],
      [false, true, true],
      [false, true, false],
    ]);
  });

  for (const message of [
    'max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.',
    '`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens`',
    'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for x',
    'Invalid max_tokens value, the valid range of max_tokens is [1, 4096]',
    // QwenPaw (agentscope-ai/QwenPaw#5065), Ollama's cloud, and Groq
    'field MaxTokens invalid, should be in [1, 4096]',
    "max_tokens (8192) exceeds model's maximum output tokens (4096) for model deepseek-v4-flash",
    'max_tokens for `llama-3.1-8b-instant` must be less than or equal to 4096',
  ]) {
    it(`requests no more output than the server says it allows: ${message.slice(0, 40)}…`, async () => {
      const model = chat();
      const request = ask('hi', { maxOutputTokens: 4_192, reasoningTokens: 4_000 });
      server.refuseNext(400, { message, type: 'invalid_request_error' });
      for (let again = 0; again < 2; again++) assert.equal((await turn(model, request)).text, 'ok');
      const limits = server.requests.map(({ body }) => body['max_tokens']);
      assert.deepEqual(limits, [8_192, 4_096, 4_096]);
      assert.equal(model.wireBody?.(request), server.lastRequest?.raw);
    });
  }

  it('requests no more output than MiMo allows, which says so in the name of the parameter', async () => {
    const param = 'max_tokens is too large: 8192. This model supports at most 4096 completion tokens.';
    const body = JSON.stringify({ error: { message: 'Param Incorrect', type: 'upstream_error', param, code: '400' } });
    server.disturbNext({ kind: 'reply', status: 400, type: 'application/json', body });
    assert.equal((await turn(chat(), ask('hi', { maxOutputTokens: 8_192 }))).text, 'ok');
    assert.equal(server.lastRequest?.body['max_tokens'], 4_096);
  });

  it('applies the server’s output limit to each of several concurrent requests', async () => {
    const model = chat();
    const request = ask('hi', { maxOutputTokens: 8_192, jsonSchema: { name: 's', schema: SCHEMA } });
    const message = 'max_tokens is too large: 8192. This model supports at most 4096 completion tokens.';
    for (let n = 0; n < 2; n += 1) server.refuseNext(400, { message, type: 'invalid_request_error' });
    const replies = await Promise.all([turn(model, request), turn(model, request)]);
    const texts = replies.map(({ text }) => text);
    assert.deepEqual(texts, ['ok', 'ok']);
    const options = server.requests.map(({ body }) => [body['max_tokens'], 'response_format' in body]);
    assert.deepEqual(options, [
      [8_192, true],
      [8_192, true],
      [4_096, true],
      [4_096, true],
    ]);
  });

  it('does not blame a parameter if the request fails without it too', async () => {
    const model = chat();
    const request = ask('hi', { jsonSchema: { name: 's', schema: SCHEMA } });
    for (let n = 0; n < 2; n += 1) server.refuseNext(400, { message: 'the request is invalid' });
    assert.equal((await turn(model, request)).fault?.reason, 'bad_request');
    assert.equal((await turn(model, request)).text, 'ok');
    const formats = server.requests.map(({ body }) => 'response_format' in body);
    assert.deepEqual(formats, [true, false, true]);
  });

  it('stops retrying if the server refuses everything', async () => {
    for (let n = 0; n < 8; n += 1)
      server.refuseNext(400, { message: 'unsupported: temperature, schema, stream_options, max_tokens' });
    const { fault } = await turn(chat(), ask('hi', { temperature: 0.2, jsonSchema: { name: 's', schema: SCHEMA } }));
    assert.equal(fault?.reason, 'bad_request');
    assert.equal(server.requests.length, 5);
  });

  it('accepts a reply without usage and with an unknown finish reason', async () => {
    const outcome = await streamed(chunk({ content: 'hi' }), chunk({}, 'eos'));
    assert.deepEqual([outcome.text, outcome.ending, outcome.usage], ['hi', 'complete', undefined]);
  });

  it('accepts a reply without a finish reason if the stream marks its end', async () => {
    for (const rest of ['', `: ${'keep-alive '.repeat(9)}\n\n`]) {
      assert.equal((await replied(`${chunk({ content: 'hi' })}data: [DONE]\n\n${rest}`)).ending, 'complete');
    }
  });

  it('completes a reply whose server neither marks the end of the stream nor closes it', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } };
    await serving(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`${chunk({ content: 'hi' })}${chunk({}, 'stop')}data: ${JSON.stringify(usage)}\n\n`);
        const alive = setInterval(() => response.write(': keep-alive\n\n'), 20);
        response.on('close', () => clearInterval(alive));
      },
      async (baseUrl) => {
        const outcome = await turn(chat({ baseUrl, silenceMs: 200 }), ask('hi'));
        assert.deepEqual([outcome.text, outcome.ending, outcome.fault], ['hi', 'complete', undefined]);
        assert.deepEqual(outcome.usage, { input: 9, output: 2 });
      },
    );
  });

  it('accepts usage in every chunk, and keep-alive comments between chunks', async () => {
    const part = (usage: number): string =>
      `: keep-alive\n\ndata: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: usage, prompt_tokens_details: { cached_tokens: 4 } } })}\n\n`;
    streams(part(1), chunk({ content: 'hi' }), part(2), chunk({}, 'stop'), part(3));
    assert.deepEqual((await turn(chat(), ask('hi'))).usage, { input: 9, output: 3, cachedInput: 4 });
  });

  it('ignores empty keep-alive events, and anything after the end of the stream', async () => {
    // From relays (omnigent-ai/omnigent#1474) and Vertex AI (anomalyco/opencode#50871).
    const alive = ['data:\n\n', 'event: ping\n\n', 'id: 4\nretry: 3000\n\n', 'data: : keepalive\n\n'].join('');
    const end = `data: [DONE]\n\n${alive}data: what is no JSON\n\n`;
    replyWith(`${alive}${chunk({ content: 'hi' })}${alive}${chunk({}, 'stop')}${end}`);
    const { text, ending, fault } = await turn(chat(), ask('hi'));
    assert.deepEqual([text, ending, fault], ['hi', 'complete', undefined]);
    const completed = { type: 'response.completed', response: { status: 'completed' } };
    const delta = { type: 'response.output_text.delta', delta: 'hi' };
    replyWith([alive, ...[delta, completed].map((event) => `data: ${JSON.stringify(event)}\n\n`)].join(alive));
    assert.equal((await turn(responses(), ask('hi'))).text, 'hi');
  });

  it('does not take zero token counts for usage', async () => {
    assert.equal(await usageRead({ prompt_tokens: 0, completion_tokens: 0 }), undefined);
  });

  it('accepts content as a list of blocks', async () => {
    streams(chunk({ content: [{ type: 'text', text: 'a' }, { type: 'other' }] }), chunk({ content: 'b' }, 'stop'));
    assert.equal((await turn(chat(), ask('hi'))).text, 'ab');
  });

  it('accepts a complete reply to a streaming request', async () => {
    const whole = {
      choices: [{ message: { role: 'assistant', content: '<think>hm</think>\n\nwhole' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    };
    const outcome = await replied(JSON.stringify(whole), 'application/json');
    assert.deepEqual([outcome.text, outcome.ending, outcome.usage], ['whole', 'complete', { input: 5, output: 2 }]);
  });

  it('reports a non-streamed response without a valid reply as malformed', async () => {
    assert.equal(await faultOf('{"hello":1}', 'application/json'), 'malformed');
    assert.equal(await faultOf('{"choices": [', 'application/json'), 'malformed');
  });

  it('reports the error from a non-streamed response', async () => {
    assert.equal(await faultOf('{"error":{"code":429,"message":"slow down"}}', 'application/json'), 'rate_limited');
    assert.equal(await faultOf('{"error":"out of memory"}', 'application/json'), 'overloaded');
  });

  for (const [code, msg, reason] of [
    [1002, 'rate limit', 'rate_limited'],
    [1004, 'login fail: Please carry the API secret key in the header', 'no_key'],
    [1008, 'insufficient balance', 'quota'],
    [1026, 'input new_sensitive', 'content_refused'],
    [1033, 'system error', 'overloaded'],
    [2013, 'invalid params, context window exceeds limit', 'context_too_long'],
    [2013, 'invalid params', 'bad_request'],
    [2056, 'usage limit exceeded', 'quota'],
  ] as const)
    it(`reports MiniMax’s error ${code}, which has a success status, as ${reason}: ${msg}`, async () => {
      const failed = { id: '1', choices: null, base_resp: { status_code: code, status_msg: msg } };
      assert.equal(await faultOf(JSON.stringify(failed), 'application/json'), reason);
      assert.equal(await faultOf(`data: ${JSON.stringify({ ...failed, choices: [] })}\n\n`), reason);
    });

  it('reads a reply with MiniMax’s status of a success', async () => {
    const done = { choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }], base_resp: { status_code: 0 } };
    assert.equal((await replied(`data: ${JSON.stringify(done)}\n\ndata: [DONE]\n\n`)).text, 'yes');
  });

  it('omits thinking in tags before the answer', async () => {
    streams(
      ['<th', 'ink>The user', ' wants</thi', 'nk>\n\nSay ', '<think> is a tag']
        .map((content) => chunk({ content }))
        .join(''),
      chunk({}, 'stop'),
    );
    assert.equal((await turn(chat(), ask('hi'))).text, 'Say <think> is a tag');
  });

  it('omits thinking in a separate field', async () => {
    streams(chunk({ reasoning_content: 'hm', content: null }), chunk({ content: 'yes' }, 'stop'));
    assert.equal((await turn(chat(), ask('hi'))).text, 'yes');
  });

  it('holds back no text if thinking is in a separate field, whatever the model is called', async () => {
    const model = chat({ model: 'deepseek-reasoner' });
    streams(chunk({ reasoning_content: 'hm', content: null }), chunk({ content: 'The half' }), chunk({}, 'length'));
    const { text, ending, fault } = await turn(model, ask('hi'));
    assert.deepEqual([text, ending, fault], ['The half', 'length', undefined]);
    const message = { content: 'The half', reasoning: 'hm' };
    replyWith(JSON.stringify({ choices: [{ message, finish_reason: 'length' }] }), 'application/json');
    assert.equal((await turn(chat({ model: 'deepseek-reasoner' }), ask('hi'))).text, 'The half');
  });

  it('recognizes thinking under different field names', async () => {
    for (const delta of [
      { reasoning: 'hm' },
      { reasoning_text: 'hm' },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
    ]) {
      streams(chunk(delta), chunk({ reasoning_details: [], content: 'yes' }, 'stop'));
      const types: string[] = [];
      for await (const { type } of chat().stream(ask('hi'), new AbortController().signal)) types.push(type);
      assert.deepEqual(types, ['thinking', 'text', 'end'], JSON.stringify(delta));
    }
  });

  it('reads a stream that is labeled as JSON, and JSON that is labeled as a stream', async () => {
    const stream = `${chunk({ content: 'yes' }, 'stop')}data: [DONE]\n\n`;
    const whole = JSON.stringify({ choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }] });
    for (const [type, body] of [
      ['application/json', stream],
      ['application/json', `: keep-alive\n\n${stream}`],
      ['application/json', `event: message\n${stream}`],
      ['text/event-stream', whole],
      ['text/plain', `\n${whole}`],
    ] as const) {
      const { text, ending } = await replied(body, type);
      assert.deepEqual([text, ending], ['yes', 'complete'], `${type}: ${body}`);
    }
    replyWith(JSON.stringify({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }), 'text/event-stream');
    assert.equal((await turn(chat(), ask('hi'))).fault?.reason, 'rate_limited');
    assert.equal(await faultOf('', 'application/json'), 'malformed');
  });

  it('reads Kimi’s usage, which is in the choice of the last chunk', async () => {
    const usage = { prompt_tokens: 1336, completion_tokens: 31, total_tokens: 1367, cached_tokens: 1280 };
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] };
    const read = (await replied(`${chunk({ content: 'yes' })}data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`)).usage;
    assert.deepEqual(read, { input: 1336, output: 31, cachedInput: 1280 });
  });

  it('reports prompt cache reads and writes, including DeepSeek’s and Kimi’s own field names', async () => {
    const usages = [
      { prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 16 } },
      { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      // platform.kimi.ai/docs/api/chat
      { cached_tokens: 64 },
    ];
    const read = [];
    for (const more of usages) {
      read.push(await usageRead({ prompt_tokens: 100, completion_tokens: 5, ...more }));
    }
    assert.deepEqual(read, [
      { input: 100, output: 5, cachedInput: 64, cacheWrite: 16 },
      { input: 100, output: 5, cachedInput: 64 },
      { input: 100, output: 5, cachedInput: 64 },
    ]);
  });

  it('reads the cost that OpenRouter reports, with that of the user’s own key, but no cost in another form', async () => {
    const read = [];
    for (const more of [
      { cost: 0.0012, is_byok: false, cost_details: { upstream_inference_cost: null } },
      { cost: 0, is_byok: false, cost_details: { upstream_inference_cost: 0.5 } },
      { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
      { cost: 0.3 },
      { cost: { total_cost: 0.3 } },
    ]) {
      read.push((await usageRead({ prompt_tokens: 100, completion_tokens: 5, ...more }))?.costUsd);
    }
    assert.deepEqual(read, [0.0012, 0, 0.021, undefined, undefined]);
  });

  it('adds thinking tokens to the output if the server counts them separately', async () => {
    // x.ai: 10,120 + 1,499 + 2,809 = 14,428 (Wei-Shaw/sub2api#5771). Gemini returns no details.
    const grok = { total_tokens: 14_428, completion_tokens_details: { reasoning_tokens: 2_809 } };
    for (const [more, reasoning] of [
      [grok, { reasoning: 2_809 }],
      [{ total_tokens: 14_428 }, {}],
    ] as const) {
      const usage = await usageRead({ prompt_tokens: 10_120, completion_tokens: 1_499, ...more });
      assert.deepEqual(usage, { input: 10_120, output: 4_308, ...reasoning });
    }
  });

  for (const [finish, reason] of [
    ['content_filter', 'content_refused'],
    ['SAFETY', 'content_refused'],
    ['sensitive', 'content_refused'],
    ['insufficient_system_resource', 'overloaded'],
    ['network_error', 'overloaded'],
    ['error', 'overloaded'],
  ] as const) {
    it(`maps the finish reason ${finish} to ${reason}`, async () => {
      const { text, fault } = await streamed(chunk({ content: 'I' }), chunk({}, finish));
      assert.deepEqual([text, fault?.reason], ['I', reason]);
    });
  }

  it('requires no key for a custom address', async () => {
    assert.equal((await turn(chat(), ask('hi'))).text, 'ok');
    assert.equal(server.lastRequest?.headers['authorization'], undefined);
  });

  it('reports a missing key rather than a wrong one if the server requires a key and none was sent', async () => {
    server.refuseNext(401, { message: 'Invalid API key' });
    assert.equal((await turn(chat(), ask('hi'))).fault?.reason, 'no_key');
  });

  it('requires a key for OpenAI before anything is sent', async () => {
    const model = createOpenAiModel({ model: 'gpt-5' });
    assert.equal((await turn(model, ask('hi'))).fault?.reason, 'no_key');
    await assert.rejects(model.listModels(new AbortController().signal), (error) => ModelFault.is(error, 'no_key'));
  });

  it('keeps the query string of the base URL in each request', async () => {
    await turn(chat({ baseUrl: `${server.url}/v1?api-version=preview` }), ask('hi'));
    assert.equal(server.lastRequest?.path, '/v1/chat/completions?api-version=preview');
  });

  it('rejects an invalid base URL', () => {
    for (const baseUrl of ['file:///etc', 'localhost'])
      assert.throws(
        () => chat({ baseUrl }),
        (error) => ModelFault.is(error, 'invalid_base_url'),
      );
  });

  const responseEvent = (type: string, response: Record<string, unknown>): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, response })}\n\n`;

  it('reports that a Responses stream reached the output limit, with its cache usage', async () => {
    replyWith(
      `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"half"}\n\n${responseEvent(
        'response.incomplete',
        {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          usage: {
            input_tokens: 50,
            output_tokens: 7,
            input_tokens_details: { cached_tokens: 32, cache_write_tokens: 8 },
          },
        },
      )}`,
    );
    const outcome = await turn(responses(), ask('hi'));
    assert.deepEqual([outcome.text, outcome.ending], ['half', 'length']);
    assert.deepEqual(outcome.usage, { input: 50, output: 7, cachedInput: 32, cacheWrite: 8 });
  });

  it('reports why a reply failed in a Responses stream', async () => {
    const failed = (code: string) =>
      responseEvent('response.failed', { status: 'failed', error: { code, message: 'no' } });
    assert.equal(await responseFault(failed('rate_limit_exceeded')), 'rate_limited');
    assert.equal(await responseFault(failed('server_error')), 'overloaded');
    for (const code of ['image_content_policy_violation', 'misalignment_policy_violation', 'cyber_policy']) {
      assert.equal(await responseFault(failed(code)), 'content_refused', code);
    }
    for (const code of ['image_parse_error', 'failed_to_download_image']) {
      assert.equal(await responseFault(failed(code)), 'bad_request', code);
    }
    const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    assert.equal(await responseFault(responseEvent('response.incomplete', filtered)), 'content_refused');
  });

  it('reports a Responses stream without its last event as cut off', async () => {
    replyWith('event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"half"}\n\n');
    assert.equal((await turn(responses(), ask('hi'))).fault?.reason, 'cut_stream');
  });
});
