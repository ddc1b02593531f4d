import * as v from 'valibot';
import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { FaultView, RequestFaultReason } from '../protocol/faults.ts';
import { parseHostMessage, type HostToPage, type PageToHost } from '../protocol/messages.ts';
import {
  parseAnswer,
  type AnswerOf,
  type PageRequest,
  type RequestOf,
  type RequestType,
} from '../protocol/requests.ts';
import { REMEDIES, type PageCommand, type FaultButton } from '../protocol/views.ts';
import type { SoughtExcerpt } from './find.ts';
import { setLocale, truncate } from './format.ts';
import { plainText } from './markdown/parser.ts';
import { LiveReply, messageText, reduce, type OpenSession, type PageState, type StateMessage } from './state.ts';
import { text } from './texts.ts';
import { Toasts, type Toast } from './toasts.ts';
import { queueHeading } from './translated-names.ts';

/** The state that survives a reload of the page. */
const savedSchema = v.object({
  session: v.string(),
  draft: v.string(),
  /** The host's version of the draft when `draft` was saved. */
  told: v.optional(v.string(), ''),
  /** Texts that were pasted into the drafts, by session. */
  pasted: v.optional(v.record(v.string(), v.optional(v.array(v.string()))), {}),
  /** The message at the top of the view and how far it's scrolled, in px; null at the end of the transcript. */
  place: v.nullable(v.object({ position: v.number(), offset: v.number() })),
});
export type SavedState = v.InferOutput<typeof savedSchema>;

export type Panel = 'none' | 'sessions' | 'recall' | 'find' | 'gauge' | 'preview';

/** Panels that show results for one session. They close when another is shown. */
const SESSION_PANELS: ReadonlySet<Panel> = new Set(['recall', 'find', 'preview']);

/** Requests that start a reply. Once one succeeds, earlier errors are cleared. */
const REPLY_REQUESTS: ReadonlySet<RequestType> = new Set(['send', 'sendQueued', 'editAndResend', 'retry', 'continue']);

/** Maximum number of pasted texts that are remembered for a draft. Those that were deleted from it aren't noticed. */
const MAX_PASTED = 100;

/** Maximum length of an announced reply, in characters. */
const MAX_ANNOUNCEMENT = 300;
/** Maximum length of the Markdown that is converted for the announcement, in characters. */
const MAX_ANNOUNCEMENT_SOURCE = 4_000;

export type OnRejected = (reason: RequestFaultReason) => void;

