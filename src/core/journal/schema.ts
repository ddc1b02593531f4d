import * as v from 'valibot';
import {
  compressionIdSchema,
  keyEventIdSchema,
  messageIdSchema,
  amountSchema,
  nodeIdSchema,
  countSchema,
  finiteSchema,
  readonlyList,
  sessionIdSchema,
  type ReadonlyOutput,
} from '../model/field-schemas.ts';
import { correctionSchema, keyEventSchema, statusSchema } from '../model/key-event.ts';
import { messageSchema, usageSchema } from '../model/message.ts';
import { levelSchema, summaryCheckSchema, summaryNodeSchema } from '../model/summary.ts';
import { stepStatus, taskSchema } from '../model/task.ts';

const TRIGGERS = [
  'share',
  'before_send',
  'tokens',
  'messages',
  'every',
  'age',
  'task_reset',
  'provider_overflow',
  'command',
  'import',
] as const;

const change = v.object({ before: amountSchema, after: amountSchema });
const ledgerChange = v.object({ id: keyEventIdSchema, status: statusSchema, link: v.optional(keyEventIdSchema) });
const compression = v.object({
  id: compressionIdSchema,
  trigger: v.picklist(TRIGGERS),
  /** The exceeded limit, in the trigger's own unit (share, tokens, messages, ms). */
  threshold: finiteSchema,
  policy: v.string(),
  strategy: v.string(),
  nodes: readonlyList(summaryNodeSchema),
  /** The levels of frontier nodes that aren't sent as `detailed`. */
  levels: readonlyList(v.object({ node: nodeIdSchema, level: levelSchema })),
  events: readonlyList(keyEventSchema),
  changes: readonlyList(ledgerChange),
  messages: change,
  tokens: change,
  /** `total`: key events that aren't superseded; `kept`: those of them sent verbatim. Missing in older journals. */
  keyEvents: v.optional(v.object({ kept: countSchema, total: countSchema })),
  calls: v.object({ count: countSchema, inputTokens: amountSchema, outputTokens: amountSchema, costUsd: amountSchema }),
  durationMs: amountSchema,
});

/** All events of a session, as written and read. Unknown types of later versions stay in the journal. */
export const sessionEventSchema = v.variant('type', [
  v.object({ type: v.literal('session_created'), id: sessionIdSchema, title: v.string(), workspace: v.string() }),
  v.object({ type: v.literal('session_renamed'), title: v.string() }),
  /** The session's folder or workspace file was renamed or moved. */
  v.object({ type: v.literal('session_moved'), workspace: v.string() }),
  v.object({ type: v.literal('session_archived'), archived: v.boolean() }),
  v.object({ type: v.literal('session_pinned'), pinned: v.boolean() }),
  v.object({ type: v.literal('session_deleted'), deleted: v.boolean() }),
  v.object({ type: v.literal('model_selected'), provider: v.string(), model: v.string() }),
  v.object({ type: v.literal('policy_selected'), policy: v.string() }),
  v.object({ type: v.literal('message_added'), message: messageSchema }),
  /** Text of a streaming response. `offset` is its position in the response, in UTF-16 units. */
  v.object({
    type: v.literal('reply_partial'),
    id: messageIdSchema,
    parent: v.nullable(messageIdSchema),
    model: v.string(),
    offset: countSchema,
    text: v.string(),
  }),
  v.object({ type: v.literal('head_moved'), to: v.nullable(messageIdSchema) }),
  v.object({ type: v.literal('message_deleted'), id: messageIdSchema, deleted: v.boolean() }),
  v.object({ type: v.literal('task_set'), task: taskSchema }),
  v.object({ type: v.literal('task_step'), step: countSchema, status: stepStatus }),
  v.object({ type: v.literal('task_reset'), automatic: v.boolean() }),
  v.object({ type: v.literal('compressed'), compression }),
  v.object({ type: v.literal('node_undone'), node: nodeIdSchema, undone: v.boolean() }),
  v.object({
    type: v.literal('node_edited'),
    node: nodeIdSchema,
    level: levelSchema,
    text: v.string(),
    tokens: amountSchema,
  }),
  /** A regenerated summary of the same messages or children. `level`: the level at which it is sent. */
  v.object({
    type: v.literal('node_replaced'),
    node: summaryNodeSchema,
    level: v.optional(v.nullable(levelSchema)),
  }),
  /** A model's check of a summary, replacing the previous one. */
  v.object({ type: v.literal('node_checked'), node: nodeIdSchema, check: summaryCheckSchema }),
  /** The level at which a summary is sent until the next compression; null for the default. */
  v.object({ type: v.literal('node_level_set'), node: nodeIdSchema, level: v.nullable(levelSchema) }),
  /** If expanded, the covered messages are sent verbatim until the next response. */
  v.object({ type: v.literal('node_expanded'), node: nodeIdSchema, expanded: v.boolean() }),
  /** The nodes of these compressions don't replace messages anymore or, if not `undone`, do so again. */
  v.object({
    type: v.literal('compressions_undone'),
    compressions: readonlyList(compressionIdSchema),
    undone: v.boolean(),
  }),
  /** Undoes or redoes the user's newest change to summaries or key events. */
  v.object({ type: v.literal('change_undone'), undone: v.boolean() }),
  v.object({ type: v.literal('event_added'), event: keyEventSchema }),
  v.object({ type: v.literal('event_pinned'), id: keyEventIdSchema, pinned: v.boolean() }),
  v.object({ type: v.literal('event_removed'), id: keyEventIdSchema, removed: v.boolean() }),
  /** null removes all corrections of the event. */
  v.object({ type: v.literal('event_corrected'), id: keyEventIdSchema, correction: v.nullable(correctionSchema) }),
  v.object({
    type: v.literal('usage_recorded'),
    purpose: v.picklist(['chat', 'compression']),
    model: v.string(),
    usage: v.fallback(usageSchema, { input: 0, output: 0 }),
    costUsd: v.fallback(v.nullable(amountSchema), null),
  }),
  v.object({ type: v.literal('escalation'), reason: v.nullable(v.literal('token_overflow')) }),
]);

export type SessionEvent = ReadonlyOutput<typeof sessionEventSchema>;
export type SessionEventType = SessionEvent['type'];
export type TriggerName = (typeof TRIGGERS)[number];
export type LedgerChange = ReadonlyOutput<typeof ledgerChange>;
/** A compression, which is committed as a whole. Times in ms, costs in US dollars. */
export type CompressionRecord = ReadonlyOutput<typeof compression>;

/** A compression with defaults for everything that isn't given. By default, no model was called. */
export const compressionWith = (
  known: Pick<CompressionRecord, 'id'> & Partial<CompressionRecord>,
): CompressionRecord => ({
  trigger: 'import',
  threshold: 0,
  policy: '',
  strategy: '',
  nodes: [],
  levels: [],
  events: [],
  changes: [],
  messages: { before: 0, after: 0 },
  tokens: { before: 0, after: 0 },
  calls: { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
  durationMs: 0,
  ...known,
});
