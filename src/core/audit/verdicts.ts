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
    v.transform((text) => (text ?? '').trim().slice(0, LONGEST).toWellFormed()),
  ),
  '',
);
const given = v.object({
  n: v.pipe(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]), v.integer()),
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
 * Reads the verdicts out of an answer; by the statement's place, from 0. Entries that are none are passed over; of two on
 * the same statement the first counts.
 */
export function readVerdicts(answer: string): ReadonlyMap<number, GivenVerdict> {
  const verdicts = new Map<number, GivenVerdict>();
  for (const entry of entriesOf(answer)) {
    const { success, output } = v.safeParse(given, entry);
    if (!success || verdicts.has(output.n - 1)) continue;
    const { verdict, quote, instead } = output;
    verdicts.set(output.n - 1, { verdict, quote, instead });
  }
  return verdicts;
}

function entriesOf(answer: string): readonly unknown[] {
  for (const candidate of jsonObjects(answer)) {
    const { success, output } = v.safeParse(v.object({ statements: v.array(v.unknown()) }), parsed(candidate));
    if (success) return output.statements;
  }
  // An answer that was cut short: its frame is not closed, but its entries are, all but the last.
  return jsonObjects(answer.slice(answer.indexOf('[') + 1)).map(parsed);
}

/** Undefined of braces in prose: they are no answer. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
