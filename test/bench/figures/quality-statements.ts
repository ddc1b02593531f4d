import { checkStatements } from '../../../src/core/audit/statements.ts';
import { scorePlanted } from '../../support/planted.ts';
import type { BenchContext } from '../context.ts';
import type { Measured } from '../report/figure.ts';

/** How many falsehoods planted in correct summaries the checker of statements marks, and how many true statements. */
export function measureStatements({ say }: BenchContext): Measured {
  say('support of statements');
  const { falsehoods, truths, marked, wronglyMarked } = scorePlanted('close', (statement, messages) =>
    checkStatements(statement, messages).statements.every(({ supported }) => supported),
  );
  return {
    figures: [
      {
        id: 'quality.statements.falsehoods',
        label: 'planted falsehoods: marked',
        value: marked,
        unit: 'share',
        target: { atLeast: 0.9 },
        guard: { worse: 'lower', margin: 0.03 },
      },
      {
        id: 'quality.statements.truths',
        label: 'true statements: marked',
        value: wronglyMarked,
        unit: 'share',
        target: { atMost: 0.1 },
        guard: { worse: 'higher', margin: 0.03 },
      },
    ],
    notes: [`Statements: ${falsehoods} planted falsehoods and ${truths} true statements, in eight languages.`],
  };
}
