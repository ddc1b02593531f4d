import assert from 'node:assert/strict';
import { POLICIES, PolicyError, resolvePolicy, type Policy } from '../../../src/core/policy/policy.ts';
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
  uncompressedMessages: 5,
  messagesEver: 5,
  messagesEverBefore: 0,
  lastCompressedAt: undefined,
  now: 100 * HOUR,
};
const fires = (policy: Policy, facts: Partial<TriggerFacts>): string | undefined =>
  dueTrigger(policy, { ...quiet, ...facts })?.trigger;

const { balanced, frugal, steady, 'long-memory': longMemory } = POLICIES;
const unsuccessful = { messages: 51, tokens: 8100, share: 0.71, age: 25 * HOUR };
const oldAttempt = { unsuccessful, lastCompressedAt: 0, uncompressedMessages: 20 };
const day = { now: 48 * HOUR, lastCompressedAt: 24 * HOUR };
const all = { share: 2, tokensSince: 1e6, uncompressedMessages: 1000, messagesEver: 1000, lastCompressedAt: 1 };
const off = resolvePolicy('frugal', { strategy: 'off', triggers: { every: 10 } });
const none = resolvePolicy('balanced', {
  triggers: { share: null, beforeSend: null, messages: null, ageMs: null, taskReset: null },
});

type Row = readonly [policy: Policy, facts: Partial<TriggerFacts>, trigger: string | undefined];

const DUE: Readonly<Record<string, readonly Row[]>> = {
  'fire at 70% of the budget, or at 80% under the long-memory policy, and not below': [
    [balanced, { share: 0.6999 }, undefined],
    [balanced, { share: 0.7 }, 'share'],
    [longMemory, { share: 0.7999 }, undefined],
    [longMemory, { share: 0.8 }, 'share'],
  ],
  'fire above 50 uncompressed messages, not at 50, and only under the frugal policy': [
    [frugal, { uncompressedMessages: 50 }, undefined],
    [frugal, { uncompressedMessages: 51 }, 'messages'],
    [balanced, { uncompressedMessages: 10_000 }, undefined],
  ],
  'fire above 8,000 uncompressed tokens, and only under the frugal policy': [
    [frugal, { tokensSince: 8000 }, undefined],
    [frugal, { tokensSince: 8001 }, 'tokens'],
    [balanced, { tokensSince: 8001 }, undefined],
  ],
  'wait for their next multiple after an attempt that found nothing to compress': [
    [frugal, { unsuccessful, uncompressedMessages: 99 }, undefined],
    [frugal, { unsuccessful, uncompressedMessages: 100 }, 'messages'],
    [frugal, { unsuccessful, tokensSince: 15_999 }, undefined],
    [frugal, { unsuccessful, tokensSince: 16_000 }, 'tokens'],
    [balanced, { unsuccessful, share: 0.74 }, undefined],
    [balanced, { unsuccessful, share: 0.76 }, 'share'],
    [balanced, { ...oldAttempt, now: 47 * HOUR }, undefined],
    [balanced, { ...oldAttempt, now: 49 * HOUR }, 'age'],
  ],
  'fire once when a turn skips past a multiple': [
    [steady, { messagesEver: 31, messagesEverBefore: 29 }, 'every'],
    [steady, { messagesEver: 33, messagesEverBefore: 31 }, undefined],
  ],
  'fire when the newest summary is older than 24 hours and new messages have arrived since': [
    [balanced, { ...day, uncompressedMessages: 20 }, undefined],
    [balanced, { ...day, lastCompressedAt: 24 * HOUR - 1, uncompressedMessages: 20 }, 'age'],
    [balanced, { ...day, lastCompressedAt: 1, uncompressedMessages: 10 }, undefined],
    [balanced, { uncompressedMessages: 20 }, undefined],
  ],
  'never fire if the strategy is off or the trigger is disabled': [
    [off, all, undefined],
    [none, { share: 2, uncompressedMessages: 1000, lastCompressedAt: 1 }, undefined],
  ],
};

describe('compression triggers', () => {
  for (const [when, rows] of Object.entries(DUE))
    it(when, () => {
      for (const [policy, facts, trigger] of rows) assert.equal(fires(policy, facts), trigger, JSON.stringify(facts));
    });

  it('fire every ten messages after the first ten: at 20, 30, and 40, not at 10, 15, and 25', () => {
    const fired = Array.from({ length: 45 }, (_, at) => at + 1).filter(
      (messagesEver) => fires(steady, { messagesEver, messagesEverBefore: messagesEver - 1 }) === 'every',
    );
    assert.deepEqual(fired, [20, 30, 40]);
  });

  it('fire before sending at 90% of the budget or more, and at a task reset with more than 40 uncompressed messages', () => {
    assert.equal(dueBeforeSend(balanced, 0.899), undefined);
    assert.deepEqual(dueBeforeSend(balanced, 0.9), { trigger: 'before_send', threshold: 0.9 });
    assert.equal(dueAtReset(balanced, 40), undefined);
    assert.deepEqual(dueAtReset(balanced, 41), { trigger: 'task_reset', threshold: 40 });
    for (const policy of [off, none])
      assert.deepEqual([dueAtReset(policy, 1000), dueBeforeSend(policy, 2)], [undefined, undefined]);
  });
});

describe('a policy', () => {
  it('rejects a background threshold above the blocking threshold', () =>
    assert.throws(() => resolvePolicy('balanced', { triggers: { share: 0.95 } }), PolicyError));

  it('combines the named policy with the user’s overrides', () => {
    const { recentMessages, triggers, summary } = resolvePolicy('steady', {
      recentMessages: 6,
      triggers: { every: 20 },
    });
    assert.deepEqual([recentMessages, triggers.every, triggers.taskReset], [6, 20, 40]);
    assert.deepEqual(summary, { maxTokens: 300, temperature: 0.3, effort: 'default', style: 'sentences' });
  });
});

describe('the distance to the next compression', () => {
  const ahead = (policy: Policy, facts: Partial<TriggerFacts> = {}) =>
    distanceToTrigger(policy, { ...quiet, ...facts }, 10_000);

  it('is the exact number of messages until compression is due', () => {
    for (const [policy, given] of [
      [frugal, {}],
      [steady, {}],
      [steady, { messagesEver: 23, messagesEverBefore: 20 }],
    ] as const) {
      const facts = { ...quiet, messagesEver: 5, ...given };
      const { messages } = ahead(policy, facts);
      assert.ok(messages !== undefined && messages > 0);
      const after = (more: number): string | undefined =>
        fires(policy, {
          ...facts,
          uncompressedMessages: facts.uncompressedMessages + more,
          messagesEver: facts.messagesEver + more,
        });
      assert.equal(after(messages - 1), undefined);
      assert.ok(after(messages));
    }
  });

  it('is given in tokens by the budget share or the token limit, whichever is nearer', () => {
    assert.equal(ahead(balanced, { share: 0.5 }).tokens, 2000);
    assert.equal(ahead(frugal, { share: 0.1, tokensSince: 7990 }).tokens, 11);
    assert.equal(ahead(balanced, { share: 0.8 }).tokens, 0, 'it is due');
  });

  it('is undefined if no trigger depends on the session’s growth', () => {
    const triggers = { ...balanced.triggers, share: null, tokens: null, messages: null, every: null };
    assert.deepEqual(ahead({ ...balanced, triggers }), { tokens: undefined, messages: undefined });
  });
});
