import { migrate, SNAPSHOT_MIGRATIONS, versionAfter } from '../core/journal/migrations.ts';
import * as v from 'valibot';
import type { SessionSummary } from '../app/ports.ts';
import { keyEventSchema, messageSchema, summaryNodeSchema, taskSchema } from '../core/journal/schema.ts';
import { messageId, sessionId, type MessageId, type SessionId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Message } from '../core/model/message.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import type { Task } from '../core/model/task.ts';
import type { Counters } from '../core/state/counters.ts';

/** The version of the snapshots that this code writes. A higher one is left alone. */
export const SNAPSHOT_VERSION = versionAfter(SNAPSHOT_MIGRATIONS);

/** A session's folded state, as much of it as is bounded: what is left when its journal is lost. */
export interface SessionSnapshot {
  readonly id: SessionId;
  readonly title: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly deleted: boolean;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly policy?: string | undefined;
  readonly head: MessageId | null;
  readonly task?: Task | undefined;
  readonly lastCompressedAt?: number | undefined;
  /** `messagesEver` is absent in old data: nothing may be concluded from that, so no trigger fires on it. */
  readonly counters: Omit<Counters, 'messagesEver'> & { readonly messagesEver?: number | undefined };
  readonly ledger: readonly KeyEvent[];
  readonly frontier: readonly { readonly node: SummaryNode; readonly level?: Level | undefined }[];
  readonly bodies: readonly Message[];
  /** How many of each there were that found no room. */
  readonly left: { readonly ledger: number; readonly frontier: number; readonly bodies: number };
}

/** Everything that is kept in the editor's own state, for all workspaces. */
export interface Snapshots {
  readonly v: number;
  readonly index: readonly SessionSummary[];
  readonly live: readonly SessionSnapshot[];
}

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const aSessionId = v.pipe(id, v.transform(sessionId));
const amount = v.pipe(v.number(), v.minValue(0));

const sessionSummarySchema = v.object({
  id: aSessionId,
  title: v.string(),
  workspace: v.string(),
  createdAt: v.number(),
  updatedAt: v.number(),
  messages: amount,
  archived: v.boolean(),
  // Absent in data from before sessions could be pinned.
  pinned: v.optional(v.boolean(), false),
  deleted: v.boolean(),
  bytes: amount,
});

const sessionSnapshotSchema = v.object({
  id: aSessionId,
  title: v.string(),
  workspace: v.string(),
  createdAt: v.number(),
  updatedAt: v.number(),
  archived: v.boolean(),
  // Absent in data from before sessions could be pinned.
  pinned: v.optional(v.boolean(), false),
  deleted: v.boolean(),
  provider: v.optional(v.string()),
  model: v.optional(v.string()),
  policy: v.optional(v.string()),
  head: v.nullable(v.pipe(id, v.transform(messageId))),
  task: v.optional(taskSchema),
  lastCompressedAt: v.optional(v.number()),
  counters: v.object({
    messagesEver: v.optional(amount),
    compressions: amount,
    tokensSaved: amount,
    compressionTokens: amount,
    compressionCostUsd: amount,
    chatTokens: amount,
    chatCostUsd: amount,
  }),
  ledger: v.array(keyEventSchema),
  frontier: v.array(
    v.object({ node: summaryNodeSchema, level: v.optional(v.picklist(['brief', 'detailed', 'full'])) }),
  ),
  bodies: v.array(messageSchema),
  left: v.object({ ledger: amount, frontier: amount, bodies: amount }),
});

const snapshotsSchema = v.object({
  v: v.literal(SNAPSHOT_VERSION),
  index: v.array(sessionSummarySchema),
  live: v.array(sessionSnapshotSchema),
}) satisfies v.GenericSchema<unknown, Snapshots>;

export type ReadSnapshots =
  | { readonly kind: 'sound'; readonly snapshots: Snapshots }
  /** Nothing was ever kept. */
  | { readonly kind: 'none' }
  /** Written by a later version: not to be overwritten. */
  | { readonly kind: 'newer' }
  /** To be rebuilt from the journals. */
  | { readonly kind: 'corrupt'; readonly reason: string };

/** The door for what comes out of the editor's state, of this or an earlier version. Never throws. */
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
