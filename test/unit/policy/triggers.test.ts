import assert from 'node:assert/strict';
import { POLICIES, PolicyError, resolvePolicy } from '../../../src/core/policy/policy.ts';
import {
  distanceToTrigger,
  dueAtReset,
  dueBeforeSend,
  dueTrigger,
  type TriggerFacts,
} from '../../../src/core/policy/triggers.ts';

const HOUR = 3_600_000;
const quiet: TriggerFacts = {
  share: 0.1,
  tokensSince: 100,
  uncoveredMessages: 5,
  messagesEver: 5,
  messagesEverBefore: 0,
  lastCompressedAt: undefined,
  now: 100 * HOUR,
};
const fires = (policy: Parameters<typeof dueTrigger>[0], facts: Partial<TriggerFacts>): string | undefined =>
  dueTrigger(policy, { ...quiet, ...facts })?.trigger;

describe('a compression is due', () => {
  it('from 70 % of the budget on, not below; from 80 % under long-memory', () => {
    assert.equal(fires(POLICIES.balanced, { share: 0.6999 }), undefined);
    assert.equal(fires(POLICIES.balanced, { share: 0.7 }), 'share');
    assert.equal(fires(POLICIES['long-memory'], { share: 0.7999 }), undefined);
    assert.equal(fires(POLICIES['long-memory'], { share: 0.8 }), 'share');
  });

  it('before sending from 90 % on', () => {
    assert.equal(dueBeforeSend(POLICIES.balanced, 0.899), undefined);
    assert.deepEqual(dueBeforeSend(POLICIES.balanced, 0.9), { trigger: 'before_send', threshold: 0.9 });
  });

  it('above 50 uncompressed messages, not at 50, under the frugal policy alone', () => {
    assert.equal(fires(POLICIES.frugal, { uncoveredMessages: 50 }), undefined);
    assert.equal(fires(POLICIES.frugal, { uncoveredMessages: 51 }), 'messages');
    assert.equal(fires(POLICIES.balanced, { uncoveredMessages: 10_000 }), undefined);
  });

  it('not again, after an attempt that found nothing, before the next multiple of its limit', () => {
    const served = { messages: 51, tokens: 8100, share: 0.71, age: 25 * HOUR };
    assert.equal(fires(POLICIES.frugal, { served, uncoveredMessages: 99 }), undefined);
    assert.equal(fires(POLICIES.frugal, { served, uncoveredMessages: 100 }), 'messages');
    assert.equal(fires(POLICIES.frugal, { served, tokensSince: 15_999 }), undefined);
    assert.equal(fires(POLICIES.frugal, { served, tokensSince: 16_000 }), 'tokens');
    assert.equal(fires(POLICIES.balanced, { served, share: 0.74 }), undefined);
    assert.equal(fires(POLICIES.balanced, { served, share: 0.76 }), 'share');
    const age = { served, lastCompressedAt: 0, uncoveredMessages: 20 };
    assert.equal(fires(POLICIES.balanced, { ...age, now: 47 * HOUR }), undefined);
    assert.equal(fires(POLICIES.balanced, { ...age, now: 49 * HOUR }), 'age');
  });

  it('above 8,000 uncompressed tokens under the frugal policy alone', () => {
    assert.equal(fires(POLICIES.frugal, { tokensSince: 8000 }), undefined);
    assert.equal(fires(POLICIES.frugal, { tokensSince: 8001 }), 'tokens');
    assert.equal(fires(POLICIES.balanced, { tokensSince: 8001 }), undefined);
  });

  it('every ten messages after the first ten: at 20, 30 and 40, not at 10, 15 and 25', () => {
    const fired: number[] = [];
    for (let messagesEver = 1; messagesEver <= 45; messagesEver++) {
      if (fires(POLICIES.steady, { messagesEver, messagesEverBefore: messagesEver - 1 }) === 'every')
        fired.push(messagesEver);
    }
    assert.deepEqual(fired, [20, 30, 40]);
  });

  it('once when a turn steps over a multiple', () => {
    assert.equal(fires(POLICIES.steady, { messagesEver: 31, messagesEverBefore: 29 }), 'every');
    assert.equal(fires(POLICIES.steady, { messagesEver: 33, messagesEverBefore: 31 }), undefined);
  });

  it('never by count in data from before messages were counted', () => {
    assert.equal(fires(POLICIES.steady, { messagesEver: undefined }), undefined);
  });

  it('when the newest summary is older than 24 hours and something has come since', () => {
    const day = { now: 48 * HOUR, lastCompressedAt: 24 * HOUR };
    assert.equal(fires(POLICIES.balanced, { ...day, uncoveredMessages: 20 }), undefined);
    assert.equal(fires(POLICIES.balanced, { ...day, lastCompressedAt: 24 * HOUR - 1, uncoveredMessages: 20 }), 'age');
    assert.equal(fires(POLICIES.balanced, { ...day, lastCompressedAt: 1, uncoveredMessages: 10 }), undefined);
    assert.equal(fires(POLICIES.balanced, { uncoveredMessages: 20 }), undefined);
  });

  it('at a reset above 40 messages, not at 40', () => {
    assert.equal(dueAtReset(POLICIES.balanced, 40), undefined);
    assert.deepEqual(dueAtReset(POLICIES.balanced, 41), { trigger: 'task_reset', threshold: 40 });
  });

  it('never when the strategy is off', () => {
    const off = resolvePolicy('frugal', { strategy: 'off', triggers: { every: 10 } });
    const all = { share: 2, tokensSince: 1e6, uncoveredMessages: 1000, messagesEver: 1000, lastCompressedAt: 1 };
    assert.equal(fires(off, all), undefined);
    assert.equal(dueAtReset(off, 1000), undefined);
    assert.equal(dueBeforeSend(off, 2), undefined);
  });

  it('not by a trigger that is switched off', () => {
    const none = resolvePolicy('balanced', {
      triggers: { share: null, beforeSend: null, messages: null, ageMs: null, taskReset: null },
    });
    assert.equal(fires(none, { share: 2, uncoveredMessages: 1000, lastCompressedAt: 1 }), undefined);
    assert.equal(dueAtReset(none, 1000), undefined);
    assert.equal(dueBeforeSend(none, 2), undefined);
  });
});

