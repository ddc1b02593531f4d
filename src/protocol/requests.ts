import * as v from 'valibot';
import {
  commandSchema,
  contextItemSchema,
  contextSchema,
  handedSchema,
  hitSchema,
  keyEventKindSchema,
  messageSchema,
  offerSchema,
  outlineSchema,
  stepSchema,
  stepStatusSchema,
  nodeSchema,
  previewSchema,
  aCompressionId,
  aKeyEventId,
  aMessageId,
  aNodeId,
  aSessionId,
  count,
  list,
  longText,
  plainId,
  shortText,
} from './views.ts';

const message = { message: aMessageId };
const session = { session: aSessionId };
/** Asked for and done; what changed is pushed by the host. */
const done = v.null();

/**
 * Every question the page may ask, each with the shape of its answer. The page validates answers, the host questions.
 * Actions answer `null`; what they changed comes as ordinary messages to the page, so that two ways to the same
 * change (a button here, a command in the palette) show the same.
 */
const REQUESTS = {
  // Writing
  send: [
    v.object({ type: v.literal('send'), text: longText, attachments: list(plainId), pasted: list(longText) }),
    done,
  ],
  /** Sends a queued message before the others, and ends the reply that is arriving. */
  sendQueued: [v.object({ type: v.literal('sendQueued'), id: plainId }), done],
  /** Takes a queued message back; to be edited, its attachments go back into the composer. */
  takeQueued: [
    v.object({ type: v.literal('takeQueued'), id: plainId, edit: v.boolean() }),
    v.object({ text: v.nullable(longText) }),
  ],
  editAndResend: [v.object({ type: v.literal('editAndResend'), ...message, text: longText }), done],
  retry: [v.object({ type: v.literal('retry'), ...message }), done],
  continue: [v.object({ type: v.literal('continue'), ...message }), done],
  attach: [
    v.object({
      type: v.literal('attach'),
      what: v.variant('kind', [...contextSchema.options, ...handedSchema.options]),
    }),
    done,
  ],
  detach: [v.object({ type: v.literal('detach'), id: plainId }), done],
  completeContext: [v.object({ type: v.literal('completeContext'), query: shortText }), list(contextItemSchema)],
  /** Answers false when the user gave the command up. */
  runCommand: [
    v.object({ type: v.literal('runCommand'), command: commandSchema, argument: v.optional(longText) }),
    v.boolean(),
  ],

  // Reading
  loadMessages: [
    v.object({ type: v.literal('loadMessages'), ...session, epoch: count, from: count, count: count }),
    v.object({ from: count, messages: list(messageSchema) }),
  ],
  outline: [v.object({ type: v.literal('outline'), ...session, buckets: count }), outlineSchema],
  recall: [v.object({ type: v.literal('recall'), query: longText }), list(hitSchema)],
  /** The positions of the messages that hold these words just so, whatever their case. */
  find: [v.object({ type: v.literal('find'), words: longText }), list(count)],
  openLink: [v.object({ type: v.literal('openLink'), href: v.pipe(v.string(), v.maxLength(8_192)) }), done],
  /** `line` and `column` are 1-based. */
  openFile: [
    v.object({
      type: v.literal('openFile'),
      path: shortText,
      line: v.optional(count),
      column: v.optional(count),
    }),
    done,
  ],
  /** Which of these paths are files of the workspace. */
  existingFiles: [
    v.object({ type: v.literal('existingFiles'), paths: v.pipe(list(shortText), v.maxLength(100)) }),
    list(shortText),
  ],
  /** Ways to a model for a session that has none; servers on this machine are asked. */
  offerModels: [v.object({ type: v.literal('offerModels') }), list(offerSchema)],
  /** Answers false when the user gave it up. */
  takeOffer: [v.object({ type: v.literal('takeOffer'), offer: count }), v.boolean()],
  /** Formulas as MathML; empty where one cannot be read. */
  renderMath: [
    v.object({
      type: v.literal('renderMath'),
      formulas: v.pipe(
        list(v.object({ tex: v.pipe(v.string(), v.maxLength(4_000)), display: v.boolean() })),
        v.maxLength(100),
      ),
    }),
    list(longText),
  ],
  codeAction: [
    v.object({
      type: v.literal('codeAction'),
      action: v.picklist(['copy', 'insert', 'newFile', 'preview']),
      text: longText,
      language: v.optional(shortText),
    }),
    done,
  ],
  /** Shows what a code block of a reply, or all that name a file, would change. */
  applyEdits: [
    v.object({ type: v.literal('applyEdits'), message: v.optional(plainId), code: v.optional(longText) }),
    done,
  ],
  copyMessage: [v.object({ type: v.literal('copyMessage'), ...message }), done],

  // The tree of branches
  fork: [v.object({ type: v.literal('fork'), ...message }), done],
  switchBranch: [v.object({ type: v.literal('switchBranch'), ...message }), done],
  deleteMessage: [v.object({ type: v.literal('deleteMessage'), ...message }), done],
  undoDelete: [v.object({ type: v.literal('undoDelete'), ...message }), done],

  // Key events
  /**
   * Pins a quote found by its text: the selection in a rendered message has lost its markdown. Without a message it is
   * looked for in all of them, the newest first; without a quote the whole message is pinned.
   */
  pinQuote: [
    v.object({
      type: v.literal('pinQuote'),
      message: v.optional(aMessageId),
      quote: longText,
      kind: keyEventKindSchema,
    }),
    v.object({ event: aKeyEventId }),
  ],
  /** Keeps a quote, or the whole message, for all sessions of the workspace. */
  remember: [v.object({ type: v.literal('remember'), ...message, quote: longText }), done],
  setEventPinned: [v.object({ type: v.literal('setEventPinned'), event: aKeyEventId, pinned: v.boolean() }), done],
  /** Strikes a key event out as wrong, or takes that back. */
  removeEvent: [v.object({ type: v.literal('removeEvent'), event: aKeyEventId, removed: v.boolean() }), done],

  // Compression
  previewCompression: [v.object({ type: v.literal('previewCompression') }), previewSchema],
  openNode: [v.object({ type: v.literal('openNode'), node: aNodeId }), nodeSchema],
  openNodeInEditor: [v.object({ type: v.literal('openNodeInEditor'), node: aNodeId }), done],
  /** Takes a compression back, or puts it in force again. */
  undoCompression: [
    v.object({ type: v.literal('undoCompression'), compression: aCompressionId, undone: v.boolean() }),
    done,
  ],

  // The task
  setTask: [v.object({ type: v.literal('setTask'), goal: longText, steps: list(stepSchema) }), done],
  stepTask: [v.object({ type: v.literal('stepTask'), step: count, status: stepStatusSchema }), done],

  // Sessions
  switchSession: [v.object({ type: v.literal('switchSession'), ...session }), done],
  renameSession: [v.object({ type: v.literal('renameSession'), ...session, title: shortText }), done],
  pinSession: [v.object({ type: v.literal('pinSession'), ...session, pinned: v.boolean() }), done],
  archiveSession: [v.object({ type: v.literal('archiveSession'), ...session, archived: v.boolean() }), done],
  deleteSession: [v.object({ type: v.literal('deleteSession'), ...session }), done],
  undoDeleteSession: [v.object({ type: v.literal('undoDeleteSession'), ...session }), done],
} as const;

