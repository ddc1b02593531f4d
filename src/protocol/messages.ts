import * as v from 'valibot';
import { faultSchema, RequestFault, type FaultView } from './faults.ts';
import {
  draftSchema,
  gaugeSchema,
  messageSchema,
  modelSchema,
  sessionSchema,
  settingsSchema,
  statusSchema,
  taskSchema,
  wayOutSchema,
  compressionSchema,
  coverSchema,
  aMessageId,
  aSessionId,
  count,
  list,
  longText,
  shortText,
} from './views.ts';
import { requestSchema, type PageRequest, type RequestHandlers } from './requests.ts';

/**
 * The newest messages of a branch, and how many there are in all: `messages[i]` stands at position `from + i`, and
 * those before `from` are loaded when they come near the view. `epoch` grows whenever positions get new meanings
 * (another branch, a deleted message), so that an answer that was on its way can be told to be of the past.
 */
const transcript = {
  session: aSessionId,
  epoch: count,
  total: count,
  from: count,
  messages: list(messageSchema),
};

const hostToPage = v.variant('type', [
  /** Everything, after `ready`, `resync` and a change of session. */
  v.object({
    type: v.literal('init'),
    ...transcript,
    title: v.string(),
    covers: list(coverSchema),
    compressions: list(compressionSchema),
    gauge: v.nullable(gaugeSchema),
    task: v.nullable(taskSchema),
    sessions: list(sessionSchema),
    model: modelSchema,
    settings: settingsSchema,
    status: statusSchema,
    draft: draftSchema,
    /** Texts the user sent, newest last, for the composer's history. */
    history: list(v.string()),
    /** What happened to the session's file, in words for the user. */
    notice: v.nullable(v.string()),
    /** The page has hung before: it draws one message at a time, and says which. */
    careful: v.optional(v.boolean()),
  }),
  /** There is no session to show, and why: no folder is open, the store cannot be read. */
  v.object({ type: v.literal('unavailable'), text: v.string(), actions: list(wayOutSchema) }),
  /** A document to be read in place of a session. */
  v.object({ type: v.literal('document'), title: v.string(), text: longText }),
  /** Positions from `from` on are replaced; those before stay as they are unless `epoch` is new. */
  v.object({ type: v.literal('transcript'), ...transcript }),
  /** New versions of messages that the page may have; ids it does not have are ignored. */
  v.object({ type: v.literal('messagesChanged'), session: aSessionId, messages: list(messageSchema) }),
  /** A reply begins at position `at`, which is the new end; its text comes in deltas. */
  v.object({ type: v.literal('replyStarted'), session: aSessionId, at: count, message: messageSchema }),
  /** `offset` is where `text` starts in the reply, in UTF-16 units; a gap makes the page ask for all again. */
  v.object({ type: v.literal('replyDelta'), session: aSessionId, id: aMessageId, offset: count, text: longText }),
  v.object({ type: v.literal('replyEnded'), session: aSessionId, message: messageSchema }),
  /** After a compression, an undo or a change of branch. */
  v.object({
    type: v.literal('compression'),
    session: aSessionId,
    covers: list(coverSchema),
    compressions: list(compressionSchema),
  }),
  v.object({ type: v.literal('gauge'), gauge: v.nullable(gaugeSchema) }),
  v.object({ type: v.literal('task'), task: v.nullable(taskSchema) }),
  v.object({ type: v.literal('sessions'), sessions: list(sessionSchema) }),
  v.object({ type: v.literal('status'), status: statusSchema }),
  /**
   * What is attached has changed. With `focus` another part of the editor wrote into the composer (*Ask about
   * selection*), and `text` replaces what stands there; without it the text stays as the user is typing it.
   */
  v.object({ type: v.literal('draft'), draft: draftSchema, focus: v.boolean() }),
  /** A command of the editor that acts on the page. */
  v.object({ type: v.literal('focus'), target: v.picklist(['composer', 'preview']) }),
  /** A short message at the foot of the page; with `offer`, a button that answers by `offerTaken`. */
  v.object({
    type: v.literal('say'),
    text: v.string(),
    offer: v.nullable(v.object({ id: count, label: v.string() })),
  }),
  /** Brings a message into view and marks it. */
  v.object({ type: v.literal('reveal'), session: aSessionId, position: count }),
  /** Answered at once by a page that has not hung. */
  v.object({ type: v.literal('ping') }),
  v.object({ type: v.literal('answer'), id: count, ok: v.literal(true), value: v.unknown() }),
  v.object({ type: v.literal('refusal'), id: count, ok: v.literal(false), fault: faultSchema }),
]);
export type HostToPage = v.InferOutput<typeof hostToPage>;
export type InitMessage = Extract<HostToPage, { type: 'init' }>;

