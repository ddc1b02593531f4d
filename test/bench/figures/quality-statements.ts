import { recordedModel, scoreAsked } from '../../support/asked-statements.ts';
import { scorePlanted, type PlantedFigures, type StatementSet } from '../../support/planted.ts';
import { WireServer } from '../../support/wire-server.ts';
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
export async function measureStatements({ say }: BenchContext): Promise<Measured> {
  say('support of statements');
  const close = scorePlanted('close');
  if (!close) throw new Error('there are no statements close to their sources');
  const freely = FREELY.flatMap(([set, label]) => {
    const score = scorePlanted(set);
    return score ? [{ set, label, score }] : [];
  });
  const asked = await scoreRecorded();
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
      ...asked.flatMap(({ set, label, score }) => figuresOf(set, label, score, { marked: 0.9, wronglyMarked: 0.1 })),
    ],
    notes: [
      `Statements: ${close.falsehoods} planted falsehoods and ${close.truths} true statements close to their sources, ` +
        `in eight languages; ${counts}.`,
      ...(asked.length > 0
        ? [
            'Read by a model: summaries of real transcripts by the product’s own prompt and as a model sums up whole ones, ' +
              'about every third line of which tells something false; ' +
              asked.map(({ label, score }) => `${label} ${score.falsehoods} and ${score.truths}`).join(', ') +
              '. The verdicts are recorded answers of a large model to the prompts as they stand, given over HTTP; ' +
              '`npm run bench:record` asks another.',
          ]
        : []),
    ],
  };
}

/** What a model marked, by its recorded answers; nothing where the transcripts are absent. */
async function scoreRecorded(): Promise<
  { readonly set: string; readonly label: string; readonly score: PlantedFigures }[]
> {
  const server = await WireServer.start();
  try {
    const model = await recordedModel(server);
    const known = await scoreAsked('known', model);
    const held = await scoreAsked('held', model);
    return [
      ...(known ? [{ set: 'asked', label: 'read by a model', score: known }] : []),
      ...(held ? [{ set: 'askedHeld', label: 'read by a model, held back', score: held }] : []),
    ];
  } finally {
    await server.stop();
  }
}

function figuresOf(
  set: string,
  label: string,
  { marked, wronglyMarked }: PlantedFigures,
  target?: { readonly marked: number; readonly wronglyMarked: number },
): Figure[] {
  return [
    {
      id: `quality.statements.${set}.falsehoods`,
      label: `${label}: falsehoods marked`,
      value: marked,
      unit: 'share',
      ...(target && { target: { atLeast: target.marked } }),
      guard: { worse: 'lower', margin: 0.03 },
    },
    {
      id: `quality.statements.${set}.truths`,
      label: `${label}: true statements marked`,
      value: wronglyMarked,
      unit: 'share',
      ...(target && { target: { atMost: target.wronglyMarked } }),
      guard: { worse: 'higher', margin: 0.03 },
    },
  ];
}
