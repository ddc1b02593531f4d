import * as v from 'valibot';
import type { RequestFaultReason } from '../protocol/faults.ts';
import type { PageToHost } from '../protocol/messages.ts';
import type { AnswerOf, RequestOf, RequestType } from '../protocol/requests.ts';
import type { ActionView, MessageView, PageCommand } from '../protocol/views.ts';
import { Acts } from './acts.ts';
import { setLocale } from './format.ts';
import { HostLink, type EditorApi } from './host-link.ts';
import { LiveReply, reduce, type OpenSession, type PageState } from './state.ts';
import { plainText } from './markdown/parser.ts';
import { text } from './texts.ts';
import { Toasts, type Toast } from './toasts.ts';
import type { MessageId } from '../core/model/ids.ts';

/** What the page itself keeps over a reload: where the reader was, and what had been typed. */
const savedSchema = v.object({
  session: v.string(),
  draft: v.string(),
  /** What the host had of the draft then. */
  told: v.optional(v.string(), ''),
  /** Texts that were pasted into the draft. */
  pasted: v.optional(v.array(v.string()), []),
  /** The message at the top of the view and how far it is scrolled, in px; null at the end of the transcript. */
  place: v.nullable(v.object({ position: v.number(), offset: v.number() })),
});
export type Saved = v.InferOutput<typeof savedSchema>;

export type Panel = 'none' | 'sessions' | 'recall' | 'find' | 'gauge' | 'preview';

/** What parts of the page ask of each other. */
export type Signal =
  | { readonly type: 'focus'; readonly target: 'composer' | 'latest' }
  /** With `stay` the keyboard stays where it is. */
  | { readonly type: 'reveal'; readonly position: number; readonly stay?: boolean }
  | { readonly type: 'quote'; readonly text: string }
  | { readonly type: 'draft'; readonly text: string };

/** So much of a reply is read out, and so much of it looked at for that, in characters. */
const READ_OUT = 300;
const READ_OUT_FROM = 4_000;

/** What can be done without a session. */
const RECOVERY = (): ActionView[] => [
  { command: 'newSession', label: text('New Session') },
  { command: 'openLog', label: text('Show Log') },
];

/** The page's model: state from the host, what only the page knows, and the way to the host. */
export class Page {
  state: PageState = { phase: 'loading' };
  live: LiveReply | undefined;
  /** Set where the page before this one has hung. */
  careful: CarefulDrawing | undefined;
  panel: Panel = 'none';
  recallQuery = '';
  readonly toasts = new Toasts(
    () => this.changed(),
    (run, ms) => setTimeout(run, ms),
  );
  readonly acts: Acts;
  /** Read out by screen readers. */
  announcement = '';
  readonly #api: EditorApi;
  readonly #link: HostLink;
  readonly #listeners = new Set<() => void>();
  readonly #signals = new Set<(signal: Signal) => void>();
  #saved: Saved | undefined;
  /** Whether the keyboard is in the page, as it was told last. */
  #focused = false;
  /** What had the keyboard when the panel was opened. */
  #opener: HTMLElement | undefined;

