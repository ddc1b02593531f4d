import * as v from 'valibot';
import {
  compressionIdSchema,
  countSchema,
  idSchema,
  keyEventIdSchema,
  messageIdSchema,
  nodeIdSchema,
  readonlyList,
  sessionIdSchema,
} from '../core/model/field-schemas.ts';
import { stepSchema, stepStatus } from '../core/model/task.ts';
import {
  commandSchema,
  contextItemSchema,
  contextSchema,
  pastedContentSchema,
  hitSchema,
  messageViewSchema,
  offerSchema,
  outlineSchema,
  nodeSchema,
  previewSchema,
  longTextSchema,
  shortTextSchema,
} from './views.ts';

const message = { message: messageIdSchema };
const session = { session: sessionIdSchema };
/** `display` is true for a formula on a separate line. */
const formulaSchema = v.object({ tex: v.pipe(v.string(), v.maxLength(4_000)), display: v.boolean() });
export type Formula = v.InferOutput<typeof formulaSchema>;
/** A request with a result. */
const query = <Type extends string, Fields extends v.ObjectEntries, Answer>(
  type: Type,
  fields: Fields,
  answer: Answer,
) => [v.object({ type: v.literal(type), ...fields }), answer] as const;
/** A request without a result. The host sends its effects to the page as ordinary messages. */
const action = <Type extends string, Fields extends v.ObjectEntries>(type: Type, fields: Fields) =>
  query(type, fields, v.null());

/**
 * The page's requests, each with the schema of its answer. The page validates answers, the host requests. Actions
 * return `null`; their effects arrive as ordinary messages, so that the page doesn't depend on whether a button or a
 * command caused them.
 */
