import * as v from 'valibot';
import { compressionId, keyEventId, messageId, nodeId } from './ids.ts';

/** The read-only output type of a schema. */
export type Read<Schema extends v.GenericSchema> = Frozen<v.InferOutput<Schema>>;
type Frozen<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [Key in keyof T]: Frozen<T[Key]> };

/** JSON can't represent numbers that aren't finite. */
export const finite = v.pipe(v.number(), v.finite());
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const amount = v.pipe(finite, v.minValue(0));

/** The last date that `Date` can represent, in ms. */
const LAST_MOMENT = 8.64e15;
/** Milliseconds since the epoch. Anything that isn't a number becomes 0, so that the record can still be read. */
export const time = v.fallback(
  v.pipe(
    v.number(),
    v.transform((at) => Math.max(-LAST_MOMENT, Math.min(at, LAST_MOMENT))),
  ),
  0,
);

/** A read-only list. */
export const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.readonly());

export const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const aMessageId = v.pipe(id, v.transform(messageId));
export const aNodeId = v.pipe(id, v.transform(nodeId));
export const aKeyEventId = v.pipe(id, v.transform(keyEventId));
export const aCompressionId = v.pipe(id, v.transform(compressionId));
