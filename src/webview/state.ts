import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { HostToPage, InitMessage } from '../protocol/messages.ts';
import type { CoverView, MessageView } from '../protocol/views.ts';

/** A session in the page. */
export interface OpenSession extends Omit<InitMessage, 'type' | 'session' | 'total' | 'from' | 'messages' | 'careful'> {
  readonly id: SessionId;
  readonly transcript: Transcript;
}

export type PageState =
  | { readonly type: 'loading' }
  | Extract<HostToPage, { type: 'unavailable' | 'document' }>
  | { readonly type: 'open'; readonly session: OpenSession };

/** Messages that change the state; others are handled when they arrive. */
export type StateMessage = Exclude<
  HostToPage,
  { type: 'answer' | 'refusal' | 'replyDelta' | 'focus' | 'reveal' | 'say' | 'ping' }
>;

/** The state after a message from the host. Messages about another session are ignored. */
export function reduce(state: PageState, message: StateMessage): PageState {
  if (message.type === 'unavailable' || message.type === 'document') return message;
  if (message.type === 'init') {
    const { session: id, from, messages, total } = message;
    // Keep the previous session's gauge until the new one is computed.
    const before = state.type === 'open' && state.session.id === id ? state.session.gauge : null;
    const transcript = Transcript.empty.replaceFrom(from, messages, total, true);
    return { type: 'open', session: { ...message, id, gauge: message.gauge ?? before, transcript } };
  }
  if (state.type !== 'open' || ('session' in message && message.session !== state.session.id)) return state;
  return { type: 'open', session: reduceSession(state.session, message) };
}

function reduceSession(
  session: OpenSession,
  message: Exclude<StateMessage, { type: 'init' | 'unavailable' | 'document' }>,
): OpenSession {
  const { transcript } = session;
  switch (message.type) {
    case 'transcript': {
      const { epoch, from, messages, total } = message;
      const next = transcript.replaceFrom(from, messages, total, epoch !== session.epoch);
      return { ...session, epoch, transcript: next, history: withSent(session, from, messages) };
    }
    case 'messagesChanged':
      return { ...session, transcript: transcript.update(message.messages) };
    case 'replyStarted':
      return { ...session, transcript: transcript.replaceFrom(message.at, [message.message], message.at + 1, false) };
    case 'replyEnded':
      return { ...session, transcript: transcript.update([message.message]) };
    case 'sessions': {
      const title = message.sessions.find((each) => each.id === session.id)?.title ?? session.title;
      return { ...session, sessions: message.sessions, title };
    }
    case 'compression':
      return { ...session, covers: message.covers, compressions: message.compressions };
    case 'gauge':
      return { ...session, gauge: message.gauge };
    case 'task':
      return { ...session, task: message.task };
    case 'status':
      return { ...session, status: message.status };
    case 'draft':
      return { ...session, draft: message.draft };
  }
}

/** Number of the user's texts for the composer's arrow keys. */
const HISTORY = 50;

/** The user's texts without duplicates, newest last, including those of new messages. */
function withSent({ history, transcript }: OpenSession, from: number, messages: readonly MessageView[]) {
  const isNew = ({ id }: MessageView, position: number): boolean =>
    position >= transcript.total || (transcript.at(position)?.id ?? id) !== id;
  const sent = messages.filter((message, index) => message.role === 'user' && isNew(message, from + index));
  const texts = sent.map(lastText).filter((text) => text !== '');
  return texts.length === 0 ? history : [...new Set([...history, ...texts].reverse())].slice(0, HISTORY).reverse();
}

/** The summary that covers the message at a position. */
export const coverAt = (covers: readonly CoverView[], position: number): CoverView | undefined =>
  covers.find(({ from, to }) => from <= position && position <= to);

/** The text to which a reply's deltas are appended. */
export function lastText(message: MessageView): string {
  const part = message.parts.findLast((each) => each.type === 'text');
  return part?.type === 'text' ? part.text : '';
}

/** Maximum number of messages in the page; others are loaded again when needed. */
const KEPT = 600;
/** Number of messages per request; requests start at multiples of it. */
export const PAGE = 50;

/** The page's part of the active branch: some messages by position, out of `total`. Immutable. */
export class Transcript {
  static readonly empty = new Transcript(0, [], Infinity);

  readonly total: number;
  readonly #messages: ReadonlyMap<number, MessageView>;
  /** Where older messages were last requested. */
  readonly #near: number;

  private constructor(total: number, messages: readonly (readonly [number, MessageView])[], near: number) {
    this.total = total;
    this.#near = near;
    // The end is kept, because new messages and replies are appended there.
    const isKept = (at: number): boolean => Math.abs(at - Math.min(near, total)) < KEPT / 2 || at >= total - PAGE;
    this.#messages = new Map(messages.length > KEPT ? messages.filter(([at]) => isKept(at)) : messages);
  }

  at(position: number): MessageView | undefined {
    return this.#messages.get(position);
  }

  get last(): MessageView | undefined {
    return this.at(this.total - 1);
  }

  /** Replaces everything from position `from`. With `fresh`, nothing before it is kept. */
  replaceFrom(from: number, messages: readonly MessageView[], total: number, fresh: boolean): Transcript {
    const before = fresh ? [] : [...this.#messages].filter(([at]) => at < from);
    return new Transcript(total, [...before, ...placed(from, messages)], fresh ? Infinity : this.#near);
  }

  /** Adds older messages; if there are too many, keeps those near `near`. */
  add(from: number, messages: readonly MessageView[], near: number): Transcript {
    return new Transcript(this.total, [...this.#messages, ...placed(from, messages)], near);
  }

  /** Replaces messages by new versions. */
  update(messages: readonly MessageView[]): Transcript {
    const changed = new Map(messages.map((message) => [message.id, message]));
    const all = Array.from(this.#messages, ([at, message]) => [at, changed.get(message.id) ?? message] as const);
    return new Transcript(this.total, all, this.#near);
  }

  /** The first positions of the pages that rows `from`…`to` (inclusive) need but that aren't loaded. */
  missing(from: number, to: number): number[] {
    const pages = new Set<number>();
    for (let position = Math.max(0, from); position <= to && position < this.total; position++)
      if (!this.#messages.has(position)) pages.add(position - (position % PAGE));
    return [...pages];
  }
}

const placed = (from: number, messages: readonly MessageView[]) =>
  messages.map((message, index) => [from + index, message] as const);

/** The text of the streaming reply. It's not part of the page's state, so that a token doesn't render anything else. */
export class LiveReply {
  readonly id: MessageId;
  text: string;
  readonly #listeners = new Set<() => void>();

  constructor(message: MessageView) {
    this.id = message.id;
    this.text = lastText(message);
  }

  /**
   * Adds text that starts at `offset` (UTF-16 units), replacing existing text. Returns false without a change if text
   * before it is missing.
   */
  add(offset: number, text: string): boolean {
    if (offset > this.text.length) return false;
    this.text = this.text.slice(0, offset) + text;
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
