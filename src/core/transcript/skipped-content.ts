import * as v from 'valibot';
import { countSchema } from '../model/field-schemas.ts';
import { inEnglish, phrase, type Phrase } from '../text/phrase.ts';

/** A kind of content that an import skipped, described for the user, and how often. */
export interface Skipped {
  readonly reason: Phrase;
  readonly count: number;
}

const phraseSchema: v.GenericSchema<Phrase> = v.object({
  english: v.string(),
  values: v.array(v.union([v.string(), v.number(), v.lazy(() => phraseSchema)])),
});
export const skippedSchema = v.array(v.object({ reason: phraseSchema, count: countSchema }));

/** Adds up the counts of each reason. */
export function addSkipped(skipped: readonly Skipped[]): readonly Skipped[] {
  const byReason = new Map<string, Skipped>();
  for (const { reason, count } of skipped) {
    const name = inEnglish(reason);
    byReason.set(name, { reason, count: (byReason.get(name)?.count ?? 0) + count });
  }
  return [...byReason.values()];
}

/** Reasons for skipping parts of the conversation, as opposed to reasoning or a tool's own records. */
const LOST_REASONS: readonly string[] = [
  'invalid JSON line',
  'invalid record',
  'invalid request',
  'invalid content part',
  'invalid line in an exported session',
  'message with role “{0}”',
  'message without readable content',
  'message without author or content',
  'record without a role or content',
  'request without a message',
  'line longer than {0} MB',
  'end and images of a message larger than {0} million characters',
];

/** The skipped parts of the conversation that couldn't be read. */
export const lostContent = (skipped: readonly Skipped[]): readonly Skipped[] =>
  skipped.filter(({ reason }) => LOST_REASONS.includes(reason.english));

/** Lists reasons with their counts, such as “3 × invalid JSON line”; undefined if there are none. */
export function skippedPhrase(skipped: readonly Skipped[]): Phrase | undefined {
  const [first, ...rest] = skipped.map(({ reason, count }) => phrase('{0} × {1}', count, reason));
  return first && rest.reduce((before, reason) => phrase('{0}, {1}', before, reason), first);
}
