import * as v from 'valibot';
import { amountSchema, sessionIdSchema, timestampSchema } from './field-schemas.ts';

/** The fields that the session list shows, besides sizes. */
export const listedFields = {
  id: sessionIdSchema,
  title: v.string(),
  workspace: v.string(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  archived: v.boolean(),
  /** Pinned to the top of the list by the user. Missing in older data. */
  pinned: v.optional(v.boolean(), false),
  deleted: v.boolean(),
};

/** An entry of the session list, available without opening the journal. `bytes`: the size of the journal. */
export const sessionListEntrySchema = v.object({ ...listedFields, messages: amountSchema, bytes: amountSchema });
