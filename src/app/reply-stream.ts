import type { Context } from '../core/context/assemble.ts';
import type { RecalledExcerpt } from '../core/context/render-context.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { messageId } from '../core/model/ids.ts';
import type { Ending, Message, Usage } from '../core/model/message.ts';
import type { ContextMeter } from './context-meter.ts';
import type { ConversationUpdate } from './conversation-update.ts';
import { emptyReply, ModelFault } from './fault.ts';
import type { ChatModel, ChatRequest, Log, SessionJournal, Clock } from './ports.ts';
import type { SessionDeps } from './session-deps.ts';
import type { ConversationSettings } from './conversation-settings.ts';

export interface ReplyDeps extends Pick<SessionDeps, 'journal' | 'clock' | 'log' | 'counter' | 'settings' | 'price'> {
  readonly meter: ContextMeter;
  readonly onUpdate: (update: ConversationUpdate) => void;
  /** Called with the events of a reply that couldn't be written. Write them later, because the reply is paid for. */
  readonly onUnwritten: (events: readonly SessionEvent[]) => void;
}

/** The abort reason of a turn that ends because its window closes or another one takes over. */
export const HALTED = new DOMException('The conversation was halted.', 'AbortError');

/**
 * Sends the current context and journals the reply while it arrives. Resolves if the reply is complete, stopped by the
 * user, or halted. Rejects with `ModelFault` or `StoreFault`; a partial reply is kept.
 */
export async function streamReply(
  deps: ReplyDeps,
  model: ChatModel,
  recalled: readonly RecalledExcerpt[],
  signal: AbortSignal,
  raisesLimit: boolean,
): Promise<void> {
  const { clock, journal, log, meter, onUpdate } = deps;
  const context = meter.context(recalled);
  const raised = requestOf(context, deps.settings(), deps, true);
  const request = raisesLimit ? raised : requestOf(context, deps.settings(), deps);
  const providerCount = await countWithProvider(deps, model, request, signal);
  if (providerCount !== undefined) meter.observe(context, providerCount);
  const reply = { id: messageId(clock.id()), parent: journal.state.head, model: model.id };
  const writer = new ReplyWriter(journal, clock, reply);
  let usage: Usage | undefined;
  const failedUsages: Usage[] = [];
  let ending: Ending = 'interrupted';
  onUpdate({ type: 'reply_started', id: reply.id, model: model.id });
  try {
    for await (const chunk of model.stream(request, signal)) {
      switch (chunk.type) {
        case 'text':
          onUpdate({ type: 'reply_text', id: reply.id, offset: writer.text.length, text: chunk.text });
          writer.add(chunk.text);
          break;
        case 'thinking':
          if (chunk.retracts) {
            writer.restart();
            onUpdate({ type: 'reply_started', id: reply.id, model: model.id });
          }
          onUpdate({ type: 'reply_thinking', id: reply.id });
          break;
        case 'retried':
          if (usage) failedUsages.push(usage);
          usage = undefined;
          break;
        case 'usage':
          usage = chunk.usage;
          break;
        case 'end':
          ending = chunk.ending;
          break;
      }
    }
    if (writer.text.trim() === '') throw emptyReply(ending, usage, request.reasoningTokens === raised.reasoningTokens);
  } catch (error) {
    if (!ModelFault.is(error, 'cancelled')) throw error;
    ending = signal.reason === HALTED ? 'interrupted' : 'stopped';
  } finally {
    await writer.settled();
    const reported = usage;
    // An interrupted reply costs money, too, but providers report its output only at the end, or nothing at all.
    if (writer.text !== '' && ending !== 'complete' && ending !== 'length') {
      const output = Math.max(usage?.output ?? 0, deps.counter.text(writer.text));
      usage = { input: meter.providerTokens(context.total), ...usage, output };
    }
    await keepReply(deps, reply, writer.text, usage, failedUsages, ending);
    if (reported && reported.input > 0 && meter.observe(context, reported.input) === 'truncated') {
      const sent = meter.providerTokens(context.total);
      log.event('prompt_truncated', { session_id: journal.id, model: model.id, sent, read: reported.input });
      onUpdate({ type: 'truncated', model: model.id, sent, read: reported.input });
    }
  }
}

