import { randomBytes } from 'node:crypto';
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
import { pageHtml } from '../platform/page-html.ts';
import type { MessageId } from '../../core/model/ids.ts';
import type { PageLink } from './page-link.ts';

export interface ServedPageDeps {
  readonly extensionUri: vscode.Uri;
  /** The link to the current session; rejects with what to tell the user when there is none. */
  readonly link: () => Promise<PageLink>;
  /** What the page's requests do; asked for with the first of them. */
  readonly handlers: () => Promise<RequestHandlers>;
  readonly describe: (error: unknown) => FaultView;
  readonly stop: () => void;
  readonly setDraft: (session: string, text: string) => void;
  readonly offerTaken: (id: number) => void;
  readonly warn: (message: string) => void;
}

/** What the place of a page is told by it. */
export interface PageHost {
  /** It has a session, all of it. */
  readonly begun: (init: InitMessage) => void;
  readonly focused?: (focused: boolean) => void;
  readonly isShown: () => boolean;
  /** The page does not answer any more: it is to be made anew, and to be careful. */
  readonly hung: () => void;
  /** The page before this one has hung. */
  readonly careful: boolean;
}

/**
 * The chat's page in one webview, wherever that stands: it shows the current session and owns nothing of it. Loaded
 * again, it asks for everything anew.
 */
export class ServedPage implements vscode.Disposable {
  readonly #deps: ServedPageDeps;
  readonly #webview: vscode.Webview;
  readonly #host: PageHost;
  readonly #received: vscode.Disposable;
  #watchdog: Watchdog | undefined;
  #link: PageLink | undefined;
  #handlers: Promise<RequestHandlers> | undefined;
  #subscription: { dispose(): void } | undefined;
  #listens = false;
  /** How often the page was begun: the newest beginning alone counts. */
  #beginnings = 0;

  /** Writes the page into the webview. */
  constructor(webview: vscode.Webview, deps: ServedPageDeps, host: PageHost) {
    this.#deps = deps;
    this.#webview = webview;
    this.#host = host;
    const dist = vscode.Uri.joinPath(deps.extensionUri, 'dist');
    const media = vscode.Uri.joinPath(deps.extensionUri, 'media');
    webview.options = { enableScripts: true, localResourceRoots: [dist, media] };
    this.#received = webview.onDidReceiveMessage((value: unknown) => void this.#receive(value));
    webview.html = pageHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: webview.cspSource,
      language: vscode.env.language,
      translations: vscode.l10n.bundle ?? {},
      uri: (file) => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString(),
    });
  }

  /** Whether it has been loaded and asked for a session. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Ends the service; called when the webview is gone. */
  dispose(): void {
    this.#listens = false;
    this.#beginnings++;
    this.#received.dispose();
    this.#watchdog?.dispose();
    this.#subscription?.dispose();
  }

  /** Shows the session that is current now. */
  async changed(): Promise<void> {
    if (this.#listens) await this.#begin();
  }

  post(message: HostToPage): void {
    if (this.#listens) void this.#webview.postMessage(message);
  }

  async #begin(): Promise<void> {
    this.#listens = true;
    this.#watchdog ??= new Watchdog({
      isShown: this.#host.isShown,
      ask: () => this.post({ type: 'ping' }),
      hung: (drawing) => this.#hung(drawing),
    });
    const beginning = ++this.#beginnings;
    this.#subscription?.dispose();
    this.#subscription = undefined;
    try {
      const link = await this.#deps.link();
      const init = await link.init();
      // Another session was opened meanwhile, or the webview is gone.
      if (beginning !== this.#beginnings) return;
      this.#link = link;
      this.post(this.#host.careful ? { ...init, careful: true } : init);
      this.#subscription = link.onMessage((message) => this.post(message));
      this.#host.begun(init);
      // Not before the session has left for the page, which does not wait for it.
      setTimeout(() => {
        if (beginning === this.#beginnings) this.#sendGauge(link);
      });
    } catch (error) {
      const { text, action } = this.#deps.describe(error);
      if (beginning !== this.#beginnings) return;
      this.post({ type: 'unavailable', text, actions: action ? [action] : [] });
    }
  }

  #hung(drawing: MessageId | undefined): void {
    this.#deps.warn(
      drawing === undefined ? 'The chat page has hung.' : `The chat page has hung over message ${drawing}.`,
    );
    if (drawing !== undefined) this.#link?.showPlain(drawing);
    this.#host.hung();
  }

  #sendGauge(link: PageLink): void {
    try {
      link.sendGauge();
    } catch (error) {
      this.#deps.describe(error);
    }
  }

  async #receive(value: unknown): Promise<void> {
    const parsed = parsePageMessage(value);
    if (!parsed.ok) {
      this.#deps.warn(`The chat page sent an invalid message: ${parsed.problem}`);
      const id = requestIdIn(value);
      if (id === undefined) return;
      const fault = this.#deps.describe(new Error(parsed.problem));
      this.post({ type: 'refusal', id, ok: false, fault: { ...fault, reason: 'invalid' } });
      return;
    }
    const { message } = parsed;
    this.#watchdog?.heard();
    switch (message.type) {
      case 'ready':
      case 'resync':
        await this.#begin();
        return;
      case 'request':
        this.#handlers ??= this.#deps.handlers();
        this.post(await answerRequest(message.id, message.body, await this.#handlers, this.#deps.describe));
        return;
      case 'stop':
        this.#deps.stop();
        return;
      case 'setDraft':
        this.#deps.setDraft(message.session, message.text);
        return;
      case 'offerTaken':
        this.#deps.offerTaken(message.id);
        return;
      case 'focusChanged':
        this.#host.focused?.(message.focused);
        return;
      case 'pong':
        return;
      case 'drawing':
        this.#watchdog?.draws(message.message);
        return;
      case 'pageFault':
        this.#deps.warn(`The chat page: ${message.text}`);
        return;
    }
  }
}

/** How often a page that is shown is asked whether it still answers, in ms. */
const ASK_EVERY_MS = 2_000;
/** So many questions without an answer, and the page has hung: ten seconds in which this process was not asleep. */
const UNANSWERED = 5;

interface Watched {
  readonly isShown: () => boolean;
  readonly ask: () => void;
  /** The page has hung while it drew this message, if that is known. Called once. */
  readonly hung: (drawing: MessageId | undefined) => void;
}

/** Asks a page again and again whether it answers. */
class Watchdog {
  readonly #watched: Watched;
  readonly #timer: NodeJS.Timeout;
  #unanswered = 0;
  #drawing: MessageId | undefined;

  constructor(watched: Watched, everyMs = ASK_EVERY_MS) {
    this.#watched = watched;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  /** Anything the page says shows that it lives. */
  heard(): void {
    this.#unanswered = 0;
  }

  /** What the page is about to draw; null for nothing more. */
  draws(message: MessageId | null): void {
    this.#drawing = message ?? undefined;
  }

  #look(): void {
    if (!this.#watched.isShown()) {
      this.#unanswered = 0;
    } else if (this.#unanswered < UNANSWERED) {
      this.#unanswered++;
      this.#watched.ask();
    } else {
      this.dispose();
      this.#watched.hung(this.#drawing);
    }
  }
}
