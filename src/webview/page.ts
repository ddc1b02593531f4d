import * as v from 'valibot';
import type { MessageId } from '../core/model/ids.ts';
import { RequestFault, type RequestFaultReason } from '../protocol/faults.ts';
import type { PageToHost } from '../protocol/messages.ts';
import type { AnswerOf, RequestOf, RequestType } from '../protocol/requests.ts';
import { REMEDIES, type PageCommand, type FaultButton } from '../protocol/views.ts';
import { setLocale } from './format.ts';
import { HostLink, type EditorApi } from './host-link.ts';
import { plainText } from './markdown/parser.ts';
import { lastText, LiveReply, reduce, type OpenSession, type PageState, type StateMessage } from './state.ts';
import { text } from './texts.ts';
import { Toasts, type Toast } from './toasts.ts';

/** What the page stores for a reload: the scroll position and the draft. */
const savedSchema = v.object({
  session: v.string(),
  draft: v.string(),
  /** The host's version of the draft at that time. */
  told: v.optional(v.string(), ''),
  /** Texts that were pasted into the draft. */
  pasted: v.optional(v.array(v.string()), []),
  /** The message at the top of the view and how far it's scrolled, in px; null at the end of the transcript. */
  place: v.nullable(v.object({ position: v.number(), offset: v.number() })),
});
export type Saved = v.InferOutput<typeof savedSchema>;

export type Panel = 'none' | 'sessions' | 'recall' | 'find' | 'gauge' | 'preview';

/** Requests that lead to a reply. If one succeeds, earlier problems are solved. */
const TURNS: ReadonlySet<RequestType> = new Set(['send', 'sendQueued', 'editAndResend', 'retry', 'continue'] as const);

/** Maximum length of a reply that is announced, in characters. */
const READ_OUT = 300;
const READ_OUT_FROM = 4_000;

/** An element that had the focus and can get it back. */
interface Focused {
  readonly isConnected: boolean;
  focus(): void;
}

/** The page's model: the host's state, the page's own state, and the connection to the host. */
export class Page {
  state: PageState = { type: 'loading' };
  live: LiveReply | undefined;
  /** Set if the previous page has hung. */
  careful: CarefulDrawing | undefined;
  panel: Panel = 'none';
  recallQuery = '';
  readonly toasts = new Toasts(() => this.changed());
  /** Text for screen readers to announce. */
  announcement = '';
  /** Renders the page. This and the following functions are set by the component. */
  changed: () => void = () => undefined;
  composer: { focus(): void; quote(words: string): void; write(words: string): void } | undefined;
  /** With `stay`, the focus doesn't move. */
  list: { reveal(position: number, stay?: boolean): void; toEnd(): void } | undefined;
  readonly #api: EditorApi;
  readonly #link: HostLink;
  readonly post: (message: PageToHost) => void;
  #saved: Saved | undefined;
  readonly #focused: () => Focused | undefined;
  /** What had the focus when the panel was opened. */
  #opener: Focused | undefined;

  /** `focused` returns what has the focus. */
  constructor(api: EditorApi, focused: () => Focused | undefined) {
    this.#api = api;
    this.#focused = focused;
    this.#link = new HostLink(api);
    this.post = this.#link.post;
    const saved = v.safeParse(savedSchema, api.getState());
    this.#saved = saved.success ? saved.output : undefined;
  }

  receive(data: unknown): void {
    const message = this.#link.receive(data);
    if (!message) {
      this.#refused(data);
      return;
    }
    switch (message.type) {
      case 'replyDelta':
        if (this.live?.id !== message.id || !this.live.add(message.offset, message.text)) this.resync('gap in a reply');
        return;
      case 'ping':
        this.post({ type: 'pong' });
        return;
      case 'focus':
        if (message.target === 'preview') this.show('preview');
        else this.composer?.focus();
        return;
      case 'say': {
        const { offer } = message;
        const action = offer && { label: offer.label, run: () => this.post({ type: 'offerTaken', id: offer.id }) };
        this.tell(message.text, 'info', action ?? undefined);
        return;
      }
      case 'reveal':
        this.list?.reveal(message.position);
        return;
      default:
        this.#take(message);
    }
  }

