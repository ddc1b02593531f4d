import assert from 'node:assert/strict';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { fitLedger, ledgerRoom } from '../../../src/core/events/ledger-budget.ts';
import { Ledger } from '../../../src/core/events/ledger.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { DEMO_SESSION, jsonLines } from '../../support/test-data.ts';

const messages = jsonLines<{ readonly role: Role; readonly content: string }>(DEMO_SESSION).map(
  ({ role, content }) => ({ role, text: content }),
);

function ledgerOf(): readonly KeyEvent[] {
  const ledger = new Ledger();
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1];
    const id = (n: number): ReturnType<typeof messageId> => messageId(`m${n}`);
    ledger.add(id(at), detectEvents(message, before && { before }), before && id(at - 1));
  }
  return ledger.entries();
}

describe('ledger of the sample session', () => {
  const entries = ledgerOf();
  const holding = (words: string): KeyEvent =>
    entries.find(({ quote }) => quote.includes(words)) ?? assert.fail(`no event says “${words}”`);

  it('classifies only quotes that name a fault as errors', () => {
    const errors = entries.filter(({ kind }) => kind === 'error').map(({ quote }) => quote);
    assert.ok(errors.length > 0 && errors.length <= 25, String(errors.length));
    for (const words of [
      'tomorrow storage',
      'leave a comment',
      'result types',
      'staging data',
      'half hours',
      'breaks tomorrow',
    ])
      assert.ok(!errors.some((quote) => quote.includes(words)), words);
  });

  it('keeps ground rules, and marks decisions revoked by a change of plan as superseded', () => {
    assert.equal(holding('small commits').status, 'active');
    assert.equal(holding("Let's go with Postgres").status, 'superseded');
    assert.equal(holding('Postgres 17').status, 'superseded');
    assert.equal(holding('no Postgres').importance, 3);
  });

  it('keeps only lasting events when fitted to its budget, at most 30 per 100 messages', () => {
    const cost = ({ quote }: KeyEvent): number => Math.ceil(quote.length / 4) + 12;
    const covered = messages.reduce((sum, { text }) => sum + Math.ceil(text.length / 4), 0);
    const active = entries.filter(({ status }) => status === 'active');
    const { kept } = fitLedger(active, active.map(cost), ledgerRoom(16_000, 0.15, covered));
    assert.ok(kept.length <= 0.3 * messages.length, `${kept.length} of ${messages.length} messages`);
    assert.ok(kept.every(({ importance }) => importance === 3));
    for (const words of ['No caches for availability', 'no default exports', 'Integer cents'])
      assert.ok(
        kept.some(({ quote }) => quote.includes(words)),
        words,
      );
  });
});
