import * as v from 'valibot';
import { faultSchema, type FaultView } from './faults.ts';
import { countSchema, messageIdSchema, readonlyList, sessionIdSchema } from '../core/model/field-schemas.ts';
import {
  elsewhereSchema,
  draftSchema,
  gaugeSchema,
  messageViewSchema,
  modelSchema,
  sessionSchema,
  pageSettingsSchema,
  statusViewSchema,
  taskViewSchema,
  faultButtonSchema,
  compressionSchema,
  summaryRangeSchema,
  longTextSchema,
  shortTextSchema,
} from './views.ts';
import { requestSchema, type PageRequest, type RequestHandlers } from './requests.ts';

/**
 * The newest messages of a branch, and the number of all messages: `messages[i]` has the position `from + i`; earlier
 * ones are loaded when they come near the viewport. `epoch` increases whenever positions change their meaning (another
 * branch, a deleted message), so that outdated answers can be recognized.
 */
const transcript = {
  session: sessionIdSchema,
  epoch: countSchema,
  total: countSchema,
  from: countSchema,
  messages: readonlyList(messageViewSchema),
};

/** The sessions of the workspace. `elsewhere` is only set if none of them has messages. */
const sessionList = { sessions: readonlyList(sessionSchema), elsewhere: v.optional(elsewhereSchema) };

const hostToPage = v.variant('type', [
  /** The complete state, sent after `ready` and a switch of sessions. */
  v.object({
    type: v.literal('init'),
    ...transcript,
    title: v.string(),
    summaryRanges: readonlyList(summaryRangeSchema),
    compressions: readonlyList(compressionSchema),
    gauge: v.nullable(gaugeSchema),
    task: v.nullable(taskViewSchema),
    ...sessionList,
    model: modelSchema,
    settings: pageSettingsSchema,
    status: statusViewSchema,
    draft: draftSchema,
    /** The texts in the editors of messages, by message. */
    edits: v.record(v.string(), longTextSchema),
    /** The user's texts, newest last, for the composer's history. */
    history: readonlyList(v.string()),
    /** A message for the user about the session's file. */
    notice: v.nullable(v.string()),
    /** Whether a page has hung before, so that this one renders one message at a time and reports which. */
    hasHung: v.optional(v.boolean()),
  }),
  /** Why there is no session to show: no folder is open, or the store can't be read. */
  v.object({ type: v.literal('unavailable'), text: v.string(), actions: readonlyList(faultButtonSchema) }),
  /** A document to show instead of a session. */
  v.object({ type: v.literal('document'), title: v.string(), text: longTextSchema }),
  /** Replaces all positions from `from` on. Earlier ones stay, unless `epoch` is new. */
  v.object({ type: v.literal('transcript'), ...transcript }),
  /** New versions of messages that the page may have; unknown IDs are ignored. */
  v.object({ type: v.literal('messagesChanged'), session: sessionIdSchema, messages: readonlyList(messageViewSchema) }),
  /** A reply begins at position `at`, the new end. Its text follows in deltas. */
  v.object({ type: v.literal('replyStarted'), session: sessionIdSchema, at: countSchema, message: messageViewSchema }),
  /** `offset` is the text's position in the reply, in UTF-16 units. After a gap, the page requests everything again. */
  v.object({
    type: v.literal('replyDelta'),
    session: sessionIdSchema,
    id: messageIdSchema,
    offset: countSchema,
    text: longTextSchema,
  }),
  v.object({ type: v.literal('replyEnded'), session: sessionIdSchema, message: messageViewSchema }),
  /** After a compression, an undo, or a switch of branches. */
  v.object({
    type: v.literal('compression'),
    session: sessionIdSchema,
    summaryRanges: readonlyList(summaryRangeSchema),
    compressions: readonlyList(compressionSchema),
  }),
  v.object({ type: v.literal('gauge'), gauge: v.nullable(gaugeSchema) }),
  v.object({ type: v.literal('task'), task: v.nullable(taskViewSchema) }),
  v.object({ type: v.literal('sessions'), ...sessionList }),
  v.object({ type: v.literal('status'), status: statusViewSchema }),
  /** The draft's attachments have changed; with `focus`, also its text, which replaces what the user is typing. */
  v.object({ type: v.literal('draft'), session: sessionIdSchema, draft: draftSchema, focus: v.boolean() }),
  /** An editor command that acts on the page. */
  v.object({ type: v.literal('focus'), target: v.picklist(['composer', 'preview', 'recall']) }),
  /** A short message at the bottom of the page; with `action`, a button that sends `toastAction`. */
  v.object({
    type: v.literal('toast'),
    text: v.string(),
    action: v.nullable(v.object({ id: countSchema, label: v.string() })),
  }),
  /** Scrolls to a message and highlights it. */
  v.object({ type: v.literal('reveal'), session: sessionIdSchema, position: countSchema }),
  /** Answered by `pong` immediately, unless the page hangs. */
  v.object({ type: v.literal('ping') }),
  v.object({ type: v.literal('answer'), id: countSchema, value: v.unknown() }),
  v.object({ type: v.literal('refusal'), id: countSchema, fault: faultSchema }),
]);
export type HostToPage = v.InferOutput<typeof hostToPage>;
export type InitMessage = Extract<HostToPage, { type: 'init' }>;

