import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitLedgerInBatches } from '../../../src/app/fit-ledger.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { renderEvent } from '../../../src/core/context/render-context.ts';
import { fitLedger } from '../../../src/core/events/ledger-budget.ts';
import { Ledger } from '../../../src/core/events/ledger.ts';
import { keyEventId, messageId, nodeId, type MessageId } from '../../../src/core/model/ids.ts';
import { KEY_EVENT_KINDS, type KeyEvent, type Importance } from '../../../src/core/model/key-event.ts';
import { MessageLog } from '../../../src/core/state/branches.ts';
import { nodeWith } from '../../../src/core/model/summary.ts';
import { MessageCounts } from '../../../src/core/tokens/message-counts.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { counter } from '../compress/compression-fixtures.ts';
import { runs } from '../runs.ts';

/**
 * Positions below this have a summary, those below the next leave the recent messages now, and the rest stays verbatim.
 */
const COVERED = 15;
const LEAVING = 22;
const MESSAGES = 30;

const arbitraryEvent = fc.record({
  position: fc.nat({ max: MESSAGES - 1 }),
  kind: fc.constantFrom(...KEY_EVENT_KINDS),
  score: fc.integer({ min: 1, max: 9 }),
  importance: fc.constantFrom<Importance>(2, 3),
  pinned: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  words: fc.integer({ min: 1, max: 30 }),
  status: fc.constantFrom<KeyEvent['status']>('active', 'active', 'dropped', 'dropped', 'superseded'),
  /** Whether the ledger knows that the event was dropped. One that is restored from the previous draft doesn't. */
  isDropKnown: fc.boolean(),
  isTouched: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
  /** The event that superseded it, or one that was deleted since. */
  link: fc.nat({ max: 40 }),
});

const positionOf = (message: MessageId): number => Number(message.slice(1));

describe('fitting a ledger in batches', () => {
  it('keeps and drops the same entries as checking every entry', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryEvent, { maxLength: 40 }), fc.nat({ max: 900 }), async (all, room) => {
        const ledger = new Ledger();
        const known = new Map<KeyEvent['id'], KeyEvent>();
        const updated = new Map<KeyEvent['id'], KeyEvent>();
        all.forEach(({ position, words, status, link, isDropKnown, isTouched, ...rest }, at) => {
          const quote = Array.from({ length: words }, (_, word) => `word${at}x${word}`).join(' ');
          const entry: KeyEvent = {
            ...rest,
            id: keyEventId(`e${at}`),
            message: messageId(`m${position}`),
            start: 0,
            end: quote.length,
            quote,
            reason: 'drawn',
            status,
            ...(status === 'superseded' && { link: keyEventId(`e${link}`) }),
          };
          ledger.restore(status === 'dropped' && !isDropKnown ? { ...entry, status: 'active' } : entry);
          if (isTouched) updated.set(entry.id, entry);
          // Events that leave the recent messages now were found in this draft, or pinned by the user before.
          if (position < COVERED || rest.pinned) known.set(entry.id, entry);
        });
        const state = {
          frontier: [
            {
              from: 0,
              to: COVERED - 1,
              node: nodeWith({ id: nodeId('n'), first: messageId('m0'), last: messageId('m0'), messages: COVERED }),
            },
          ],
          levels: new Map(),
          events: known,
          messages: new MessageLog(),
          positionOf,
        };
        const counts = new MessageCounts(counter);
        const job = { state, counts, budget: room * 4, settings: { policy: { ledgerShare: 0.25 } } };
        const newlyCovered = new Set(Array.from({ length: LEAVING - COVERED }, (_, at) => COVERED + at));
        const fitted = await fitLedgerInBatches(
          job,
          ledger,
          { newlyCovered, updated, coveredTokens: room * 4 },
          new CancellableYielder(alwaysDue()),
        );
        assert.deepEqual(fitted, plainly(ledger, known, updated, room));
      }),
      runs(400),
    );
  });
});

/** The same by checking every entry against the rule. */
function plainly(
  ledger: Ledger,
  known: ReadonlyMap<KeyEvent['id'], KeyEvent>,
  updated: ReadonlyMap<KeyEvent['id'], KeyEvent>,
  room: number,
): KeyEvent[] {
  const stands = ({ status, link }: KeyEvent): boolean =>
    status === 'active' || status === 'dropped' || (link !== undefined && ledger.get(link) === undefined);
  const sent = ledger
    .entries()
    .filter((entry) => (entry.pinned || stands(entry)) && positionOf(entry.message) < LEAVING)
    .map((entry): KeyEvent => (stands(entry) ? { ...entry, status: 'active' } : entry));
  const cost = (entry: KeyEvent): number => counter.text(`${renderEvent(entry, positionOf(entry.message), 'user')}\n`);
  const was = ({ id }: KeyEvent): KeyEvent['status'] => (known.get(id) ?? ledger.get(id)!).status;
  const fit = (): { readonly kept: readonly KeyEvent[]; readonly dropped: readonly KeyEvent[] } => {
    const costs = sent.map(cost);
    const whole = fitLedger(sent, costs, room);
    if (whole.dropped.length === 0) return whole;
    const standing = sent.filter((entry) => entry.pinned || was(entry) !== 'dropped');
    const tokens = standing.reduce((sum, entry) => sum + cost(entry), 0);
    if (tokens > room || tokens < 0.75 * room) return fitLedger(sent, costs, Math.floor(room * 0.8));
    const dropped = sent.filter((entry) => !standing.includes(entry));
    return { kept: standing, dropped: dropped.map((entry) => ({ ...entry, status: 'dropped' })) };
  };
  const { kept, dropped } = fit();
  return [...kept, ...dropped].filter((entry) => {
    const differs = entry.status !== was(entry) || updated.has(entry.id);
    return differs && (was(entry) === 'active' || was(entry) === 'dropped');
  });
}