const REQUESTS = {
  // Writing
  send: action('send', {
    ...session,
    text: longTextSchema,
    attachments: readonlyList(idSchema),
    pasted: readonlyList(longTextSchema),
  }),
  /** Sends a queued message before the others and stops the current reply. */
  sendQueued: action('sendQueued', { id: idSchema }),
  /** Removes a message from the queue. With `edit`, its attachments are returned to the composer. */
  takeQueued: query(
    'takeQueued',
    { id: idSchema, edit: v.boolean() },
    v.object({ text: v.nullable(longTextSchema), pasted: readonlyList(longTextSchema) }),
  ),
  editAndResend: action('editAndResend', { ...message, text: longTextSchema }),
  retry: action('retry', message),
  continue: action('continue', message),
  attach: action('attach', {
    ...session,
    what: v.variant('kind', [...contextSchema.options, ...pastedContentSchema.options]),
  }),
  detach: action('detach', { id: idSchema }),
  completeContext: query('completeContext', { query: shortTextSchema }, readonlyList(contextItemSchema)),
  /** Returns false if the user canceled the command. With a session, a command on another one is refused. */
  runCommand: query(
    'runCommand',
    { session: v.optional(sessionIdSchema), command: commandSchema, argument: v.optional(longTextSchema) },
    v.boolean(),
  ),

  // Reading
  loadMessages: query(
    'loadMessages',
    { epoch: countSchema, from: countSchema, count: countSchema },
    v.object({ from: countSchema, messages: readonlyList(messageViewSchema) }),
  ),
  outline: query('outline', { buckets: countSchema }, outlineSchema),
  recall: query('recall', { query: longTextSchema }, readonlyList(hitSchema)),
  /** Positions of the messages that contain exactly these words, ignoring case. */
  find: query('find', { words: longTextSchema }, readonlyList(countSchema)),
  openLink: action('openLink', { href: v.pipe(v.string(), v.maxLength(8_192)) }),
  /** `line` and `column` are 1-based. */
  openFile: action('openFile', {
    path: shortTextSchema,
    line: v.optional(countSchema),
    column: v.optional(countSchema),
  }),
  /** Which of these paths are files of the workspace. */
  existingFiles: query(
    'existingFiles',
    { paths: v.pipe(readonlyList(shortTextSchema), v.maxLength(100)) },
    readonlyList(shortTextSchema),
  ),
  /** Suggested models for a session without one; also queries servers on this machine. */
  offerModels: query('offerModels', {}, readonlyList(offerSchema)),
  /** Returns false if the user canceled. */
  takeOffer: query('takeOffer', { ...session, offer: countSchema }, v.boolean()),
  /** Formulas as MathML; '' for invalid ones. */
  renderMath: query(
    'renderMath',
    {
      formulas: v.pipe(readonlyList(formulaSchema), v.maxLength(100)),
    },
    readonlyList(longTextSchema),
  ),
  codeAction: action('codeAction', {
    action: v.picklist(['copy', 'insert', 'newFile', 'preview']),
    text: longTextSchema,
    language: v.optional(shortTextSchema),
  }),
  /** Shows the changes in one code block of a reply, or in all that name a file. */
  applyEdits: action('applyEdits', { message: v.optional(idSchema), code: v.optional(longTextSchema) }),
  copyMessage: action('copyMessage', message),

  // Branches
  fork: action('fork', message),
  switchBranch: action('switchBranch', message),
  deleteMessage: action('deleteMessage', message),
  undoDelete: action('undoDelete', message),

  // Key events
  /**
   * Pins a quote that is found by its text, because the selection in a rendered message has lost its Markdown. Without
   * a message, all are searched, newest first; without a quote, the whole message is pinned.
   */
  pinQuote: action('pinQuote', { ...session, message: v.optional(messageIdSchema), quote: longTextSchema }),
  /** Adds a quote or a whole message to the workspace memory. */
  remember: action('remember', { ...message, quote: longTextSchema }),
  setEventPinned: action('setEventPinned', { ...session, event: keyEventIdSchema, pinned: v.boolean() }),
  removeEvent: action('removeEvent', { ...session, event: keyEventIdSchema, removed: v.boolean() }),

  // Compression
  previewCompression: query('previewCompression', {}, previewSchema),
  openNode: query('openNode', { node: nodeIdSchema }, nodeSchema),
  openNodeInEditor: action('openNodeInEditor', { node: nodeIdSchema }),
  undoCompression: action('undoCompression', {
    ...session,
    compression: compressionIdSchema,
    undone: v.boolean(),
  }),

  // The task
  setTask: action('setTask', { ...session, goal: longTextSchema, steps: readonlyList(stepSchema) }),
  stepTask: action('stepTask', { ...session, step: countSchema, status: stepStatus }),
  /** Adds a step to the session's task, unless its goal is another one by now. */
  addStep: action('addStep', { ...session, goal: longTextSchema, step: longTextSchema }),

  // Sessions
  switchSession: action('switchSession', session),
  renameSession: action('renameSession', { ...session, title: shortTextSchema }),
  pinSession: action('pinSession', { ...session, pinned: v.boolean() }),
  archiveSession: action('archiveSession', { ...session, archived: v.boolean() }),
  deleteSession: action('deleteSession', session),
  undoDeleteSession: action('undoDeleteSession', session),
};

export type RequestType = keyof typeof REQUESTS;
export type RequestOf<K extends RequestType> = v.InferOutput<(typeof REQUESTS)[K][0]>;
export type AnswerOf<K extends RequestType> = v.InferOutput<(typeof REQUESTS)[K][1]>;
export type PageRequest = { [K in RequestType]: RequestOf<K> }[RequestType];

/** A handler for each request. May throw `RequestFault`. */
export type RequestHandlers = {
  readonly [K in RequestType]: (
    request: RequestOf<K>,
  ) => AnswerOf<K> extends null ? Promise<void> | void : Promise<AnswerOf<K>> | AnswerOf<K>;
};

export const REQUEST_TYPES = Object.keys(REQUESTS) as readonly RequestType[];

type RequestSchema = { [K in RequestType]: (typeof REQUESTS)[K][0] }[RequestType];
const requestSchemas: readonly RequestSchema[] = Object.values(REQUESTS).map(([schema]) => schema);
export const requestSchema = v.variant('type', requestSchemas);

/** Parses the answer to a request of this type. Never throws. */
export function parseAnswer<K extends RequestType>(type: K, value: unknown) {
  const schema: v.GenericSchema<unknown, AnswerOf<K>> = REQUESTS[type][1];
  return v.safeParse(schema, value);
}
