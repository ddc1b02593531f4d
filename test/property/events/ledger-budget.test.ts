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

describe('a ledger over its budget', () => {
  it('drops duplicates first, then superseded events, then active ones', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), fc.nat(400), (drawn, budget) => {
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
        const { kept, dropped } = fitLedger(entries, costs, budget);
        const left = (status: KeyEvent['status']) => dropped.filter((one) => one.status === status);
        const stays = (status: KeyEvent['status']) => kept.some((one) => one.status === status && !one.pinned);
        if (left('dropped').length > 0) {
          assert.ok(!stays('merged'), 'a duplicate stays where an active one leaves');
          assert.ok(!stays('superseded'), 'a superseded one stays where an active one leaves');
        }
        // A superseded event may be dropped while duplicates stay only if it wouldn't fit even without them.
        const cost = ({ id }: KeyEvent): number => costs[Number(id.slice(1))]!;
        const room = kept.reduce((rest, one) => rest - cost(one), budget);
        const merged = kept.filter((one) => one.status === 'merged' && !one.pinned);
        const freed = merged.reduce((sum, one) => sum + cost(one), room);
        for (const one of left('superseded')) assert.ok(merged.length === 0 || cost(one) > freed);
      }),
      runs(1_000),
    );
  });
});
