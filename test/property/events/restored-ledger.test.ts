import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ledger } from '../../../src/core/events/ledger.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { KEY_EVENT_KINDS, type Importance } from '../../../src/core/model/key-event.ts';
import { runs } from '../runs.ts';

const said = fc.record({
  kind: fc.constantFrom(...KEY_EVENT_KINDS),
  score: fc.constantFrom(0.4, 0.8),
  importance: fc.constantFrom<Importance>(2, 3),
  quote: fc
    .tuple(
      fc.constantFrom('the port', 'the database', 'the build', 'our API'),
      fc.constantFrom('is', 'is now', 'is not', 'fails with', 'works again with', 'moves to'),
      fc.constantFrom('3000', '8443, not 8080', 'SQLite', 'Postgres instead', 'ECONNREFUSED'),
    )
    .map((words) => words.join(' ')),
});

describe('a ledger restored from its entries', () => {
  it('is the same with or without reusing an earlier ledger, even after corrections', () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 25 }), fc.integer({ min: 1, max: 4 }), (events, every) => {
        const earlier = new Ledger();
        events.forEach((event, i) => {
          earlier.add(messageId(`m${i}`), [{ ...event, start: 0, end: event.quote.length, reason: 'drawn' }]);
        });
        const [anew, again] = [new Ledger(), new Ledger()];
        earlier.entries().forEach((entry, i) => {
          const end = entry.quote.length >> 1;
          const corrected = i % every === 0 ? { ...entry, end, quote: entry.quote.slice(0, end) } : entry;
          anew.restore(corrected);
          again.restore(corrected, earlier);
        });
        // The ledger's complete content, including each quote's subject.
        assert.deepEqual(again, anew);
      }),
      runs(200),
    );
  });
});
