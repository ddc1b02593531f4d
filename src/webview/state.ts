import type { SessionId } from '../core/model/ids.ts';
import type { HostToPage, InitMessage } from '../protocol/messages.ts';
import type { CompressionView, CoverView } from '../protocol/compression-views.ts';
import type {
  DraftView,
  GaugeView,
  ModelView,
  SessionView,
  SettingsView,
  StatusView,
  TaskView,
  WayOut,
} from '../protocol/views.ts';
import { Transcript } from './transcript.ts';

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

/** The texts the user sent, with those of messages behind what was there: `total` of them. */
function withSent(
  history: readonly string[],
  total: number,
  { from, messages }: Extract<HostToPage, { type: 'transcript' }>,
): readonly string[] {
  const sent = messages.flatMap(({ role, parts }, index) =>
    role === 'user' && from + index >= total ? parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  return sent.length === 0 ? history : [...history, ...sent];
}
