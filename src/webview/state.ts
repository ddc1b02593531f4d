import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { HostToPage, InitMessage } from '../protocol/messages.ts';
import type {
  DraftView,
  GaugeView,
  MessageView,
  ModelView,
  SessionView,
  SettingsView,
  StatusView,
  TaskView,
  WayOut,
  CompressionView,
  CoverView,
} from '../protocol/views.ts';

/** A session as the page knows it. */
export interface OpenSession {
  readonly id: SessionId;
  readonly title: string;
  readonly epoch: number;
  readonly transcript: Transcript;
  readonly covers: readonly CoverView[];
  readonly compressions: readonly CompressionView[];
  readonly gauge: GaugeView | null;
  readonly task: TaskView | null;
  readonly sessions: readonly SessionView[];
  readonly model: ModelView;
  readonly settings: SettingsView;
  readonly status: StatusView;
  readonly draft: DraftView;
  readonly history: readonly string[];
  readonly notice: string | null;
}

export type PageState =
  | { readonly phase: 'loading' }
  | { readonly phase: 'unavailable'; readonly text: string; readonly actions: readonly WayOut[] }
  | { readonly phase: 'document'; readonly title: string; readonly text: string }
  | { readonly phase: 'open'; readonly session: OpenSession };

/** Messages that change what is shown; the others are acted on where they arrive. */
export type StateMessage = Exclude<
  HostToPage,
  { type: 'answer' | 'refusal' | 'replyDelta' | 'focus' | 'reveal' | 'say' | 'ping' }
>;

/** The page's state after a message of the host. What belongs to another session changes nothing. */
export function reduce(state: PageState, message: StateMessage): PageState {
  if (message.type === 'init') {
    const before = state.phase === 'open' && state.session.id === message.session ? state.session : undefined;
    return { phase: 'open', session: opened(message, before) };
  }
  if (message.type === 'unavailable') {
    return { phase: 'unavailable', text: message.text, actions: message.actions };
  }
  if (message.type === 'document') return { phase: 'document', title: message.title, text: message.text };
  if (state.phase !== 'open') return state;
  if ('session' in message && message.session !== state.session.id) return state;
  const session = reduceSession(state.session, message);
  return session === state.session ? state : { phase: 'open', session };
}

/** `before` is the same session as it was shown until now: its gauge stands until the new one is worked out. */
function opened(message: InitMessage, before: OpenSession | undefined): OpenSession {
  const { session, title, epoch, covers, compressions, task, sessions, model, settings, status } = message;
  return {
    ...{ id: session, title, epoch, covers, compressions, task, sessions, model, settings, status },
    gauge: message.gauge ?? before?.gauge ?? null,
    draft: message.draft,
    history: message.history,
    notice: message.notice,
    transcript: Transcript.empty.replaceFrom(message.from, message.messages, message.total, true),
  };
}

function reduceSession(
  session: OpenSession,
  message: Exclude<StateMessage, { type: 'init' | 'unavailable' | 'document' }>,
): OpenSession {
  const { transcript } = session;
  switch (message.type) {
    case 'transcript': {
      const fresh = message.epoch !== session.epoch;
      const next = transcript.replaceFrom(message.from, message.messages, message.total, fresh);
      const history = withSent(session.history, transcript.total, message);
      return { ...session, epoch: message.epoch, transcript: next, history };
    }
    case 'messagesChanged':
      return { ...session, transcript: transcript.update(message.messages) };
    case 'replyStarted':
      return { ...session, transcript: transcript.replaceFrom(message.at, [message.message], message.at + 1, false) };
    case 'replyEnded':
      return { ...session, transcript: transcript.update([message.message]) };
    case 'compression':
      return { ...session, covers: message.covers, compressions: message.compressions };
    case 'gauge':
      return { ...session, gauge: message.gauge };
    case 'task':
      return { ...session, task: message.task };
    case 'sessions': {
      const title = message.sessions.find((each) => each.id === session.id)?.title ?? session.title;
      return { ...session, sessions: message.sessions, title };
    }
    case 'status':
      return { ...session, status: message.status };
    case 'draft':
      return { ...session, draft: message.draft };
  }
}

/** The summary that stands for the message at a position, by bisection: covers are in order and do not overlap. */
export function coverAt(covers: readonly CoverView[], position: number): CoverView | undefined {
  let low = 0;
  let high = covers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (covers[middle]!.to < position) low = middle + 1;
    else high = middle;
  }
  const cover = covers[low];
  return cover && cover.from <= position ? cover : undefined;
}

