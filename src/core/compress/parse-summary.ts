import * as v from 'valibot';
import { proseSummary, SUMMARY_LISTS, type AuditFault, type StructuredSummary } from '../model/summary.ts';
import type { SummaryFields } from '../prompts/render-prompts.ts';
import { errorMessage } from '../text/error-details.ts';
import { jsonObjects } from '../text/json-objects.ts';
import { isObject } from '../text/json-value.ts';

/** In UTF-16 units. An answer with a longer entry is rejected: the model has put running text into a list. */
const MAX_ENTRY_LENGTH = 4_000;
const MAX_NARRATIVE_LENGTH = 60_000;
const MAX_ENTRIES = 200;

const text = v.pipe(v.string(), v.trim(), v.maxLength(MAX_ENTRY_LENGTH));
const note = v.optional(v.nullable(text));

const noted = v.object({ what: text, why: note, when: note, solution: note });
type Entry = v.InferOutput<typeof noted>;
/** A list entry as a model writes it: a string, or an object with `what` and notes. */
const entry = v.pipe(
  v.union([text, noted]),
  v.transform((one): Entry => (typeof one === 'string' ? { what: one } : one)),
);
const asText = ({ what, why, when, solution }: Entry): string =>
  [what, why, when, solution].filter((part) => part).join('; ');
const entries = v.nullish(
  v.pipe(
    v.array(entry),
    v.maxLength(MAX_ENTRIES),
    v.filterItems((one) => asText(one) !== ''),
  ),
  [],
);

/** A model's summary. Only the narrative is required; empty lists may be missing. */
const answerSchema = v.object({
  ...v.entriesFromList(SUMMARY_LISTS, entries),
  decisions: entries,
  errors: entries,
  narrative: v.pipe(v.string(), v.trim(), v.maxLength(MAX_NARRATIVE_LENGTH)),
});

function asSummary({ narrative, decisions, errors, ...lists }: v.InferOutput<typeof answerSchema>): StructuredSummary {
  const filled = SUMMARY_LISTS.filter((name) => lists[name].length > 0);
  return {
    ...Object.fromEntries(filled.map((name) => [name, lists[name].map(asText)])),
    decisions: decisions.map(({ what, why, when }) => ({ what, ...(why && { why }), ...(when && { when }) })),
    errors: errors.map(({ what, solution }) => ({ what, ...(solution && { solution }) })),
    narrative,
  };
}

export const STRING_SCHEMA = { type: 'string' } as const;
const NULLABLE_STRING_SCHEMA = { type: ['string', 'null'] } as const;
export const listOf = (items: object): object => ({ type: 'array', items });
export const objectOf = (properties: Readonly<Record<string, object>>): Readonly<Record<string, unknown>> => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

/** Entries of lists that don't consist of strings. */
const ENTRY_SCHEMAS: Readonly<Partial<Record<string, object>>> = {
  decisions: objectOf({ what: STRING_SCHEMA, why: NULLABLE_STRING_SCHEMA, when: NULLABLE_STRING_SCHEMA }),
  errors: objectOf({ what: STRING_SCHEMA, solution: NULLABLE_STRING_SCHEMA }),
};

export function summaryJsonSchema(fields: SummaryFields): { name: string; schema: Readonly<Record<string, unknown>> } {
  const lists = Object.keys(fields).map((name) => [name, listOf(ENTRY_SCHEMAS[name] ?? STRING_SCHEMA)] as const);
  return { name: 'summary', schema: objectOf({ narrative: STRING_SCHEMA, ...Object.fromEntries(lists) }) };
}

const REFUSAL =
  /^[^\p{L}\p{N}]*(?:i['’]?m sorry|i am sorry|sorry|i can(?:['’]|no)t|i am (?:unable|not able)|i['’]m (?:unable|not able)|i won['’]t|as an ai\b|desculpe|lo siento|je suis désolée?|es tut mir leid|(?:大変|誠に)?申し訳|(?:很|非常|十分)?抱歉|(?:정말 )?죄송)/iu;

/**
 * Parses a model's answer: JSON, optionally in a code fence or surrounded by prose, with snake-case keys and missing
 * lists allowed; JSON alone with the narrative under another name; or plain prose, which becomes the narrative. Returns
 * a fault for damaged JSON and prose that was cut off.
 */
export function parseStructuredSummary(answer: string, isCutOff = false): StructuredSummary | AuditFault {
  const said = answer.trim();
  const empty: AuditFault = { kind: 'empty', text: '' };
  if (said === '') return empty;
  let detail = 'the JSON is damaged or cut off';
  const candidates = jsonObjects(said);
  // Within prose, an object is rather something that the prose quotes.
  const isAlone = candidates.length === 1 && /^(?:```\w*\s*```)?$/.test(said.replace(candidates[0]!, ''));
  for (const candidate of candidates) {
    let value: unknown;
    try {
      value = JSON.parse(candidate);
    } catch (error) {
      detail = errorMessage(error);
      continue;
    }
    const answered = withCamelKeys(value);
    const parsed = v.safeParse(answerSchema, isAlone ? withNarrative(answered) : answered);
    if (parsed.success)
      return parsed.output.narrative === '' && isEmpty(parsed.output) ? empty : asSummary(parsed.output);
    const issue = parsed.issues[0];
    detail = `${v.getDotPath(issue) ?? 'the answer'}: ${issue.message}`;
  }
  if (REFUSAL.test(said)) return { kind: 'refused', text: said.slice(0, 120) };
  if (LOOKS_LIKE_DATA.test(said)) return { kind: 'not_json', text: detail };
  if (isCutOff) return { kind: 'grew', text: 'cut off at the limit' };
  return proseSummary(said.slice(0, MAX_NARRATIVE_LENGTH));
}

const isEmpty = ({ narrative: _, ...lists }: v.InferOutput<typeof answerSchema>): boolean =>
  Object.values(lists).every((list) => list.length === 0);

/** Damaged JSON must not be taken for prose. */
const LOOKS_LIKE_DATA = /^\s*(?:```\w*\s*)?[{[]|\{\s*"/;

function withCamelKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  const camelKey = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [camelKey(key), one]));
}

/** Names that models give to a narrative. */
const NARRATIVE_NAMES = /summar|overview|recap|resum|résum|riassunt|zusammenfass|^(?:text|content|notes)$/i;

/** Renames the only unknown field of an object without a narrative to `narrative` if it's a text. */
function withNarrative(value: unknown): unknown {
  if (!isObject(value) || 'narrative' in value) return value;
  const [first, ...others] = Object.entries(value).filter(([key]) => !Object.hasOwn(answerSchema.entries, key));
  if (!first || others.length > 0) return value;
  const [key, said] = first;
  if (typeof said !== 'string' || !NARRATIVE_NAMES.test(key) || REFUSAL.test(said)) return value;
  return { ...value, narrative: said };
}
