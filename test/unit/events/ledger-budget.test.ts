import assert from 'node:assert/strict';
import {
  fitLedger,
  ledgerRoom,
  roomBesideSummaries,
  type FittedLedger,
} from '../../../src/core/events/ledger-budget.ts';
import { keyEventId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { keyEvent } from '../../support/key-events.ts';

const entry = (id: string, change: Partial<KeyEvent> = {}): KeyEvent => keyEvent(id, { score: 0.5, ...change });
const fit = (entries: readonly KeyEvent[], budget: number): FittedLedger =>
  fitLedger(
    entries,
    entries.map(() => 10),
    budget,
  );
const ids = (entries: readonly KeyEvent[]): string[] => entries.map(({ id }) => id);

describe('ledger within its budget', () => {
  it('marks active entries as dropped and reactivates them when there is room', () => {
    const [first] = fit([entry('a', { score: 0.1 }), entry('b')], 10).dropped;
    assert.equal(first?.status, 'dropped');
    assert.equal(fit([first], 10).kept[0]?.status, 'active');
  });

  it('drops a fixed error before an open one', () => {
    const entries = [entry('fixed', { kind: 'error', link: keyEventId('fix') }), entry('open', { kind: 'error' })];
    assert.deepEqual(ids(fit(entries, 10).kept), ['open']);
  });

  it('keeps lasting events over useful ones with a higher score', () => {
    const entries = [entry('lasting', { importance: 3, score: 0.4 }), entry('useful', { score: 0.9 })];
    assert.deepEqual(ids(fit(entries, 10).kept), ['lasting']);
  });

  it('drops an old to-do before newer facts, but keeps an old decision', () => {
    const later = Array.from({ length: 40 }, (_, n) => entry(`fact ${n}`, { score: 0.3 }));
    const entries = [
      entry('old to-do', { kind: 'todo', importance: 3 }),
      entry('old decision', { kind: 'decision', importance: 3 }),
      ...later,
    ];
    const { kept, dropped } = fit(entries, 410);
    assert.ok(ids(kept).includes('old decision'));
    assert.deepEqual(ids(dropped), ['old to-do']);
  });

  it('takes at most a quarter of the tokens it covers and at most its share of the budget', () => {
    assert.equal(ledgerRoom(100_000, 0.15, 2_000), 500);
    assert.equal(ledgerRoom(8_000, 0.15, 60_000), 1_200);
  });

  it('never grows beside summaries to what the next compression would drop again', () => {
    for (const budget of [3_000, 8_000, 100_000])
      for (const covered of [200, 600, 5_000, 60_000, 1_000_000])
        assert.ok(roomBesideSummaries(budget, 0.15, covered) <= ledgerRoom(budget, 0.15, covered));
    assert.equal(roomBesideSummaries(8_000, 0.15, 80_000), 0.8 * ledgerRoom(8_000, 0.15, 80_000));
    assert.equal(roomBesideSummaries(100_000, 0.15, 1_000), 150 + 50);
  });

  it('leaves more room for summaries the more tokens they cover', () => {
    assert.equal(ledgerRoom(8_000, 0.15, 100_000), 960);
    assert.equal(ledgerRoom(8_000, 0.15, 2_000_000), 480);
  });
});