describe('a policy', () => {
  for (const [what, overrides] of [
    ['share', { triggers: { share: 0 } }],
    ['share', { triggers: { share: 1.2 } }],
    ['window', { window: 0 }],
    ['window', { window: 2.5 }],
    ['message trigger', { triggers: { messages: -1 } }],
    ['temperature', { summary: { temperature: 3 } }],
    ['threshold', { triggers: { share: 0.95 } }],
    ['age', { triggers: { ageMs: 0 } }],
  ] as const) {
    it(`refuses a ${what} that makes no sense: ${JSON.stringify(overrides)}`, () => {
      assert.throws(() => resolvePolicy('balanced', overrides), PolicyError);
    });
  }

  it('is the named one with what the user set over it', () => {
    const policy = resolvePolicy('steady', { window: 6, triggers: { every: 20 } });
    assert.equal(policy.window, 6);
    assert.equal(policy.triggers.every, 20);
    assert.equal(policy.triggers.taskReset, 40);
    assert.deepEqual(policy.summary, { maxTokens: 300, temperature: 0.3, effort: 'default', style: 'sentences' });
  });
});

describe('how far off a compression is', () => {
  const ahead = (policy: Parameters<typeof dueTrigger>[0], facts: Partial<TriggerFacts> = {}) =>
    distanceToTrigger(policy, { ...quiet, ...facts }, 10_000);

  it('is told to the message at which it comes, and not one earlier', () => {
    for (const [policy, facts] of [
      [POLICIES.frugal, { uncoveredMessages: 5 }],
      [POLICIES.steady, { messagesEver: 5, messagesEverBefore: 0 }],
      [POLICIES.steady, { messagesEver: 23, messagesEverBefore: 20 }],
    ] as const) {
      const { messages } = ahead(policy, facts);
      assert.ok(messages !== undefined && messages > 0);
      const after = (more: number): string | undefined =>
        fires(policy, {
          uncoveredMessages: ('uncoveredMessages' in facts ? facts.uncoveredMessages : quiet.uncoveredMessages) + more,
          messagesEver: ('messagesEver' in facts ? facts.messagesEver : 5) + more,
          messagesEverBefore: 'messagesEverBefore' in facts ? facts.messagesEverBefore : 0,
        });
      assert.equal(after(messages - 1), undefined);
      assert.ok(after(messages));
    }
  });

  it('is told in tokens by the share of the budget and by the limit of tokens, whichever is nearer', () => {
    assert.equal(ahead(POLICIES.balanced, { share: 0.5 }).tokens, 2000);
    assert.equal(ahead(POLICIES.frugal, { share: 0.1, tokensSince: 7990 }).tokens, 11);
    assert.equal(ahead(POLICIES.balanced, { share: 0.8 }).tokens, 0, 'it is due');
  });

  it('is nothing where no trigger grows with the session', () => {
    const triggers = { ...POLICIES.balanced.triggers, share: null, tokens: null, messages: null, every: null };
    assert.deepEqual(ahead({ ...POLICIES.balanced, triggers }), { tokens: undefined, messages: undefined });
  });
});