export interface EditorApi {
  postMessage(message: PageToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

type RequestResult = Extract<HostToPage, { type: 'answer' | 'refusal' }>;

/** The page's model: the state from the host, the page's own state, and the connection to the host. */
export class Page {
  state: PageState = { type: 'loading' };
  live: LiveReply | undefined;
  /** Set if the page has hung before. */
  renderQueue: RenderQueue | undefined;
  panel: Panel = 'none';
  /** The query of the last `/recall`. A new object searches again. */
  recall: { readonly query: string } = { query: '' };
  /** A new object requests the preview again. */
  preview: object = {};
  readonly toasts = new Toasts(() => this.rerender());
  /** Text for screen readers to announce. A new object announces it even if the text is the same. */
  announcement: { readonly text: string } = { text: '' };
  /** Renders the page. Set by `App`. */
  rerender: () => void = () => undefined;
  /** Set by the composer. */
  composer: { focus(): void; setText(text: string | ((before: string) => string)): void } | undefined;
  /** Set by the transcript list. `reveal` moves the focus to the message, unless `keepFocus` is set. */
  list:
    | {
        reveal(position: number, how?: { readonly keepFocus?: true; readonly sought?: SoughtExcerpt }): void;
        scrollToEnd(): void;
        readScroll(): void;
        keepFollowing(): void;
      }
    | undefined;
  readonly #api: EditorApi;
  readonly post: (message: PageToHost) => void;
  readonly #pending = new Map<number, (result: RequestResult) => void>();
  #lastRequest = 0;
  #saved: SavedState | undefined;
  /** The texts in the editors of the shown session's messages, by message. */
  #edits = new Map<string, string>();
  /** A toast whose button undoes a change to the shown session. */
  #undoToast: Toast | undefined;
  /** The element that had the focus when the panel was opened. */
  #previousFocus: Element | null = null;
  /** The message to reveal when its session is shown. */
  #pendingReveal: { readonly session: SessionId; readonly position: number } | undefined;

  constructor(api: EditorApi) {
    this.#api = api;
    this.post = (message) => api.postMessage(message);
    const saved = v.safeParse(savedSchema, api.getState());
    this.#saved = saved.success ? saved.output : undefined;
  }

  receive(data: unknown): void {
    const parsed = parseHostMessage(data);
    if (!parsed.ok) {
      this.post({ type: 'pageFault', text: `refused ${parsed.problem}`.slice(0, 4_000) });
      this.#handleInvalid(data);
      return;
    }
    const { message } = parsed;
    switch (message.type) {
      case 'answer':
      case 'refusal':
        this.#pending.get(message.id)?.(message);
        this.#pending.delete(message.id);
        return;
      case 'replyDelta':
        if (this.live?.id !== message.id || !this.live.add(message.offset, message.text)) this.post({ type: 'ready' });
        return;
      case 'ping':
        this.post({ type: 'pong' });
        return;
      case 'focus':
        if (message.target === 'composer') {
          this.composer?.focus();
          return;
        }
        this.recall = { query: '' };
        this.preview = {};
        this.showPanel(message.target);
        return;
      case 'toast': {
        const { action } = message;
        const button = action && { label: action.label, run: () => this.post({ type: 'toastAction', id: action.id }) };
        this.toasts.show(message.text, 'info', button ?? undefined);
        return;
      }
      case 'reveal':
        if (message.session === this.session?.id) this.list?.reveal(message.position);
        else this.#pendingReveal = message;
        return;
      default:
        this.#apply(message);
    }
  }

  /** Reports an invalid `init` message, because the page would otherwise wait for one forever. */
  #handleInvalid(data: unknown): void {
    if (this.state.type !== 'loading' || !v.is(v.object({ type: v.literal('init') }), data)) return;
    this.state = {
      type: 'unavailable',
      text: text('This session can’t be displayed. No data was lost. To keep chatting, start a new session.'),
      actions: [
        { command: 'newSession', label: text('New Session') },
        { command: 'openLog', label: text('Show Log') },
      ],
    };
    this.rerender();
  }

  #apply(message: StateMessage): void {
    if (message.type === 'init') {
      setLocale(message.settings.locale);
      if (message.hasHung === true)
        this.renderQueue ??= new RenderQueue((next) => this.post({ type: 'rendering', message: next }));
      if (this.session?.id !== message.session) {
        this.#edits = new Map(Object.entries(message.edits));
        this.toasts.clearErrors();
        if (this.#undoToast) this.toasts.dismiss(this.#undoToast);
        if (SESSION_PANELS.has(this.panel)) this.panel = 'none';
      }
    }
    const wasReadOnly = this.readOnly !== undefined;
    const before = this.session;
    this.state = reduce(this.state, message);
    this.#announceQueue(before);
    const isReadOnly = this.readOnly !== undefined;
    if (wasReadOnly && !isReadOnly) this.toasts.clearErrors();
    if (isReadOnly && !wasReadOnly && this.#undoToast) this.toasts.dismiss(this.#undoToast);
    if (message.type === 'init') {
      const streaming = message.messages.find((each) => each.streaming);
      this.live = streaming && new LiveReply(streaming);
    } else if (message.type === 'replyStarted') {
      this.toasts.clearErrors();
      this.live = new LiveReply(message.message);
    } else if (message.type === 'replyEnded' && this.live?.id === message.message.id) {
      this.live = undefined;
      const reply = plainText(truncate(messageText(message.message), MAX_ANNOUNCEMENT_SOURCE));
      this.announcement = { text: text('Response: {0}', truncate(reply, MAX_ANNOUNCEMENT)) };
    } else if (message.type === 'draft' && message.focus && message.session === this.session?.id) {
      this.composer?.setText(message.draft.text);
    }
    this.rerender();
  }

  /** Announces messages that were queued, and whether they are on hold. */
  #announceQueue(before: OpenSession | undefined): void {
    if (!this.session) return;
    const { items, isHeld } = this.session.status.queue;
    const known = before?.id === this.session.id ? before.status.queue : undefined;
    if (items.length > 0 && (isHeld !== known?.isHeld || items.length > known.items.length))
      this.announcement = { text: queueHeading(isHeld) };
  }

  /** Sends a request. If it's rejected, calls `onRejected`, and shows the error unless the user canceled. */
  async request<K extends RequestType>(
    type: K,
    fields: Omit<RequestOf<K>, 'type'>,
    onRejected?: OnRejected,
  ): Promise<AnswerOf<K> | undefined> {
    const id = ++this.#lastRequest;
    const result = new Promise<RequestResult>((resolve) => this.#pending.set(id, resolve));
    // The compiler can't relate the type to its fields in an object literal.
    this.post({ type: 'request', id, body: { type, ...fields } as unknown as PageRequest });
    const received = await result;
    const parsed = received.type === 'answer' ? parseAnswer(type, received.value) : undefined;
    if (parsed?.success) {
      if (REPLY_REQUESTS.has(type)) this.toasts.clearErrors();
      return parsed.output;
    }
    const {
      reason,
      text: message,
      action,
      details,
      wait,
    } = received.type === 'refusal' ? received.fault : invalidAnswer();
    onRejected?.(reason);
    if (reason === 'cancelled') return undefined;
    const repeat = (): void =>
      REPLY_REQUESTS.has(type) && type !== 'retry' ? this.#retryReply() : void this.request(type, fields);
    const button = action && { label: action.label, run: () => void this.runFaultAction(action.command, repeat) };
    this.toasts.show(message, 'error', button, { details, wait });
    return undefined;
  }

  /** Like `request`, but returns whether it succeeded. */
  async tryRequest<K extends RequestType>(
    type: K,
    fields: Omit<RequestOf<K>, 'type'>,
    onRejected?: OnRejected,
  ): Promise<boolean> {
    return (await this.request(type, fields, onRejected)) !== undefined;
  }

  runCommand(command: PageCommand, argument?: string, onRejected?: OnRejected): void {
    void this.#runInSession(command, argument, onRejected);
  }

  /** Runs the command of an error's button. If it resolves the error, calls `repeat` to try again. */
  async runFaultAction(command: FaultButton['command'], repeat: () => void): Promise<void> {
    if (command === 'retry' || ((await this.#runInSession(command)) && REMEDIES.has(command))) repeat();
  }

  #runInSession(command: PageCommand, argument?: string, onRejected?: OnRejected): Promise<boolean | undefined> {
    const { id: session } = this.session ?? {};
    const fields = { command, ...(session !== undefined && { session }), ...(argument !== undefined && { argument }) };
    return this.request('runCommand', fields, onRejected);
  }

  /** Attaches something to the next message, by default of the shown session. */
  async attach(what: RequestOf<'attach'>['what'], session = this.session?.id): Promise<void> {
    if (session !== undefined) await this.request('attach', { session, what });
  }

  /** Retries the last reply. If that is complete, does nothing, because the failed message is back in the composer. */
  #retryReply(): void {
    const last = this.session?.transcript.last;
    if (last && (last.role === 'user' || last.ending !== 'complete')) void this.request('retry', { message: last.id });
  }

  /** Pins a quote, or a whole message if its quote is ''. */
  async pinQuote(fields: Omit<RequestOf<'pinQuote'>, 'type' | 'session'>, onRejected?: OnRejected): Promise<void> {
    const { id: session } = this.session ?? {};
    if (session !== undefined && (await this.tryRequest('pinQuote', { session, ...fields }, onRejected)))
      this.toasts.show(text('Pinned. This text stays verbatim through every compression.'));
  }

  /** Shows a message with a button that calls `undo`, until another session is shown or it's read-only. */
  showUndo(message: string, undo: () => void): void {
    this.#undoToast = this.toasts.show(message, 'info', { label: text('Undo'), run: undo });
  }

  /** Returns a file's content. If it can't be read, for example a folder, reports that and returns undefined. */
  async readOrReport(name: string, reading: Promise<string>): Promise<string | undefined> {
    try {
      return await reading;
    } catch {
      this.toasts.show(text('Couldn’t read {0}. Add it again.', name), 'error');
      return undefined;
    }
  }

  get session(): OpenSession | undefined {
    return this.state.type === 'open' ? this.state.session : undefined;
  }

  /** Why this window can't write to the shown session; undefined if it can. */
  get readOnly(): string | undefined {
    return this.session?.status.readOnly?.text;
  }

  get isReplying(): boolean {
    return this.session?.status.replying === true;
  }

  /** Returns the position to reveal if the host asked for it before this session was shown. */
  takePendingReveal(session: SessionId): number | undefined {
    const pending = this.#pendingReveal;
    this.#pendingReveal = undefined;
    return pending?.session === session ? pending.position : undefined;
  }

  updateSession(change: Partial<Pick<OpenSession, 'notice' | 'transcript'>>): void {
    if (this.session) this.state = { type: 'open', session: { ...this.session, ...change } };
    this.rerender();
  }

  /** Loads `count` messages from position `from`. If another branch or session is shown by then, discards them. */
  async loadMessages(from: number, count: number, center: number): Promise<void> {
    const before = this.session;
    if (!before) return;
    const { id, epoch } = before;
    const answer = await this.request('loadMessages', { epoch, from, count });
    const { session } = this;
    if (!answer || session?.id !== id || session.epoch !== epoch) return;
    this.updateSession({ transcript: session.transcript.add(answer.from, answer.messages, center) });
  }

  showPanel(panel: Panel): void {
    if (panel !== 'none') this.#previousFocus = document.activeElement;
    this.panel = panel;
    this.rerender();
  }

  /** Closes the panel and returns the focus to the element that had it before. */
  closePanel(): void {
    this.showPanel('none');
    const previous = this.#previousFocus;
    if (previous instanceof HTMLElement && previous.isConnected && previous !== document.body) previous.focus();
    else this.composer?.focus();
  }

  togglePanel(panel: Panel): void {
    this.showPanel(this.panel === panel ? 'none' : panel);
  }

  /** Returns the saved state if it belongs to this session. */
  savedStateOf(session: string): SavedState | undefined {
    return this.#saved?.session === session ? this.#saved : undefined;
  }

  pastedInto(session: string): readonly string[] {
    return this.#saved?.pasted[session] ?? [];
  }

  addPasted(session: string, texts: readonly string[]): void {
    const others = this.pastedInto(session).filter((each) => !texts.includes(each));
    this.save({ pasted: { ...this.#saved?.pasted, [session]: [...others, ...texts].slice(-MAX_PASTED) } });
  }

  clearPasted(session: string): void {
    this.save({ pasted: { ...this.#saved?.pasted, [session]: undefined } });
  }

  /** The text in a message's editor, even if the message isn't rendered; undefined if the editor is closed. */
  editOf(message: MessageId): string | undefined {
    return this.#edits.get(message);
  }

  /**
   * Sends the text in a message's editor to the host, which stores it so that a reload doesn't lose it. Null: the
   * editor is closed. `session` is the message's session, which the page may no longer show.
   */
  saveEdit(message: MessageId, edited: string | null, session = this.session?.id): void {
    if (session === undefined) return;
    if (edited === null) this.#edits.delete(message);
    else if (session === this.session?.id) this.#edits.set(message, edited);
    this.post({ type: 'setEdit', session, message, text: edited });
  }

  /** Doesn't open a message's editor anymore when the message is rendered again. */
  forgetEdit(message: MessageId): void {
    this.#edits.delete(message);
  }

  save(change: Partial<Omit<SavedState, 'session'>>): void {
    const session = this.session?.id;
    if (!session) return;
    const { pasted = {} } = this.#saved ?? {};
    const own = this.savedStateOf(session);
    this.#saved = { session, draft: '', told: '', place: null, ...own, pasted, ...change };
    this.#api.setState(this.#saved);
  }
}

const invalidAnswer = (): FaultView => ({
  reason: 'failed',
  text: text('An internal error occurred in the chat. If the chat looks wrong, reload the window.'),
});

/** Delay in ms, so that an announcement reaches the host before rendering may block the page. */
const ANNOUNCE_DELAY_MS = 60;

/** Renders one message at a time, and announces each, so that the host knows which one makes the page hang. */
class RenderQueue {
  readonly #announce: (message: MessageId | null) => void;
  #previous: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(announce: (message: MessageId | null) => void) {
    this.#announce = announce;
  }

  /** Calls `render` when it's this message's turn. The returned function cancels that. */
  add(message: MessageId, render: () => void): () => void {
    let isWanted = true;
    this.#queued++;
    this.#previous = this.#previous.then(async () => {
      if (isWanted) {
        this.#announce(message);
        await new Promise((resolve) => setTimeout(resolve, ANNOUNCE_DELAY_MS));
        render();
        // Wait until this message is rendered before announcing the next one.
        await new Promise((resolve) => setTimeout(resolve, ANNOUNCE_DELAY_MS));
      }
      this.#queued--;
      if (this.#queued === 0) this.#announce(null);
    });
    return () => {
      isWanted = false;
    };
  }
}
