import * as v from 'valibot';
import { jsonObjects } from '../text/json-objects.ts';

/** What a model says of a statement: the record tells it, tells it otherwise, or says nothing of it. */
export type Verdict = 'told' | 'otherwise' | 'untold';

/** A model's answer about one statement; what it quotes is a claim until it is found. */
export interface GivenVerdict {
  readonly verdict: Verdict;
  readonly quote: string;
  readonly instead: string;
}

/** Longer texts are cut. UTF-16 units. */
const LONGEST = 600;

const words = v.optional(
  v.pipe(
    v.nullable(v.string()),
    v.transform((text) => (text ?? '').trim().slice(0, LONGEST)),
  ),
  '',
);
const given = v.object({
  n: v.pipe(v.number(), v.integer()),
  verdict: v.picklist(['told', 'otherwise', 'untold']),
  quote: words,
  instead: words,
});

/** The same for models that can be held to a schema. */
export const VERDICTS_JSON_SCHEMA = {
  name: 'verdicts',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['statements'],
    properties: {
      statements: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['n', 'quote', 'verdict', 'instead'],
          properties: {
            n: { type: 'integer' },
            quote: { type: 'string' },
            verdict: { type: 'string', enum: ['told', 'otherwise', 'untold'] },
            instead: { type: 'string' },
          },
        },
      },
    },
  },
} as const;

/**
 * Reads the verdicts on `count` statements out of an answer; by the statement's place, from 0. Entries that are none are
 * passed over, as are those of statements that were not asked about; of two the first counts.
 */
export function readVerdicts(answer: string, count: number): ReadonlyMap<number, GivenVerdict> {
  const verdicts = new Map<number, GivenVerdict>();
  for (const candidate of jsonObjects(answer)) {
    for (const entry of entriesOf(candidate)) {
      const { success, output } = v.safeParse(given, entry);
      if (!success || output.n < 1 || output.n > count || verdicts.has(output.n - 1)) continue;
      const { verdict, quote, instead } = output;
      verdicts.set(output.n - 1, { verdict, quote, instead });
    }
    if (verdicts.size > 0) break;
  }
  return verdicts;
}

function entriesOf(json: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return []; // Braces in prose: what is no JSON is no answer, and the statements stay unanswered.
  }
  const { success, output } = v.safeParse(v.object({ statements: v.array(v.unknown()) }), value);
  return success ? output.statements : [];
}
