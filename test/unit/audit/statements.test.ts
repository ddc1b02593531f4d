import assert from 'node:assert/strict';
import { checkStatements, checkStatementsSteps } from '../../../src/core/audit/statements.ts';
import { supportOf } from '../../../src/core/model/statement-check.ts';

const SOURCE = [
  'The gateway keeps timing out. We run it on port 8443 behind nginx, with a limit of 1.5 seconds and 40k connections.',
  'I looked at src/gateway/proxy.ts: the retry loop calls `waitForever()`. See https://example.org/retries?b=1.',
  'Marta Silva rolls it out on 2026-03-09 at 15:30, after commit 9b2bcea81f03. "Never retry a POST request", she said.',
  'Budget: 12,500 EUR (lines 396-461).',
].map((text) => ({ content: [{ type: 'text' as const, text }] }));

const check = (summary: string) => checkStatements(summary, SOURCE);
const missing = (summary: string): string[] => check(summary).flatMap((one) => one.missing ?? []);

describe('summary statements checked without a model', () => {
  for (const [what, statement, absent] of [
    ['a number', 'It listens on port 9443.', '9443'],
    ['a path', 'The loop was in src/gateway/router.ts.', 'src/gateway/router.ts'],
    ['an identifier', 'The loop called waitOnce().', 'waitOnce'],
    ['a word marked as code', 'The team replaced `haproxy` first.', 'haproxy'],
    ['a URL', 'They read https://example.org/timeouts.', 'https://example.org/timeouts'],
    ['a name', 'It was rolled out by Carla Souza.', 'Carla, Souza'],
    ['a date', 'The rollout was on 2026-03-19.', '2026-03-19'],
    ['a version', 'The gateway runs v1.22.6 now.', '1.22.6'],
    ['a hash', 'The fix is in commit 165901d.', '165901d'],
    ['a range', 'It is in lines 396-462.', '396-462'],
    ['a quotation', 'She said "please retry each POST request".', 'please retry each POST request'],
  ] as const) {
    it(`are flagged for ${what} that the source does not contain`, () => {
      const [one] = check(statement);
      assert.equal(one?.reason, 'not_in_source');
      assert.equal(one.missing?.join(', '), absent);
      assert.equal(supportOf(one.reason), false);
    });
  }

  it('are not flagged for numbers in a different format', () => {
    assert.deepEqual(
      missing(
        [
          'The limit is 1,5 seconds for 40,000 connections on port 8 443.',
          'The budget is €12500, or 12.5k.',
          'It happens on 9.3.2026 at 3:30 pm, at 15:30 sharp.',
          'The 3 of them read lines 396 to 461.',
        ].join('\n'),
      ),
      [],
    );
  });

  it('are not flagged for a name between the colors of terminal output', () => {
    const source = [
      { content: [{ type: 'text' as const, text: 'Deployed by \x1b[1mMarta\x1b[0m to \x1b[36mv1.22.6\x1b[0m' }] },
    ];
    assert.deepEqual(checkStatements('It was deployed by Marta as v1.22.6.', source)[0]?.missing, undefined);
  });

  it('are not flagged for names and identifiers that are inflected, shortened, or in another case', () => {
    assert.deepEqual(
      missing("After Marta's rollout, commit `9b2bcea` made Proxy.ts of src/gateway call waitForever, behind NGINX."),
      [],
    );
  });

  it('are not flagged for German nouns or other capitalized words that are not names', () => {
    const german = 'Seit gestern druckt die Kasse keine Belege, weil der Router im Laden getauscht wurde.';
    const reasons = checkStatements('Die Ursache des Ausfalls war ein Austausch des Geräts im Laden.', [
      { content: [{ type: 'text', text: german }] },
    ]).map(({ reason }) => reason);
    assert.deepEqual(reasons, ['unchecked']);
    assert.deepEqual(missing('Retries Without a Limit\n- **Next Steps**: measure either/or, e.g. twice.'), []);
    assert.deepEqual(missing('✅ The gateway keeps port 8443.\n⚠️ Nobody retries a request.'), []);
  });

  it('are left undecided (null), never supported, if they only share words with the source', () => {
    for (const text of ['Marta Silva retries each POST request.', 'The gateway never times out.', 'Nobody ran it.'])
      assert.deepEqual(
        check(text).map(({ reason }) => [reason, supportOf(reason)]),
        [['unchecked', null]],
      );
  });

  it('are supported if they are a whole sentence of the source, with its position', () => {
    const summary = 'Gateway\n- The gateway keeps timing out.\n- Never retry a POST request\n- We run it on port 8443';
    const found = check(summary);
    const reasons = found.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['unchecked', 'verbatim', 'verbatim', 'unchecked']);
    for (const { text, start, end, sources } of found) {
      assert.equal(summary.slice(start, end), text);
      for (const { message, start: from, end: to } of sources)
        assert.equal(SOURCE[message]!.content[0]!.text.slice(from, to), text);
    }
    const positions = found.map(({ sources }) => sources.map(({ message }) => message));
    assert.deepEqual(positions, [[], [0], [2], []]);
  });

  it('link their quotations to the source', () => {
    const [one] = check('She said "Never retry a POST request" and left.');
    const [source] = one!.sources;
    assert.equal(SOURCE[2]!.content[0]!.text.slice(source!.start, source!.end), 'Never retry a POST request');
  });

  it('are supported after the label of their speaker, but not of another one', () => {
    const text = 'Karim: I can only travel in May. My budget is 700 euros.\nSofiane: I cannot fly this year.';
    const checked = (summary: string) => checkStatements(summary, [{ content: [{ type: 'text', text }] }])[0]!;
    const { reason, sources } = checked('Karim: My budget is 700 euros.');
    assert.equal(reason, 'verbatim');
    assert.equal(text.slice(sources[0]!.start, sources[0]!.end), 'My budget is 700 euros.');
    assert.equal(checked('Sofiane: My budget is 700 euros.').reason, 'unchecked');
    assert.equal(checked('Karim: I can only travel in June.').reason, 'not_in_source');
  });

  it('are checked against a long source that is normalized once, not for each statement', () => {
    const part = Array.from({ length: 300 }, (_, at) => `Note ${at}: part${at % 97} reads table_${at * 7}.`).join('\n');
    const source = Array.from({ length: 40 }, () => ({ content: [{ type: 'text' as const, text: part }] }));
    const summary = Array.from({ length: 30 }, (_, at) => `It reads lost_${at} of Lost${at} ${at + 900_000} times.`);
    const steps = checkStatementsSteps(summary.join('\n'), source);
    let count = 0;
    let checked: ReturnType<typeof steps.next>;
    while (!(checked = steps.next()).done) count++;
    assert.ok(checked.value.every(({ reason }) => reason === 'not_in_source'));
    // Each statement and its three terms, and twice each message.
    assert.ok(count <= 30 * 4 + 2 * source.length, `${count} steps`);
  });
});
