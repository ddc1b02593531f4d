import * as v from 'valibot';
import { listOf, objectOf, STRING_SCHEMA } from '../compress/parse-summary.ts';
import { jsonObjects } from '../text/json-objects.ts';
import { tryParse } from '../text/json-value.ts';

/** Verdicts on a statement: the record supports it, contradicts it, or doesn't mention it. */
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
const verdictSchema = v.object({
  n: v.pipe(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]), v.integer()),
  verdict: v.picklist(VERDICTS),
  quote: shortText,
  instead: shortText,
});

/** The quote is unverified. */
export type ModelVerdict = Omit<v.InferOutput<typeof verdictSchema>, 'n'>;

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

/** The verdicts in a model's response, by 0-based statement; the first valid one of each counts. */
export function parseVerdicts(response: string): ReadonlyMap<number, ModelVerdict> {
  const verdicts = new Map<number, ModelVerdict>();
  for (const entry of entriesOf(response)) {
    const { success, output } = v.safeParse(verdictSchema, entry);
    if (!success || verdicts.has(output.n - 1)) continue;
    const { n, ...verdict } = output;
    verdicts.set(n - 1, verdict);
  }
  return verdicts;
}

function entriesOf(response: string): readonly unknown[] {
  for (const candidate of jsonObjects(response)) {
    const { success, output } = v.safeParse(v.object({ statements: v.array(v.unknown()) }), tryParse(candidate));
    if (success) return output.statements;
  }
  // In a truncated response, the outer object isn't closed, but all entries except the last are.
  return jsonObjects(response.slice(response.indexOf('[') + 1)).map(tryParse);
}