/** Texts of the user that are kept for the composer's arrow keys. */
const HISTORY = 50;

/** The texts the user sent, with those of messages behind what was there: `total` of them. */
function withSent(
  history: readonly string[],
  total: number,
  { from, messages }: Extract<HostToPage, { type: 'transcript' }>,
): readonly string[] {
  const sent = messages.flatMap(({ role, parts }, index) =>
    role === 'user' && from + index >= total ? parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  return sent.length === 0 ? history : [...history, ...sent].slice(-HISTORY);
}

/** Messages kept in the page; more are loaded again when they come near the view. */
const KEPT = 600;
/** Messages asked for at a time; requests start at multiples of it. */
export const PAGE = 50;

/** What the page has of the active branch: some messages by position, out of `total`. Never changed, only replaced. */
export class Transcript {
  static readonly empty = new Transcript(0, new Map(), Infinity);

  readonly total: number;
  readonly #messages: ReadonlyMap<number, MessageView>;
  /** Where older messages were asked for last; those near it are kept. */
  readonly #near: number;
  #positions: Map<MessageId, number> | undefined;

  private constructor(total: number, messages: Map<number, MessageView>, near: number) {
    this.total = total;
    this.#near = near;
    if (messages.size > KEPT) {
      const distance = (position: number): number => Math.abs(position - Math.min(near, total));
      const byDistance = [...messages.keys()].sort((a, b) => distance(b) - distance(a));
      for (const position of byDistance.slice(0, messages.size - KEPT)) {
        // The end stays: it is where the next message goes, and a reply may be arriving there.
        if (position < total - PAGE) messages.delete(position);
      }
    }
    this.#messages = messages;
  }

  get loaded(): number {
    return this.#messages.size;
  }

  at(position: number): MessageView | undefined {
    return this.#messages.get(position);
  }

  get last(): MessageView | undefined {
    return this.#messages.get(this.total - 1);
  }

  /** Where a message stands, if the page has it. */
  positionOf(id: MessageId): number | undefined {
    if (!this.#positions) {
      this.#positions = new Map();
      for (const [position, message] of this.#messages) this.#positions.set(message.id, position);
    }
    return this.#positions.get(id);
  }

  /** Replaces everything from position `from` on. With `fresh` nothing before it is kept either. */
  replaceFrom(from: number, messages: readonly MessageView[], total: number, fresh: boolean): Transcript {
    const next = new Map<number, MessageView>();
    if (!fresh) for (const [position, message] of this.#messages) if (position < from) next.set(position, message);
    messages.forEach((message, index) => {
      if (from + index < total) next.set(from + index, message);
    });
    return new Transcript(total, next, fresh ? Infinity : this.#near);
  }

  /** Adds older messages that were asked for; keeps those nearest to `near` when there are too many. */
  add(from: number, messages: readonly MessageView[], near: number): Transcript {
    const next = new Map(this.#messages);
    messages.forEach((message, index) => {
      if (from + index < this.total) next.set(from + index, message);
    });
    return new Transcript(this.total, next, near);
  }

  /** New versions of messages that are here. */
  update(messages: readonly MessageView[]): Transcript {
    let next: Map<number, MessageView> | undefined;
    for (const message of messages) {
      const position = this.positionOf(message.id);
      if (position === undefined) continue;
      next ??= new Map(this.#messages);
      next.set(position, message);
    }
    return next ? new Transcript(this.total, next, this.#near) : this;
  }

  /** The first positions of the pages that rows `from`…`to` (inclusive) need and that are not here. */
  missing(from: number, to: number): number[] {
    const pages: number[] = [];
    for (let page = Math.floor(Math.max(0, from) / PAGE) * PAGE; page <= to && page < this.total; page += PAGE) {
      const end = Math.min(page + PAGE, this.total, to + 1);
      for (let position = Math.max(page, from); position < end; position++) {
        if (!this.#messages.has(position)) {
          pages.push(page);
          break;
        }
      }
    }
    return pages;
  }
}

/** The text of the reply that is arriving. It grows outside the page's state, so that a token redraws nothing else. */
export class LiveReply {
  readonly id: MessageId;
  #text: string;
  readonly #listeners = new Set<() => void>();

  constructor(id: MessageId, text: string) {
    this.id = id;
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /**
   * Adds text that starts at `offset` (UTF-16 units). Text that was there already is replaced. False, and nothing
   * changed, when something before it is missing.
   */
  add(offset: number, text: string): boolean {
    if (offset > this.#text.length) return false;
    this.#text = offset === this.#text.length ? this.#text + text : this.#text.slice(0, offset) + text;
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
