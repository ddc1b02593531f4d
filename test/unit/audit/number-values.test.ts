import assert from 'node:assert/strict';
import { numbersIn } from '../../../src/core/audit/number-values.ts';

const valuesOf = (text: string): string[] => numbersIn(text).map(({ values }) => values.join(' or '));

describe('the numbers of a text', () => {
  for (const [text, values] of [
    ['three hundred in forty - five minutes, a thousand', ['300', '45', '1000']],
    ['two hundred and fifty of 1,204,332', ['250', '1204332']],
    ['mais de 1.800 linhas, 95,5 % e 3,34x', ['1800 or 1.8', '95.5', '3.34']],
    ['cento e vinte e cinco de 5 dos 22', ['125', '5', '22']],
    ['fünfundvierzig Tage um 21:15', ['45', '21:15']],
    ['40k tokens, 2-3 h, version 3.5.0', ['40 or 40000', '2', '3', '3.5.0']],
    ['テストは38件', ['38']],
  ] as const) {
    it(`are read whatever their writing: ${text}`, () => {
      assert.deepEqual(valuesOf(text), values);
    });
  }

  it('are none in names, and none in words of another language', () => {
    assert.deepEqual(valuesOf('F841 in path_v2, due to the cent sign'), []);
  });
});
