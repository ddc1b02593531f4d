import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describeFault } from '../../../src/app/fault-text.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { assistant, user } from '../../support/chat-messages.ts';
import { WireServer } from '../../support/wire-server.ts';
import { KEY, PROTOCOLS, ask, turn } from './protocols.ts';
import { openForAllTests } from '../../support/per-test.ts';
import { until } from '../../support/until.ts';

/** Retries as in a compression, without pauses. */
const withInstantRetries = (model: ChatModel): ChatModel =>
  withRetries(model, { mayDiscard: true, sleep: () => Promise.resolve() });

const REPLY = 'Rename the column first, then deploy the reader, then the writer.';

for (const protocol of PROTOCOLS) {
  describe(`turn through ${protocol.name}`, () => {
    let server: WireServer;
    openForAllTests(async () => (server = await WireServer.start()));
    beforeEach(() => void server.reset().answer(REPLY));

    it('streams the reply in chunks and ends it as complete', async () => {
      const outcome = await turn(protocol.make(server.url), ask('How do I migrate?'));
      assert.equal(outcome.text, REPLY);
      assert.ok(outcome.pieces > 3);
      assert.equal(outcome.ending, 'complete');
      assert.equal(server.lastRequest?.path, protocol.path);
    });

    it('sends the API key, the system prompt, the history and the token limit', async () => {
      const request = ask('And now?', {
        system: ['You help developers.', 'The project uses pnpm.'],
        messages: [user('We use Postgres.'), assistant('Noted: Postgres.'), user('And now?')],
      });
      await turn(protocol.make(server.url), request);
      const sent = server.lastRequest;
      const body = JSON.stringify(sent?.body);
      for (const part of [...request.system, 'We use Postgres.', 'Noted: Postgres.', 'And now?'])
        assert.ok(body.includes(part), `${part} is missing in ${body}`);
      assert.match(body, /"max(_output|_completion)?_tokens":200/);
      assert.ok(Object.values(sent?.headers ?? {}).some((value) => String(value).includes(KEY)));
      assert.ok(!body.includes(KEY));
    });

    it('reads the usage that the provider reports', async () => {
      server.answer({
        text: REPLY,
        usage: { prompt_tokens: 120, completion_tokens: 14, input_tokens: 120, output_tokens: 14 },
      });
      const { usage } = await turn(protocol.make(server.url), ask('How?'));
      assert.deepEqual(usage, { input: 120, output: 14 });
    });

    it('handles a very long prompt', async () => {
      const line = 'A line of a long pasted log with numbers 123456 and a path src/app/ports.ts.\n';
      const outcome = await turn(protocol.make(server.url), ask(line.repeat(12_000)));
      assert.equal(outcome.text, REPLY);
    });

    it('stops mid-stream when the user aborts, and keeps the partial reply', async () => {
      server.answer({ text: REPLY.repeat(20), dripMs: 20 });
      const stop = new AbortController();
      const outcome = await turn(protocol.make(server.url), ask('How?'), stop.signal, (chunk) => {
        if (chunk.type === 'text') stop.abort();
      });
      assert.equal(outcome.fault?.reason, 'cancelled');
      assert.ok(outcome.text.length > 0 && outcome.text.length < REPLY.length);
    });

    it('stops before the first byte when the user aborts', async () => {
      server.disturbNext({ kind: 'silence', afterText: 0 });
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 50);
      const outcome = await turn(protocol.make(server.url), ask('How?'), stop.signal);
      assert.equal(outcome.fault?.reason, 'cancelled');
    });

    it('sends no request when aborted before it starts', async () => {
      const outcome = await turn(protocol.make(server.url), ask('How?'), AbortSignal.abort());
      assert.equal(outcome.fault?.reason, 'cancelled');
      assert.equal(server.requests.length, 0);
    });

    for (const [status, reason, type] of [
      [400, 'bad_request', 'invalid_request_error'],
      [401, 'refused_key', 'authentication_error'],
      [403, 'forbidden', 'permission_error'],
      [404, 'model_not_found', 'not_found_error'],
      [408, 'timeout', 'timeout_error'],
      [413, 'context_too_long', 'request_too_large'],
      [429, 'rate_limited', 'rate_limit_error'],
      [500, 'overloaded', 'api_error'],
      [503, 'overloaded', 'api_error'],
      [529, 'overloaded', 'overloaded_error'],
    ] as const)
      it(`reports ${reason} on HTTP ${status} after a single request`, async () => {
        server.refuseNext(status, { type });
        const { fault, text } = await turn(protocol.make(server.url), ask('How?'));
        assert.deepEqual([fault?.reason, fault?.status, fault?.retryAfterMs, text], [reason, status, undefined, '']);
        assert.equal(server.requests.length, 1);
      });

    const quota = 'You exceeded your current quota';
    const tooLong = 'prompt is too long: 212345 tokens > 200000 maximum';
    for (const { what, status = 429, refusal, reason = 'rate_limited', retryAfterMs } of [
      { what: 'reads the retry delay from the Retry-After header', refusal: { retryAfter: '7' }, retryAfterMs: 7_000 },
      {
        what: 'reads the retry delay from the error message when there is no header',
        refusal: { message: `${quota}, please check your plan. Please retry in 36.5s.` },
        retryAfterMs: 36_500,
      },
      {
        what: 'distinguishes an exhausted quota from a rate limit',
        refusal: { type: 'insufficient_quota', code: 'insufficient_quota', message: quota },
        reason: 'quota',
      },
      {
        what: 'reports context_too_long when the prompt exceeds the context window',
        status: 400,
        refusal: { type: 'invalid_request_error', code: 'context_length_exceeded', message: tooLong },
        reason: 'context_too_long',
      },
    ])
      it(what, async () => {
        server.refuseNext(status, refusal);
        const { fault } = await turn(protocol.make(server.url), ask('How?'));
        assert.deepEqual([fault?.reason, fault?.retryAfterMs], [reason, retryAfterMs]);
      });

    it('keeps the API key out of the fault when the server echoes it', async () => {
      server.refuseNext(401, { message: `Incorrect API key provided: ${KEY}.` });
      const { fault } = await turn(protocol.make(server.url), ask('How?'));
      assert.equal(fault?.reason, 'refused_key');
      assert.ok(!inspect(fault, { depth: 10 }).includes(KEY));
    });

    it('reports a network fault when the server is down', async () => {
      const { fault } = await turn(protocol.make('http://127.0.0.1:1'), ask('How?'));
      assert.equal(fault?.reason, 'network');
    });

    const overloaded = {
      '/v1/chat/completions': 'data: {"error":{"code":503,"message":"Overloaded"}}\n\n',
      '/v1/responses':
        'event: error\ndata: {"type":"error","code":"server_error","message":"Overloaded","param":null,"sequence_number":9}\n\n',
      '/v1/messages':
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    }[protocol.path]!;
    for (const [what, disturbance, reason, timeoutMs] of [
      ['the connection is lost before the reply', { kind: 'reset' }, 'network'],
      ['the server never starts to reply', { kind: 'silence', afterText: 0 }, 'timeout', 150],
      ['the connection breaks', { kind: 'cut', afterText: 2 }, 'cut_stream'],
      ['the reply ends too early', { kind: 'end', afterText: 2 }, 'cut_stream'],
      ['the stream contains broken JSON', { kind: 'garbage', afterText: 2 }, 'malformed'],
      ['an error arrives inside the stream', { kind: 'inject', afterText: 1, events: overloaded }, 'overloaded'],
      ['the server goes silent mid-stream', { kind: 'silence', afterText: 2 }, 'timeout', 1_500],
    ] as const)
      it(`reports ${reason} and keeps the partial reply when ${what}`, async () => {
        server.disturbNext(disturbance);
        const { fault, text, ending } = await turn(protocol.make(server.url, timeoutMs), ask('How?'));
        assert.deepEqual([fault?.reason, ending], [reason, undefined]);
        assert.equal(text, REPLY.slice(0, text.length));
        assert.equal(text !== '', 'afterText' in disturbance && disturbance.afterText > 0);
      });

    it('writes nothing to stderr when the stream is malformed', async () => {
      const written: unknown[] = [];
      const { stderr } = process;
      const write = stderr.write.bind(stderr);
      stderr.write = (text: unknown) => written.push(text) > 0;
      try {
        server.disturbNext({ kind: 'garbage', afterText: 1 });
        await turn(protocol.make(server.url), ask('How?'));
      } finally {
        stderr.write = write;
      }
      assert.deepEqual(written, []);
    });

    for (const [what, answer, ended] of [
      ['accepts an empty reply as complete', { text: '' }, 'complete'],
      ['reports that the reply was cut off at the token limit', { text: REPLY, finishReason: 'length' }, 'length'],
      ['leaves thinking out of the reply', { text: REPLY, reasoning: 'The user wants steps.' }, 'complete'],
      [
        'reads a slow stream to its end, longer than the silence timeout',
        { text: REPLY.slice(0, 48), dripMs: 400 },
        'complete',
      ],
    ] as const)
      it(what, async () => {
        server.answer(answer);
        const { text, ending, fault } = await turn(protocol.make(server.url, 2_000), ask('How?'));
        assert.deepEqual([text, ending, fault], [answer.text, ended, undefined]);
      });

    it('treats keep-alive lines as activity while the model thinks', async () => {
      const line = protocol.path === '/v1/messages' ? 'event: ping\ndata: {"type":"ping"}\n\n' : ': keep-alive\n\n';
      server.disturbNext({ kind: 'keepAlive', line, times: 9, everyMs: 200 });
      const { text, ending } = await turn(protocol.make(server.url, 1_500), ask('How?'));
      assert.equal(text, REPLY);
      assert.equal(ending, 'complete');
    });

    it('closes the connection when the consumer stops reading', async () => {
      server.answer({ text: REPLY.repeat(50), dripMs: 30 });
      for await (const chunk of protocol.make(server.url).stream(ask('How?'), new AbortController().signal)) {
        if (chunk.type === 'text') break;
      }
      await until(() => server.open === 0);
    });

    it('does not time out when the consumer is slow', async () => {
      const model = protocol.make(server.url, 1_000);
      let text = '';
      for await (const chunk of model.stream(ask('How?'), new AbortController().signal)) {
        if (chunk.type !== 'text') continue;
        if (text === '') await new Promise((resolve) => setTimeout(resolve, 1_300));
        text += chunk.text;
      }
      assert.equal(text, REPLY);
    });

    it('lists the models that the server offers', async () => {
      const listed = await protocol.make(server.url).listModels(new AbortController().signal);
      const models = listed.map(({ id }) => id);
      assert.ok(models.length > 0);
      assert.deepEqual(models, [...models].sort());
      assert.ok(protocol.path === '/v1/messages' || !models.some((id) => id.includes('embedding')));
    });

    for (const [what, status, type, body] of [
      ['a web page', 200, 'text/html', '<!doctype html><title>Log in</title>'],
      ['a text', 200, 'text/plain; charset=utf-8', 'OK'],
      ['nothing', 200, 'text/plain', ''],
      ['a text about a missing page', 404, 'text/plain', '404 page not found'],
      ['a web page about the method', 405, 'text/html', '<h1>Not Allowed</h1>'],
      ['a page that says it is not implemented', 501, 'text/html', '<p>Unsupported method (POST).</p>'],
    ] as const) {
      it(`names the content type and the base URL after a single request if the server answers with ${what}`, async () => {
        server.disturbBy(() => ({ kind: 'reply', status, type, body }));
        const { fault } = await turn(withInstantRetries(protocol.make(server.url)), ask('hi'));
        assert.equal(server.requests.length, 1);
        const [mediaType] = type.split(';');
        const told = `The server responded with ${mediaType} instead of a model’s response. Check the base URL.`;
        assert.equal(inEnglish(describeFault(fault!).message), told);
      });
    }

    it('reports JSON that is no reply after a single request', async () => {
      server.disturbBy(() => ({ kind: 'reply', status: 200, type: 'application/json', body: '{"hello":1}' }));
      const { fault } = await turn(withInstantRetries(protocol.make(server.url)), ask('hi'));
      assert.deepEqual([fault?.reason, fault?.contentType, server.requests.length], ['malformed', undefined, 1]);
    });

    it('handles several concurrent turns independently', async () => {
      const model = protocol.make(server.url);
      const outcomes = await Promise.all([1, 2, 3, 4].map((n) => turn(model, ask(`Question ${n}`))));
      const texts = outcomes.map((outcome) => outcome.text);
      assert.deepEqual(texts, [REPLY, REPLY, REPLY, REPLY]);
    });
  });
}
