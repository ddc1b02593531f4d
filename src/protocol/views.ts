import * as v from 'valibot';
import { GAUGE_PARTS } from '../core/budget/gauge.ts';
import { KEY_EVENT_KINDS } from '../core/model/key-event.ts';
import { compressionId, keyEventId, messageId, nodeId, sessionId, taskId } from '../core/model/ids.ts';

/** A number of things, tokens, or a 0-based position. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Tokens, milliseconds or dollars that may be fractions. */
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
/** Milliseconds since the epoch, as far as a `Date` can say it. */
const time = v.pipe(v.number(), v.minValue(-8.64e15), v.maxValue(8.64e15));
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
const aTaskId = v.pipe(id, v.transform(taskId));
export const aCompressionId = v.pipe(id, v.transform(compressionId));

/** A list that neither side changes once it is sent. */
export const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.readonly());

/** The commands that the page may run, by the names that they have in the editor; its buttons, notices and `/` words. */
export const PAGE_COMMANDS = [
  'newSession',
  'compressHistory',
  'cancelCompression',
  'resetTask',
  'setTask',
  'recall',
  'chooseModel',
  'choosePolicy',
  'exportSession',
  'importTranscript',
  'openSampleSession',
  'undoCompression',
  'setModelKey',
  'openSettings',
  'unpinAll',
  'openLog',
  'takeOver',
  'continueHere',
] as const;
export type PageCommand = (typeof PAGE_COMMANDS)[number];
export const commandSchema = v.picklist(PAGE_COMMANDS);

