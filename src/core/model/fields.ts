import * as v from 'valibot';
import { compressionId, keyEventId, messageId, nodeId } from './ids.ts';

/** What a schema reads, for nobody to change. */
export type Read<Schema extends v.GenericSchema> = Frozen<v.InferOutput<Schema>>;
type Frozen<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [Key in keyof T]: Frozen<T[Key]> };

/** JSON has no word for a number that is not finite, so none is written. */
export const finite = v.pipe(v.number(), v.finite());
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const amount = v.pipe(finite, v.minValue(0));

/** The last moment that a `Date` can say, in ms. */
const LAST_MOMENT = 8.64e15;
/** Milliseconds since the epoch. When something was said never keeps it from being read. */
export const time = v.fallback(
  v.pipe(
    v.number(),
    v.transform((at) => Math.max(-LAST_MOMENT, Math.min(at, LAST_MOMENT))),
  ),
  0,
);

/** A list that nobody changes once it is read. */
export const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.readonly());

export const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const aMessageId = v.pipe(id, v.transform(messageId));
export const aNodeId = v.pipe(id, v.transform(nodeId));
export const aKeyEventId = v.pipe(id, v.transform(keyEventId));
export const aCompressionId = v.pipe(id, v.transform(compressionId));