  constructor(api: EditorApi) {
    this.#api = api;
    this.#link = new HostLink(api);
    this.acts = new Acts(this.#link, this.toasts, () => this.session?.transcript.last);
    const saved = v.safeParse(savedSchema, api.getState());
    this.#saved = saved.success ? saved.output : undefined;
  }

  start(): void {
    window.addEventListener('message', (event) => this.receive(event.data));
    // Which of these comes, and in which order, differs with what else takes the focus meanwhile.
    for (const type of ['focus', 'blur', 'focusin', 'keydown', 'pointerdown'] as const)
      window.addEventListener(type, () => setTimeout(() => this.#reportFocus()));
    window.addEventListener('error', (event) => this.post({ type: 'pageFault', text: event.message.slice(0, 4_000) }));
    this.post({ type: 'ready' });
  }

  receive(data: unknown): void {
    const message = this.#link.receive(data);
    if (!message) {
      // Without its session the page would wait for ever.
      if (this.state.phase === 'loading' && this.#link.refusedSession) {
        this.state = {
          phase: 'unavailable',
          text: text('This session can’t be displayed. No data was lost. To keep chatting, start a new session.'),
          actions: RECOVERY(),
        };
        this.changed();
      }
      return;
    }
    if (message.type === 'replyDelta') {
      if (this.live?.id !== message.id || !this.live.add(message.offset, message.text)) this.resync('gap in a reply');
      return;
    }
    if (message.type === 'ping') {
      this.post({ type: 'pong' });
      return;
    }
    if (message.type === 'focus') {
      if (message.target === 'preview') this.show('preview');
      else this.signal({ type: 'focus', target: 'composer' });
      return;
    }
    if (message.type === 'say') {
      const { offer } = message;
      const action = offer && { label: offer.label, run: () => this.post({ type: 'offerTaken', id: offer.id }) };
      this.tell(message.text, 'info', action ?? undefined);
      return;
    }
    if (message.type === 'reveal') {
      this.signal({ type: 'reveal', position: message.position });
      return;
    }
    if (message.type === 'init') {
      setLocale(message.settings.locale);
      if (message.careful === true)
        this.careful ??= new CarefulDrawing((next) => this.post({ type: 'drawing', message: next }));
      if (this.session?.id !== message.session) this.toasts.settle();
    }
    this.state = reduce(this.state, message);
    if (message.type === 'init') {
      const streaming = message.messages.find((each) => each.streaming);
      this.live = streaming && new LiveReply(streaming.id, lastText(streaming));
    } else if (message.type === 'replyStarted') {
      this.live = new LiveReply(message.message.id, lastText(message.message));
    } else if (message.type === 'replyEnded' && this.live?.id === message.message.id) {
      this.live = undefined;
      this.announce(
        text('Response: {0}', plainText(lastText(message.message).slice(0, READ_OUT_FROM)).slice(0, READ_OUT)),
      );
    } else if (message.type === 'draft' && message.focus) {
      this.signal({ type: 'draft', text: message.draft.text });
    }
    this.changed();
  }

  post(message: PageToHost): void {
    this.#link.post(message);
  }

  /** Asks the host; a refusal is shown to the user, told to `refused`, and gives undefined. */
  ask<K extends RequestType>(
    type: K,
    fields: Omit<RequestOf<K>, 'type'>,
    refused?: (reason: RequestFaultReason) => void,
  ): Promise<AnswerOf<K> | undefined> {
    return this.acts.ask(type, fields, refused);
  }

  /** As `ask`, for what is only asked to be done; true when it was. */
  async do<K extends RequestType>(type: K, fields: Omit<RequestOf<K>, 'type'>): Promise<boolean> {
    return (await this.ask(type, fields)) !== undefined;
  }

  run(command: PageCommand, argument?: string): void {
    void this.ask('runCommand', { command, ...(argument !== undefined && { argument }) });
  }

  dismissNotice(): void {
    if (this.session) this.state = { phase: 'open', session: { ...this.session, notice: null } };
    this.changed();
  }

  get session(): OpenSession | undefined {
    return this.state.phase === 'open' ? this.state.session : undefined;
  }

  /** Loads older messages; answers about another branch or session are dropped. */
  async load(from: number, count: number, near: number): Promise<void> {
    const before = this.session;
    if (!before) return;
    const answer = await this.ask('loadMessages', { session: before.id, epoch: before.epoch, from, count });
    const session = this.#unchanged(before);
    if (!answer || !session) return;
    const transcript = session.transcript.add(answer.from, answer.messages, near);
    this.state = { phase: 'open', session: { ...session, transcript } };
    this.changed();
  }

  /** The session as it is now, if positions in it still mean what they did. */
  #unchanged(before: OpenSession): OpenSession | undefined {
    const { session } = this;
    return session?.id === before.id && session.epoch === before.epoch ? session : undefined;
  }

  show(panel: Panel): void {
    const active = document.activeElement;
    if (panel !== 'none') this.#opener = active instanceof HTMLElement && active !== document.body ? active : undefined;
    this.panel = panel;
    this.changed();
  }

  /** Closes the panel and gives the keyboard back to what opened it. */
  leavePanel(): void {
    const opener = this.#opener;
    this.show('none');
    if (opener?.isConnected) opener.focus();
    else this.signal({ type: 'focus', target: 'composer' });
  }

  tell(words: string, severity: Toast['severity'] = 'info', action?: Toast['action']): void {
    this.toasts.tell(words, severity, action);
  }

  announce(words: string): void {
    this.announcement = words;
  }

  /** What was kept of this session when the page was last here. */
  savedFor(session: string): Saved | undefined {
    return this.#saved?.session === session ? this.#saved : undefined;
  }

  save(change: Partial<Omit<Saved, 'session'>>): void {
    const session = this.session?.id;
    if (!session) return;
    this.#saved = { session, draft: '', told: '', pasted: [], place: null, ...this.savedFor(session), ...change };
    this.#api.setState(this.#saved);
  }

  /** Calls `listener` after each change of the state, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  signal(signal: Signal): void {
    for (const listener of this.#signals) listener(signal);
  }

  onSignal(listener: (signal: Signal) => void): () => void {
    this.#signals.add(listener);
    return () => {
      this.#signals.delete(listener);
    };
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #reportFocus(): void {
    const focused = document.hasFocus();
    if (focused === this.#focused) return;
    this.#focused = focused;
    this.post({ type: 'focusChanged', focused });
  }

  /** Asks for everything again. */
  resync(reason: string): void {
    this.post({ type: 'resync', reason });
  }
}

/** The text that a reply's deltas are added to. */
export function lastText(message: MessageView): string {
  const part = message.parts.findLast((each) => each.type === 'text');
  return part?.type === 'text' ? part.text : '';
}

/** So long (ms) the host is given to hear which message comes next, before that one may hold the page. */
const HEARD_AFTER = 60;

/**
 * After the page has hung, messages are drawn one at a time, each announced to the host first: if the page hangs again,
 * the host knows which message it was.
 */
class CarefulDrawing {
  readonly #announce: (message: MessageId | null) => void;
  readonly #waiting: { readonly message: MessageId; readonly draw: () => void }[] = [];
  #drawing = false;

  constructor(announce: (message: MessageId | null) => void) {
    this.#announce = announce;
  }

  /** Calls `draw` when it is this message's turn, unless the returned function was called before. */
  queue(message: MessageId, draw: () => void): () => void {
    const one = { message, draw };
    this.#waiting.push(one);
    if (!this.#drawing) void this.#run();
    return () => {
      const at = this.#waiting.indexOf(one);
      if (at !== -1) this.#waiting.splice(at, 1);
    };
  }

  async #run(): Promise<void> {
    this.#drawing = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#announce(next.message);
      await new Promise((resolve) => setTimeout(resolve, HEARD_AFTER));
      next.draw();
      // The next announcement is posted behind what this one draws.
      await new Promise((resolve) => setTimeout(resolve, HEARD_AFTER));
    }
    this.#announce(null);
    this.#drawing = false;
  }
}
