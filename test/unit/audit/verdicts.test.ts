import assert from 'node:assert/strict';
import { parseVerdicts } from '../../../src/core/audit/verdicts.ts';

describe('verdicts on statements', () => {
  it('are read in any order, and the first of two on one statement counts', () => {
    const verdicts = parseVerdicts(
      JSON.stringify({
        statements: [
          { n: 2, verdict: 'untold' },
          { n: 1, verdict: 'otherwise', quote: ' a ', instead: null },
          { n: 2, verdict: 'told' },
        ],
      }),
    );
    const ordered = [...verdicts].sort(([one], [other]) => one - other);
    assert.deepEqual(ordered, [
      [0, { verdict: 'otherwise', quote: 'a', instead: '' }],
      [1, { verdict: 'untold', quote: '', instead: '' }],
    ]);
  });

  it('contain at most a few sentences of the model’s text', () => {
    const long = 'on and on '.repeat(1_000);
    const [[, given] = []] = parseVerdicts(
      JSON.stringify({ statements: [{ n: 1, verdict: 'otherwise', quote: long, instead: long }] }),
    );
    assert.ok(given && given.quote.length <= 600 && given.instead.length <= 600);
  });

  it('are empty if the response contains none', () => {
    for (const answer of ['', '{', '[{"n":1}]', '{"statements":{}}', 'null', '{"n":1,"verdict":"told"'])
      assert.equal(parseVerdicts(answer).size, 0, answer);
  });
});
