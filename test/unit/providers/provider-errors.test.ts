import assert from 'node:assert/strict';
import * as SDK from 'openai/core/error';
import type { FaultReason, ModelFault } from '../../../src/app/fault.ts';
import { faultIn, retryAfter, streamFault, toModelFault } from '../../../src/providers/provider-errors.ts';

const refused = (status: number, body: object, headers: Record<string, string> = {}): ModelFault =>
  toModelFault(SDK.APIError.generate(status, body, undefined, new Headers(headers)), SDK);

/** google-gemini/gemini-cli#8883: Gemini uses this text for all limits, per minute and per day. */
function gemini(wait: string, quotaId = 'GenerateRequestsPerMinutePerProjectPerModel'): object {
  const message = `You exceeded your current quota, please check your plan and billing details.\n${wait}`;
  return { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details: [{ violations: [{ quotaId }] }] } };
}

const error = (message: string, more: object = {}): object => ({ error: { message, ...more } });

/** An error that OpenRouter passes on. */
const routed = (message: string): object => ({
  error: { message: 'Provider returned error', code: 400, metadata: { raw: JSON.stringify({ error: { message } }) } },
});

const openRouter = (metadata: object): object => ({ error: { message: 'Provider returned error', metadata } });

const anthropicLimit = (error_code: string): object => ({
  type: 'error',
  error: { type: 'rate_limit_error', message: 'Access resumes later.', details: { error_code } },
});

const lost = (code: string): Error => new SDK.APIConnectionError({ cause: Object.assign(new Error('x'), { code }) });

