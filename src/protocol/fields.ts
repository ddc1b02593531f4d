import * as v from 'valibot';
import { compressionId, keyEventId, messageId, nodeId, sessionId, taskId } from '../core/model/ids.ts';

/** A number of things, tokens, or a 0-based position. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Tokens, milliseconds or dollars that may be fractions. */
export const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
/** Milliseconds since the epoch, as far as a `Date` can say it. */
export const time = v.pipe(v.number(), v.minValue(-8.64e15), v.maxValue(8.64e15));
export const shortText = v.pipe(v.string(), v.maxLength(1_000));
/** What a person typed or a model wrote; the bound only keeps a broken sender from filling memory. */
export const MAX_TEXT = 20_000_000;
export const longText = v.pipe(v.string(), v.maxLength(MAX_TEXT));

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const plainId = id;
export const aSessionId = v.pipe(id, v.transform(sessionId));
export const aMessageId = v.pipe(id, v.transform(messageId));
export const aNodeId = v.pipe(id, v.transform(nodeId));
export const aKeyEventId = v.pipe(id, v.transform(keyEventId));
export const aTaskId = v.pipe(id, v.transform(taskId));
export const aCompressionId = v.pipe(id, v.transform(compressionId));

/** A list that neither side changes once it is sent. */
export const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.readonly());
