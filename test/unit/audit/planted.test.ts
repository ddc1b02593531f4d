import assert from 'node:assert/strict';
import { checkStatements } from '../../../src/core/audit/statements.ts';
import { plantedCases, scorePlanted } from '../../support/planted.ts';

describe('falsehoods planted in correct summaries', () => {
  it('are at least 300, of each sort, in eight languages', () => {
    const sorts = new Map<string, number>();
    for (const { statements } of plantedCases('close'))
      for (const { planted } of statements)
        if (planted !== undefined) sorts.set(planted, (sorts.get(planted) ?? 0) + 1);
    assert.deepEqual([...sorts.keys()].sort(), ['name', 'negation', 'number', 'path', 'role']);
    assert.ok([...sorts.values()].reduce((sum, one) => sum + one, 0) >= 300);
    assert.equal(new Set(plantedCases('close').map(({ name }) => name.split('-')[0])).size, 8);
  });

  it('are marked, at least 95 of 100, and of the true statements at most 5 of 100', () => {
    const mistakes: string[] = [];
    const { marked, wronglyMarked } = scorePlanted(
      'close',
      (statement, messages) => checkStatements(statement, messages).statements.every(({ supported }) => supported),
      (name, { text, planted }) => mistakes.push(`${name}, ${planted ?? 'true'}: ${text}`),
    );
    assert.ok(marked >= 0.95, `marked ${marked}:\n${mistakes.join('\n')}`);
    assert.ok(wronglyMarked <= 0.05, `wrongly marked ${wronglyMarked}:\n${mistakes.join('\n')}`);
  });

  it('are marked more often than what is true where both are worded freely, in statements held back too', () => {
    for (const [set, leastMarked, mostWronglyMarked] of [
      ['free', 0.6, 0.25],
      ['freeHeld', 0.7, 0.55],
    ] as const) {
      const { marked, wronglyMarked } = scorePlanted(set, (statement, messages) =>
        checkStatements(statement, messages).statements.every(({ supported }) => supported),
      );
      assert.ok(marked >= leastMarked, `${set}: marked ${marked}`);
      assert.ok(wronglyMarked <= mostWronglyMarked, `${set}: wrongly marked ${wronglyMarked}`);
    }
  });
});
