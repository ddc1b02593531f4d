import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitLedger } from '../../../src/core/events/ledger-budget.ts';
import { keyEventId, messageId } from '../../../src/core/model/ids.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type Importance } from '../../../src/core/model/key-event.ts';
import { runs } from '../runs.ts';

const entry = fc.record({
  status: fc.constantFrom('active' as const, 'active' as const, 'superseded' as const, 'merged' as const),
  kind: fc.constantFrom(...KEY_EVENT_KINDS),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
  importance: fc.constantFrom<Importance>(2, 3),
  pinned: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
  cost: fc.integer({ min: 1, max: 40 }),
});

/** Entries that were fitted into a budget. */
const fitted = fc.tuple(fc.array(entry, { maxLength: 30 }), fc.nat(400)).map(([drawn, budget]) => {
  const entries = drawn.map(({ cost: _, ...rest }, i): KeyEvent => ({
    ...rest,
    id: keyEventId(`e${i}`),
    message: messageId(`m${i}`),
    start: 0,
    end: 1,
    quote: 'q',
    reason: 'drawn',
  }));
  const costs = drawn.map(({ cost }) => cost);
  return { entries, costs, budget, ...fitLedger(entries, costs, budget) };
});
const indexOf = ({ id }: KeyEvent): number => Number(id.slice(1));
const totalOf = (some: readonly KeyEvent[], costs: readonly number[]): number =>
  some.reduce((sum, one) => sum + costs[indexOf(one)]!, 0);

describe('a ledger over its budget', () => {
  it('fits its budget unless pinned entries alone exceed it, and keeps or drops every entry', () => {
    fc.assert(
      fc.property(fitted, ({ entries, costs, budget, kept, dropped }) => {
        assert.deepEqual([...kept, ...dropped].map(indexOf).sort(), entries.map(indexOf).sort());
        const pinned = entries.filter((one) => one.pinned);
        assert.ok(totalOf(kept, costs) <= Math.max(budget, totalOf(pinned, costs)));
        const order = kept.map(indexOf);
        for (const one of pinned) assert.ok(order.includes(indexOf(one)));
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
      }),
      runs(1_000),
    );
  });

  it('drops duplicates first, then superseded events, then active ones', () => {
    fc.assert(
      fc.property(fitted, ({ costs, budget, kept, dropped }) => {
        const left = (status: KeyEvent['status']) => dropped.filter((one) => one.status === status);
        const stay = (status: KeyEvent['status']) => kept.filter((one) => one.status === status && !one.pinned);
        const merged = stay('merged');
        if (left('dropped').length > 0) assert.deepEqual([...stay('superseded'), ...merged], []);
        // A superseded event may be dropped while duplicates stay only if it wouldn't fit even without them.
        const freed = budget - totalOf(kept, costs) + totalOf(merged, costs);
        for (const one of left('superseded')) assert.ok(merged.length === 0 || costs[indexOf(one)]! > freed);
      }),
      runs(1_000),
    );
  });
});