const pageToHost = v.variant('type', [
  /** The page is listening, or noticed a gap; answered by `init` or `unavailable`. */
  v.object({ type: v.literal('ready') }),
  v.object({ type: v.literal('request'), id: countSchema, body: requestSchema }),
  v.object({ type: v.literal('stop') }),
  /** Sent at most every 300 ms while the user types, and when the page is hidden. */
  v.object({ type: v.literal('setDraft'), session: sessionIdSchema, text: longTextSchema }),
  /** The text in the editor of a message; null when the editor is closed. */
  v.object({
    type: v.literal('setEdit'),
    session: sessionIdSchema,
    message: messageIdSchema,
    text: v.nullable(longTextSchema),
  }),
  v.object({ type: v.literal('toastAction'), id: countSchema }),
  /** Whether the page has the keyboard focus. VS Code tells extensions that for tabs, but not for views. */
  v.object({ type: v.literal('focusChanged'), focused: v.boolean() }),
  v.object({ type: v.literal('pong') }),
  /** With `hasHung`, the next message that the page renders; null when all are rendered. */
  v.object({ type: v.literal('rendering'), message: v.nullable(messageIdSchema) }),
  /** An error in the page, for the log. It must not contain message text. */
  v.object({ type: v.literal('pageFault'), text: v.pipe(v.string(), v.maxLength(4_000)) }),
]);
export type PageToHost = v.InferOutput<typeof pageToHost>;

/** A parsed message, or where and why it's invalid (without its content). */
type Parsed<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly problem: string };

function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown): Parsed<T> {
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, message: result.output };
  const issue = result.issues[0];
  const type = v.safeParse(v.object({ type: shortTextSchema }), value);
  const where = v.getDotPath(issue);
  const name = type.success ? `message "${type.output.type}"` : 'message without a type';
  return {
    ok: false,
    problem: `${name}: ${where === null ? '' : `${where}: `}expected ${issue.expected ?? issue.type}`,
  };
}

/** Parses a message from the page, for the host. Never throws. */
export const parsePageMessage = (value: unknown): Parsed<PageToHost> => parse(pageToHost, value);

const requestIdSchema = v.object({ type: v.literal('request'), id: countSchema });

/** Reads the ID of an invalid request, so that it can be refused, because the page waits for an answer. */
export function requestIdIn(value: unknown): number | undefined {
  const request = v.safeParse(requestIdSchema, value);
  return request.success ? request.output.id : undefined;
}

/** Parses a message from the host, for the page. Never throws. */
export const parseHostMessage = (value: unknown): Parsed<HostToPage> => parse(hostToPage, value);

/** Answers a request with its handler, or refuses it with `describe(error)`. */
export async function answerRequest(
  id: number,
  body: PageRequest,
  handlers: RequestHandlers,
  describe: (error: unknown) => FaultView,
): Promise<HostToPage> {
  try {
    // A handler only takes requests of one type, but the compiler can't relate the two unions.
    const handle = handlers[body.type] as (request: PageRequest) => unknown;
    return { type: 'answer', id, value: (await handle(body)) ?? null };
  } catch (error) {
    return { type: 'refusal', id, fault: describe(error) };
  }
}
