import assert from 'node:assert/strict';
import { Ledger, eventIdAt } from '../../../src/core/events/ledger.ts';
import { detectEvents, type DetectedEventWithContext } from '../../../src/core/events/detect.ts';
import type { KeyEvent, KeyEventKind } from '../../../src/core/model/key-event.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { detectedEvent } from '../../support/key-events.ts';

const event = (kind: KeyEventKind, quote: string, start = 0): DetectedEventWithContext =>
  detectedEvent(quote, { kind, start, score: 0.8 });
let next = 0;
const add = (ledger: Ledger, kind: KeyEventKind, quote: string): KeyEvent => {
  const message = messageId(`m${next++}`);
  ledger.add(message, [event(kind, quote)]);
  return ledger.get(eventIdAt(message, { start: 0, end: quote.length }))!;
};
const current = (ledger: Ledger, entry: KeyEvent): KeyEvent => ledger.get(entry.id)!;

describe('ledger', () => {
  it('merges repeated statements that differ only in case, punctuation and spacing', () => {
    const ledger = new Ledger();
    const first = add(ledger, 'preference', 'Always use tabs.');
    const again = add(ledger, 'preference', 'always  use tabs');
    assert.equal(again.status, 'merged');
    assert.equal(again.link, first.id);
    assert.equal(current(ledger, first).status, 'active');
  });

  for (const [what = '', ...lines] of [
    [
      'merges near-duplicates in scripts without spaces',
      ...['constraint active: 不要修改数据库里面的用户表', 'constraint merged: 不要修改数据库里面的用户表。'],
    ],
    [
      'does not merge statements that differ in a number',
      'fact active: the request limit of the search service is 60 per minute',
      'fact active: the request limit of the search service is 90 per minute',
    ],
    [
      'supersedes a preference with its opposite',
      ...['preference superseded: use tabs for indentation', "preference active: don't use tabs for indentation"],
    ],
    [
      'supersedes a decision with the one that replaces it',
      "decision superseded: let's store the sessions in Redis",
      'decision active: actually, store the sessions in Postgres instead',
    ],
    [
      'does not supersede decisions on other subjects',
      "decision active: let's store the sessions in Redis",
      'decision active: we ship the release on Friday instead',
    ],
    [
      'supersedes a choice with its reversal, regardless of the reasons given and of the event kinds',
      'todo superseded: the tariff store is built on Parquet because the vendor stops support in spring',
      'todo active: the tariff store still lacks a backup every 12 rows, that is for later',
      'decision active: the freight store is built on Kafka because two teams know it already',
      'decision active: the tariff store moves to MinIO after all, because its licence allows resale',
    ],
    [
      'keeps a choice active when it is made again, and supersedes the one in between',
      ...['configuration superseded: the port is 3000', 'configuration superseded: the port is 4000'],
      'configuration active: the port is 3000',
    ],
    [
      'supersedes the due date of the same invoice, not of one with another number',
      'constraint active: Invoice 4711 must be paid by the 30th',
      'constraint superseded: Invoice 4712 must be paid by the 30th',
      'constraint active: Ticket #12 is open',
      'constraint active: Invoice 4712 must be paid by the 14th',
    ],
  ])
    it(what, () => {
      const ledger = new Ledger();
      const said = lines.map((line) => /^(\w+) (\w+): (.*)$/.exec(line)!.slice(1) as [KeyEventKind, string, string]);
      const entries = said.map(([kind, , quote]) => add(ledger, kind, quote));
      const statuses = entries.map((entry) => current(ledger, entry).status);
      const expected = said.map(([, status]) => status);
      assert.deepEqual(statuses, expected);
    });

  it('treats an error that returns after its fix as new', () => {
    const ledger = new Ledger();
    add(ledger, 'error', 'the upload fails with 413');
    add(ledger, 'outcome', 'fixed the upload, no more 413 fails');
    const back = add(ledger, 'error', 'the upload fails with 413');
    assert.equal(back.status, 'active');
    assert.equal(back.link, undefined);
  });

  it('keeps a failed attempt alongside the error it did not fix', () => {
    const ledger = new Ledger();
    const error = add(ledger, 'error', 'the upload of large files fails with 413');
    const tried = add(ledger, 'error', 'tried a larger body limit: the upload of large files still fails with 413');
    assert.equal(tried.status, 'active');
    assert.equal(current(ledger, error).link, undefined);
  });

  it('does not merge statements that differ in a label, a sign or a unit', () => {
    for (const [quote, other] of [
      ['Let’s go with option A for the login page.', 'Let’s go with option B for the login page.'],
      ['let’s go with option a for the login page', 'let’s go with option b for the login page'],
      ['We write the parser backend service in C.', 'We write the parser backend service in C++.'],
      ['Let’s use C++ for it.', 'Let’s use C# for it.'],
      ['Set the timezone offset to -5.', 'Set the timezone offset to 5.'],
      ['The discount is at most 10%.', 'The discount is at most 10 euros.'],
      ['我们决定采用方案A来实现用户登录和注册功能。', '我们决定采用方案B来实现用户登录和注册功能。'],
      ['我们决定采用方案一来实现用户登录和注册功能。', '我们决定采用方案二来实现用户登录和注册功能。'],
    ] as const) {
      const ledger = new Ledger();
      add(ledger, 'decision', quote);
      assert.equal(add(ledger, 'decision', other).status, 'active', other);
      assert.equal(add(ledger, 'decision', other.toUpperCase()).status, 'merged', other);
    }
  });

  it('does not merge similar statements with different codes, except errors', () => {
    const ledger = new Ledger();
    const refund = (order: string): string =>
      `the refund for order ${order} was approved by the manager and takes three to five working days`;
    add(ledger, 'outcome', refund('NB-3000'));
    assert.equal(add(ledger, 'outcome', refund('NB-3001')).status, 'active');
    assert.equal(add(ledger, 'outcome', refund('NB-3000')).status, 'merged');
    const failed = (request: string): string =>
      `error: connection reset by the upload server of the nightly archive in request ${request}`;
    add(ledger, 'error', failed('r81'));
    assert.equal(add(ledger, 'error', failed('r82')).status, 'merged');
  });

  it('supersedes an earlier value with a later one and keeps both', () => {
    const ledger = new Ledger();
    const first = add(ledger, 'configuration', 'the request timeout is 30 seconds');
    const later = add(ledger, 'configuration', 'set the request timeout to 60 seconds');
    assert.equal(current(ledger, first).status, 'superseded');
    assert.equal(current(ledger, first).link, later.id);
    assert.equal(later.status, 'active');
    assert.equal(ledger.entries().length, 2);
  });

  it('supersedes decisions about a tool that is dropped, even if its name ends the sentence', () => {
    for (const drop of ['Then we drop Postgres.', 'Then we drop Postgres for good']) {
      const ledger = new Ledger();
      const old = add(ledger, 'decision', 'Yes, go with Postgres.');
      const other = add(ledger, 'decision', 'Yes, go with Fastify.');
      const dropped = add(ledger, 'todo', drop);
      assert.deepEqual([current(ledger, old).status, current(ledger, old).link], ['superseded', dropped.id], drop);
      assert.equal(current(ledger, other).status, 'active');
    }
  });

  it('links an error to its fix', () => {
    const ledger = new Ledger();
    const error = add(ledger, 'error', 'TypeError: parseDate is not a function');
    const fix = add(ledger, 'outcome', 'Fixed the TypeError: parseDate is exported again');
    assert.equal(current(ledger, error).link, fix.id);
    assert.equal(current(ledger, error).status, 'active');
  });

  it('links the last error to a bare “works now”', () => {
    const ledger = new Ledger();
    const other = add(ledger, 'error', 'the login page is blank');
    const error = add(ledger, 'error', 'the upload fails with 413');
    const fix = add(ledger, 'outcome', 'it works now');
    assert.equal(current(ledger, error).link, fix.id);
    assert.equal(current(ledger, other).link, undefined);
  });

  it('keeps the proposal that an assent refers to', () => {
    const ledger = new Ledger();
    const before = messageId('p');
    const message = messageId('q');
    ledger.add(
      message,
      [{ ...event('decision', 'yes, do B'), about: { start: 4, end: 12, quote: 'B) a cart' } }],
      before,
    );
    assert.deepEqual(ledger.entries()[0]?.about, { message: before, start: 4, end: 12, quote: 'B) a cart' });
  });

  it('does not merge two assents to different proposals', () => {
    const ledger = new Ledger();
    const yes = (i: number, quote: string): KeyEvent[] =>
      ledger.add(
        messageId(`y${i}`),
        [{ ...event('decision', 'yes'), about: { start: 0, end: quote.length, quote } }],
        messageId(`b${i}`),
      );
    yes(1, 'Delete the table?');
    assert.equal(yes(2, 'Rename the column?')[0]?.status, 'active');
  });

  it('remembers that the words of an event are quoted from somebody else', () => {
    const ledger = new Ledger();
    ledger.add(messageId('a'), detectEvents({ role: 'user', text: 'Ana wrote:\nNever deploy on Mondays.' }));
    const kinds = ledger.entries().map(({ kind, quoted }) => [kind, quoted]);
    assert.deepEqual(kinds, [['fact', true]]);
  });

  it('continues from stored entries as if it had never been interrupted', () => {
    const ledger = new Ledger();
    const first = add(ledger, 'configuration', 'the port is 3000');
    const wrong = eventIdAt(messageId('w'), { start: 0, end: 18 });
    const stored = new Ledger();
    stored.dismiss(wrong);
    for (const entry of ledger.entries()) stored.restore(entry);
    assert.deepEqual(stored.entries(), ledger.entries());
    const later = add(stored, 'configuration', 'the port is 4000');
    assert.equal(stored.get(first.id)?.link, later.id);
    assert.deepEqual(stored.add(messageId('w'), [event('fact', 'the moon is cheese')]), []);
  });

  it('adds the same event of a message only once', () => {
    const ledger = new Ledger();
    const entry = add(ledger, 'fact', 'the API is versioned by header');
    assert.deepEqual(ledger.add(entry.message, [event('fact', entry.quote)]), []);
    assert.equal(ledger.entries().length, 1);
  });
});