/** Factor for the thinking tokens after thinking has used up the output limit. */
const RAISE_FACTOR = 4;

/** Number of recent turns whose pauses are considered. */
const RECENT_TURNS = 4;
const HOUR_MS = 3_600_000;

/** The longest recent pause between a reply and the next message, in ms. */
function longestPause(state: SessionState): number {
  let longest = 0;
  const path = state.path.slice(-2 * RECENT_TURNS);
  for (const [at, id] of path.entries()) {
    const message = state.messages.get(id);
    const before = at === 0 ? undefined : state.messages.get(path[at - 1]!);
    if (message?.role !== 'user' || before?.role !== 'assistant') continue;
    const pause = message.at - before.at;
    // No prompt cache survives longer pauses.
    if (pause <= HOUR_MS) longest = Math.max(longest, pause);
  }
  return longest;
}

/**
 * Reserve in case the input is larger than estimated: a `share` of it and `tokens` for the server's own template, but
 * at most the share `ofReply` of the room for the reply.
 */
const SPARE = { share: 0.1, tokens: 100, ofReply: 0.5 } as const;

/** The chat request for a context. `raisesLimit`: with more thinking tokens, as far as the model allows. */
export function requestOf(
  context: Context,
  settings: ConversationSettings,
  { journal: { id, state }, meter }: Pick<ReplyDeps, 'journal' | 'meter'>,
  raisesLimit = false,
): ChatRequest {
  const { contextWindow, reservedTokens, reply, temperature } = settings;
  const inputTokens = meter.providerTokens(context.total);
  // Servers reject requests whose input and output limit together exceed their context window.
  const remaining = meter.serverWindow - inputTokens;
  const spare = Math.min(inputTokens * SPARE.share + SPARE.tokens, remaining * SPARE.ofReply);
  const room = Math.max(1, Math.floor(remaining - spare));
  const textTokens = Math.min(reply?.textTokens ?? reservedTokens, room);
  const thinking = reply?.reasoningTokens ?? 0;
  // Without thinking tokens, the text tokens are raised, because the model may think even if that isn't known.
  const raisedTokens = (thinking || textTokens) * RAISE_FACTOR;
  const wantedTokens =
    raisesLimit && reply
      ? Math.max(
          thinking,
          Math.min(raisedTokens, reply.maxOutput - textTokens, contextWindow - inputTokens - textTokens),
        )
      : thinking;
  const reasoningTokens = Math.min(wantedTokens, room - textTokens);
  return {
    system: context.system,
    messages: context.messages,
    cache: { key: id, idleMs: longestPause(state) },
    maxOutputTokens: textTokens,
    ...(reasoningTokens > 0 && { reasoningTokens }),
    ...(reply?.effort !== undefined && { effort: reply.effort }),
    ...(temperature !== undefined && { temperature }),
  };
}

/**
 * Turns partial replies, left by a crash or a reload, into interrupted messages. The active branch only changes if a
 * reply belongs to its end. Rejects with `StoreFault`.
 */
export async function recoverReplies(journal: SessionJournal): Promise<void> {
  if (journal.readOnly !== undefined) return;
  const { head, partials } = journal.state;
  const interrupted = ({ id, parent, model, text, at }: (typeof partials)[number]): SessionEvent => ({
    type: 'message_added',
    message: { id, parent, role: 'assistant', content: [{ type: 'text', text }], at, model, ending: 'interrupted' },
  });
  const others = partials.filter(({ parent }) => parent !== head);
  const atHead = partials.filter(({ parent }) => parent === head);
  const back: readonly SessionEvent[] = others.length > 0 ? [{ type: 'head_moved', to: head }] : [];
  await journal.append(...others.map(interrupted), ...back, ...atHead.map(interrupted));
}