const pageToHost = v.variant('type', [
  /** The page listens; answered by `init` or `unavailable`. */
  v.object({ type: v.literal('ready') }),
  /** The page saw a gap in what came; answered by `init`. */
  v.object({ type: v.literal('resync'), reason: shortText }),
  v.object({ type: v.literal('request'), id: count, body: requestSchema }),
  v.object({ type: v.literal('stop') }),
  /** At most once in 300 ms while the user types, and when the page is hidden. */
  v.object({ type: v.literal('setDraft'), session: aSessionId, text: longText }),
  v.object({ type: v.literal('offerTaken'), id: count }),
  /** The keyboard is in the page, or left it. The editor knows that of its tabs, not of a view in the sidebar. */
  v.object({ type: v.literal('focusChanged'), focused: v.boolean() }),
  v.object({ type: v.literal('pong') }),
  /** The message that a careful page draws next; null when all are drawn. */
  v.object({ type: v.literal('drawing'), message: v.nullable(aMessageId) }),
  /** Something broke in the page; goes to the log. Never message text. */
  v.object({ type: v.literal('pageFault'), text: v.pipe(v.string(), v.maxLength(4_000)) }),
]);
export type PageToHost = v.InferOutput<typeof pageToHost>;

/** What came through the door: a message, or where it broke the contract (its content is not repeated). */
export type Parsed<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly problem: string };

function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown): Parsed<T> {
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, message: result.output };
  const issue = result.issues[0];
  const type = v.safeParse(v.object({ type: shortText }), value);
  const where = v.getDotPath(issue);
  const name = type.success ? `message "${type.output.type}"` : 'message without a type';
  return {
    ok: false,
    problem: `${name}: ${where === null ? '' : `${where}: `}expected ${issue.expected ?? issue.type}`,
  };
}

/** Checks what the page sent; for the host. Never throws. */
export function parsePageMessage(value: unknown): Parsed<PageToHost> {
  return parse(pageToHost, value);
}

const requestIdSchema = v.object({ type: v.literal('request'), id: count });

/** The id of a request that breaks the contract elsewhere: the page waits for its answer. */
export function requestIdIn(value: unknown): number | undefined {
  const request = v.safeParse(requestIdSchema, value);
  return request.success ? request.output.id : undefined;
}

/** Checks what the host sent; for the page. Never throws. */
export function parseHostMessage(value: unknown): Parsed<HostToPage> {
  return parse(hostToPage, value);
}

/**
 * Answers one request with the handler of its type. Whatever is thrown becomes a refusal: a `RequestFault` as it is,
 * anything else through `describe`, which words it for the user.
 */
export async function answerRequest(
  id: number,
  body: PageRequest,
  handlers: RequestHandlers,
  describe: (error: unknown) => FaultView,
): Promise<HostToPage> {
  try {
    // The handler of a type takes the requests of that type; the compiler cannot see the two as one choice.
    const handle = handlers[body.type] as (request: PageRequest) => Promise<unknown>;
    return { type: 'answer', id, ok: true, value: (await handle(body)) ?? null };
  } catch (error) {
    const fault = RequestFault.is(error)
      ? { reason: error.reason, text: error.message, ...(error.action && { action: error.action }) }
      : describe(error);
    return { type: 'refusal', id, ok: false, fault };
  }
}
