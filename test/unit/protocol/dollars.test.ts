import assert from 'node:assert/strict';
import { dollarsText } from '../../../src/protocol/dollars.ts';

describe('an amount in US dollars', () => {
  it('has two decimals, or more if two significant digits need them', () => {
    const sums = [0, 0.0012, 0.01, 0.075, 0.2, 1.25, 15].map((usd) => dollarsText(usd, 'en'));
    assert.deepEqual(sums, ['$0.00', '$0.0012', '$0.01', '$0.075', '$0.20', '$1.25', '$15.00']);
  });
});
