import assert from 'node:assert/strict';
import { checkRegExps, regExpsIn } from '../../../scripts/regexps/check-regexps.ts';

const checked = (source: string, bounds = {}) => checkRegExps(regExpsIn('src/a.ts', source), bounds);

describe('the check of regular expressions', () => {
  it('refuses an expression with exponential run time, even if its input is bounded', async () => {
    const rule = String.raw`/^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$/`;
    const { faults } = await checked(`const TABLE_RULE = ${rule};`, { [rule]: 'nothing' });
    assert.match(faults.join(), /src\/a\.ts:1: .*\n {2}takes exponential time/);
  });

  it('refuses an expression with quadratic run time unless its input is bounded', async () => {
    assert.match((await checked('const a = /[.!]+$/;')).faults.join(), /2nd degree polynomial/);
    const { faults, bounded } = await checked('const a = /[.!]+$/;', { '/[.!]+$/': 'one word' });
    assert.deepEqual({ faults, bounded }, { faults: [], bounded: 1 });
  });

  it('refuses a bound of an expression that no longer exists', async () => {
    assert.match((await checked('', { '/[.!]+$/': 'one word' })).faults.join(), /no file contains \/\[\.!\]\+\$\//);
  });

  it('accepts an expression with linear run time', async () => {
    assert.equal((await checked('x.replace(/[a-z]{1,9}!/g, "")')).safe, 1);
  });
});