export const keyEventKindSchema = v.picklist(KEY_EVENT_KINDS);
export const stepStatusSchema = v.picklist(['pending', 'in_progress', 'done', 'skipped']);
export const levelSchema = v.picklist(['brief', 'detailed', 'full']);
/** Raster formats alone: an SVG could carry a program. */
export const imageTypeSchema = v.picklist(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** One part of a message. Offsets of key events count in `text` parts as `messageText` joins them. */
export const partSchema = v.variant('type', [
  v.object({ type: v.literal('text'), text: longText }),
  v.object({ type: v.literal('image'), mediaType: imageTypeSchema, base64: longText }),
  v.object({ type: v.literal('tool_call'), callId: v.string(), name: v.string(), json: longText }),
  v.object({ type: v.literal('tool_result'), callId: v.string(), text: longText, isError: v.boolean() }),
]);
export type PartView = v.InferOutput<typeof partSchema>;

export const attachmentSchema = v.object({
  /** The host's handle; the content stays with the host. */
  id: plainId,
  kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste', 'image']),
  name: v.string(),
  /** What it will cost in the request, counted by the host. */
  tokens: amount,
  /** First and last line, 1-based, inclusive. */
  lines: v.optional(v.pipe(v.tuple([count, count]), v.readonly())),
  /** It goes with the message by itself. */
  implicit: v.optional(v.literal(true)),
});
export type AttachmentView = v.InferOutput<typeof attachmentSchema>;

/** A key event quoted from a message; `start`/`end` are UTF-16 offsets into the message's text. */
export const eventMarkSchema = v.object({
  id: aKeyEventId,
  kind: keyEventKindSchema,
  quote: v.string(),
  start: count,
  end: count,
  status: v.picklist(['active', 'superseded', 'merged', 'dropped']),
  pinned: v.boolean(),
});
export type EventMark = v.InferOutput<typeof eventMarkSchema>;

/** A message of the active branch as the page shows it. Its place is given by whoever sends it. */
export const messageSchema = v.object({
  id: aMessageId,
  role: v.picklist(['system', 'user', 'assistant', 'tool']),
  parts: list(partSchema),
  at: time,
  attachments: v.optional(list(attachmentSchema)),
  model: v.optional(v.string()),
  /** Tokens as reported by the provider (replies) or counted by the host. */
  tokens: v.optional(v.object({ input: v.optional(amount), output: amount, cachedInput: v.optional(amount) })),
  /** Absent while the reply is still arriving. */
  ending: v.optional(v.picklist(['complete', 'length', 'stopped', 'interrupted'])),
  streaming: v.optional(v.boolean()),
  /** Drawing it has hung the page: it is shown as plain text. */
  plain: v.optional(v.boolean()),
  /** Set when other branches start beside this message: `ids` in the order they were made, this one among them. */
  branches: v.optional(v.object({ ids: list(aMessageId), index: count })),
  events: v.optional(list(eventMarkSchema)),
  /** The items of the task lists in a reply, which can become the steps of the task. */
  steps: v.optional(list(v.object({ text: v.string(), done: v.boolean() }))),
  /** How many files the code blocks of a reply name. */
  files: v.optional(count),
  /** Excerpts of compressed history that went with this message because they match it; positions are 0-based. */
  recalled: v.optional(list(v.object({ position: count, role: v.string(), text: longText }))),
});
export type MessageView = v.InferOutput<typeof messageSchema>;

/** The gauge: `used` is the sum of the parts, out of `budget` (`contextWindow` less what is reserved for the reply). */
export const gaugeSchema = v.object({
  used: amount,
  budget: amount,
  contextWindow: amount,
  reserved: amount,
  /** True until the provider's reports have shown how it counts: figures are then shown with "~". */
  approximate: v.optional(v.boolean()),
  parts: list(v.object({ name: v.picklist(GAUGE_PARTS), tokens: amount })),
  /** Share (0…1) at which compression starts by itself; absent when that trigger is off. */
  threshold: v.optional(v.number()),
  /** Active key events that did not fit into their budget. */
  droppedEvents: count,
  /** What the session has cost, in US dollars, where prices are known. */
  costUsd: amount,
  /** The name of the policy that says when to compress. */
  policy: v.string(),
});
export type GaugeView = v.InferOutput<typeof gaugeSchema>;

export const stepSchema = v.object({ text: v.string(), status: stepStatusSchema });
export const taskSchema = v.object({ id: aTaskId, goal: v.string(), steps: list(stepSchema) });
export type TaskView = v.InferOutput<typeof taskSchema>;

export const sessionSchema = v.object({
  id: aSessionId,
  title: v.string(),
  updatedAt: time,
  messages: count,
  archived: v.boolean(),
  pinned: v.boolean(),
});
export type SessionView = v.InferOutput<typeof sessionSchema>;

export const modelSchema = v.object({
  provider: v.string(),
  model: v.string(),
  label: v.string(),
  takesImages: v.boolean(),
  /** False when the key that this provider needs is missing. */
  ready: v.boolean(),
  /** Nobody has chosen it: neither the user in this session, nor the settings. */
  assumed: v.boolean(),
});
export type ModelView = v.InferOutput<typeof modelSchema>;

/** A way to a model, for a session that has none. */
export const offerSchema = v.object({ label: v.string(), detail: v.string() });
export type OfferView = v.InferOutput<typeof offerSchema>;

const actionSchema = v.object({ label: v.string(), command: commandSchema });
export type ActionView = v.InferOutput<typeof actionSchema>;
/** A way out of a fault. `retry` repeats the act that failed, whatever that was. */
export const wayOutSchema = v.object({ label: v.string(), command: v.picklist([...PAGE_COMMANDS, 'retry']) });
export type WayOut = v.InferOutput<typeof wayOutSchema>;
/** Commands that remove what stood in the way of an act: after them it is repeated. */
export const REMEDIES: ReadonlySet<string> = new Set<PageCommand>(['setModelKey', 'chooseModel', 'takeOver']);

/** What is going on. All fields may hold at once: a compression in the background does not stop a reply. */
export const statusSchema = v.object({
  replying: v.boolean(),
  compression: v.nullable(v.object({ stage: v.string(), done: count, total: count })),
  /** The provider asked for patience: `until` is when the next try starts. */
  waiting: v.nullable(v.object({ until: time, text: v.string() })),
  /** When the model began to think, while it has not written yet. */
  thinking: v.nullable(time),
  /** A reset asked for while a reply streams; it runs when the reply ends. */
  resetPending: v.boolean(),
  /** Messages that are sent after the reply that is arriving; held: once the user says so. */
  queue: v.object({ items: list(v.object({ id: plainId, text: longText, attachments: count })), isHeld: v.boolean() }),
  /** The chat's provider cannot be reached; in words for the user. */
  offline: v.nullable(v.string()),
  /** Why this window cannot write to the session, in words for the user; another one may be doing so. */
  readOnly: v.nullable(v.object({ text: v.string(), isWrittenElsewhere: v.boolean() })),
  /** A chat of another tool, opened for reading. */
  foreign: v.boolean(),
  /** Why what was said last is in memory alone; in words for the user. */
  unsaved: v.nullable(v.string()),
  /** Nothing is sent until the user has chosen a way out. */
  escalation: v.nullable(
    v.object({ text: v.string(), requestTokens: amount, budget: amount, ways: list(actionSchema) }),
  ),
});
export type StatusView = v.InferOutput<typeof statusSchema>;

export const settingsSchema = v.object({
  /** True: Enter sends and Shift+Enter breaks the line; false: Enter breaks the line and Ctrl/Cmd+Enter sends. */
  enterSends: v.boolean(),
  /** What sending does while a reply arrives. */
  sendWhileResponding: v.picklist(['queue', 'stopAndSend']),
  /** A paste of more characters than this becomes an attachment. */
  pasteAsAttachmentAbove: count,
  /** BCP 47 tag for dates and numbers. */
  locale: v.string(),
});
export type SettingsView = v.InferOutput<typeof settingsSchema>;

/** What stands in the composer, kept per session. */
export const draftSchema = v.object({ text: longText, attachments: list(attachmentSchema) });
export type DraftView = v.InferOutput<typeof draftSchema>;

export const hitSchema = v.object({
  message: aMessageId,
  position: v.nullable(count),
  start: count,
  text: v.string(),
});
export type HitView = v.InferOutput<typeof hitSchema>;

/** What the host can attach from the editor. Paths are those of the workspace. */
export const contextSchema = v.variant('kind', [
  v.object({
    kind: v.picklist([
      ...(['selection', 'currentFile', 'openEditors', 'problems', 'allProblems'] as const),
      ...(['changes', 'terminal', 'terminalCommand'] as const),
    ]),
  }),
  v.object({ kind: v.picklist(['file', 'folder']), path: shortText }),
  /** `lines` are the first and the last, 1-based. */
  v.object({ kind: v.literal('symbol'), path: shortText, lines: v.tuple([count, count]) }),
  v.object({ kind: v.literal('session'), session: aSessionId }),
]);
/** What the user hands to the page: pasted, dropped on it, chosen from a disk. */
export const handedSchema = v.variant('kind', [
  v.object({ kind: v.literal('uri'), uri: v.pipe(v.string(), v.maxLength(8_192)) }),
  v.object({ kind: v.literal('paste'), text: longText, name: v.optional(shortText) }),
  v.object({ kind: v.literal('image'), name: shortText, mediaType: imageTypeSchema, base64: longText }),
]);

/** Something that can be attached, as the composer offers it. */
export const contextItemSchema = v.object({ label: shortText, detail: v.string(), what: contextSchema });
export type ContextItem = v.InferOutput<typeof contextItemSchema>;

/** The session in at most as many buckets as were asked for, oldest first; positions inclusive. */
export const outlineSchema = v.object({
  total: count,
  buckets: list(v.object({ from: count, to: count, tokens: amount, users: count, keyEvents: count })),
});
export type OutlineView = v.InferOutput<typeof outlineSchema>;

/** A run of the active branch that a summary stands for; positions are 0-based, inclusive. */
export const coverSchema = v.object({
  node: aNodeId,
  title: v.string(),
  from: count,
  to: count,
  level: levelSchema,
});
export type CoverView = v.InferOutput<typeof coverSchema>;

/** One compression, shown after the message at position `after` (-1: before the first). Money in US dollars. */
export const compressionSchema = v.object({
  id: aCompressionId,
  at: time,
  after: v.pipe(v.number(), v.integer(), v.minValue(-1)),
  /** Nodes it made that still stand, newest level first; when all were undone, all of them. */
  nodes: list(aNodeId),
  messages: count,
  summaries: count,
  tokens: v.object({ before: amount, after: amount }),
  keyEvents: v.object({ kept: count, total: count }),
  /** In US dollars; null where the price is not known. */
  costUsd: v.nullable(amount),
  undone: v.boolean(),
});
export type CompressionView = v.InferOutput<typeof compressionSchema>;

/** A summary opened in place. */
export const nodeSchema = v.object({
  id: aNodeId,
  title: v.string(),
  text: longText,
  tokens: v.object({ source: amount, shown: amount }),
  rung: v.picklist(['model', 'retry', 'tight', 'extractive', 'cut', 'edited']),
  model: v.string(),
  from: count,
  to: count,
  audit: v.object({ score: v.number(), faults: list(v.string()) }),
  events: list(eventMarkSchema),
});
export type NodeView = v.InferOutput<typeof nodeSchema>;

/** What a compression would do, before it is committed. */
export const previewSchema = v.object({
  /** Why nothing would be compressed, in words for the user. */
  nothing: v.nullable(v.string()),
  messages: count,
  tokens: v.object({ before: amount, after: amount }),
  /** All key events that would be kept, those that are in the ledger already among them. */
  kept: list(eventMarkSchema),
  dropped: list(v.string()),
  /** The summarizer, and at most what it would cost; null where its price is not known, 0 where no model is used. */
  model: v.string(),
  estimatedCostUsd: v.nullable(amount),
});
export type PreviewView = v.InferOutput<typeof previewSchema>;
