import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { resolvePolicy, type PolicyName } from '../../../src/core/policy/policy.ts';
import { endTurn, fill, fillAndCompress, Harness } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

/** A conversation at a reception desk, one line at a time. */
const line = (n: number): string =>
  n % 2 === 0
    ? `Can you move the appointment of Mrs Okafor, number ${4_100 + n}, to ${8 + (n % 9)}:30?`
    : `It is moved. Dr Lindqvist sees her in room ${n % 12} and asks for the letter of referral ${n}.`;

const DAY_MS = 86_400_000;

describe('compression trigger in a chat of short messages', () => {
  let harness: Harness;
  let conversation: Conversation;
  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.converse();
  });

  const turnEnds = (): Promise<void> => endTurn(conversation);
  const under = (policy: PolicyName): void => {
    harness.set({ policy: resolvePolicy(policy) });
  };
  /** Sets the context window so that the request takes this share of the budget, minus `tokensLess` tokens. */
  const fills = (share: number, tokensLess = 0): void => {
    const total = conversation.context().total + tokensLess;
    harness.set({ contextWindow: Math.floor(total / share), reservedTokens: 0 });
  };

  for (const [policy, share] of [
    ['balanced', 0.7],
    ['long-memory', 0.8],
  ] as const)
    it(`fires at ${share * 100}% of the budget under ${policy}, and not below`, async () => {
      under(policy);
      await fill(conversation, 60, line);
      fills(share, 6);
      await turnEnds();
      assert.equal(conversation.state.counters.compressions, 0);
      fills(share);
      await turnEnds();
      assert.equal(conversation.state.counters.compressions, 1);
    });

  for (const [policy, kept] of [
    ['balanced', 10],
    ['frugal', 12],
    ['long-memory', 3],
  ] as const)
    it(`keeps the ${kept} newest messages under ${policy}`, async () => {
      under(policy);
      await fill(conversation, 60, line);
      fills(0.8);
      await turnEnds();
      assert.equal(conversation.state.uncompressedCount, kept);
      const sent = conversation.context().messages.map(({ content }) => content.at(-1));
      const expected = Array.from({ length: kept }, (_, n) => ({ type: 'text', text: line(60 - kept + n) }));
      assert.deepEqual(sent, expected);
    });

  it('fires once the newest summary is over 24 hours old and messages were added, and not before', async () => {
    await fillAndCompress(conversation, 60, line);
    assert.equal(conversation.state.counters.compressions, 1);
    const made = conversation.state.compressions.at(-1)!;
    await fill(conversation, 24, (n) => line(100 + n));
    harness.clock.ahead = DAY_MS - 60_000;
    await turnEnds();
    assert.equal(conversation.state.counters.compressions, 1, `after ${made.id}`);
    harness.clock.ahead = DAY_MS + 60_000;
    await turnEnds();
    assert.equal(conversation.state.counters.compressions, 2);
  });

  for (const [messages, compressions] of [
    [40, 0],
    [41, 1],
  ] as const)
    it(`${compressions === 0 ? 'does not fire' : 'fires'} at a reset with ${messages} messages, and logs the reset`, async () => {
      await fill(conversation, messages, line);
      await conversation.setTask('Move the appointments', []);
      await conversation.resetTask();
      assert.equal(conversation.state.counters.compressions, compressions);
      assert.equal(conversation.state.task, undefined);
      assert.equal(conversation.state.path.length, messages);
      assert.equal(harness.logged('history_compression_triggered').length, compressions);
      assert.equal(harness.logged('history_compression_complete').length, compressions);
      assert.equal(harness.logged('task_reset_preserving_conversation').length, 1);
    });

  it('does not fire for the message that follows 40 messages and a finished task, but for one after 41', async () => {
    for (const [messages, compressions] of [
      [40, 0],
      [41, 1],
    ] as const) {
      await using other = await Harness.open();
      const session = await other.filled(messages, line);
      await session.setTask('Move the appointments', [{ text: 'Call them', status: 'done' }]);
      await session.send('And now?');
      assert.deepEqual([session.state.counters.compressions, session.state.task], [compressions, undefined]);
    }
  });
});
