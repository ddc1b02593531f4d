import assert from 'node:assert/strict';
import { recordedModel, scoreAsked } from '../../support/asked-statements.ts';
import { plantedCases, scorePlanted, type StatementSet } from '../../support/planted.ts';
import { WireServer } from '../../support/wire-server.ts';

/** Checks a set's figures, with the mistakes in the message where the set is not held back. */
function holdTo(set: StatementSet, leastMarked: number, mostWronglyMarked: number): boolean {
  const mistakes: string[] = [];
  const figures = scorePlanted(set, (name, { text, planted }) => {
    if (!set.endsWith('Held')) mistakes.push(`${name}, ${planted ?? 'true'}: ${text}`);
  });
  if (!figures) return false;
  assert.ok(figures.marked >= leastMarked, `${set}: marked ${figures.marked}\n${mistakes.join('\n')}`);
  assert.ok(
    figures.wronglyMarked <= mostWronglyMarked,
    `${set}: wrongly marked ${figures.wronglyMarked}\n${mistakes.join('\n')}`,
  );
  return true;
}

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
    assert.ok(holdTo('close', 0.95, 0.05));
  });

  it('are marked more often than what is true where both are worded freely, in statements held back too', () => {
    assert.ok(holdTo('free', 0.5, 0.08));
    assert.ok(holdTo('freeHeld', 0.5, 0.2));
  });

  it('are marked in summaries of whole real transcripts, where few true statements are', function () {
    this.timeout(120_000);
    const isMeasured = holdTo('real', 0.66, 0.09) && holdTo('realHeld', 0.56, 0.1);
    if (isMeasured) return;
    console.log('      skipped: no transcripts in THREADKEEPER_DATA');
    this.skip();
  });

  it('are marked in summaries that a model made of segments by the product’s own prompt', function () {
    this.timeout(120_000);
    const isMeasured = holdTo('made', 0.66, 0.11) && holdTo('madeHeld', 0.57, 0.17);
    if (isMeasured) return;
    console.log('      skipped: no transcripts in THREADKEEPER_DATA');
    this.skip();
  });

  it('are marked, at least 90 of 100, where a model reads the summaries of real transcripts, and at most 10 of 100 true ones', async function () {
    this.timeout(180_000);
    const server = await WireServer.start();
    try {
      const model = await recordedModel(server);
      for (const set of ['known', 'held'] as const) {
        const figures = await scoreAsked(set, model);
        if (!figures) {
          console.log('      skipped: no transcripts in THREADKEEPER_DATA');
          this.skip();
        }
        const { falsehoods, marked, wronglyMarked } = figures;
        assert.ok(falsehoods >= 300);
        assert.ok(marked >= 0.9 && wronglyMarked <= 0.1, `${set}: ${marked}, of true ones ${wronglyMarked}`);
      }
    } finally {
      await server.stop();
    }
  });
});
