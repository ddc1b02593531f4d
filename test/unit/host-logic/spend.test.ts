import assert from 'node:assert/strict';
import { SpendLimitReached } from '../../../src/app/spend-limited-model.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import {
  addSpend,
  mergeSpend,
  monthOf,
  parseSpend,
  spendLimit,
  type SpendLimit,
} from '../../../src/host/models/spend-limit.ts';
import { Harness, fill, says } from '../app/harness.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { memento } from '../../support/fake-editor.ts';

const fail = (message: string): never => assert.fail(message);

describe('the monthly spend on compression', () => {
  const july = new Date(2026, 6, 31, 23, 59).getTime();
  const august = new Date(2026, 7, 1, 0, 1).getTime();

  it('is counted by calendar month in the user’s time zone', () => {
    assert.equal(monthOf(july), '2026-07');
    assert.equal(monthOf(august), '2026-08');
  });

  const limitOf = (limitUsd: number | null, kept = new Map<string, unknown>(), now = () => july): SpendLimit =>
    spendLimit(memento(kept), now, () => limitUsd, fail);

  it('is used up at the limit, and starts again at zero in the next month', () => {
    let now = july;
    const limit = limitOf(0.5, undefined, () => now);
    limit.add(0.3);
    assert.deepEqual(limit.current(), { usd: 0.3, limitUsd: 0.5, isSpent: false });
    limit.add(0.2);
    assert.equal(limit.current().isSpent, true);
    now = august;
    assert.deepEqual(limit.current(), { usd: 0, limitUsd: 0.5, isSpent: false });
  });

  it('is never used up without a limit, and is used up at once with a limit of zero', () => {
    const free = limitOf(null);
    free.add(1000);
    assert.equal(free.current().isSpent, false);
    assert.equal(limitOf(0).current().isSpent, true);
  });

  it('persists across restarts, and is not forgotten when another window stores less', () => {
    const kept = new Map<string, unknown>();
    const one = limitOf(1, kept);
    one.add(0.25);
    assert.equal(limitOf(1, kept).current().usd, 0.25);
    kept.clear();
    assert.equal(one.current().usd, 0.25);
  });

  it('is stored for 12 months, without unknown or invalid entries', () => {
    let ledger = {};
    for (let month = 1; month <= 12; month++) ledger = addSpend(ledger, `2025-${String(month).padStart(2, '0')}`, 1);
    ledger = addSpend(ledger, '2026-01', 1);
    assert.deepEqual(Object.keys(ledger).slice(0, 1), ['2025-02']);
    assert.deepEqual(parseSpend({ '2026-07': 0.5, '2026-08': 'much', other: 3, '2026-09': -1 }), { '2026-07': 0.5 });
    assert.deepEqual(parseSpend(undefined), {});
    assert.deepEqual(mergeSpend({ '2026-06': 1, '2026-07': 2 }, { '2026-07': 3 }), { '2026-06': 1, '2026-07': 3 });
  });
});

describe('a spend limit for compression', () => {
  let harness: Harness;
  let costs: (number | null)[];
  let most: number;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(() => {
    costs = [];
    most = 0;
    harness.summarizer = says(JSON.stringify({ narrative: 'They went through the parts of the listing.' }));
    harness.spendGate = {
      state: () => (costs.length >= most ? 'spent' : 'open'),
      recordCost: (costUsd) => costs.push(costUsd),
    };
  });

  it('makes compression on command extractive once it is reached, and is reported as the reason', async () => {
    const conversation = await harness.filled(100);
    const outcome = await conversation.compressNow();
    assert.ok(outcome.kind === 'committed' && outcome.fault instanceof SpendLimitReached);
    assert.equal(harness.summaryRequests.length, 0);
    assert.equal(conversation.state.counters.compressionCostUsd, 0);
  });

  it('prevents compression in the background once it is reached', async () => {
    const conversation = await harness.filled(60);
    await conversation.send('And one more.');
    await conversation.settled();
    assert.equal(conversation.state.counters.compressions, 0);
    assert.equal(harness.summaryRequests.length, 0);
    assert.equal(conversation.triggers.distanceToCompression(), 'spent');
    most = 1;
    assert.equal(typeof conversation.triggers.distanceToCompression(), 'object');
  });

  it('does not prevent compression without a model once it is reached', async () => {
    harness.set({ policy: resolvePolicy('frugal', { strategy: 'trim' }) });
    const conversation = await harness.filled(60);
    await conversation.send('And one more.');
    await conversation.settled();
    assert.equal(conversation.state.counters.compressions, 1);
    assert.equal(typeof conversation.triggers.distanceToCompression(), 'object');
  });

  it('makes the compress command fail once it is reached if extractive summaries are off', async () => {
    harness.set({ extractiveOnFault: false });
    const conversation = await harness.filled(100);
    const outcome = await conversation.compressNow();
    assert.ok(outcome.kind === 'failed' && outcome.error instanceof SpendLimitReached);
    assert.equal(conversation.state.counters.compressions, 0);
  });

  for (const [extractiveOnFault, name, field] of [
    [true, 'history_compression_complete', 'error'],
    [false, 'history_compression_skipped', 'reason'],
  ] as const)
    it(`is logged as the reason, but not as an error, with extractive summaries ${extractiveOnFault ? 'on' : 'off'}`, async () => {
      harness.set({ extractiveOnFault });
      const conversation = await harness.filled(100);
      await conversation.compressNow();
      const lines = harness.log.filter((line) => line.name.startsWith('history_compression_'));
      const events = lines.map((line) => [line.name, line.level]);
      assert.deepEqual(events, [
        ['history_compression_triggered', 'info'],
        [name, 'info'],
      ]);
      assert.equal(lines[1]?.fields[field], field === 'error' ? 'SpendLimitReached' : 'spend_limit');
    });

  it('stops model calls when it is reached during a compression, and the cost is recorded', async () => {
    most = 1;
    const conversation = await harness.converse();
    const long = (n: number): string =>
      Array.from({ length: 40 }, (_, at) => `Part ${n} has row ${at}, a little different from the one before.`).join(
        ' ',
      );
    await fill(conversation, 200, long);
    const outcome = await conversation.compressNow();
    assert.ok(outcome.kind === 'committed' && outcome.fault instanceof SpendLimitReached, outcome.kind);
    const calls = harness.summaryRequests.length;
    // Several segments are summarized concurrently. Calls in flight are completed.
    assert.ok(
      calls >= 1 && calls < outcome.record.nodes.length,
      `${calls} calls, ${outcome.record.nodes.length} nodes`,
    );
    assert.equal(costs.length, calls);
    assert.equal(conversation.state.counters.compressionCostUsd, calls * 0.001);
  });

  it('applies to previews of compression too', async () => {
    const conversation = await harness.filled(100);
    assert.notEqual(typeof (await conversation.previewCompression()), 'string');
    assert.equal(harness.summaryRequests.length, 0);
  });
});