export type RequestType = keyof typeof REQUESTS;
export type RequestOf<K extends RequestType> = v.InferOutput<(typeof REQUESTS)[K][0]>;
export type AnswerOf<K extends RequestType> = v.InferOutput<(typeof REQUESTS)[K][1]>;
export type PageRequest = { [K in RequestType]: RequestOf<K> }[RequestType];

/** One function per question; the compiler sees to it that none is missing. Each may throw `RequestFault`. What is only done answers nothing. */
export type RequestHandlers = {
  readonly [K in RequestType]: (
    request: RequestOf<K>,
  ) => AnswerOf<K> extends null ? Promise<void> : Promise<AnswerOf<K>>;
};

export const REQUEST_TYPES = Object.keys(REQUESTS) as readonly RequestType[];

type Questions = { [K in RequestType]: (typeof REQUESTS)[K][0] }[RequestType];
const questions: readonly Questions[] = Object.values(REQUESTS).map(([question]) => question);
export const requestSchema = v.variant('type', questions);

/** The answer to a question of this type, checked. Throws `v.ValiError` when the host broke the contract. */
export function parseAnswer<K extends RequestType>(type: K, value: unknown): AnswerOf<K> {
  const schema: v.GenericSchema<unknown, AnswerOf<K>> = REQUESTS[type][1];
  return v.parse(schema, value);
}
