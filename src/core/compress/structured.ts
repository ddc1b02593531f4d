import * as v from 'valibot';
import type { ClaimedEvent } from '../events/model-events.ts';
import { KEY_EVENT_KINDS } from '../model/key-event.ts';
import type { StructuredSummary } from '../model/summary.ts';
import { jsonObjects } from '../text/json-objects.ts';

/** Longer entries are no entries: a model that pours text into a list is told so. UTF-16 units. */
const LONGEST_ENTRY = 1_500;
const LONGEST_NARRATIVE = 12_000;
const MOST_ENTRIES = 60;

const entry = v.pipe(v.string(), v.trim(), v.maxLength(LONGEST_ENTRY));
const list = v.optional(
  v.pipe(
    v.array(entry),
    v.maxLength(MOST_ENTRIES),
    v.transform((entries) => entries.filter((one) => one !== '')),
  ),
  [],
);
const note = v.optional(v.nullable(entry));

const decision = v.union([
  v.pipe(
    entry,
    v.transform((what) => ({ what })),
  ),
  v.pipe(
    v.object({ what: entry, why: note, when: note }),
    v.transform(({ what, why, when }) => ({ what, ...(why && { why }), ...(when && { when }) })),
  ),
]);
const problem = v.union([
  v.pipe(
    entry,
    v.transform((what) => ({ what })),
  ),
  v.pipe(
    v.object({ what: entry, solution: note }),
    v.transform(({ what, solution }) => ({ what, ...(solution && { solution }) })),
  ),
]);

/** A model's summary. Only the narrative is required; a list that has nothing may be left out. */
export const structuredSummarySchema = v.object({
  topics: list,
  decisions: v.optional(v.pipe(v.array(decision), v.maxLength(MOST_ENTRIES)), []),
  preferences: list,
  guidance: list,
  errors: v.optional(v.pipe(v.array(problem), v.maxLength(MOST_ENTRIES)), []),
  failedAttempts: list,
  files: list,
  openSteps: list,
  outcomes: list,
  narrative: v.pipe(v.string(), v.trim(), v.maxLength(LONGEST_NARRATIVE)),
});

const strings = { type: 'array', items: { type: 'string' } } as const;

/** The same as a JSON schema, for models that can be held to one. */
export const STRUCTURED_SUMMARY_JSON_SCHEMA = {
  name: 'summary',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: [
      'topics',
      'decisions',
      'preferences',
      'guidance',
      'errors',
      'failedAttempts',
      'files',
      'openSteps',
      'outcomes',
      'narrative',
      'events',
    ],
    properties: {
      topics: strings,
      decisions: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['what', 'why', 'when'],
          properties: {
            what: { type: 'string' },
            why: { type: ['string', 'null'] },
            when: { type: ['string', 'null'] },
          },
        },
      },
      preferences: strings,
      guidance: strings,
      errors: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['what', 'solution'],
          properties: { what: { type: 'string' }, solution: { type: ['string', 'null'] } },
        },
      },
      failedAttempts: strings,
      files: strings,
      openSteps: strings,
      outcomes: strings,
      narrative: { type: 'string' },
      events: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['kind', 'quote'],
          properties: { kind: { type: 'string', enum: KEY_EVENT_KINDS }, quote: { type: 'string' } },
        },
      },
    },
  },
} as const;

export type ParsedSummary =
  | { readonly ok: true; readonly summary: StructuredSummary; readonly events: readonly ClaimedEvent[] }
  | { readonly ok: false; readonly fault: 'empty' | 'not_json' | 'refused'; readonly detail: string };

/** How models say no, where an answer was asked for. */
const REFUSAL =
  /^\W*(?:i['’]?m sorry|i am sorry|sorry|i can(?:['’]|no)t|i am (?:unable|not able)|i['’]m (?:unable|not able)|i won['’]t|as an ai\b|desculpe|lo siento|je suis désolée?|es tut mir leid|申し訳|抱歉|很抱歉|죄송)/iu;

/**
 * Reads a model's answer: the JSON may stand in a fence or among prose, keys may be in snake case, lists may be left
 * out; what is read is then held to the schema.
 */
export function parseStructuredSummary(answer: string): ParsedSummary {
  const text = answer.trim();
  if (text === '') return { ok: false, fault: 'empty', detail: 'the answer was empty' };
  let detail = 'no JSON object was found';
  for (const candidate of jsonObjects(text)) {
    let value: unknown;
    try {
      value = JSON.parse(candidate);
    } catch (error) {
      detail = error instanceof Error ? error.message : String(error);
      continue;
    }
    const parsed = v.safeParse(structuredSummarySchema, withCamelKeys(value));
    if (parsed.success) return { ok: true, summary: parsed.output, events: claimsIn(value) };
    const issue = parsed.issues[0];
    detail = `${v.getDotPath(issue) ?? 'the answer'}: ${issue.message}`;
  }
  if (REFUSAL.test(text)) return { ok: false, fault: 'refused', detail: text.slice(0, 120) };
  return { ok: false, fault: 'not_json', detail };
}

/** The key events that an answer names. What is no event is none of the answer's faults: it is as a quote that is not found. */
function claimsIn(answer: unknown): ClaimedEvent[] {
  const { output } = v.safeParse(v.object({ events: v.array(v.unknown()) }), answer);
  const list = (output as { readonly events?: readonly unknown[] } | undefined)?.events ?? [];
  return list.slice(0, MOST_ENTRIES).map((one) => {
    const claim = v.safeParse(
      v.object({ kind: v.string(), quote: v.pipe(v.string(), v.maxLength(LONGEST_ENTRY)) }),
      one,
    );
    return claim.success ? claim.output : { kind: '', quote: '' };
  });
}

function withCamelKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      one,
    ]),
  );
}

/** A model's reply as providers give it, a string or content blocks, as text. */
export function replyText(reply: string | readonly { readonly type?: string; readonly text?: string }[]): string {
  if (typeof reply === 'string') return reply;
  return reply
    .map((block) => block.text ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** Sections that may not be empty. */
export function missingSections(summary: StructuredSummary): string[] {
  return summary.narrative === '' ? ['narrative'] : [];
}
