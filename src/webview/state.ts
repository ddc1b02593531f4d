import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { HostToPage, InitMessage } from '../protocol/messages.ts';
import type { SummaryRangeView, MessageView } from '../protocol/views.ts';

export interface OpenSession extends Omit<
  InitMessage,
  'type' | 'session' | 'total' | 'from' | 'messages' | 'edits' | 'hasHung'
> {
  readonly id: SessionId;
  readonly transcript: Transcript;
}

export type PageState =
  | { readonly type: 'loading' }
  | Extract<HostToPage, { type: 'unavailable' | 'document' }>
  | { readonly type: 'open'; readonly session: OpenSession };

export type StateMessage = Exclude<
  HostToPage,
  { type: 'answer' | 'refusal' | 'replyDelta' | 'focus' | 'reveal' | 'toast' | 'ping' }
>;

/** Returns the state after a message from the host. Messages for another session are ignored. */
export function reduce(state: PageState, message: StateMessage): PageState {
  if (message.type === 'unavailable' || message.type === 'document') return message;
  if (message.type === 'init') {
    const { session: id, from, messages, total } = message;
    // Keep the session's gauge until the host has computed a new one.
    const previousGauge = state.type === 'open' && state.session.id === id ? state.session.gauge : null;
    const transcript = Transcript.empty.replaceFrom(from, messages, total, true);
    return { type: 'open', session: { ...message, id, gauge: message.gauge ?? previousGauge, transcript } };
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
      return { ...session, epoch, transcript: next, history: updatedHistory(session, from, messages) };
    }
    case 'messagesChanged':
      return { ...session, transcript: transcript.update(message.messages) };
    case 'replyStarted':
      return { ...session, transcript: transcript.replaceFrom(message.at, [message.message], message.at + 1, false) };
    case 'replyEnded':
      return { ...session, transcript: transcript.update([message.message]) };
    case 'sessions': {
      const title = message.sessions.find((each) => each.id === session.id)?.title ?? session.title;
      return { ...session, sessions: message.sessions, elsewhere: message.elsewhere, title };
    }
    case 'compression':
    case 'gauge':
    case 'task':
    case 'status':
    case 'draft':
      return { ...session, ...message };
  }
}

/** Maximum number of sent texts in the composer's history. */
const MAX_HISTORY = 50;

/** Returns the history with the texts of the user's new messages, newest last, without duplicates. */
function updatedHistory({ history, transcript }: OpenSession, from: number, messages: readonly MessageView[]) {
  const isNew = ({ id }: MessageView, position: number): boolean =>
    position >= transcript.total || (transcript.at(position)?.id ?? id) !== id;
  const sent = messages.filter((message, index) => message.role === 'user' && isNew(message, from + index));
  const texts = sent.map(messageText).filter((text) => text !== '');
  return texts.length === 0 ? history : [...new Set([...history, ...texts].reverse())].slice(0, MAX_HISTORY).reverse();
}

export const summaryRangeAt = (ranges: readonly SummaryRangeView[], position: number): SummaryRangeView | undefined =>
  ranges.find(({ from, to }) => from <= position && position <= to);

/** A message's text, as the host joins it from the text parts. */
export const messageText = ({ parts }: MessageView): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** A message's text, tool calls, and tool results, as the host joins them to search them. */
export const searchedText = ({ parts }: MessageView): string =>
  parts
    .filter((part) => part.type !== 'image')
    .map((part) => (part.type === 'tool_call' ? `${part.name} ${part.json}` : part.text))
    .join('\n');

/** The length of the text that a message shows when it's rendered, in characters. Other parts are collapsed. */
export const textLength = ({ role, parts }: MessageView): number =>
  role === 'tool' || role === 'system'
    ? 0
    : parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);

/** Maximum number of messages that are kept in the page. */
const MAX_LOADED = 600;
/** Number of messages per request. Requests start at multiples of it. */
export const PAGE_SIZE = 50;

/** The loaded messages of the active branch, by position. Immutable. */
export class Transcript {
  static readonly empty = new Transcript(0, [], Infinity);

  readonly total: number;
  readonly #messages: ReadonlyMap<number, MessageView>;
  /** The position around which messages are kept. */
  readonly #center: number;

  private constructor(total: number, messages: readonly (readonly [number, MessageView])[], center: number) {
    this.total = total;
    this.#center = center;
    // Keep the newest messages as well, because they are followed by new ones.
    const isKept = (at: number): boolean =>
      Math.abs(at - Math.min(center, total)) < MAX_LOADED / 2 || at >= total - PAGE_SIZE;
    this.#messages = new Map(messages.length > MAX_LOADED ? messages.filter(([at]) => isKept(at)) : messages);
  }

  at(position: number): MessageView | undefined {
    return this.#messages.get(position);
  }

  get last(): MessageView | undefined {
    return this.at(this.total - 1);
  }

  /** Replaces all messages from position `from`. With `discardEarlier`, those before it are removed. */
  replaceFrom(from: number, messages: readonly MessageView[], total: number, discardEarlier: boolean): Transcript {
    const before = discardEarlier ? [] : [...this.#messages].filter(([at]) => at < from);
    return new Transcript(
      total,
      [...before, ...withPositions(from, messages)],
      discardEarlier ? Infinity : this.#center,
    );
  }

  /** Adds messages from position `from`. If there are too many, keeps those around `center`. */
  add(from: number, messages: readonly MessageView[], center: number): Transcript {
    return new Transcript(this.total, [...this.#messages, ...withPositions(from, messages)], center);
  }

  update(messages: readonly MessageView[]): Transcript {
    const changed = new Map(messages.map((message) => [message.id, message]));
    const all = Array.from(this.#messages, ([at, message]) => [at, changed.get(message.id) ?? message] as const);
    return new Transcript(this.total, all, this.#center);
  }

  /** The start positions of the requests for missing messages between `from` and `to` (inclusive). */
  missingPages(from: number, to: number): number[] {
    const pages = new Set<number>();
    for (let position = Math.max(0, from); position <= to && position < this.total; position++)
      if (!this.#messages.has(position)) pages.add(position - (position % PAGE_SIZE));
    return [...pages];
  }
}

const withPositions = (from: number, messages: readonly MessageView[]) =>
  messages.map((message, index) => [from + index, message] as const);

/** The text of the streaming reply. It's separate from the page's state, so that new text renders nothing else. */
export class LiveReply {
  readonly id: MessageId;
  text: string;
  /** Called after each change. Set by the component that renders the reply. */
  onChange: () => void = () => undefined;

  constructor(message: MessageView) {
    this.id = message.id;
    this.text = messageText(message);
  }

  /** Replaces the text from `offset` (UTF-16 units). Returns false without a change if there is a gap before it. */
  add(offset: number, text: string): boolean {
    if (offset > this.text.length) return false;
    this.text = this.text.slice(0, offset) + text;
    this.onChange();
    return true;
  }
}
