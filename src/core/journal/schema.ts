import * as v from 'valibot';
import { compressionId, keyEventId, messageId, nodeId, sessionId, taskId } from '../model/ids.ts';
import {
  importanceOfKind,
  KEY_EVENT_KINDS,
  type Importance,
  type KeyEvent,
  type KeyEventKind,
} from '../model/key-event.ts';
import type { Message } from '../model/message.ts';
import { STATEMENT_REASONS } from '../model/statement.ts';
import { TRIGGERS } from './event.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const amount = v.pipe(v.number(), v.minValue(0));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const aMessageId = v.pipe(id, v.transform(messageId));
const aNodeId = v.pipe(id, v.transform(nodeId));
const aKeyEventId = v.pipe(id, v.transform(keyEventId));
const aCompressionId = v.pipe(id, v.transform(compressionId));

const block = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }),
  v.object({ type: v.literal('tool_call'), callId: v.string(), name: v.string(), json: v.string() }),
  v.object({ type: v.literal('tool_result'), callId: v.string(), text: v.string(), isError: v.boolean() }),
]);

const usage = v.object({
  input: amount,
  output: amount,
  reasoning: v.optional(amount),
  cachedInput: v.optional(amount),
  cacheWrite: v.optional(amount),
});

const attachment = v.object({
  kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste']),
  name: v.string(),
  text: v.string(),
  uri: v.optional(v.string()),
  lines: v.optional(v.tuple([count, count])),
});

export const messageSchema = v.object({
  id: aMessageId,
  parent: v.nullable(aMessageId),
  role: v.picklist(['system', 'user', 'assistant', 'tool']),
  content: v.array(block),
  at: v.number(),
  attachments: v.optional(v.array(attachment)),
  pasted: v.optional(v.array(v.object({ start: count, end: count }))),
  model: v.optional(v.string()),
  usage: v.optional(usage),
  ending: v.optional(v.picklist(['complete', 'length', 'stopped', 'interrupted'])),
}) satisfies v.GenericSchema<unknown, Message>;

const span = { start: count, end: count, quote: v.string() };
const said = { ...span, kind: v.picklist(KEY_EVENT_KINDS) };
const judged = {
  ...said,
  score: v.number(),
  importance: v.optional(v.picklist([2, 3])),
  reason: v.string(),
  quoted: v.optional(v.boolean()),
};
/** Journals of versions before 0.2 hold no importance. */
const withImportance = <Event extends { readonly kind: KeyEventKind; readonly importance?: Importance | undefined }>(
  event: Event,
): Event & { readonly importance: Importance } => ({
  ...event,
  importance: event.importance ?? importanceOfKind(event.kind),
});

export const keyEventSchema = v.pipe(
  v.object({
    ...judged,
    id: aKeyEventId,
    message: aMessageId,
    status: v.picklist(['active', 'superseded', 'merged', 'dropped']),
    pinned: v.boolean(),
    link: v.optional(aKeyEventId),
    found: v.optional(v.pipe(v.object(judged), v.transform(withImportance))),
    about: v.optional(v.object({ ...span, message: aMessageId })),
  }),
  v.transform(withImportance),
);

const KINDS: ReadonlySet<unknown> = new Set(KEY_EVENT_KINDS);
const STATUSES: ReadonlySet<unknown> = new Set<KeyEvent['status']>(['active', 'superseded', 'merged', 'dropped']);
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isId = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 200;

/**
 * What `keyEventSchema` checks, by hand, for one without a correction or a proposal: a long session has thousands of
 * them, and reading them again must cost next to nothing.
 */
function isPlainKeyEvent(value: unknown): value is KeyEvent {
  if (typeof value !== 'object' || value === null || 'found' in value || 'about' in value) return false;
  const event: Partial<Record<keyof KeyEvent, unknown>> = value;
  return (
    isId(event.id) &&
    isId(event.message) &&
    KINDS.has(event.kind) &&
    isCount(event.start) &&
    isCount(event.end) &&
    typeof event.quote === 'string' &&
    typeof event.score === 'number' &&
    !Number.isNaN(event.score) &&
    (event.importance === 2 || event.importance === 3) &&
    typeof event.reason === 'string' &&
    STATUSES.has(event.status) &&
    typeof event.pinned === 'boolean' &&
    (event.quoted === undefined || typeof event.quoted === 'boolean') &&
    (event.link === undefined || isId(event.link))
  );
}

const keyEvents = v.array(v.union([v.custom<KeyEvent>(isPlainKeyEvent), keyEventSchema]));

const texts = v.array(v.string());
const structuredSummary = v.object({
  topics: texts,
  decisions: v.array(v.object({ what: v.string(), why: v.optional(v.string()), when: v.optional(v.string()) })),
  preferences: texts,
  guidance: texts,
  errors: v.array(v.object({ what: v.string(), solution: v.optional(v.string()) })),
  failedAttempts: texts,
  files: texts,
  openSteps: texts,
  outcomes: texts,
  narrative: v.string(),
});

const share = v.object({ known: count, total: count });
const level = v.picklist(['brief', 'detailed', 'full']);

