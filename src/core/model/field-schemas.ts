import * as v from 'valibot';
import { compressionId, keyEventId, messageId, nodeId, sessionId } from './ids.ts';

/** The read-only output type of a schema. */
export type ReadonlyOutput<Schema extends v.GenericSchema> = DeepReadonly<v.InferOutput<Schema>>;
type DeepReadonly<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** JSON can't represent numbers that aren't finite. */
export const finiteSchema = v.pipe(v.number(), v.finite());
export const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const amountSchema = v.pipe(finiteSchema, v.minValue(0));

/** The latest time that `Date` can represent. */
const MAX_TIMESTAMP_MS = 8.64e15;
/** Milliseconds since the epoch. Anything that isn't a number becomes 0, so that the record can still be read. */
export const timestampSchema = v.fallback(
  v.pipe(
    v.number(),
    v.transform((at) => Math.max(-MAX_TIMESTAMP_MS, Math.min(at, MAX_TIMESTAMP_MS))),
  ),
  0,
);

export const readonlyList = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.readonly());

export const idSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const sessionIdSchema = v.pipe(idSchema, v.transform(sessionId));
export const messageIdSchema = v.pipe(idSchema, v.transform(messageId));
export const nodeIdSchema = v.pipe(idSchema, v.transform(nodeId));
export const keyEventIdSchema = v.pipe(idSchema, v.transform(keyEventId));
export const compressionIdSchema = v.pipe(idSchema, v.transform(compressionId));
