import { migrate, SNAPSHOT_MIGRATIONS, versionAfter } from '../core/journal/envelope.ts';
import * as v from 'valibot';
import { aMessageId, amount, id, list, time } from '../core/model/fields.ts';
import { keyEventSchema } from '../core/model/key-event.ts';
import { messageSchema, ROLES } from '../core/model/message.ts';
import { levelSchema, summaryNodeSchema } from '../core/model/summary.ts';
import { taskSchema } from '../core/model/task.ts';
import { sessionId } from '../core/model/ids.ts';

/** The version of the snapshots that this code writes. Snapshots of higher versions are never overwritten. */
export const SNAPSHOT_VERSION = versionAfter(SNAPSHOT_MIGRATIONS);

const aSessionId = v.pipe(id, v.transform(sessionId));

const sessionSummarySchema = v.object({
  id: aSessionId,
  title: v.string(),
  workspace: v.string(),
  createdAt: time,
  updatedAt: time,
  messages: amount,
  archived: v.boolean(),
  // Absent in data from before sessions could be pinned.
  pinned: v.optional(v.boolean(), false),
  deleted: v.boolean(),
  bytes: amount,
});

/** The part of a session's state that has a bounded size, from which the session is restored if its journal is lost. */
const sessionSnapshotSchema = v.object({
  id: aSessionId,
  title: v.string(),
  workspace: v.string(),
  createdAt: time,
  updatedAt: time,
  archived: v.boolean(),
  // Absent in data from before sessions could be pinned.
  pinned: v.optional(v.boolean(), false),
  deleted: v.boolean(),
  provider: v.optional(v.string()),
  model: v.optional(v.string()),
  policy: v.optional(v.string()),
  head: v.nullable(aMessageId),
  task: v.optional(taskSchema),
  lastCompressedAt: v.optional(time),
  counters: v.object({
    /** Absent in old data. Unknown isn't 0, so no trigger fires on it. */
    messagesEver: v.optional(amount),
    compressions: amount,
    tokensSaved: amount,
    compressionTokens: amount,
    compressionCostUsd: amount,
    chatTokens: amount,
    chatCostUsd: amount,
  }),
  ledger: list(keyEventSchema),
  frontier: list(
    v.object({
      node: summaryNodeSchema,
      level: v.optional(levelSchema),
      /** The covered messages that are restored as placeholders, with their roles; absent in old data. */
      places: v.optional(list(v.pipe(v.tuple([aMessageId, v.picklist(ROLES)]), v.readonly()))),
    }),
  ),
  bodies: list(messageSchema),
  /** Numbers of items that didn't fit. */
  left: v.object({ ledger: amount, frontier: amount, bodies: amount }),
});

export type SessionSnapshot = v.InferOutput<typeof sessionSnapshotSchema>;

/** Drops invalid items instead of rejecting the whole list. */
const readable = <S extends v.GenericSchema>(item: S) =>
  v.pipe(
    v.array(v.unknown()),
    v.transform((items): readonly v.InferOutput<S>[] =>
      items.flatMap((one) => {
        const read = v.safeParse(item, one);
        return read.success ? [read.output] : [];
      }),
    ),
  );

const snapshotsSchema = v.object({
  v: v.literal(SNAPSHOT_VERSION),
  index: readable(sessionSummarySchema),
  live: readable(sessionSnapshotSchema),
});

/** The snapshots of all workspaces, as stored in VS Code's global state. */
export type Snapshots = v.InferOutput<typeof snapshotsSchema>;

export type ReadSnapshots =
  | { readonly kind: 'sound'; readonly snapshots: Snapshots }
  /** No snapshots were ever stored. */
  | { readonly kind: 'none' }
  /** Written by a later version; must not be overwritten. */
  | { readonly kind: 'newer' }
  /** Must be rebuilt from the journals. */
  | { readonly kind: 'corrupt'; readonly reason: string };

/** Validates stored snapshots and migrates those of earlier versions. Never throws. */
export function readSnapshots(raw: unknown, migrations = SNAPSHOT_MIGRATIONS): ReadSnapshots {
  if (raw === undefined || raw === null) return { kind: 'none' };
  const stored = v.safeParse(v.looseObject({ v: v.pipe(v.number(), v.integer(), v.minValue(1)) }), raw);
  if (!stored.success) return { kind: 'corrupt', reason: 'v: not of the expected shape' };
  const { v: version } = stored.output;
  if (version > versionAfter(migrations)) return { kind: 'newer' };
  const parsed = v.safeParse(snapshotsSchema, { ...migrate(stored.output, version, migrations), v: SNAPSHOT_VERSION });
  if (parsed.success) return { kind: 'sound', snapshots: parsed.output };
  const issue = parsed.issues[0];
  return { kind: 'corrupt', reason: `${v.getDotPath(issue) ?? 'snapshot'}: not of the expected shape` };
}
