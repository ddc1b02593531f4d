import * as v from 'valibot';
import { listOf, objectOf, STRING_SCHEMA } from '../compress/parse-summary.ts';
import { jsonObjects } from '../text/json-objects.ts';

/** A model's verdict on a statement: the record says so, says otherwise, or doesn't say. */
const VERDICTS = ['told', 'otherwise', 'untold'] as const;

/** In UTF-16 units. Longer texts are truncated. */
const MAX_TEXT = 600;

const shortText = v.optional(
  v.pipe(
    v.nullable(v.string()),
    v.transform((text) => (text ?? '').trim().slice(0, MAX_TEXT).toWellFormed()),
  ),
  '',
);
const given = v.object({
  n: v.pipe(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]), v.integer()),
  verdict: v.picklist(VERDICTS),
  quote: shortText,
  instead: shortText,
});

/** A model's answer about a statement. Its quote is unverified. */
export type GivenVerdict = Omit<v.InferOutput<typeof given>, 'n'>;

/** The JSON schema for models with structured output. */
export const VERDICTS_JSON_SCHEMA = {
  name: 'verdicts',
  schema: objectOf({
    statements: listOf(
      objectOf({
        n: { type: 'integer' },
        quote: STRING_SCHEMA,
        verdict: { ...STRING_SCHEMA, enum: VERDICTS },
        instead: STRING_SCHEMA,
      }),
    ),
  }),
};

/**
 * Parses the verdicts of an answer by the statement's index, from 0. Invalid entries are skipped; of several for one
 * statement, the first counts.
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
  // A truncated answer: its outer object isn't closed, but all entries except the last are.
  return jsonObjects(answer.slice(answer.indexOf('[') + 1)).map(parsed);
}

/** Returns undefined for braces in prose. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
