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
import { STATEMENT_REASONS, type StatementReason } from '../model/statement.ts';
import { SUMMARY_LISTS } from '../model/summary.ts';

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
  cacheWriteHour: v.optional(amount),
});

const attachment = v.object({
  kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste']),
  name: v.string(),
  text: v.string(),
  uri: v.optional(v.string()),
  lines: v.optional(v.pipe(v.tuple([count, count]), v.readonly())),
});

export const messageSchema = v.object({
  id: aMessageId,
  parent: v.nullable(aMessageId),
  role: v.picklist(['system', 'user', 'assistant', 'tool']),
  content: list(block),
  at: time,
  attachments: v.optional(list(attachment)),
  pasted: v.optional(list(v.object({ start: count, end: count }))),
  model: v.optional(v.string()),
  // What a server reports of its work never keeps the text from being kept.
  usage: v.fallback(v.optional(usage), undefined),
  ending: v.optional(v.picklist(['complete', 'length', 'stopped', 'interrupted'])),
}) satisfies v.GenericSchema<unknown, Message>;

const span = { start: count, end: count, quote: v.string() };
const said = { ...span, kind: v.picklist(KEY_EVENT_KINDS) };
const judged = {
  ...said,
  score: finite,
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
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
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

const keyEvents = list(v.union([v.custom<KeyEvent>(isPlainKeyEvent), keyEventSchema]));

const texts = list(v.string());
const structuredSummary = v.object({
  ...v.entriesFromList(SUMMARY_LISTS, v.optional(texts)),
  decisions: list(v.object({ what: v.string(), why: v.optional(v.string()), when: v.optional(v.string()) })),
  errors: list(v.object({ what: v.string(), solution: v.optional(v.string()) })),
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
  children: list(aNodeId),
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
  at: time,
  audit: v.object({
    score: finite,
    identifiers: share,
    quotes: share,
    events: v.optional(share),
    faults: list(
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

export const TRIGGERS = [
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

const change = v.object({ before: amount, after: amount });
const ledgerChange = v.object({
  id: aKeyEventId,
  status: v.picklist(['active', 'superseded', 'merged', 'dropped']),
  link: v.optional(aKeyEventId),
});
const compression = v.object({
  id: aCompressionId,
  trigger: v.picklist(TRIGGERS),
  /** The limit that was crossed, in the trigger's own unit (share, tokens, messages, ms). */
  threshold: finite,
  policy: v.string(),
  strategy: v.string(),
  nodes: list(summaryNodeSchema),
  /** The level at which a frontier node is sent, for those that are not sent as `detailed`. */
  levels: list(v.object({ node: aNodeId, level })),
  events: keyEvents,
  changes: list(ledgerChange),
  messages: change,
  tokens: change,
  calls: v.object({ count, inputTokens: amount, outputTokens: amount, costUsd: amount }),
  durationMs: amount,
});

const step = v.picklist(['pending', 'in_progress', 'done', 'skipped']);
export const taskSchema = v.object({
  id: v.pipe(id, v.transform(taskId)),
  goal: v.string(),
  steps: list(v.object({ text: v.string(), status: step })),
  endedAt: v.optional(time),
});

/** What code said in version 0.1, which gave verdicts on words that stood nearby. */
const FORMER_REASONS = ['number_differs', 'name_differs', 'negation_differs', 'speaker_differs'] as const;

const summaryCheck = v.object({
  level,
  model: v.string(),
  at: time,
  statements: list(
    v.pipe(
      v.object({
        start: count,
        end: count,
        reason: v.picklist([...STATEMENT_REASONS, ...FORMER_REASONS, 'unknown_quote']),
        sources: list(v.object({ message: aMessageId, start: count, end: count })),
        missing: v.optional(list(v.string())),
        instead: v.optional(v.string()),
        isByCode: v.optional(v.boolean()),
      }),
      v.transform((one) => ({ ...one, reason: currentReason(one.reason, one.isByCode) })),
    ),
  ),
});

type FormerReason = (typeof FORMER_REASONS)[number] | 'unknown_quote';

function currentReason(reason: StatementReason | FormerReason, isByCode = false): StatementReason {
  if (reason === 'unknown_quote') return 'no_source';
  if (isByCode && reason === 'supported') return 'unchecked';
  return STATEMENT_REASONS.find((one) => one === reason) ?? 'unchecked';
}

/**
 * Everything that can happen to a session: the door for what is written to disk and what is read from it. Types that a
 * later version adds are kept in the journal and skipped by the fold.
 */
export const sessionEventSchema = v.variant('type', [
  v.object({
    type: v.literal('session_created'),
    id: v.pipe(id, v.transform(sessionId)),
    title: v.string(),
    workspace: v.string(),
  }),
  v.object({ type: v.literal('session_renamed'), title: v.string() }),
  /** The folder or workspace file that the session belongs to has another name or place now. */
  v.object({ type: v.literal('session_moved'), workspace: v.string() }),
  v.object({ type: v.literal('session_archived'), archived: v.boolean() }),
  v.object({ type: v.literal('session_pinned'), pinned: v.boolean() }),
  v.object({ type: v.literal('session_deleted'), deleted: v.boolean() }),
  v.object({ type: v.literal('model_selected'), provider: v.string(), model: v.string() }),
  v.object({ type: v.literal('policy_selected'), policy: v.string() }),
  v.object({ type: v.literal('message_added'), message: messageSchema }),
  /** Text of a reply that is still arriving; `offset` is where `text` starts in it, in UTF-16 units. */
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
  /** A summary regenerated in its place: the same messages or children. `level`: how it is sent from now on. */
  v.object({
    type: v.literal('node_replaced'),
    node: summaryNodeSchema,
    level: v.optional(v.nullable(level)),
  }),
  /** What a model found of a summary's statements; what was found of it before is put away. */
  v.object({ type: v.literal('node_checked'), node: aNodeId, check: summaryCheck }),
  /** The level at which a summary is sent until the next compression chooses; null for the usual one. */
  v.object({ type: v.literal('node_level_set'), node: aNodeId, level: v.nullable(level) }),
  /** What a summary stands for is sent verbatim in its place until the next reply has come. */
  v.object({ type: v.literal('node_expanded'), node: aNodeId, expanded: v.boolean() }),
  /** Nothing that these compressions made stands for messages any more; or does again. */
  v.object({
    type: v.literal('compressions_undone'),
    compressions: list(aCompressionId),
    undone: v.boolean(),
  }),
  /** Takes back the newest change that a user has made to summaries or key events; or makes it again. */
  v.object({ type: v.literal('change_undone'), undone: v.boolean() }),
  v.object({ type: v.literal('event_added'), event: keyEventSchema }),
  v.object({ type: v.literal('event_pinned'), id: aKeyEventId, pinned: v.boolean() }),
  v.object({ type: v.literal('event_removed'), id: aKeyEventId, removed: v.boolean() }),
  /** null takes every correction of the event back. */
  v.object({ type: v.literal('event_corrected'), id: aKeyEventId, correction: v.nullable(v.object(said)) }),
  v.object({
    type: v.literal('usage_recorded'),
    purpose: v.picklist(['chat', 'compression']),
    model: v.string(),
    usage: v.fallback(usage, { input: 0, output: 0 }),
    costUsd: v.fallback(v.nullable(amount), null),
  }),
  v.object({ type: v.literal('escalation'), reason: v.nullable(v.literal('token_overflow')) }),
]);

export type SessionEvent = v.InferOutput<typeof sessionEventSchema>;
export type SessionEventType = SessionEvent['type'];
/** Why a compression ran; the design's table of triggers. */
export type TriggerName = (typeof TRIGGERS)[number];
/** A key event's new place in the ledger. */
export type LedgerChange = v.InferOutput<typeof ledgerChange>;
/** One finished compression, as it is committed: all of it or nothing. Times in ms, money in US dollars. */
export type CompressionRecord = v.InferOutput<typeof compression>;
