import assert from 'node:assert/strict';
import fc from 'fast-check';
import { detectEvents } from '../../../src/core/events/detect.ts';
import { Ledger } from '../../../src/core/events/ledger.ts';
import { compileRule } from '../../../src/core/events/user-rules.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { KEY_EVENT_KINDS } from '../../../src/core/model/key-event.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { runs } from '../runs.ts';
import { detectedEvent } from '../../support/key-events.ts';

const SENTENCES = [
  ...['Never log secrets.', "let's use port 8080", 'TypeError: x is not a function', 'sí, adelante'],
  ...['テストを追加してください。', '不要改数据库', 'Alle Tests laufen durch.', 'Pourquoi ça plante ?'],
  ...['the timeout is 30 seconds', 'set the timeout to 60 seconds', 'fixed', '- [ ] write the docs', '```', '> quoted'],
  ...['<think>', '</think>', '<details>', '| a | b |', '@@ -1 +1 @@', '2024-01-01 12:00:00 ERROR disk full'],
  ...['   12→\tcode();', '<<<<<<< SEARCH', '>>>>>>> REPLACE', '\ud83c', '🎉', '\r', '\t', '…', '/model x'],
];
const piece = fc.oneof(
  fc.constantFrom(...SENTENCES),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 30 }),
);
const text = fc
  .array(piece, { maxLength: 25 })
  .chain((pieces) =>
    fc
      .array(fc.constantFrom('\n', ' ', '\n\n', ''), { minLength: pieces.length, maxLength: pieces.length })
      .map((gaps) => pieces.map((p, i) => p + gaps[i]!).join('')),
  );
const role = fc.constantFrom<Role>('user', 'assistant', 'tool', 'system');

describe('key events of any message', () => {
  it('are exact, ordered, non-overlapping slices of the message, with a score and a reason', async () => {
    const rule = await compileRule({ kind: 'fact', phrase: 'port' });
    assert.ok(rule.ok);
    fc.assert(
      fc.property(text, role, text, fc.boolean(), (body, speaker, before, taught) => {
        const context = {
          before: { role: 'assistant' as const, text: before },
          ...(taught ? { rules: [rule.rule] } : {}),
        };
        let last = 0;
        for (const event of detectEvents({ role: speaker, text: body }, context)) {
          assert.equal(body.slice(event.start, event.end), event.quote);
          assert.ok(event.start >= last && event.end > event.start);
          assert.ok(event.score >= 0 && event.score <= 1);
          assert.ok(event.reason.length > 0);
          assert.equal(event.quote, event.quote.trim());
          if (event.about !== undefined)
            assert.equal(before.slice(event.about.start, event.about.end), event.about.quote);
          last = event.end;
        }
      }),
      runs(300),
    );
  });
});

describe('detecting key events in a million characters', () => {
  for (const piece of [
    ...['x', ' ', '\n', '> ', '"', '`', '<', '<details><summary>', '<summary>\n', '. '],
    ...['Error: ', 'x.ts:1:1: error TS1: a\n', '请修复这个错误', 'please never use tabs ', '- fix the error in a.ts\n'],
  ])
    it(`reads ${JSON.stringify(piece)} to the end, with no quote longer than a paragraph`, () => {
      const body = piece.repeat(1_000_000 / piece.length);
      for (const speaker of ['user', 'tool'] as const) {
        for (const { start, end, quote } of detectEvents({ role: speaker, text: body })) {
          assert.ok(quote.length <= 400);
          assert.equal(quote.length, end - start);
        }
      }
    });
});

describe('ledger of any session', () => {
  it('keeps every event, links only to its own entries, and restores to the same state', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(role, text), { maxLength: 12 }), (messages) => {
        const ledger = new Ledger();
        let seen = 0;
        messages.forEach(([speaker, body], i) => {
          const events = detectEvents({ role: speaker, text: body });
          seen += events.length;
          ledger.add(messageId(`m${i}`), events);
        });
        const entries = ledger.entries();
        assert.equal(entries.length, seen);
        for (const entry of entries) {
          if (entry.link !== undefined) assert.ok(ledger.get(entry.link) !== undefined);
          if (entry.status === 'superseded' || entry.status === 'merged') assert.ok(entry.link !== undefined);
        }
        const again = new Ledger();
        for (const entry of entries) again.restore(entry);
        assert.deepEqual(again.entries(), entries);
      }),
      runs(100),
    );
  });

  it('needs about as many lookups for the thousandth event as for the hundredth', () => {
    const ledger = new Ledger();
    let reads = 0;
    const words = ['cache', 'server', 'index', 'queue', 'login', 'upload', 'invoice', 'theme'];
    const costs: number[] = [];
    const get: (this: Map<unknown, unknown>, key: unknown) => unknown = Reflect.get(Map.prototype, 'get');
    try {
      Map.prototype.get = function (this: Map<unknown, unknown>, key: unknown): unknown {
        reads++;
        return get.call(this, key);
      };
      for (let i = 0; i < 1200; i++) {
        const quote = `the ${words[i % 8]!} of the ${words[(i * 3) % 8]!} uses ${words[(i * 5) % 8]!} number ${i}`;
        const before = reads;
        ledger.add(messageId(`m${i}`), [detectedEvent(quote, { kind: KEY_EVENT_KINDS[i % 8]!, score: 0.5 })]);
        costs.push(reads - before);
      }
    } finally {
      Map.prototype.get = get;
    }
    const most = (from: number): number => Math.max(...costs.slice(from, from + 200));
    assert.ok(most(1000) <= 2 * most(100), `${most(1000)} against ${most(100)}`);
  });
});

describe('rule patterns', () => {
  it('are compiled, or rejected with a reason, whatever the input', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom(...'ab()[]{}*+?|\\^$.-,19d:<=!'.split(/(?=.)/)), maxLength: 25 }),
        async (pattern) => {
          const result = await compileRule({ kind: 'fact', pattern });
          if (result.ok) result.rule.matches('aab19 -d');
          else assert.ok(inEnglish(result.problem).length > 0);
        },
      ),
      runs(500),
    );
  });
});
