import * as v from 'valibot';
import { sessionEventSchema, type SessionEvent } from '../core/journal/schema.ts';
import { timestampSchema } from '../core/model/field-schemas.ts';
import { nativeChecksum } from './checksum.ts';

/**
 * The version of the line format. Journals of later versions are opened read-only. A new version needs a function that
 * converts bodies of the previous one, and a frozen file in `test/fixtures/formats`.
 */
export const JOURNAL_VERSION = 1;

/** More lines than any journal has, and small enough that the next number is still exact. */
const MAX_SEQ = 2 ** 52;

/** A line of a journal. `seq` counts from 1 without gaps; `at` is in milliseconds since the epoch. */
const envelopeSchema = v.object({
  v: v.pipe(v.number(), v.integer(), v.minValue(1)),
  seq: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SEQ)),
  at: timestampSchema,
  writer: v.string(),
  body: v.looseObject({ type: v.string() }),
});
type Envelope<Body> = Readonly<Omit<v.InferOutput<typeof envelopeSchema>, 'body'>> & { readonly body: Body };

type DecodedLine =
  | { readonly kind: 'event'; readonly envelope: Envelope<SessionEvent>; readonly sum: string }
  /** Valid, but of a type that this version doesn't know: kept, but not folded. */
  | { readonly kind: 'unknown'; readonly envelope: Envelope<{ readonly type: string }>; readonly sum: string }
  /** Written by a later version of the format. */
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'bad'; readonly reason: string };

/**
 * The line for an event, without the newline. The checksum comes last and covers everything before it. Throws
 * `TypeError` for an event that a reader would reject, so that such a line is never written.
 */
export function encodeLine({ v: version, seq, at, writer, body }: Envelope<SessionEvent>): string {
  const checked = v.safeParse(sessionEventSchema, body);
  if (!checked.success) {
    const [issue] = checked.issues;
    throw new TypeError(
      `An event of type ${body.type} cannot be written: ${v.getDotPath(issue) ?? ''}: ${issue.message}`,
    );
  }
  const start = JSON.stringify({ v: version, seq, at, writer, body: checked.output }).slice(0, -1);
  return `${start},"sum":"${nativeChecksum(start)}"}`;
}

/** The end of a line. Some tools insert a carriage return, which is accepted. */
const SUM = /,"sum":"([0-9a-f]{8})"\}\r?$/;
const MAX_END_LENGTH = 20;

/** Decodes a line. Never throws; invalid lines are returned as `bad` with the reason. */
export function decodeLine(line: string): DecodedLine {
  // Some tools insert a byte order mark at the beginning of a file.
  if (line.startsWith('\uFEFF')) line = line.slice(1);
  const sum = SUM.exec(line.slice(-MAX_END_LENGTH));
  if (!sum) return { kind: 'bad', reason: 'no checksum at the end of the line' };
  if (nativeChecksum(line.slice(0, line.length - sum[0].length)) !== sum[1])
    return { kind: 'bad', reason: 'the checksum does not match' };
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { kind: 'bad', reason: 'not JSON' };
  }
  const parsed = v.safeParse(envelopeSchema, json);
  if (!parsed.success) return { kind: 'bad', reason: 'not a journal line' };
  const envelope = parsed.output;
  if (envelope.v > JOURNAL_VERSION) return { kind: 'newer', version: envelope.v };
  const schema = SCHEMAS.get(envelope.body.type);
  if (!schema) return { kind: 'unknown', envelope, sum: sum[1] };
  const body = v.safeParse(schema, envelope.body);
  if (!body.success) return { kind: 'bad', reason: `invalid event of type ${envelope.body.type}` };
  return { kind: 'event', envelope: { ...envelope, body: body.output }, sum: sum[1] };
}

const SCHEMAS: ReadonlyMap<string, (typeof sessionEventSchema.options)[number]> = new Map(
  sessionEventSchema.options.map((option) => [option.entries.type.literal, option]),
);

export const isKnownType = (type: string): boolean => SCHEMAS.has(type);