/** Recovers partial replies when this window becomes the writer, because the previous one may have left some. */
export function recoverOnTakeover(
  { journal, log }: { readonly journal: SessionJournal; readonly log: Log },
  isReplying: () => boolean,
): void {
  let wasReadOnly = journal.readOnly !== undefined;
  journal.onDidChange(() => {
    const hasTakenOver = wasReadOnly && journal.readOnly === undefined;
    wasReadOnly = journal.readOnly !== undefined;
    if (hasTakenOver && !isReplying())
      void recoverReplies(journal).catch((error: unknown) =>
        log.warn(`Session ${journal.id}: the partial response was not recovered: ${String(error)}`),
      );
  });
}

/** The provider's count of the request's tokens, if the user allows it and local counts aren't calibrated yet. */
async function countWithProvider(
  { journal, log, meter, settings }: ReplyDeps,
  model: ChatModel,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (!model.countTokens || !meter.isApproximate || !settings().countWithProvider) return undefined;
  try {
    return await model.countTokens(request, signal);
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    // If the provider fails again, the turn reports it.
    log.warn(`Session ${journal.id}: the provider did not return a token count (${error.reason}).`);
    return undefined;
  }
}

type ReplyHead = Pick<Message, 'id' | 'parent'> & { readonly model: string };

/** Journals a finished reply, its usage, and that of failed attempts. A reply without text isn't kept. */
async function keepReply(
  { clock, journal, onUnwritten, price }: ReplyDeps,
  { id, parent, model }: ReplyHead,
  text: string,
  usage: Usage | undefined,
  failedUsages: readonly Usage[],
  ending: Ending,
): Promise<void> {
  const events: SessionEvent[] = [];
  if (text.trim() !== '') {
    const content = [{ type: 'text', text }] as const;
    const message: Message = { id, parent, role: 'assistant', content, at: clock.now(), model, ending };
    events.push({ type: 'message_added', message: usage ? { ...message, usage } : message });
  }
  for (const paid of usage ? [...failedUsages, usage] : failedUsages)
    events.push({ type: 'usage_recorded', purpose: 'chat', model, usage: paid, costUsd: price(model, paid) });
  try {
    await journal.append(...events);
  } catch (error) {
    onUnwritten(events);
    throw error;
  }
}

/** Interval between writes of partial text. A crash loses no more than that. */
const PARTIAL_INTERVAL_MS = 1000;

/** Journals a reply while it arrives. Each write contains the new text and its offset. */
class ReplyWriter {
  #text = '';
  #written = 0;
  #lastWrite: number;
  #pending: Promise<void> = Promise.resolve();
  readonly #journal: SessionJournal;
  readonly #clock: Clock;
  readonly #reply: ReplyHead;

  constructor(journal: SessionJournal, clock: Clock, reply: ReplyHead) {
    this.#journal = journal;
    this.#clock = clock;
    this.#reply = reply;
    this.#lastWrite = clock.now();
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    this.#text += text;
    // The difference is negative if the system clock was set back.
    if (Math.abs(this.#clock.now() - this.#lastWrite) >= PARTIAL_INTERVAL_MS) this.#flush();
  }

  /** Discards the text so far, also on disk. */
  restart(): void {
    const wasWritten = this.#written > 0;
    this.#text = '';
    this.#written = 0;
    if (wasWritten) this.#write(0, '');
  }

  /** Starts writing the text that isn't on disk yet. */
  #flush(): void {
    if (this.#written === this.#text.length) return;
    const offset = this.#written;
    const text = this.#text.slice(offset);
    this.#written = this.#text.length;
    this.#lastWrite = this.#clock.now();
    this.#write(offset, text);
  }

  #write(offset: number, text: string): void {
    this.#pending = this.#pending
      .then(() => this.#journal.append({ type: 'reply_partial', ...this.#reply, offset, text }))
      .catch(() => {
        // The next write includes this text. If all writes fail, so does writing the finished reply, which is reported.
        this.#written = Math.min(this.#written, offset);
      });
  }

  settled(): Promise<void> {
    return this.#pending;
  }
}
