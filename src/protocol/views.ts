import * as v from 'valibot';
import { GAUGE_PARTS } from '../core/budget/gauge.ts';
import {
  amountSchema,
  compressionIdSchema,
  countSchema,
  idSchema,
  keyEventIdSchema,
  messageIdSchema,
  nodeIdSchema,
  readonlyList,
  sessionIdSchema,
  timestampSchema,
} from '../core/model/field-schemas.ts';
import { correctionSchema, statusSchema as eventStatusSchema } from '../core/model/key-event.ts';
import { endingSchema, ROLES } from '../core/model/message.ts';
import { summaryMethodSchema } from '../core/model/summary.ts';
import { taskSchema } from '../core/model/task.ts';

export const shortTextSchema = v.pipe(v.string(), v.maxLength(1_000));
/** Maximum length of texts, in UTF-16 units. It only prevents a faulty sender from exhausting memory. */
export const MAX_TEXT_LENGTH = 20_000_000;
export const longTextSchema = v.pipe(v.string(), v.maxLength(MAX_TEXT_LENGTH));

/** The commands that the page may run, from buttons, notices, and slash commands. */
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
  'openOtherSession',
  'reattachSessions',
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

/** Maximum size of an attached file, in bytes: about 250,000 tokens. */
export const MAX_FILE_BYTES = 1_000_000;
/** Maximum size of an image in bytes. Anthropic accepts 5 MB in base64. */
export const MAX_IMAGE_BYTES = 3_750_000;
/** The supported image formats. SVG is excluded, because it can contain scripts. */
export const imageTypeSchema = v.picklist(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const partSchema = v.variant('type', [
  v.object({ type: v.literal('text'), text: longTextSchema }),
  v.object({ type: v.literal('image'), mediaType: imageTypeSchema, base64: longTextSchema }),
  v.object({ type: v.literal('tool_call'), name: v.string(), json: longTextSchema }),
  v.object({ type: v.literal('tool_result'), text: longTextSchema, isError: v.boolean() }),
]);
export type PartView = v.InferOutput<typeof partSchema>;

const attachmentSchema = v.object({
  /** Refers to the content, which stays in the host. */
  id: idSchema,
  kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste', 'image']),
  name: v.string(),
  /** The attachment's tokens in the request, counted by the host. */
  tokens: amountSchema,
  /** First and last line, 1-based, inclusive. */
  lines: v.optional(v.pipe(v.tuple([countSchema, countSchema]), v.readonly())),
  /** Whether it was attached automatically. */
  implicit: v.optional(v.literal(true)),
});
export type AttachmentView = v.InferOutput<typeof attachmentSchema>;

/** A key event quoted from a message. */
const eventMarkSchema = v.object({
  id: keyEventIdSchema,
  kind: correctionSchema.entries.kind,
  quote: correctionSchema.entries.quote,
  status: eventStatusSchema,
  pinned: v.boolean(),
});
export type EventMark = v.InferOutput<typeof eventMarkSchema>;

/** A message of the active branch. Its position is sent separately. */
export const messageViewSchema = v.object({
  id: messageIdSchema,
  role: v.picklist(ROLES),
  parts: readonlyList(partSchema),
  at: timestampSchema,
  attachments: v.optional(readonlyList(attachmentSchema)),
  model: v.optional(v.string()),
  /** Tokens as reported by the provider (replies) or counted by the host. */
  tokens: v.optional(
    v.object({ input: v.optional(amountSchema), output: amountSchema, cachedInput: v.optional(amountSchema) }),
  ),
  /** Absent while the reply is still arriving. */
  ending: v.optional(endingSchema),
  streaming: v.optional(v.boolean()),
  /** Whether it's shown as plain text, because the page hung while rendering it. */
  plain: v.optional(v.boolean()),
  /** The alternatives to this message, itself included, oldest first; absent if there are no others. */
  branches: v.optional(v.object({ ids: readonlyList(messageIdSchema), index: countSchema })),
  events: v.optional(readonlyList(eventMarkSchema)),
  /** Items of task lists in a reply, which can become steps of the task. */
  steps: v.optional(readonlyList(v.object({ text: v.string(), done: v.boolean() }))),
  /** Number of files named by code blocks in a reply. */
  files: v.optional(countSchema),
  /** Excerpts from compressed history that were sent with this message; positions are 0-based. */
  recalled: v.optional(readonlyList(v.object({ position: countSchema, role: v.string(), text: longTextSchema }))),
});
export type MessageView = v.InferOutput<typeof messageViewSchema>;

/** `used` is the sum of the parts; `budget` is the context window without the tokens `reserved` for the reply. */
export const gaugeSchema = v.object({
  used: amountSchema,
  budget: amountSchema,
  reserved: amountSchema,
  /** True until token counts are calibrated with the provider's reports. Until then, numbers are shown with "~". */
  approximate: v.optional(v.boolean()),
  parts: readonlyList(v.object({ name: v.picklist(GAUGE_PARTS), tokens: amountSchema })),
  /** Share (0…1) at which compression starts automatically; absent if that trigger is off. */
  threshold: v.optional(v.number()),
  /** Number of key events that don't fit their budget. */
  droppedEvents: countSchema,
  /** The session's cost in US dollars, as far as prices are known. */
  costUsd: amountSchema,
  policy: v.string(),
  /** The distance to the next compression, as a sentence. Only sent to the page. */
  next: v.optional(v.string()),
});
export type GaugeView = v.InferOutput<typeof gaugeSchema>;

export const taskViewSchema = v.pick(taskSchema, ['id', 'goal', 'steps']);
export type TaskView = v.InferOutput<typeof taskViewSchema>;

export const sessionSchema = v.object({
  id: sessionIdSchema,
  title: v.string(),
  updatedAt: timestampSchema,
  messages: countSchema,
  archived: v.boolean(),
  pinned: v.boolean(),
});
export type SessionView = v.InferOutput<typeof sessionSchema>;

/** Where sessions are if this workspace has none: in a workspace of the same name, or only in others. */
export const elsewhereSchema = v.picklist(['moved', 'other']);
export type Elsewhere = v.InferOutput<typeof elsewhereSchema>;

export const modelSchema = v.object({
  provider: v.string(),
  label: v.string(),
  takesImages: v.boolean(),
  /** False if the provider's API key is missing or VS Code doesn't offer the model. */
  ready: v.boolean(),
  /** Whether the provider is the default, selected neither in this session nor in the settings. */
  isDefault: v.boolean(),
});

/** A suggested model for a session that has none. */
export const offerSchema = v.object({ label: v.string(), detail: v.string() });
export type OfferView = v.InferOutput<typeof offerSchema>;

const actionSchema = v.object({ label: v.string(), command: commandSchema });
/** The action offered with an error. `retry` repeats the failed request. */
export const faultButtonSchema = v.object({ label: v.string(), command: v.picklist([...PAGE_COMMANDS, 'retry']) });
export type FaultButton = v.InferOutput<typeof faultButtonSchema>;
/** Commands that may fix the cause of a failed request. If they succeed, the request is repeated. */
export const REMEDIES: ReadonlySet<string> = new Set<PageCommand>(['setModelKey', 'chooseModel', 'takeOver']);

/** The status of a conversation. All states can apply at once, for example a background compression during a reply. */
export const statusViewSchema = v.object({
  replying: v.boolean(),
  compression: v.nullable(v.object({ stage: v.string(), done: countSchema, total: countSchema })),
  /** A pending retry, which starts at `until`. */
  pendingRetry: v.nullable(v.object({ until: timestampSchema, text: v.string() })),
  /** When the model began to think; null once it writes. */
  thinking: v.nullable(timestampSchema),
  /** Whether a task reset was requested during a reply; it runs when the reply ends. */
  resetPending: v.boolean(),
  /** Messages to send after the current reply; if held, only when the user resumes the queue. */
  queue: v.object({
    items: readonlyList(v.object({ id: idSchema, text: longTextSchema, attachments: countSchema })),
    isHeld: v.boolean(),
  }),
  /** A message for the user if the provider can't be reached. */
  offline: v.nullable(v.string()),
  /** A message for the user if this window can't write to the session, for example because another window does. */
  readOnly: v.nullable(v.object({ text: v.string(), isWrittenElsewhere: v.boolean() })),
  /** Whether it's a chat from another tool, opened read-only. */
  isExternal: v.boolean(),
  /** A message for the user if the latest messages are only in memory. */
  unsaved: v.nullable(v.string()),
  /** The request is too large; nothing is sent until the user selects one of `actions`. */
  escalation: v.nullable(
    v.object({
      text: v.string(),
      requestTokens: amountSchema,
      budget: amountSchema,
      actions: readonlyList(actionSchema),
    }),
  ),
});
export type StatusView = v.InferOutput<typeof statusViewSchema>;

export const pageSettingsSchema = v.object({
  /** True: Enter sends, Shift+Enter inserts a line break. False: Enter inserts a line break, Ctrl/Cmd+Enter sends. */
  enterSends: v.boolean(),
  sendWhileResponding: v.picklist(['queue', 'stopAndSend']),
  /** Longer pasted text, in characters, becomes an attachment. */
  pasteAsAttachmentAbove: countSchema,
  /** BCP 47 tag for dates and numbers. */
  locale: v.string(),
});

/** The composer's content, stored per session. */
export const draftSchema = v.object({ text: longTextSchema, attachments: readonlyList(attachmentSchema) });

/** A search result. */
export const hitSchema = v.object({
  message: messageIdSchema,
  /** 0-based, on the active branch. */
  position: countSchema,
  /** UTF-16 offset of the excerpt in the message's text; 0 for a summary. */
  start: countSchema,
  text: v.string(),
});
export type HitView = v.InferOutput<typeof hitSchema>;

/** Context that the host can attach from the editor. Paths are relative to the workspace. */
export const contextSchema = v.variant('kind', [
  v.object({
    kind: v.picklist([
      'selection',
      'currentFile',
      'openEditors',
      'problems',
      'allProblems',
      'changes',
      'terminal',
      'terminalCommand',
    ]),
  }),
  v.object({ kind: v.picklist(['file', 'folder']), path: shortTextSchema }),
  /** `lines` are the first and the last, 1-based. */
  v.object({ kind: v.literal('symbol'), path: shortTextSchema, lines: v.tuple([countSchema, countSchema]) }),
  v.object({ kind: v.literal('session'), session: sessionIdSchema }),
]);
/** Content that the user pastes, drops, or selects from disk. */
export const pastedContentSchema = v.variant('kind', [
  v.object({ kind: v.literal('uri'), uri: v.pipe(v.string(), v.maxLength(8_192)) }),
  v.object({ kind: v.literal('paste'), text: longTextSchema, name: v.optional(shortTextSchema) }),
  v.object({ kind: v.literal('image'), name: shortTextSchema, mediaType: imageTypeSchema, base64: longTextSchema }),
]);

/** A suggestion for an attachment in the composer. */
export const contextItemSchema = v.object({ label: shortTextSchema, detail: v.string(), what: contextSchema });
export type ContextItem = v.InferOutput<typeof contextItemSchema>;

/** The session in at most the requested number of buckets, oldest first; positions are inclusive. */
export const outlineSchema = v.object({
  total: countSchema,
  buckets: readonlyList(
    v.object({ from: countSchema, to: countSchema, tokens: amountSchema, users: countSchema, keyEvents: countSchema }),
  ),
});
export type OutlineView = v.InferOutput<typeof outlineSchema>;

/** A range of messages that a summary covers; positions are 0-based and inclusive. */
export const summaryRangeSchema = v.object({
  node: nodeIdSchema,
  title: v.string(),
  from: countSchema,
  to: countSchema,
});
export type SummaryRangeView = v.InferOutput<typeof summaryRangeSchema>;

/** A compression, shown after the message at position `after` (-1: before the first message). */
export const compressionSchema = v.object({
  id: compressionIdSchema,
  at: timestampSchema,
  after: v.pipe(v.number(), v.integer(), v.minValue(-1)),
  /** The compression's summaries that aren't undone, or all if all are undone. */
  nodes: readonlyList(nodeIdSchema),
  messages: countSchema,
  summaries: countSchema,
  tokens: v.object({ before: amountSchema, after: amountSchema }),
  keyEvents: v.object({ kept: countSchema, total: countSchema }),
  /** In US dollars; null if the price is unknown. */
  costUsd: v.nullable(amountSchema),
  undone: v.boolean(),
});
export type CompressionView = v.InferOutput<typeof compressionSchema>;

export const nodeSchema = v.object({
  title: v.string(),
  text: longTextSchema,
  tokens: v.object({ source: amountSchema, shown: amountSchema }),
  method: summaryMethodSchema,
  model: v.string(),
  from: countSchema,
  to: countSchema,
  audit: v.object({ score: v.number(), faults: readonlyList(v.string()) }),
  events: readonlyList(eventMarkSchema),
});
export type NodeView = v.InferOutput<typeof nodeSchema>;

/** The result of a compression before it's committed. */
export const previewSchema = v.object({
  /** A message for the user if nothing would be compressed. */
  emptyText: v.nullable(v.string()),
  messages: countSchema,
  tokens: v.object({ before: amountSchema, after: amountSchema }),
  /** All key events that would be kept, including those already in the ledger. */
  kept: readonlyList(eventMarkSchema),
  dropped: readonlyList(v.string()),
  /** The summarizer and its maximum cost: null if its price is unknown, 0 without a model. */
  model: v.string(),
  estimatedCostUsd: v.nullable(amountSchema),
});
export type PreviewView = v.InferOutput<typeof previewSchema>;
