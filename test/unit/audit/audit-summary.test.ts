import assert from 'node:assert/strict';
import { auditSummary } from '../../../src/core/audit/audit-summary.ts';
import { findQuotes } from '../../../src/core/audit/quotes.ts';
import { auditAfterEdit, missingFromSource, unansweredBy, VERBATIM } from '../../../src/core/model/summary.ts';
import { runSynchronously } from '../../../src/core/pace/steps.ts';

const source = {
  text: ['We call it resume, not restore. See src/resume.ts, line 40, or https://example.org/a?b=1.'],
  tokens: 100,
};
const audit = (text: string, tokens = 10) => runSynchronously(auditSummary({ text, tokens }, source));

describe('summary audit', () => {
  it('passes a summary that is shorter than its source, not empty, and quotes verbatim', () => {
    const { passes, score, faults } = audit('They said “We call it resume, not restore” (src/resume.ts, line 40).');
    assert.deepEqual([passes, score, faults], [true, 1, []]);
  });

  it('fails a summary that is as long as its source', () => {
    const kinds = audit('short', 100).faults.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['grew']);
  });

  it('fails an empty summary', () => assert.equal(audit(' \n ').passes, false));

  it('fails a quotation that differs by one letter', () => {
    const { passes, faults } = audit('They said “We call it resume, not Restore”.');
    assert.equal(passes, false);
    assert.deepEqual(faults, [{ kind: 'unknown_quote', text: 'We call it resume, not Restore' }]);
  });

  it('passes a quotation that differs only in white space, which a summary doesn’t preserve', () => {
    const text = ['She wrote: “We leave at nine.  Bring\nthe red bag.”'];
    const summary = 'She wrote “We leave at nine. Bring the red bag.”';
    const { passes } = runSynchronously(auditSummary({ text: summary, tokens: 10 }, { text, tokens: 100 }));
    assert.equal(passes, true);
  });

  it('lists only quotations and terms as missing from the source, no other faults', () => {
    const { faults } = audit('They said “We call it resume, not Restore” in src/restore.ts.', 100);
    assert.ok(faults.some(({ kind }) => kind === 'grew'));
    const missing = missingFromSource({ ...VERBATIM, faults });
    assert.deepEqual(missing.toSorted(), ['We call it resume, not Restore', 'src/restore.ts']);
  });

  it('reports identifiers, paths, numbers, and URLs that the source lacks, but passes the summary', () => {
    const { passes, faults, score } = audit('See src/restore.ts, line 41, resumeSession and https://example.org/z.');
    assert.equal(passes, true);
    const texts = faults.map(({ text }) => text);
    assert.deepEqual(texts, ['src/restore.ts', '41', 'resumeSession', 'https://example.org/z']);
    assert.equal(score, 0);
  });

  it('looks up numbers in a list of any length', () => {
    const text = [`{"type":"Buffer","data":[${Array.from({ length: 200_000 }, (_, at) => at % 256).join()}]}`];
    const summary = { text: 'A buffer of 4711 bytes, the last of which is 63.', tokens: 10 };
    const { faults } = runSynchronously(auditSummary(summary, { text, tokens: 100 }));
    assert.deepEqual(faults, [{ kind: 'unknown_identifier', text: '4711' }]);
  });

  it('rates an edited summary without the identifiers that the edit removed', () => {
    const before = 'See src/resume.ts and src/restore.ts.';
    const { passes: _, ...found } = audit(before);
    assert.equal(found.score, 0.5);
    assert.deepEqual(auditAfterEdit(found, before, 'See src/resume.ts.'), {
      ...VERBATIM,
      identifiers: { known: 1, total: 1 },
    });
    assert.deepEqual(auditAfterEdit(unansweredBy('openai/x'), before, 'By hand.'), VERBATIM);
  });

  it('does not treat every phrase in quotation marks as a quotation', () =>
    assert.deepEqual(findQuotes('the "smart" mode and "x = 1"'), []));

  it('finds quotations in other languages’ quotation marks', () => {
    const text =
      'Er sagte: „wir nennen es Fortsetzen“; il a dit «on appelle ça reprendre»; 「再開と呼びます」と言った。';
    const quotes = findQuotes(text).map(({ quote }) => quote);
    assert.deepEqual(quotes, ['wir nennen es Fortsetzen', 'on appelle ça reprendre', '再開と呼びます']);
    for (const { quote, start, end } of findQuotes(text)) assert.equal(text.slice(start, end), quote);
  });
});
