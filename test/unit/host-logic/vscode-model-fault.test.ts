import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import { vsCodeModelFault } from '../../../src/host/models/vscode-model-fault.ts';

describe('error from a model of VS Code', () => {
  const coded = (code: string, message = 'no', cause?: unknown): Error =>
    Object.assign(new Error(message, { cause }), { code });

  const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

  for (const [error, reason] of [
    [coded('NoPermissions'), 'forbidden'],
    [coded('NotFound'), 'model_not_found'],
    [coded('Blocked'), 'quota'],
    [coded('Unknown', 'Response failed', coded('Blocked', 'monthly quota')), 'quota'],
    [coded('Blocked', 'The extension has been temporarily blocked due to making too many requests.'), 'rate_limited'],
    [named('ChatQuotaExceeded', 'You’ve exhausted your premium model quota.'), 'quota'],
    [coded('Unknown', 'You’ve reached your monthly chat messages quota.'), 'quota'],
    [coded('Unknown', 'Wait for your allowance to renew.'), 'quota'],
    [named('ChatRateLimited', 'Sorry, something is used up.'), 'rate_limited'],
    [coded('Unknown', 'no', named('ChatRateLimited', 'no')), 'rate_limited'],
    [coded('Unknown', 'Sorry, your request was rate-limited.'), 'rate_limited'],
    [new Error('Message exceeds token limit.'), 'context_too_long'],
    [coded('Unknown', 'rate_limited: slow down'), 'rate_limited'],
    [coded('Unknown', 'prompt is too long: 9000 tokens'), 'context_too_long'],
    // microsoft/vscode#289514 and #322209
    [
      coded('Unknown', 'Request Failed: 400 {"error":{"message":"prompt token count of 9 exceeds the limit of 8"}}'),
      'context_too_long',
    ],
    [coded('Unknown', 'Response contained no choices.'), 'empty_reply'],
    [coded('Unknown', 'Request failed: getaddrinfo ENOTFOUND api.example.com'), 'network'],
    [coded('Unknown', "invalid_request_body: 'temperature' is not supported"), 'bad_request'],
    [named('Canceled', 'Canceled'), 'cancelled'],
    [new Error('it broke'), 'overloaded'],
    ['a bare string', 'overloaded'],
  ] as const) {
    it(`"${error instanceof Error ? `${'code' in error ? String(error.code) : error.name}: ${error.message}` : error}" means ${reason}`, () =>
      assert.equal(vsCodeModelFault(error).reason, reason));
  }

  it('passes on the message about a rejected request', () => {
    const rejected = coded('Unknown', "invalid_request_body: 'temperature' is not supported");
    for (const error of [rejected, coded('Unknown', 'Request failed', rejected)])
      assert.equal(vsCodeModelFault(error).details, rejected.message);
    assert.equal(vsCodeModelFault(named('ChatRateLimited', 'Sorry, something is used up.')).details, undefined);
  });

  it('sets the retry delay from the wait stated in the error message', () => {
    const error = named('ChatRateLimited', 'Please wait 23 seconds before trying again.');
    assert.equal(vsCodeModelFault(error).retryAfterMs, 23_000);
  });

  it('stays unchanged when it is already a ModelFault', () => {
    const fault = new ModelFault('timeout', 'silent');
    assert.equal(vsCodeModelFault(fault), fault);
  });
});
