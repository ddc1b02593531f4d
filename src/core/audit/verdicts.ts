import * as v from 'valibot';
import { listOf, objectOf, string } from '../compress/structured.ts';
import { jsonObjects } from '../text/json-objects.ts';

/** What a model may say of a statement: the record tells it, tells it otherwise, or says nothing of it. */
const VERDICTS = ['told', 'otherwise', 'untold'] as const;

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
  verdict: v.picklist(VERDICTS),
  quote: words,
  instead: words,
});

/** A model's answer about one statement; what it quotes is a claim until it is found. */
export type GivenVerdict = Omit<v.InferOutput<typeof given>, 'n'>;

/** The same for models that can be held to a schema. */
export const VERDICTS_JSON_SCHEMA = {
  name: 'verdicts',
  schema: objectOf({
    statements: listOf(
      objectOf({ n: { type: 'integer' }, quote: string, verdict: { ...string, enum: VERDICTS }, instead: string }),
    ),
  }),
};

/**
 * Reads the verdicts out of an answer; by the statement's place, from 0. Entries that are none are passed over; of two on
 * the same statement the first counts.
 */
export function readVerdicts(answer: string): ReadonlyMap<number, GivenVerdict> {
  const verdicts = new Map<number, GivenVerdict>();
  for (const entry of entriesOf(answer)) {
    const { success, output } = v.safeParse(given, entry);
    if (!success || verdicts.has(output.n - 1)) continue;
    const { n, ...verdict } = output;
    verdicts.set(n - 1, verdict);
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
