import * as vscode from 'vscode';
import {
  answerRequest,
  parsePageMessage,
  requestIdIn,
  type HostToPage,
  type InitMessage,
} from '../../protocol/messages.ts';
import type { FaultView } from '../../protocol/faults.ts';
import type { RequestHandlers } from '../../protocol/requests.ts';
import { loadPage } from '../platform/webview-page.ts';
import type { MessageId, SessionId } from '../../core/model/ids.ts';
import type { Log } from '../../app/ports.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { Drafts } from './drafts.ts';
import type { PageConnection } from './page-connection.ts';

/** Interval of pings to a visible page, in ms. */
const PING_INTERVAL_MS = 2_000;
/** Unanswered pings after which a page has hung: ten seconds, without sleep or lost connections. */
const MAX_UNANSWERED = 5;

export interface PageServer {
  readonly extensionUri: vscode.Uri;
  readonly sessions: Pick<Sessions, 'current'>;
  readonly drafts: Pick<Drafts, 'set' | 'setEdit'>;
  readonly log: Pick<Log, 'warn'>;
  /** The connection to the current session; rejects with a message for the user if there is none. */
  connection(): Promise<PageConnection>;
  /** The handlers of the page's requests, loaded with the first one. */
  requests(): Promise<RequestHandlers>;
  describe(error: unknown): FaultView;
}

interface PageOwner {
  /** The page has received its session. */
  initialized(init: InitMessage): void;
  focused?(focused: boolean): void;
  toastAction(id: number): void;
  /** The page has stopped responding and should be replaced by one that renders one message at a time. */
  hung(): void;
  /** Whether the previous page has hung, so that this one renders one message at a time. */
  readonly rendersOneByOne: boolean;
}

/** The chat page in a tab or view. It doesn't own any state: after a reload, it requests everything again. */
export class ServedPage<T extends vscode.WebviewPanel | vscode.WebviewView> implements vscode.Disposable {
  readonly container: T;
  readonly #app: PageServer;
  readonly #owner: PageOwner;
  readonly #messages: vscode.Disposable;
  #pingTimer: NodeJS.Timeout | undefined;
  #unanswered = 0;
  /** The message that the page is about to render. */
  #rendering: MessageId | null = null;
  #connection: PageConnection | undefined;
  #handlers: Promise<RequestHandlers> | undefined;
  #subscription: { dispose(): void } | undefined;
  #listens = false;
  #session: SessionId | undefined;
  /** Number of initializations so far; results of all but the latest are ignored. */
  #initializations = 0;

  constructor(container: T, app: PageServer, owner: PageOwner) {
    const { webview } = container;
    this.container = container;
    this.#app = app;
    this.#owner = owner;
    container.onDidDispose(() => this.dispose());
    this.#messages = webview.onDidReceiveMessage((value: unknown) => void this.#receive(value));
    loadPage(webview, app.extensionUri);
  }

  /** Whether the page has loaded and requested a session. */
  get listens(): boolean {
    return this.#listens;
  }

  /** The session that the page has received; undefined before the first one. */
  get session(): SessionId | undefined {
    return this.#session;
  }

  dispose(): void {
    this.#listens = false;
    this.#initializations++;
    this.#messages.dispose();
    clearInterval(this.#pingTimer);
    this.#subscription?.dispose();
  }

  async showCurrentSession(): Promise<void> {
    if (this.#listens) await this.#initialize();
  }

  post(message: HostToPage): void {
    if (this.#listens) void this.container.webview.postMessage(message);
  }

  async #initialize(): Promise<void> {
    this.#listens = true;
    this.#pingTimer ??= setInterval(() => this.#checkResponds(), PING_INTERVAL_MS).unref();
    const initialization = ++this.#initializations;
    this.#subscription?.dispose();
    this.#subscription = undefined;
    try {
      const connection = await this.#app.connection();
      const init = await connection.init();
      // Another session was opened meanwhile, or the webview was closed.
      if (initialization !== this.#initializations) return;
      this.#connection = connection;
      this.#session = init.session;
      this.post(this.#owner.rendersOneByOne ? { ...init, hasHung: true } : init);
      this.#subscription = connection.onMessage((message) => this.post(message));
      this.#owner.initialized(init);
      // The gauge takes longer, so it's sent after the session.
      setTimeout(() => {
        try {
          if (initialization === this.#initializations) connection.sendGauge();
        } catch (error) {
          this.#app.describe(error);
        }
      });
    } catch (error) {
      const { text, action } = this.#app.describe(error);
      if (initialization !== this.#initializations) return;
      this.post({ type: 'unavailable', text, actions: action ? [action] : [] });
    }
  }

  /** Checks whether the page still responds. A page that has hung is replaced. */
  #checkResponds(): void {
    if (!this.container.visible) {
      this.#unanswered = 0;
    } else if (this.#unanswered < MAX_UNANSWERED) {
      void this.#ping(this.#unanswered + 1);
    } else {
      clearInterval(this.#pingTimer);
      const rendering = this.#rendering;
      this.#app.log.warn(
        rendering === null ? 'The chat page has hung.' : `The chat page has hung over message ${rendering}.`,
      );
      if (rendering !== null) this.#connection?.showPlain(rendering);
      this.#owner.hung();
    }
  }

  /** Sends a ping, and sets the number of unanswered ones unless it can't be delivered. */
  async #ping(unanswered: number): Promise<void> {
    const delivery = this.container.webview.postMessage({ type: 'ping' });
    if (canLoseConnection() && !(await delivery)) return;
    this.#unanswered = unanswered;
  }

  async #receive(value: unknown): Promise<void> {
    const parsed = parsePageMessage(value);
    if (!parsed.ok) {
      this.#app.log.warn(`The chat page sent an invalid message: ${parsed.problem}`);
      const id = requestIdIn(value);
      if (id === undefined) return;
      const fault = this.#app.describe(new Error(parsed.problem));
      this.post({ type: 'refusal', id, fault: { ...fault, reason: 'invalid' } });
      return;
    }
    const { message } = parsed;
    // Any message shows that the page is responsive.
    this.#unanswered = 0;
    switch (message.type) {
      case 'ready':
        return this.#initialize();
      case 'request':
        this.#handlers ??= this.#app.requests();
        return this.post(
          await answerRequest(message.id, message.body, await this.#handlers, (error) => this.#app.describe(error)),
        );
      case 'stop':
        return this.#app.sessions.current?.stop();
      case 'setDraft':
        this.#app.drafts.set(message.session, message.text);
        return;
      case 'setEdit':
        return this.#app.drafts.setEdit(message.session, message.message, message.text);
      case 'toastAction':
        return this.#owner.toastAction(message.id);
      case 'focusChanged':
        return this.#owner.focused?.(message.focused);
      case 'pong':
        return;
      case 'rendering':
        this.#rendering = message.message;
        return;
      case 'pageFault':
        return this.#app.log.warn(`The chat page: ${message.text}`);
    }
  }
}

/**
 * Whether messages to the page may wait for a connection. In a browser, VS Code may run on the page's thread, and then
 * it doesn't deliver any messages while the page hangs either.
 */
const canLoseConnection = (): boolean =>
  vscode.env.remoteName !== undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