  /** If the session's state is invalid, the page would otherwise wait forever. */
  #refused(data: unknown): void {
    if (this.state.type !== 'loading' || !v.is(v.object({ type: v.literal('init') }), data)) return;
    this.state = {
      type: 'unavailable',
      text: text('This session can’t be displayed. No data was lost. To keep chatting, start a new session.'),
      actions: [
        { command: 'newSession', label: text('New Session') },
        { command: 'openLog', label: text('Show Log') },
      ],
    };
    this.changed();
  }

  #take(message: StateMessage): void {
    if (message.type === 'init') {
      setLocale(message.settings.locale);
      if (message.careful === true)
        this.careful ??= new CarefulDrawing((next) => this.post({ type: 'drawing', message: next }));
      if (this.session?.id !== message.session) this.toasts.settle();
    }
    this.state = reduce(this.state, message);
    if (message.type === 'init') {
      const streaming = message.messages.find((each) => each.streaming);
      this.live = streaming && new LiveReply(streaming);
    } else if (message.type === 'replyStarted') {
      this.live = new LiveReply(message.message);
    } else if (message.type === 'replyEnded' && this.live?.id === message.message.id) {
      this.live = undefined;
      const beginning = plainText(lastText(message.message).slice(0, READ_OUT_FROM)).slice(0, READ_OUT);
      this.announcement = text('Response: {0}', beginning);
    } else if (message.type === 'draft' && message.focus) {
      this.composer?.write(message.draft.text);
    }
    this.changed();
  }

  /** Sends a request. A rejection is shown to the user with its action, passed to `refused`, and returns undefined. */
  async ask<K extends RequestType>(
    type: K,
    fields: Omit<RequestOf<K>, 'type'>,
    refused?: (reason: RequestFaultReason) => void,
  ): Promise<AnswerOf<K> | undefined> {
    try {
      const answer = await this.#link.request(type, fields);
      if (TURNS.has(type)) this.toasts.settle();
      return answer;
    } catch (error) {
      if (!RequestFault.is(error)) throw error;
      const { reason, message, action: way } = error;
      refused?.(reason);
      if (reason === 'cancelled') return undefined;
      const repeat = (): void =>
        TURNS.has(type) && type !== 'retry' ? this.#retryTurn() : void this.ask(type, fields);
      this.tell(message, 'error', way && { label: way.label, run: () => void this.takeWayOut(way.command, repeat) });
      return undefined;
    }
  }

  /** Like `ask`, for requests without a result; returns whether it succeeded. */
  async do<K extends RequestType>(type: K, fields: Omit<RequestOf<K>, 'type'>): Promise<boolean> {
    return (await this.ask(type, fields)) !== undefined;
  }

  run(command: PageCommand, argument?: string): void {
    void this.ask('runCommand', { command, ...(argument !== undefined && { argument }) });
  }

  /** Runs the action of an error's button, and repeats the failed action once the problem is solved. */
  async takeWayOut(command: FaultButton['command'], repeat: () => void): Promise<void> {
    if (command === 'retry' || ((await this.ask('runCommand', { command })) && REMEDIES.has(command))) repeat();
  }

  /** Retries a failed reply. A text that returned to the composer isn't a message, and stays there. */
  #retryTurn(): void {
    const last = this.session?.transcript.last;
    if (last && (last.role === 'user' || last.ending !== 'complete')) void this.ask('retry', { message: last.id });
  }

  /** A file's content; undefined if it can't be read, for example a dropped folder, which is reported. */
  async readOrTell(name: string, reading: Promise<string>): Promise<string | undefined> {
    try {
      return await reading;
    } catch {
      this.tell(text('Couldn’t read {0}. Add it again.', name), 'error');
      return undefined;
    }
  }

  get session(): OpenSession | undefined {
    return this.state.type === 'open' ? this.state.session : undefined;
  }

  /** Changes the page's own part of the session's state. */
  change(change: Partial<Pick<OpenSession, 'notice' | 'transcript'>>): void {
    if (this.session) this.state = { type: 'open', session: { ...this.session, ...change } };
    this.changed();
  }

  /** Loads older messages. Answers about another branch or session are ignored. */
  async load(from: number, count: number, near: number): Promise<void> {
    const before = this.session;
    if (!before) return;
    const { id, epoch } = before;
    const answer = await this.ask('loadMessages', { session: id, epoch, from, count });
    const { session } = this;
    if (!answer || session?.id !== id || session.epoch !== epoch) return;
    this.change({ transcript: session.transcript.add(answer.from, answer.messages, near) });
  }

  show(panel: Panel): void {
    if (panel !== 'none') this.#opener = this.#focused();
    this.panel = panel;
    this.changed();
  }

  /** Closes the panel and returns the focus to what opened it. */
  leavePanel(): void {
    this.show('none');
    if (this.#opener?.isConnected) this.#opener.focus();
    else this.composer?.focus();
  }

  tell(words: string, severity?: Toast['severity'], action?: Toast['action']): void {
    this.toasts.tell(words, severity, action);
  }

  /** The stored state of this session from before a reload. */
  savedFor(session: string): Saved | undefined {
    return this.#saved?.session === session ? this.#saved : undefined;
  }

  save(change: Partial<Omit<Saved, 'session'>>): void {
    const session = this.session?.id;
    if (!session) return;
    this.#saved = { session, draft: '', told: '', pasted: [], place: null, ...this.savedFor(session), ...change };
    this.#api.setState(this.#saved);
  }

  /** Requests everything again. */
  resync(reason: string): void {
    this.post({ type: 'resync', reason });
  }
}

/** Delay in ms, so that the host learns which message comes next before it may block the page. */
const HEARD_AFTER = 60;

/**
 * After the page has hung, renders one message at a time and announces each to the host, which then knows the message
 * if the page hangs again.
 */
class CarefulDrawing {
  readonly #announce: (message: MessageId | null) => void;
  #turns: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(announce: (message: MessageId | null) => void) {
    this.#announce = announce;
  }

  /** Calls `draw` when it's this message's turn, unless the returned function was called before. */
  queue(message: MessageId, draw: () => void): () => void {
    let isWanted = true;
    this.#waiting++;
    this.#turns = this.#turns.then(async () => {
      if (isWanted) {
        this.#announce(message);
        await new Promise((resolve) => setTimeout(resolve, HEARD_AFTER));
        draw();
        // The next announcement is sent after this message was rendered.
        await new Promise((resolve) => setTimeout(resolve, HEARD_AFTER));
      }
      this.#waiting--;
      if (this.#waiting === 0) this.#announce(null);
    });
    return () => {
      isWanted = false;
    };
  }
}
