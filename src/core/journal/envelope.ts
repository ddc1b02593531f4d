import * as v from 'valibot';
import { atOnce, type Steps } from '../pace/steps.ts';
import { crc32Hex } from './crc32.ts';
import type { SessionEvent } from './event.ts';
import { JOURNAL_MIGRATIONS, migrate, versionAfter, type Migration } from './migrations.ts';
import { sessionEventSchema } from './schema.ts';

/** The version of the line format that this code writes. A higher one is opened read-only. */
export const JOURNAL_VERSION = versionAfter(JOURNAL_MIGRATIONS);

/** One line of a journal. `seq` counts from 1 without gaps; `at` is milliseconds since the epoch. */
export interface Envelope<Body = SessionEvent> {
  readonly v: number;
  readonly seq: number;
  readonly at: number;
  readonly writer: string;
  readonly body: Body;
}

export type DecodedLine =
  | { readonly kind: 'event'; readonly envelope: Envelope }
  /** Well-formed, but of a type that this version does not know: kept, not folded. */
  | { readonly kind: 'unknown'; readonly envelope: Envelope<{ readonly type: string }> }
  /** Written by a later version of the format. */
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'bad'; readonly reason: string };

/** CRC-32 of a text's UTF-8 bytes as eight hex digits. Where there is a native one, it is passed in: it is 10 × faster. */
export type Checksum = (text: string) => string;

/**
 * The line for one event, without the newline: the checksum stands last and covers all that precedes it.
 * Throws `TypeError` for an event that could not be read back, so that such a line is never written.
 */
export function encodeLine(envelope: Envelope, checksum: Checksum = crc32Hex): string {
  return atOnce(encodeSteps(envelope, checksum));
}

/** As `encodeLine`, in steps: the first compression of a long session holds thousands of key events. */
export function* encodeSteps(envelope: Envelope, checksum: Checksum): Steps<string> {
  const { v: version, seq, at, writer, body } = envelope;
  const checked = v.safeParse(sessionEventSchema, body);
  if (!checked.success) {
    const [issue] = checked.issues;
    throw new TypeError(
      `An event of type ${body.type} cannot be written: ${v.getDotPath(issue) ?? ''}: ${issue.message}`,
    );
  }
  yield;
  const open = JSON.stringify({ v: version, seq, at, writer, body }).slice(0, -1);
  yield;
  return `${open},"sum":"${checksum(open)}"}`;
}

const SUM = /,"sum":"([0-9a-f]{8})"\}$/;
const bodySchema = v.looseObject({ type: v.string() });
const envelopeSchema = v.object({
  v: v.pipe(v.number(), v.integer(), v.minValue(1)),
  seq: v.pipe(v.number(), v.integer(), v.minValue(1)),
  at: v.number(),
  writer: v.string(),
  body: bodySchema,
});

/**
 * Reads one line of this or an earlier version, as this version would have written it. Never throws: what cannot be
 * trusted comes back as `bad`, with the reason.
 */
export function decodeLine(
  line: string,
  checksum: Checksum = crc32Hex,
  migrations: readonly Migration[] = JOURNAL_MIGRATIONS,
): DecodedLine {
  return atOnce(decodeSteps(line, checksum, migrations));
}

/** As `decodeLine`, in steps. */
export function* decodeSteps(
  line: string,
  checksum: Checksum,
  migrations: readonly Migration[] = JOURNAL_MIGRATIONS,
): Steps<DecodedLine> {
  const sum = SUM.exec(line);
  if (!sum) return { kind: 'bad', reason: 'no checksum at the end of the line' };
  if (checksum(line.slice(0, sum.index)) !== sum[1]) return { kind: 'bad', reason: 'the checksum does not match' };
  yield;
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { kind: 'bad', reason: 'not JSON' };
  }
  yield;
  const parsed = v.safeParse(envelopeSchema, json);
  if (!parsed.success) return { kind: 'bad', reason: 'not a journal line' };
  const version = versionAfter(migrations);
  if (parsed.output.v > version) return { kind: 'newer', version: parsed.output.v };
  const migrated = v.safeParse(bodySchema, migrate(parsed.output.body, parsed.output.v, migrations));
  if (!migrated.success)
    return { kind: 'bad', reason: `a line of version ${parsed.output.v} that cannot be taken over` };
  const envelope = { ...parsed.output, v: version, body: migrated.output };
  const schema = SCHEMAS.get(envelope.body.type);
  if (!schema) return { kind: 'unknown', envelope };
  const body = v.safeParse(schema, envelope.body);
  if (!body.success) return { kind: 'bad', reason: `an event of type ${envelope.body.type} with a wrong shape` };
  return { kind: 'event', envelope: { ...envelope, body: body.output } };
}

const SCHEMAS: ReadonlyMap<string, (typeof sessionEventSchema.options)[number]> = new Map(
  sessionEventSchema.options.map((option) => [option.entries.type.literal, option]),
);

/** Whether this version folds events of a type. */
export function isKnownType(type: string): boolean {
  return SCHEMAS.has(type);
}
