import { checkStatements } from '../../../src/core/audit/statements.ts';
import { scorePlanted, type PlantedFigures, type StatementSet } from '../../support/planted.ts';
import type { BenchContext } from '../context.ts';
import type { Figure, Measured } from '../report/figure.ts';

/** How many falsehoods planted in correct summaries the checker of statements marks, and how many true statements. */
export function measureStatements({ say }: BenchContext): Measured {
  say('support of statements');
  const score = (set: StatementSet): PlantedFigures =>
    scorePlanted(set, (statement, messages) =>
      checkStatements(statement, messages).statements.every(({ supported }) => supported),
    );
  const { falsehoods, truths, marked, wronglyMarked } = score('close');
  const [free, held] = [score('free'), score('freeHeld')];
  const freely = (id: string, label: string, one: PlantedFigures): Figure[] => [
    {
      id: `quality.statements.${id}.falsehoods`,
      label: `${label}: falsehoods marked`,
      value: one.marked,
      unit: 'share',
      guard: { worse: 'lower', margin: 0.03 },
    },
    {
      id: `quality.statements.${id}.truths`,
      label: `${label}: true statements marked`,
      value: one.wronglyMarked,
      unit: 'share',
      guard: { worse: 'higher', margin: 0.03 },
    },
  ];
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
      ...freely('free', 'worded freely', free),
      ...freely('freeHeld', 'worded freely, held back', held),
    ],
    notes: [
      `Statements: ${falsehoods} planted falsehoods and ${truths} true statements, in eight languages; worded freely ` +
        `${free.falsehoods} and ${free.truths}, held back ${held.falsehoods} and ${held.truths}.`,
    ],
  };
}
