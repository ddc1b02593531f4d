import assert from 'node:assert/strict';
import fc from 'fast-check';
import { POLICIES, resolvePolicy, type Policy, type Triggers } from '../../../src/core/policy/policy.ts';
import { dueAtReset, dueBeforeSend, dueTrigger, type TriggerFacts } from '../../../src/core/policy/triggers.ts';
import { runs } from '../runs.ts';

const orOff = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const count = fc.integer({ min: 1, max: 60 });

/** Limits and values from the same small ranges, so that values often equal a limit. */
const share = fc.integer({ min: 1, max: 12 }).map((twelfths) => twelfths / 12);
const triggers: fc.Arbitrary<Triggers> = fc.record({
  share: orOff(share),
  beforeSend: fc.constant(1),
  tokens: orOff(count),
  messages: orOff(count),
  every: orOff(fc.integer({ min: 1, max: 12 })),
  ageMs: orOff(count),
  taskReset: orOff(fc.nat({ max: 60 })),
});
const policies = fc
  .record({
    name: fc.constantFrom(...Object.values(POLICIES).map(({ name }) => name)),
    strategy: fc.constantFrom('smart', 'auto', 'summarize', 'trim', 'off'),
    triggers,
    recentMessages: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ name, ...own }): Policy => resolvePolicy(name, own));
const facts: fc.Arbitrary<TriggerFacts> = fc.record({
  share,
  tokensSince: fc.nat({ max: 61 }),
  uncompressedMessages: fc.nat({ max: 61 }),
  messagesEver: fc.nat({ max: 80 }),
  messagesEverBefore: fc.nat({ max: 40 }),
  lastCompressedAt: fc.option(fc.nat({ max: 30 }), { nil: undefined }),
  now: fc.integer({ min: 30, max: 90 }),
});

/** Whether a multiple of `every`, except the first, is above `last` and at most `now`; checked one by one. */
function stepsOver(every: number, last: number, now: number): boolean {
  for (let at = 2 * every; at <= now; at += every) if (at > last) return true;
  return false;
}

/** The triggers of docs/compression.md, one per row. */
const fires: Readonly<Record<string, (policy: Policy, facts: TriggerFacts) => boolean>> = {
  share: ({ triggers: { share: limit } }, now) => limit !== null && now.share >= limit,
  tokens: ({ triggers: { tokens } }, now) => tokens !== null && now.tokensSince >= tokens + 1,
  messages: ({ triggers: { messages } }, now) => messages !== null && now.uncompressedMessages >= messages + 1,
  every: ({ triggers: { every } }, { messagesEver, messagesEverBefore }) =>
    every !== null && stepsOver(every, messagesEverBefore, messagesEver),
  age: ({ triggers: { ageMs }, recentMessages }, { lastCompressedAt, now, uncompressedMessages }) =>
    ageMs !== null &&
    lastCompressedAt !== undefined &&
    now - ageMs > lastCompressedAt &&
    uncompressedMessages > recentMessages,
};

describe('triggers of any policy', () => {
  it('fire exactly at their documented limits, first match first, and never when compression is off', () => {
    fc.assert(
      fc.property(policies, facts, (policy, now) => {
        const expected = Object.keys(fires).find((name) => fires[name]!(policy, now));
        const due = dueTrigger(policy, now);
        assert.equal(due?.trigger, policy.strategy === 'off' ? undefined : expected);
        const limits: Readonly<Record<string, number | null>> = { ...policy.triggers, age: policy.triggers.ageMs };
        if (due) assert.equal(due.threshold, limits[due.trigger]);
      }),
      runs(2_000),
    );
  });

  it('fire above their limit at a task reset, and at or above their limit before sending', () => {
    fc.assert(
      fc.property(policies, facts, ({ ...policy }, now) => {
        const isOff = policy.strategy === 'off';
        const { taskReset, beforeSend } = policy.triggers;
        const atReset = !isOff && taskReset !== null && now.uncompressedMessages - taskReset >= 1;
        assert.equal(dueAtReset(policy, now.uncompressedMessages) !== undefined, atReset);
        const beforeSending = !isOff && beforeSend !== null && now.share >= beforeSend;
        assert.equal(dueBeforeSend(policy, now.share) !== undefined, beforeSending);
      }),
      runs(2_000),
    );
  });
});
