import assert from 'node:assert/strict';
import { Ledger, eventIdAt } from '../../../src/core/events/ledger.ts';
import { detectEvents, type DetectedEventWithContext } from '../../../src/core/events/detect.ts';
import type { KeyEvent, KeyEventKind } from '../../../src/core/model/key-event.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { detectedEvent } from '../../support/key-events.ts';

const event = (kind: KeyEventKind, quote: string): DetectedEventWithContext =>
  detectedEvent(quote, { kind, score: 0.8 });
let next = 0;
const add = (ledger: Ledger, kind: KeyEventKind, quote: string): KeyEvent => {
  const message = messageId(`m${next++}`);
  ledger.add(message, [event(kind, quote)]);
  return ledger.get(eventIdAt(message, { start: 0, end: quote.length }))!;
};

describe('ledger', () => {
  const NB_3000 = 'the refund for order NB-3000 was approved by the manager and takes three to five working days';
  const R81 = 'error: connection reset by the upload server of the nightly archive in request r81';

  // Each line is an event with its kind and then its status, with “→” and the number of the event that it links to.
  for (const [what = '', ...lines] of [
    [
      'merges repeated statements that differ only in case, punctuation and spacing',
      ...['preference active: Always use tabs.', 'preference merged→1: always  use tabs'],
    ],
    [
      'merges near-duplicates in scripts without spaces',
      ...['constraint active: 不要修改数据库里面的用户表', 'constraint merged→1: 不要修改数据库里面的用户表。'],
    ],
    [
      'does not merge statements that differ in a number',
      'fact active: the request limit of the search service is 60 per minute',
      'fact active: the request limit of the search service is 90 per minute',
    ],
    [
      'supersedes a preference with its opposite',
      ...['preference superseded→2: use tabs for indentation', "preference active: don't use tabs for indentation"],
    ],
    [
      'supersedes a decision with the one that replaces it',
      "decision superseded→2: let's store the sessions in Redis",
      'decision active: actually, store the sessions in Postgres instead',
    ],
    [
      'does not supersede decisions on other subjects',
      "decision active: let's store the sessions in Redis",
      'decision active: we ship the release on Friday instead',
    ],
    [
      'supersedes a choice with its reversal, regardless of the reasons given and of the event kinds',
      'todo superseded→4: the tariff store is built on Parquet because the vendor stops support in spring',
      'todo active: the tariff store still lacks a backup every 12 rows, that is for later',
      'decision active: the freight store is built on Kafka because two teams know it already',
      'decision active: the tariff store moves to MinIO after all, because its licence allows resale',
    ],
    [
      'keeps a choice active when it is made again, and supersedes the one in between',
      ...['configuration superseded→2: the port is 3000', 'configuration superseded→3: the port is 4000'],
      'configuration active: the port is 3000',
    ],
    [
      'supersedes the due date of the same invoice, not of one with another number',
      'constraint active: Invoice 4711 must be paid by the 30th',
      'constraint superseded→4: Invoice 4712 must be paid by the 30th',
      'constraint active: Ticket #12 is open',
      'constraint active: Invoice 4712 must be paid by the 14th',
    ],
    [
      'supersedes an earlier value with a later one and keeps both',
      'configuration superseded→2: the request timeout is 30 seconds',
      'configuration active: set the request timeout to 60 seconds',
    ],
    ...['Then we drop Postgres.', 'Then we drop Postgres for good'].map((drop) => [
      `supersedes decisions about a tool that is dropped, wherever its name is: ${drop}`,
      ...['decision superseded→3: Yes, go with Postgres.', 'decision active: Yes, go with Fastify.'],
      `todo active: ${drop}`,
    ]),
    [
      'links an error to its fix',
      'error active→2: TypeError: parseDate is not a function',
      'outcome active: Fixed the TypeError: parseDate is exported again',
    ],
    [
      'links the last error to a bare “works now”',
      ...['error active: the login page is blank', 'error active→3: the upload fails with 413'],
      'outcome active: it works now',
    ],
    [
      'treats an error that returns after its fix as new',
      'error active→2: the upload fails with 413',
      'outcome active: fixed the upload, no more 413 fails',
      'error active: the upload fails with 413',
    ],
    [
      'keeps a failed attempt alongside the error it did not fix',
      'error active: the upload of large files fails with 413',
      'error active: tried a larger body limit: the upload of large files still fails with 413',
    ],
    [
      'does not merge similar statements with different codes, except errors',
      ...[`outcome active: ${NB_3000}`, `outcome active: ${NB_3000.replace('3000', '3001')}`],
      ...[`outcome merged→1: ${NB_3000}`, `error active: ${R81}`, `error merged→4: ${R81.replace('81', '82')}`],
    ],
  ])
    it(what, () => {
      const ledger = new Ledger();
      const said = lines.map((line) => /^(\w+) (\S+): (.*)$/.exec(line)!.slice(1) as [KeyEventKind, string, string]);
      const ids = said.map(([kind, , quote]) => add(ledger, kind, quote).id);
      const statuses = ids.map((id) => {
        const { status, link } = ledger.get(id)!;
        return link === undefined ? status : `${status}→${ids.indexOf(link) + 1}`;
      });
      const expected = said.map(([, status]) => status);
      assert.deepEqual(statuses, expected);
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
