import * as v from 'valibot';
import { atOnce, type Steps } from '../pace/steps.ts';
import { time } from '../model/fields.ts';
import { sessionEventSchema, type SessionEvent } from './schema.ts';

/** A JSON object as it was read, whose shape only the version that wrote it knows. */
type Stored = Readonly<Record<string, unknown>>;

/** Makes of what version n has written what version n + 1 would have: pure, and total for all that n could write. */
export type Migration = (stored: Stored) => Stored;

/**
 * From each version of an event's body to the next, version 1 first. A new version of the format is one function at the
 * end and one frozen file in `test/fixtures/formats`; its number follows from the length of this list.
 */
const JOURNAL_MIGRATIONS: readonly Migration[] = [];

/** The same for the snapshots in the editor's state. */
export const SNAPSHOT_MIGRATIONS: readonly Migration[] = [];

/** The version that stands at the end of a chain of migrations. */
export function versionAfter(migrations: readonly Migration[]): number {
  return migrations.length + 1;
}

/** Takes what was stored in version `from` (1 at least) through all that came later. */
export function migrate(stored: Stored, from: number, migrations: readonly Migration[]): Stored {
  return migrations.slice(from - 1).reduce((one, step) => step(one), stored);
}

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
  | { readonly kind: 'event'; readonly envelope: Envelope; readonly sum: string }
  /** Well-formed, but of a type that this version does not know: kept, not folded. */
  | { readonly kind: 'unknown'; readonly envelope: Envelope<{ readonly type: string }>; readonly sum: string }
  /** Written by a later version of the format. */
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'bad'; readonly reason: string };

/** CRC-32 of a text's UTF-8 bytes as eight hex digits. */
export type Checksum = (text: string) => string;

/** A line, and the event as every reader will have it. */
export interface EncodedLine {
  readonly line: string;
  readonly sum: string;
  readonly envelope: Envelope;
}

/** The line for one event; see `encodeSteps`. */
export const encodeLine = (envelope: Envelope, checksum: Checksum): string =>
  atOnce(encodeSteps(envelope, checksum)).line;

/**
 * The line for one event, without the newline: the checksum stands last and covers all that precedes it. The line is
 * read back before it is given away: throws `TypeError` for an event that a reader would not have in the same words, so
 * that such a line is never written. In steps: the first compression of a long session holds thousands of key events.
 */
export function* encodeSteps(envelope: Envelope, checksum: Checksum): Steps<EncodedLine> {
  const { v: version, seq, at, writer, body } = envelope;
  const checked = v.safeParse(sessionEventSchema, body);
  if (!checked.success) {
    const [issue] = checked.issues;
    throw new TypeError(
      `An event of type ${body.type} cannot be written: ${v.getDotPath(issue) ?? ''}: ${issue.message}`,
    );
  }
  yield;
  const open = JSON.stringify({ v: version, seq, at, writer, body: checked.output }).slice(0, -1);
  yield;
  const sum = checksum(open);
  const line = `${open},"sum":"${sum}"}`;
  const read = yield* decodeSteps(line, checksum);
  if (read.kind !== 'event' || !isSame(read.envelope.body, checked.output))
    throw new TypeError(`An event of type ${body.type} cannot be written: it would not be read back.`);
  return { line, sum, envelope: read.envelope };
}

/** Whether two values are the same as JSON; what is undefined is not there. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const before = Object.entries(a).filter(([, value]) => value !== undefined);
  const after = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  return (
    before.length === after.size && before.every(([key, value]) => after.has(key) && isSame(value, after.get(key)))
  );
}

/** Some tools write a carriage return before each newline; the line is the same without it. */
const SUM = /,"sum":"([0-9a-f]{8})"\}(\r?)$/;
/** No journal has so many lines, and one more is still counted exactly. */
const MAX_SEQ = 2 ** 52;
const MAX_END_LENGTH = 20;
const bodySchema = v.looseObject({ type: v.string() });
const envelopeSchema = v.object({
  v: v.pipe(v.number(), v.integer(), v.minValue(1)),
  seq: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SEQ)),
  at: time,
  writer: v.string(),
  body: bodySchema,
});

/**
 * Reads one line of this or an earlier version, as this version would have written it. Never throws: what cannot be
 * trusted comes back as `bad`, with the reason.
 */
export function decodeLine(
  line: string,
  checksum: Checksum,
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
  // Some tools mark a file's first line as UTF-8.
  if (line.startsWith('\uFEFF')) line = line.slice(1);
  const sum = SUM.exec(line.slice(-MAX_END_LENGTH));
  if (!sum) return { kind: 'bad', reason: 'no checksum at the end of the line' };
  const end = line.length - sum[0].length;
  if (checksum(line.slice(0, end)) !== sum[1]) return { kind: 'bad', reason: 'the checksum does not match' };
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
  if (!migrated.success) return { kind: 'bad', reason: `a line of version ${parsed.output.v} that can’t be migrated` };
  const envelope = { ...parsed.output, v: version, body: migrated.output };
  const schema = SCHEMAS.get(envelope.body.type);
  if (!schema) return { kind: 'unknown', envelope, sum: sum[1] };
  const body = v.safeParse(schema, envelope.body);
  if (!body.success) return { kind: 'bad', reason: `invalid event of type ${envelope.body.type}` };
  return { kind: 'event', envelope: { ...envelope, body: body.output }, sum: sum[1] };
}

const SCHEMAS: ReadonlyMap<string, (typeof sessionEventSchema.options)[number]> = new Map(
  sessionEventSchema.options.map((option) => [option.entries.type.literal, option]),
);

/** Whether this version folds events of a type. */
export function isKnownType(type: string): boolean {
  return SCHEMAS.has(type);
}
