import assert from 'node:assert/strict';
import { StoreFault } from '../../../src/app/ports.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { Harness, endTurn, fill, says } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

const line = (n: number): string =>
  n % 2 === 0
    ? `Sella asks the ferryman about the tower of Kell, day ${n}.`
    : `Old Cobb answers that the riders passed at dusk with the boy, hour ${n}, and went north along the river.`;

describe('session under pressure', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  for (const share of [0.72, 0.9])
    it(`is flagged but still sends if it uses ${share * 100}% of the budget after a compression`, async () => {
      const conversation = await harness.filled(30, line);
      // A compression can't shorten the system prompt.
      harness.set({ systemPrompt: 'Never break the rules of the table. '.repeat(3_000) });
      const fixed = conversation.context().tokens.system;
      harness.set({ contextWindow: Math.floor(fixed / (share - 0.01)), reservedTokens: 0 });
      await conversation.compressNow();
      const { total } = conversation.context();
      assert.ok(
        total > 0.7 * conversation.meter.budget() && total < conversation.meter.budget(),
        `${total} of ${conversation.meter.budget()}`,
      );
      assert.ok(conversation.state.uncompressedCount <= 5, 'the recent messages were halved');
      assert.equal(conversation.state.requiresEscalation, true);
      assert.equal(conversation.state.escalation, 'token_overflow');
      const [escalated] = harness.logged('history_compression_escalation');
      assert.deepEqual(
        [escalated?.fields['requires_escalation'], escalated?.fields['reason']],
        [true, 'token_overflow'],
      );
      harness.set({ contextWindow: 128_000, reservedTokens: 4_000 });
      await conversation.send('On we go.');
      assert.equal(harness.requests.length, 1);
      assert.equal(conversation.state.requiresEscalation, false, 'the flag is lifted when there is room again');
    });

  it('clears its overflow flag when the end of a turn frees room', async () => {
    const conversation = await harness.filled(4, line);
    await conversation.journal.append({ type: 'escalation', reason: 'token_overflow' });
    const { contextWindow } = harness.settings;
    const { total } = conversation.context();
    harness.set({ contextWindow: Math.ceil(total / 0.8), reservedTokens: 0 });
    harness.script = (request, signal) => {
      assert.equal(conversation.state.escalation, 'token_overflow');
      harness.set({ contextWindow });
      return says('North.')(request, signal);
    };
    await conversation.send('Where to?');
    await conversation.settled();
    assert.equal(conversation.state.escalation, null);
  });

  it('clears its overflow flag when a model with a larger context window is chosen', async () => {
    const conversation = await harness.filled(4, line);
    await conversation.journal.append({ type: 'escalation', reason: 'token_overflow' });
    const { contextWindow } = harness.settings;
    harness.set({ contextWindow: conversation.context().total, reservedTokens: 0 });
    await conversation.triggers.endEscalation();
    assert.equal(conversation.state.escalation, 'token_overflow');
    harness.set({ contextWindow });
    await conversation.triggers.endEscalation();
    assert.equal(conversation.state.escalation, null);
  });

  it('calls no model to compress in a window that cannot write, and says why', async () => {
    const first = await harness.filled(60, line);
    const second = await harness.secondWindow(first);
    harness.summarizer = says('Sella and Brannoc went north.');
    const outcome = await second.compressNow();
    assert.ok(outcome.kind === 'failed' && StoreFault.is(outcome.error, 'not_writer'));
    assert.equal(harness.summaryRequests.length, 0);
    await second.close();
  });

  /** A conversation that has gone on while its summarizer, which waits for `unblock`, works. */
  async function outpaced() {
    const conversation = await harness.converse();
    harness.set({ policy: resolvePolicy('long-memory', { triggers: { messages: 30 } }) });
    const { unblock } = harness.blockSummarizer(
      says('Sella and Brannoc went north by the river after the riders who had taken the boy.'),
    );
    await fill(conversation, 40, line);
    await conversation.betweenTurns();
    await fill(conversation, 12, (n) => line(100 + n));
    return { conversation, unblock };
  }

  it('keeps the policy’s number of recent messages even if turns pass while the summarizer works', async () => {
    const { conversation, unblock } = await outpaced();
    unblock();
    await conversation.settled();
    assert.equal(conversation.state.uncompressedCount, 3);
  });

  it('keeps that number also if a request waits for the summarizer', async () => {
    const { conversation, unblock } = await outpaced();
    harness.set({ contextWindow: Math.floor(conversation.context().total / 0.9), reservedTokens: 0 });
    const sent = conversation.send('Where did they go?');
    unblock();
    await sent;
    await conversation.settled();
    // The newest 3 when the request was sent, and its reply.
    assert.equal(conversation.state.uncompressedCount, 4);
  });

  it('calls no model if nothing can be saved, says why, and waits for the trigger’s next multiple', async () => {
    const conversation = await harness.converse();
    harness.set({ policy: resolvePolicy('frugal', { triggers: { messages: 13 } }) });
    harness.summarizer = says('They counted.');
    await fill(conversation, 14, (n) => `${n}?`);
    assert.deepEqual(await conversation.compressNow(), { kind: 'skipped', reason: 'no_saving' });
    for (let n = 0; n < 6; n++) await endTurn(conversation);
    assert.equal(harness.summaryRequests.length, 0);
    const triggered = harness.logged('history_compression_triggered').length;
    assert.equal(triggered, 2, 'the command, and the trigger once');
    assert.equal(harness.logged('history_compression_skipped').length, triggered);
  });

  it('counts only tokens since the last compression for the token trigger: 8,001 fire it, 8,000 do not', async () => {
    const conversation = await harness.converse();
    harness.set({ policy: resolvePolicy('frugal', { triggers: { messages: null } }) });
    await fill(conversation, 20, (n) => `${line(n)} ${'the river was high and the road was wet '.repeat(20)}`);
    const said = conversation.context().tokens.recent;
    const rest = (tokens: number): string => 'so '.repeat(tokens);
    await fill(conversation, 1, () => rest(8_000 - said - 8));
    assert.ok(conversation.context().tokens.recent <= 8_000);
    await endTurn(conversation);
    assert.equal(conversation.state.compressions.length, 0);
    await fill(conversation, 1, () => rest(8_001 - conversation.context().tokens.recent));
    await endTurn(conversation);
    assert.equal(conversation.state.compressions[0]?.trigger, 'tokens');
    const kept = conversation.context().tokens.recent;
    assert.ok(kept > 1_000, 'the recent messages alone are large');
    await fill(conversation, 1, () => rest(7_000));
    await endTurn(conversation);
    assert.equal(conversation.state.compressions.length, 1, 'they do not count again');
  });
});
