import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { answerRequest, parsePageMessage, type HostToPage } from '../protocol/messages.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { FaultView } from '../protocol/faults.ts';
import type { RequestHandlers } from '../protocol/requests.ts';
import { CHAT_PANEL } from './ids.ts';
import { pageHtml } from './page/page-html.ts';
import type { PageLink } from './page/page-link.ts';

export interface ChatPanelDeps {
  readonly extensionUri: vscode.Uri;
  /** The link to the current session; rejects with what to tell the user when there is none. */
  readonly link: () => Promise<PageLink>;
  /** What the page's requests do; asked for with the first of them. */
  readonly handlers: () => Promise<RequestHandlers>;
  readonly describe: (error: unknown) => FaultView;
  readonly stop: () => void;
  readonly setDraft: (session: string, text: string) => void;
  readonly dismissNotice: (id: string) => void;
  readonly warn: (message: string) => void;
}

/**
 * The chat panel: at most one in a window. It shows the current session and owns nothing of it: closed and opened
 * again, moved, reloaded, it asks for everything anew.
 */
export class ChatPanel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  readonly #deps: ChatPanelDeps;
  #panel: vscode.WebviewPanel | undefined;
  #subscription: { dispose(): void } | undefined;
  #pageListens = false;
  /** A place to show once the page has its session. */
  #wanted: Extract<HostToPage, { type: 'reveal' }> | undefined;
  #handlers: Promise<RequestHandlers> | undefined;

  constructor(deps: ChatPanelDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#panel !== undefined;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** Shows the panel; opens it when it is not open. */
  open(): void {
    if (this.#panel) {
      this.#panel.reveal();
      this.post({ type: 'focus', target: 'composer' });
      return;
    }
    const column = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, vscode.l10n.t('Threadkeeper Chat'), column));
  }

  /** Shows the panel with a message of the current session in view, by its 0-based position. */
  reveal(session: SessionId, position: number): void {
    const wanted = { type: 'reveal', session, position } as const;
    // A page that is hidden is loaded anew when it is shown, and what it was told is lost.
    if (this.#panel?.visible && this.#pageListens) {
      this.#panel.reveal();
      this.post(wanted);
      return;
    }
    this.#wanted = wanted;
    this.open();
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#adopt(panel);
    return Promise.resolve();
  }

  /** Names the session in the tab. */
  setTitle(title: string): void {
    if (this.#panel) this.#panel.title = vscode.l10n.t('Threadkeeper: {0}', title);
  }

  /** Shows another session in the open panel. */
  async changed(): Promise<void> {
    if (this.#panel && this.#pageListens) await this.#begin();
  }

  post(message: HostToPage): void {
    if (this.#pageListens) void this.#panel?.webview.postMessage(message);
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { extensionUri } = this.#deps;
    this.#panel?.dispose();
    this.#panel = panel;
    this.#pageListens = false;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist');
    const media = vscode.Uri.joinPath(extensionUri, 'media');
    panel.iconPath = {
      light: vscode.Uri.joinPath(media, 'icon-light.svg'),
      dark: vscode.Uri.joinPath(media, 'icon-dark.svg'),
    };
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist, media] };
    const received = panel.webview.onDidReceiveMessage((value: unknown) => void this.#receive(value));
    panel.onDidDispose(() => {
      received.dispose();
      if (this.#panel !== panel) return;
      this.#subscription?.dispose();
      this.#subscription = undefined;
      this.#panel = undefined;
      this.#pageListens = false;
    });
    panel.webview.html = pageHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: panel.webview.cspSource,
      language: vscode.env.language,
      translations: vscode.l10n.bundle ?? {},
      uri: (file) => panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString(),
    });
  }

  async #begin(): Promise<void> {
    this.#pageListens = true;
    this.#subscription?.dispose();
    this.#subscription = undefined;
    try {
      const link = await this.#deps.link();
      const init = await link.init();
      if (this.#panel === undefined) return;
      this.post(init);
      if (this.#wanted) this.post(this.#wanted);
      this.#wanted = undefined;
      this.#subscription = link.onMessage((message) => this.post(message));
      this.setTitle(init.title);
    } catch (error) {
      const { text, action } = this.#deps.describe(error);
      this.post({ type: 'unavailable', text, actions: action ? [action] : [] });
    }
  }

  async #receive(value: unknown): Promise<void> {
    const parsed = parsePageMessage(value);
    if (!parsed.ok) {
      this.#deps.warn(`The chat page sent a message that is not understood: ${parsed.problem}`);
      return;
    }
    const { message } = parsed;
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
      case 'dismissNotice':
        this.#deps.dismissNotice(message.id);
        return;
      case 'focusChanged':
        await vscode.commands.executeCommand('setContext', 'threadkeeper.chatFocused', message.focused);
        return;
      case 'pageFault':
        this.#deps.warn(`The chat page: ${message.text}`);
        return;
    }
  }
}
