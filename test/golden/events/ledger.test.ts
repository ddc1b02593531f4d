import assert from 'node:assert/strict';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { Ledger } from '../../../src/core/events/ledger.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import type { Role } from '../../../src/core/model/message.ts';

/** The ledger after these messages, which alternate between user and assistant by default. */
function after(...messages: readonly (string | readonly [Role, string])[]): KeyEvent[] {
  const ledger = new Ledger();
  let before: { readonly role: Role; readonly text: string } | undefined;
  for (const [at, message] of messages.entries()) {
    const [role, text] =
      typeof message === 'string' ? [at % 2 === 0 ? ('user' as const) : ('assistant' as const), message] : message;
    const events = detectEvents({ role, text }, before ? { before } : {});
    ledger.add(messageId(`m${at}`), events, at > 0 ? messageId(`m${at - 1}`) : undefined);
    before = { role, text };
  }
  return ledger.entries();
}

const holding = (entries: readonly KeyEvent[], words: string): KeyEvent =>
  entries.find(({ quote }) => quote.includes(words)) ?? assert.fail(`no event says “${words}”`);

describe('ledger of a conversation', () => {
  for (const [first, later] of [
    ['The server runs on port 8080.', 'port is now 8443, not 8080'],
    ['Use port 8080 for the gateway.', 'Actually the gateway port is 8443 now.'],
    ['We decided to use MySQL for the ledger.', "Let's use Postgres instead of MySQL."],
    ['Always use tabs.', 'From now on use spaces, not tabs.'],
    ['We deploy on Fridays.', 'We no longer deploy on Fridays.'],
    ['El servidor corre en el puerto 8080.', 'el puerto ahora es 8443, no 8080'],
    ['Der Server läuft auf Port 8080.', 'Der Port ist jetzt 8443, nicht 8080.'],
    ['Le serveur tourne sur le port 8080.', 'le port est maintenant 8443, pas 8080'],
    ['O servidor roda na porta 8080.', 'a porta agora é 8443, não 8080'],
    ['サーバーはポート8080で動いています。', 'ポートは8080ではなく8443になりました。'],
    ['服务器运行在8080端口。', '端口现在是8443，不是8080。'],
  ] as const) {
    it(`marks “${first}” as superseded by “${later}”`, () => {
      const entries = after(first, 'Noted.', later);
      const old = holding(entries, first);
      assert.equal(old.status, 'superseded');
      assert.equal(old.link, holding(entries, later).id);
      assert.equal(holding(entries, later).status, 'active');
    });
  }

  for (const [one, other] of [
    ['The gateway runs on port 8080.', 'The metrics server runs on port 9090.'],
    ['The staging database is on port 5432.', 'The production database is on port 5433.'],
    ['We decided to use MySQL for the ledger.', 'I tried Postgres instead of MySQL, same error.'],
    ['We decided to keep the parser in its own package.', 'We decided to give the lexer a folder of its own.'],
  ] as const) {
    it(`keeps both “${one}” and “${other}” active`, () => {
      const entries = after(one, 'Noted.', other);
      const statuses = entries.map(({ status }) => status);
      const expected = entries.map(() => 'active');
      assert.deepEqual(statuses, expected);
      assert.ok(holding(entries, one) && holding(entries, other.split(',')[0]!));
    });
  }

  it('marks all decisions about a subject as superseded by a change of plan', () => {
    const entries = after(
      "Let's go with Postgres, I know it well.",
      'Decided: Postgres 17 with one table for bookings.',
      'We use npm, not yarn.',
      'Noted.',
      'Change of plan: no Postgres. We take SQLite.',
    );
    const change = holding(entries, 'no Postgres');
    for (const words of ['go with Postgres', 'Postgres 17']) {
      assert.equal(holding(entries, words).status, 'superseded', words);
      assert.equal(holding(entries, words).link, change.id, words);
    }
    assert.equal(holding(entries, 'npm').status, 'active');
    assert.equal(change.status, 'active');
  });

  it('keeps a ground rule that nobody revokes', () => {
    const entries = after(
      'A few rules: small commits, each one green. No default exports.',
      "I'll treat these as fixed.",
      'the last commit is not green, is it?',
      'Fixed: all green, one small commit.',
      "don't commit yet",
    );
    assert.equal(holding(entries, 'small commits').status, 'active');
    assert.equal(holding(entries, 'default exports').status, 'active');
  });

  it('keeps a failed attempt, and links the error to its fix', () => {
    const entries = after(
      'The build fails with "cannot find module zod".',
      'Try deleting node_modules.',
      'I tried deleting node_modules, same error.',
      'Fixed: zod is in package.json now, the build passes.',
    );
    const tried = holding(entries, 'I tried');
    assert.equal(tried.kind, 'error');
    assert.equal(tried.status, 'active');
    assert.match(tried.reason, /^tried, failed/);
    const error = holding(entries, 'cannot find module');
    assert.equal(error.status, 'active');
    assert.equal(error.link && entries.find(({ id }) => id === error.link)?.message, 'm3');
  });

  it('links a compiler error to the fix of its file', () => {
    const entries = after(
      ['tool', 'src/db.ts:12:5 - error TS2304: Cannot find name pool.'],
      ['assistant', 'Fixed: imported pool in src/db.ts, tsc passes.'],
    );
    assert.equal(holding(entries, 'TS2304').link, holding(entries, 'Fixed').id);
  });

  it('quotes the proposal with its acceptance, not the bare question after it', () => {
    const entries = after(
      ['assistant', 'I suggest that we cache the rank table in memory. Shall I do that?'],
      ['user', 'yes, go ahead with that'],
    );
    const about = holding(entries, 'yes, go ahead').about;
    assert.equal(about?.quote, 'I suggest that we cache the rank table in memory.');
    assert.equal(about.message, 'm0');
  });

  it('quotes the option that the user chose by its number', () => {
    const entries = after(['assistant', '1. Keep Redis\n2. Move to Postgres\nWhich one?'], ['user', 'option 2']);
    assert.equal(holding(entries, 'option 2').about?.quote, '2. Move to Postgres');
  });
});