describe('the mapping of provider errors', () => {
  /** Real error messages of OpenAI, Anthropic, Azure, OpenRouter, llama.cpp, Ollama, LM Studio, and vLLM. */
  const seen: readonly (readonly [FaultReason, number, object])[] = [
    ['refused_key', 401, error('Incorrect API key provided', { code: 'invalid_api_key' })],
    ['refused_key', 400, error('API key not valid. Please pass a valid API key.', { status: 'INVALID_ARGUMENT' })],
    ['refused_key', 400, error('API key expired. Please renew the API key.', { status: 'INVALID_ARGUMENT' })],
    ['forbidden', 403, error('Country not supported', { code: 'unsupported_country_region_territory' })],
    ['forbidden', 400, error('This organization has been disabled.', { type: 'invalid_request_error' })],
    ['model_not_found', 404, error('The model `gpt-9` does not exist', { code: 'model_not_found' })],
    ['model_not_found', 404, { error: 'model "llama9" not found, try pulling it first' }],
    ['model_not_found', 404, { error: { code: 'DeploymentNotFound', message: 'The deployment does not exist.' } }],
    ['model_not_found', 400, error('meta/llama-9 is not a valid model: model not found')],
    ['rate_limited', 429, error('Rate limit reached', { code: 'rate_limit_exceeded' })],
    // Bedrock's rate limits: the quota per minute or day is used up. The context isn't too long.
    ['rate_limited', 429, error('Too many tokens, please wait before trying again.')],
    ['rate_limited', 429, error('Too many tokens per day, please wait before trying again.')],
    ['quota', 429, error('You exceeded your current quota', { code: 'insufficient_quota' })],
    ['quota', 402, error('Insufficient credits', { code: 402 })],
    ['quota', 429, gemini('Please retry in 36.9s.', 'GenerateRequestsPerDayPerProjectPerModel-FreeTier')],
    ['quota', 429, gemini('* Quota exceeded for metric: requests, limit: 0\nPlease retry in 36.9s.')],
    ['rate_limited', 429, gemini('Please retry in 36.9s.', 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier')],
    // developers.openai.com/api/docs/guides/error-codes
    ['quota', 429, error('Your project has reached it.', { code: 'project_spend_limit_exceeded' })],
    ['quota', 429, error('You have no credits.', { code: 'credit_balance_exhausted' })],
    // platform.claude.com/docs/en/api/errors and rate-limits
    ['quota', 400, error('You have reached your specified API usage limits. You will regain access on')],
    ['quota', 429, anthropicLimit('enforced_spend_limit_reached')],
    ['quota', 429, anthropicLimit('contract_spend_limit_reached')],
    ['rate_limited', 429, anthropicLimit('ramp_limit_exceeded')],
    // xAI (continuedev/continue#10373, warpdotdev/warp#14867), Fireworks (amd/gaia#3766), and Z.ai.
    ['quota', 403, { error: 'Your team has either used all available credits or reached its monthly spending limit.' }],
    ['quota', 403, { error: 'You have run out of credits or need a Grok subscription.' }],
    ['quota', 412, error('Account a is suspended, possibly due to reaching the monthly spending limit')],
    ['quota', 429, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }],
    // Groq (console.groq.com/docs/spend-limits) and DashScope (alibaba/spring-ai-alibaba#1146).
    ['quota', 400, error('API access is blocked.', { code: 'blocked_api_access' })],
    ['quota', 400, error('Access denied, please make sure your account is good.', { code: 'Arrearage' })],
    ['quota', 403, error('The free tier is exhausted.', { code: 'AllocationQuota.FreeTierOnly' })],
    // openrouter.ai/docs/api/reference/limits and errors-and-debugging
    ['quota', 429, routed('Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests per day')],
    ['quota', 403, openRouter({ limit_source: 'openrouter_workspace_budget' })],
    ['quota', 403, error('Key limit exceeded (total limit)', { code: 403 })],
    ['rate_limited', 402, openRouter({ limit_source: 'openrouter_in_flight_budget' })],
    ['context_too_long', 400, openRouter({ error_type: 'context_length_exceeded' })],
    ['content_refused', 400, openRouter({ error_type: 'refusal' })],
    ['content_refused', 403, openRouter({ patterns: ['ignore all previous instructions'] })],
    ['quota', 400, error('Your credit balance is too low to access the API', { type: 'invalid_request_error' })],
    ['context_too_long', 400, { error: { code: 'context_length_exceeded', message: 'too long' } }],
    ['context_too_long', 400, error("This model's maximum context length is 8192 tokens.")],
    ['context_too_long', 400, error('the request exceeds it', { type: 'exceed_context_size_error' })],
    ['context_too_long', 400, error('input length and `max_tokens` exceed context limit: 199000 + 8192')],
    // pi, packages/ai/src/utils/overflow.ts: xAI, Z.ai via OpenRouter, Copilot, Kimi, Bedrock, and others.
    ['context_too_long', 400, error("This model's maximum prompt length is 131072 but it has 537812.")],
    ['context_too_long', 400, error('Input length 9 exceeds the maximum allowed input length of 8')],
    ['context_too_long', 400, error('prompt token count of 200000 exceeds the limit of 128000')],
    ['context_too_long', 400, error('Your request exceeded model token limit: 262144 (requested: 9)')],
    ['context_too_long', 400, error('Input is too long for requested model.')],
    ['context_too_long', 400, error('Prompt too long: 5152 tokens exceeds max_seq_len 2048')],
    // DashScope, Z.ai (docs.bigmodel.cn/cn/faq/api-code), vLLM, and LiteLLM.
    ['context_too_long', 400, error('Range of input length should be [1, 129024]')],
    ['context_too_long', 400, error('Prompt 超长', { code: '1261' })],
    ['context_too_long', 400, error('The prompt is longer than the maximum model length of 4096.')],
    ['context_too_long', 400, error('litellm.ContextWindowExceededError: OpenAIException')],
    // cline/cline#13194: OpenRouter passes the server's own error on.
    ['context_too_long', 400, routed("This model's maximum context length is 262144 tokens.")],
    ['model_not_found', 400, routed('model: x is not available')],
    ['context_too_long', 413, error('Request exceeds the maximum size', { type: 'request_too_large' })],
    ['over_rate', 429, error('Request too large for gpt-4o on tokens per min', { code: 'rate_limit_exceeded' })],
    [
      'over_rate',
      413,
      error('Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 6294', {
        code: 'rate_limit_exceeded',
      }),
    ],
    [
      'rate_limited',
      429,
      error('Rate limit reached for model `llama` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443', {
        code: 'rate_limit_exceeded',
      }),
    ],
    [
      'unaffordable',
      402,
      error('This request requires more credits, or fewer max_tokens. You requested up to 128000 tokens'),
    ],
    ['content_refused', 400, { error: { code: 'content_filter', message: 'filtered' } }],
    ['content_refused', 400, error('Flagged for possible cybersecurity risk.', { code: 'cyber_policy' })],
    ['content_refused', 403, { error: { code: 403, message: 'flagged', metadata: { reasons: ['violence'] } } }],
    ['overloaded', 500, error('The server had an error')],
    ['overloaded', 500, error('failed to allocate context window')],
    ['overloaded', 502, {}],
    [
      'bad_request',
      500,
      { error: { code: 500, message: 'Error: Jinja Exception: Conversation roles must alternate' } },
    ],
    ['overloaded', 529, error('Overloaded', { type: 'overloaded_error' })],
    ['proxy_authentication', 407, { message: '<h1>407 Proxy Authentication Required</h1> See the content_policy.' }],
    ['bad_request', 400, error('Invalid type for input')],
    ['bad_request', 422, { detail: 'x' }],
  ];
  for (const [reason, status, body] of seen) {
    it(`maps ${status} ${JSON.stringify(body).replace(/^(.{29}).+(.{60})$/, '$1…$2')} to ${reason}`, () =>
      assert.equal(refused(status, body).reason, reason));
  }

  for (const [type, message, reason] of [
    ['authentication_error', 'invalid x-api-key', 'refused_key'],
    ['permission_error', 'no access to this model', 'forbidden'],
    ['not_found_error', 'model: claude-9', 'model_not_found'],
  ] as const) {
    it(`maps the error ${type} of a reply that has begun to ${reason}`, () =>
      assert.equal(streamFault(type, message).reason, reason));
  }

  it('keeps the status and a short message for the log', () => {
    const fault = refused(400, { error: { message: 'x'.repeat(5000) } });
    assert.equal(fault.status, 400);
    assert.ok(fault.message.length < 400);
  });

  it('passes on the provider’s message about a rejected request, without secrets, in one short line', () => {
    const key = 'key-of-nobody-0123456789';
    const token = ['ghp_', 'a1B2c3D4e5F6g7H8'.repeat(3).slice(0, 36)].join('');
    const rejected = (status: number, message: string): string | undefined => {
      const sdkError = SDK.APIError.generate(status, { error: { message } }, undefined, new Headers());
      return toModelFault(sdkError, SDK, [key]).details;
    };
    assert.equal(rejected(404, 'no model `foo`,\n did you mean `bar`?'), 'no model `foo`, did you mean `bar`?');
    assert.equal(rejected(422, `\x1b[31mbad\x1b[0m\x07 ${key} or ${token}`), 'bad ••• or [redacted: github-token]');
    const long = rejected(400, `${'x'.repeat(280)} ${token} ${'x'.repeat(5000)}`) ?? '';
    assert.ok(long.length < 310 && !long.includes(token.slice(0, 8)), long);
    assert.equal(rejected(400, ' '), undefined);
    const withoutBody = SDK.APIError.generate(422, undefined, undefined, new Headers());
    assert.equal(toModelFault(withoutBody, SDK).details, undefined);
    assert.equal(faultIn({ error: { code: 400 } })?.details, undefined);
    assert.equal(faultIn({ base_resp: { status_code: 2013, status_msg: '' } })?.details, undefined);
    assert.equal(rejected(500, 'a failure'), undefined);
    assert.equal(rejected(401, 'an unknown key'), undefined);
    assert.equal(streamFault('invalid_request_error', 'no tools').details, 'invalid_request_error: no tools');
  });

  it('keeps what else is known about an error in a stream whose message repeats the key', () => {
    const key = 'key-of-nobody-0123456789';
    const inStream = faultIn({ error: { code: 400, message: `${key}: maximum context length is 8192 tokens` } });
    const { reason, status, contextWindow, message } = toModelFault(inStream, SDK, [key]);
    assert.deepEqual([reason, status, contextWindow], ['context_too_long', 400, 8192]);
    assert.ok(!message.includes(key));
  });

  it('reads the retry delay in milliseconds, in seconds, or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const after = (headers: Record<string, string>) => retryAfter(new Headers(headers), now);
    assert.equal(after({ 'retry-after': '12' }), 12_000);
    assert.equal(after({ 'retry-after': '0.5' }), 500);
    assert.equal(after({ 'retry-after-ms': '250', 'retry-after': '1' }), 250);
    assert.equal(after({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }), 30_000);
    assert.equal(after({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }), 0);
    assert.equal(after({ 'retry-after': 'soon' }), undefined);
    assert.equal(after({ 'x-ratelimit-reset': String(now + 40_000) }), 40_000);
    assert.equal(after({ 'x-ratelimit-reset': '40' }), undefined);
    assert.equal(after({}), undefined);
  });

  for (const [words, ms] of [
    ['Please try again in 4.77s. Need more tokens?', 4_770],
    ['Please retry in 36.073s.', 36_073],
    ['Please try again in 6m0s.', 360_000],
    ['Please try again in 120ms.', 120],
    ['Please wait 343 hours 21 minutes before trying again.', (343 * 60 + 21) * 60_000],
    ['Please wait a moment before trying again.', undefined],
    ['Try again in 2 months.', undefined],
  ] as const) {
    it(`reads the retry delay from "${words}": ${ms === undefined ? 'none' : `${ms} ms`}`, () => {
      assert.equal(refused(429, { error: { message: words } }).retryAfterMs, ms);
      assert.equal(streamFault('rate_limit_exceeded', words).retryAfterMs, ms);
    });
  }

  it('prefers the retry header to a different delay in the message', () => {
    assert.equal(
      refused(429, { error: { message: 'Please try again in 4.77s.' } }, { 'retry-after': '5' }).retryAfterMs,
      5_000,
    );
  });

  it('maps an abort by the user to cancelled', () =>
    assert.equal(toModelFault(new SDK.APIUserAbortError(), SDK).reason, 'cancelled'));

  for (const [message, window] of [
    ["This model's maximum context length is 6000 tokens. However, your messages resulted in 15484 tokens.", 6000],
    ['prompt is too long: 215000 tokens > 200000 maximum', 200_000],
    ['input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000', 200_000],
    ['request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096],
    ['when context the overflows. However, the model is loaded with context length of only 4096 tokens', 4096],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768],
    ["This model's maximum context length is 131,072 tokens. However, you requested 140,000 tokens.", 131_072],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
    ['Input length 131393 exceeds the maximum allowed input length of 131040 tokens.', 131_040],
    ['The prompt (length 5000) is longer than the maximum model length of 4096.', 4096],
    ['prompt token count of 200000 exceeds the limit of 128000', 128_000],
    ['Your request exceeded model token limit: 262144 (requested: 269030)', 262_144],
    ['Range of input length should be [1, 129024]', 129_024],
    ['is greater than the context length (n_keep: 4765>= n_ctx: 4096). Try to load the model with a larger one', 4096],
    ['context_length_exceeded: Current length is 10000 while limit is 8192', 8192],
    ['context_length_exceeded: Input tokens exceed the configured limit of 272000 tokens.', 272_000],
    ['the request exceeds the context length', undefined],
  ] as const) {
    it(`reads the context window from "${message.slice(0, 40)}…": ${window ?? 'no window'}`, () =>
      assert.equal(refused(400, { error: { message } }).contextWindow, window));
  }

  it('distinguishes a timeout from an unreachable network', () => {
    assert.equal(toModelFault(new SDK.APIConnectionTimeoutError(), SDK).reason, 'timeout');
    assert.equal(toModelFault(lost('UND_ERR_HEADERS_TIMEOUT'), SDK).reason, 'timeout');
    assert.equal(toModelFault(lost('ECONNREFUSED'), SDK).reason, 'network');
    assert.equal(toModelFault(lost('ENOTFOUND'), SDK).reason, 'network');
  });

  it('distinguishes a certificate that can’t be verified from an unreachable network', () => {
    for (const code of [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ])
      assert.equal(toModelFault(lost(code), SDK).reason, 'certificate');
    assert.equal(toModelFault(lost('EPROTO'), SDK).reason, 'network');
  });

  it('distinguishes a proxy that requires authentication from an unreachable network', () => {
    // The messages of undici and, with a typo, of VS Code.
    for (const message of ['Proxy response (407) !== 200 when', 'Proxy response (407) ?.== 200 when']) {
      const cause = Object.assign(new Error(`${message} HTTP Tunneling`), { code: 'UND_ERR_ABORTED' });
      assert.equal(toModelFault(new SDK.APIConnectionError({ cause }), SDK).reason, 'proxy_authentication');
    }
    const cause = new Error('Proxy response (502) !== 200 when HTTP Tunneling');
    assert.equal(toModelFault(new SDK.APIConnectionError({ cause }), SDK).reason, 'network');
  });

  it('distinguishes a cut-off stream from invalid JSON', () => {
    assert.equal(toModelFault(new TypeError('terminated'), SDK).reason, 'cut_stream');
    assert.equal(toModelFault(new SyntaxError('Unexpected token'), SDK).reason, 'malformed');
  });

  it('never repeats an API key, not even from an error inside a stream', () => {
    const key = 'key-of-nobody-0123456789';
    const fault = toModelFault(streamFault('server_error', `cannot bill ${key}`), SDK, [key]);
    assert.equal(fault.message, 'server_error: cannot bill •••');
    assert.equal(fault.reason, 'overloaded');
    assert.equal(toModelFault(streamFault('invalid_request_error', key), SDK, [key]).details, undefined);
  });

  it('maps an error inside a stream by its code and text', () => {
    assert.equal(streamFault('rate_limit_exceeded', 'slow down').reason, 'rate_limited');
    assert.equal(streamFault(null, 'Too Many Requests').reason, 'rate_limited');
    assert.equal(streamFault(null, 'Too many tokens, please wait before trying again.').reason, 'rate_limited');
    assert.equal(streamFault('context_length_exceeded', 'too long').reason, 'context_too_long');
    assert.equal(streamFault(null, 'something broke').reason, 'overloaded');
  });
});