export const summaryNodeSchema = v.object({
  id: aNodeId,
  depth: count,
  first: aMessageId,
  last: aMessageId,
  messages: count,
  children: v.array(aNodeId),
  title: v.string(),
  brief: v.string(),
  detailed: v.string(),
  full: v.optional(v.string()),
  structured: v.optional(structuredSummary),
  tokens: v.object({ source: amount, brief: amount, detailed: amount, full: v.optional(amount) }),
  rung: v.picklist(['model', 'retry', 'tight', 'extractive', 'cut', 'edited']),
  model: v.string(),
  promptVersion: v.string(),
  sourceHash: v.string(),
  at: v.number(),
  audit: v.object({
    score: v.number(),
    identifiers: share,
    quotes: share,
    events: v.optional(share),
    faults: v.array(
      v.object({
        kind: v.picklist([
          'empty',
          'grew',
          'missing_section',
          'unknown_quote',
          'unknown_identifier',
          'unknown_event',
          'not_json',
          'refused',
        ]),
        text: v.string(),
      }),
    ),
  }),
});

const change = v.object({ before: amount, after: amount });
const compression = v.object({
  id: aCompressionId,
  trigger: v.picklist(TRIGGERS),
  threshold: v.number(),
  policy: v.string(),
  strategy: v.string(),
  nodes: v.array(summaryNodeSchema),
  levels: v.array(v.object({ node: aNodeId, level })),
  events: keyEvents,
  changes: v.array(
    v.object({
      id: aKeyEventId,
      status: v.picklist(['active', 'superseded', 'merged', 'dropped']),
      link: v.optional(aKeyEventId),
    }),
  ),
  messages: change,
  tokens: change,
  calls: v.object({ count, inputTokens: amount, outputTokens: amount, costUsd: amount }),
  durationMs: amount,
});

const step = v.picklist(['pending', 'in_progress', 'done', 'skipped']);
export const taskSchema = v.object({
  id: v.pipe(id, v.transform(taskId)),
  goal: v.string(),
  steps: v.array(v.object({ text: v.string(), status: step })),
  endedAt: v.optional(v.number()),
});

/** The door for every event that is read from disk. */
const summaryCheck = v.object({
  level,
  model: v.string(),
  at: v.number(),
  statements: v.array(
    v.object({
      start: count,
      end: count,
      reason: v.picklist(STATEMENT_REASONS),
      sources: v.array(v.object({ message: aMessageId, start: count, end: count })),
      instead: v.optional(v.string()),
      isByCode: v.optional(v.boolean()),
    }),
  ),
});

export const sessionEventSchema = v.variant('type', [
  v.object({
    type: v.literal('session_created'),
    id: v.pipe(id, v.transform(sessionId)),
    title: v.string(),
    workspace: v.string(),
  }),
  v.object({ type: v.literal('session_renamed'), title: v.string() }),
  v.object({ type: v.literal('session_moved'), workspace: v.string() }),
  v.object({ type: v.literal('session_archived'), archived: v.boolean() }),
  v.object({ type: v.literal('session_pinned'), pinned: v.boolean() }),
  v.object({ type: v.literal('session_deleted'), deleted: v.boolean() }),
  v.object({ type: v.literal('model_selected'), provider: v.string(), model: v.string() }),
  v.object({ type: v.literal('policy_selected'), policy: v.string() }),
  v.object({ type: v.literal('message_added'), message: messageSchema }),
  v.object({
    type: v.literal('reply_partial'),
    id: aMessageId,
    parent: v.nullable(aMessageId),
    model: v.string(),
    offset: count,
    text: v.string(),
  }),
  v.object({ type: v.literal('head_moved'), to: v.nullable(aMessageId) }),
  v.object({ type: v.literal('message_deleted'), id: aMessageId, deleted: v.boolean() }),
  v.object({ type: v.literal('task_set'), task: taskSchema }),
  v.object({ type: v.literal('task_step'), step: count, status: step }),
  v.object({ type: v.literal('task_reset'), automatic: v.boolean() }),
  v.object({ type: v.literal('compressed'), compression }),
  v.object({ type: v.literal('node_undone'), node: aNodeId, undone: v.boolean() }),
  v.object({ type: v.literal('node_edited'), node: aNodeId, level, text: v.string(), tokens: amount }),
  v.object({
    type: v.literal('node_replaced'),
    node: summaryNodeSchema,
    level: v.optional(v.nullable(level)),
  }),
  v.object({ type: v.literal('node_checked'), node: aNodeId, check: summaryCheck }),
  v.object({ type: v.literal('node_level_set'), node: aNodeId, level: v.nullable(level) }),
  v.object({ type: v.literal('node_expanded'), node: aNodeId, expanded: v.boolean() }),
  v.object({
    type: v.literal('compressions_undone'),
    compressions: v.array(aCompressionId),
    undone: v.boolean(),
  }),
  v.object({ type: v.literal('change_undone'), undone: v.boolean() }),
  v.object({ type: v.literal('event_added'), event: keyEventSchema }),
  v.object({ type: v.literal('event_pinned'), id: aKeyEventId, pinned: v.boolean() }),
  v.object({ type: v.literal('event_removed'), id: aKeyEventId, removed: v.boolean() }),
  v.object({ type: v.literal('event_corrected'), id: aKeyEventId, correction: v.nullable(v.object(said)) }),
  v.object({
    type: v.literal('usage_recorded'),
    purpose: v.picklist(['chat', 'compression']),
    model: v.string(),
    usage,
    costUsd: v.nullable(amount),
  }),
  v.object({ type: v.literal('escalation'), reason: v.nullable(v.literal('token_overflow')) }),
]);
