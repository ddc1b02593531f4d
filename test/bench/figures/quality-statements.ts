import { scorePlanted, type PlantedFigures, type StatementSet } from '../../support/planted.ts';
import type { BenchContext } from '../context.ts';
import type { Figure, Measured } from '../report/figure.ts';

/** Sets beside the one that is worded close to its sources. */
const FREELY: readonly (readonly [StatementSet, string])[] = [
  ['free', 'worded freely'],
  ['freeHeld', 'worded freely, held back'],
  ['real', 'of real transcripts'],
  ['realHeld', 'of real transcripts, held back'],
  ['made', 'by the product’s prompt'],
  ['madeHeld', 'by the product’s prompt, held back'],
];

/** How many falsehoods planted in correct summaries the checker of statements marks, and how many true statements. */
export function measureStatements({ say }: BenchContext): Measured {
  say('support of statements');
  const close = scorePlanted('close');
  if (!close) throw new Error('there are no statements close to their sources');
  const freely = FREELY.flatMap(([set, label]) => {
    const score = scorePlanted(set);
    return score ? [{ set, label, score }] : [];
  });
  const counts = freely.map(({ label, score }) => `${label} ${score.falsehoods} and ${score.truths}`).join(', ');
  return {
    figures: [
      {
        id: 'quality.statements.falsehoods',
        label: 'planted falsehoods: marked',
        value: close.marked,
        unit: 'share',
        target: { atLeast: 0.9 },
        guard: { worse: 'lower', margin: 0.03 },
      },
      {
        id: 'quality.statements.truths',
        label: 'true statements: marked',
        value: close.wronglyMarked,
        unit: 'share',
        target: { atMost: 0.1 },
        guard: { worse: 'higher', margin: 0.03 },
      },
      ...freely.flatMap(({ set, label, score }) => figuresOf(set, label, score)),
    ],
    notes: [
      `Statements: ${close.falsehoods} planted falsehoods and ${close.truths} true statements close to their sources, ` +
        `in eight languages; ${counts}.`,
    ],
  };
}

function figuresOf(set: StatementSet, label: string, { marked, wronglyMarked }: PlantedFigures): Figure[] {
  return [
    {
      id: `quality.statements.${set}.falsehoods`,
      label: `${label}: falsehoods marked`,
      value: marked,
      unit: 'share',
      guard: { worse: 'lower', margin: 0.03 },
    },
    {
      id: `quality.statements.${set}.truths`,
      label: `${label}: true statements marked`,
      value: wronglyMarked,
      unit: 'share',
      guard: { worse: 'higher', margin: 0.03 },
    },
  ];
}
