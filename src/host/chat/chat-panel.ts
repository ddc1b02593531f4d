import * as vscode from 'vscode';
import type { SessionId } from '../../core/model/ids.ts';
import type { HostToPage } from '../../protocol/messages.ts';
import { CHAT_PANEL } from '../platform/ids.ts';
import type { PageMessages } from '../platform/inform.ts';
import { readSettings } from '../platform/settings.ts';
import { ServedPage, type PageServer } from './served-page.ts';

/** Whether the chat is configured to be in the Side Bar, rather than in a tab, which can be moved to its own window. */
const isInSidebar = (): boolean => readSettings().chat.location === 'sidebar';

/** Longer than the eight seconds for which the page shows an offer. */
const OFFER_MS = 10_000;

interface Shown<T extends vscode.WebviewPanel | vscode.WebviewView> {
  readonly where: T;
  readonly page: ServedPage;
}

/**
 * Shows the chat in at most one tab per window, or in the Side Bar. When it's reopened, moved, or reloaded, its page
 * requests everything again.
 */
export class ChatPanel
  implements vscode.Disposable, vscode.WebviewPanelSerializer, vscode.WebviewViewProvider, PageMessages
{
  readonly #app: PageServer;
  readonly #offers = new Map<number, (isTaken: boolean) => void>();
  #lastOffer = 0;
  #tab: Shown<vscode.WebviewPanel> | undefined;
  #view: Shown<vscode.WebviewView> | undefined;
  /** The message to send when the page has loaded its session. */
  #wanted: { readonly session: SessionId | undefined; readonly message: HostToPage } | undefined;

  /** A page has hung in this window. */
  #careful = false;

  constructor(app: PageServer) {
    this.#app = app;
  }

  dispose(): void {
    this.#tab?.where.dispose();
    this.#view?.page.dispose();
    for (const offer of [...this.#offers.keys()]) this.#answer(offer, false);
  }

  /** Shows the chat in the configured location and focuses it. */
  open(): void {
    const isSidebar = isInSidebar();
    if (isSidebar || this.#tab) {
      this.#bringUp();
      (isSidebar ? this.#view : this.#tab)?.page.post({ type: 'focus', target: 'composer' });
      return;
    }
    const left = tabsLeft();
    const beside = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const column = left[0]?.group.viewColumn ?? beside;
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, vscode.l10n.t('Threadkeeper Chat'), column));
    void vscode.window.tabGroups.close(left);
  }

  /** Shows the chat and scrolls to a message, by its 0-based position. */
  reveal(session: SessionId, position: number): void {
    this.#bringTo({ type: 'reveal', session, position }, session);
  }

  /** Shows the chat and opens one of its panels. */
  show(target: 'preview'): void {
    this.#bringTo({ type: 'focus', target });
  }

  #bringTo(message: HostToPage, session?: SessionId): void {
    const shown = isInSidebar() ? this.#view : this.#tab;
    // A hidden page is reloaded when it's shown, so a message sent now would be lost.
    if (shown?.where.visible && shown.page.listens) {
      this.#bringUp();
      this.post(message);
      return;
    }
    this.#wanted = { session, message };
    this.open();
  }

  /** Moves an open chat after the setting for its location has changed. */
  placeChanged(): void {
    if (isInSidebar()) {
      const moves = this.#tab !== undefined;
      this.#tab?.where.dispose();
      if (moves) this.open();
    } else if (this.#view?.where.visible === true) {
      // VS Code hides the view itself.
      this.open();
    }
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    // The chat was moved after the window had saved its tabs.
    if (isInSidebar()) panel.dispose();
    else this.#adopt(panel);
    return Promise.resolve();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view?.page.dispose();
    const shown = this.#serve(view, () => void this.#loadViewAgain(), noteFocus);
    this.#view = shown;
    view.onDidDispose(() => {
      if (this.#view !== shown) return;
      this.#view = undefined;
      noteFocus(false);
    });
  }

  /** Sets the tab's title. A view keeps its own name. */
  setTitle(title: string): void {
    if (this.#tab) this.#tab.where.title = vscode.l10n.t('Threadkeeper: {0}', title);
  }

  /** Shows the current session after it has changed. */
  async changed(): Promise<void> {
    await Promise.all([this.#tab?.page.changed(), this.#view?.page.changed()]);
  }

  get isVisible(): boolean {
    return [this.#tab, this.#view].some((shown) => shown?.where.visible === true && shown.page.listens);
  }

  say(text: string): void {
    this.post({ type: 'say', text, offer: null });
  }

  offer(text: string, label: string): Promise<boolean> {
    const id = ++this.#lastOffer;
    this.post({ type: 'say', text, offer: { id, label } });
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answer(id, false), OFFER_MS);
      this.#offers.set(id, (isTaken) => {
        clearTimeout(timer);
        resolve(isTaken);
      });
    });
  }

  post(message: HostToPage): void {
    this.#tab?.page.post(message);
    this.#view?.page.post(message);
  }

  #answer(offer: number, isTaken: boolean): void {
    this.#offers.get(offer)?.(isTaken);
    this.#offers.delete(offer);
  }

  #bringUp(): void {
    if (isInSidebar()) void vscode.commands.executeCommand('threadkeeper.chatView.focus');
    else this.#tab?.where.reveal();
  }

  #begun(session: SessionId): void {
    if (!this.#wanted || (this.#wanted.session ?? session) !== session) return;
    this.post(this.#wanted.message);
    this.#wanted = undefined;
  }

  /** Replaces the tab of a page that has hung, because it can't load other content. The new page renders carefully. */
  #replace(panel: vscode.WebviewPanel): void {
    this.#careful = true;
    const column = panel.viewColumn ?? vscode.ViewColumn.Active;
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, panel.title, column));
    tellHung();
  }

  /** Reloads the view after its page has hung, by hiding and showing it. */
  async #loadViewAgain(): Promise<void> {
    this.#careful = true;
    await vscode.commands.executeCommand('threadkeeper.chatView.toggleVisibility');
    await vscode.commands.executeCommand('threadkeeper.chatView.focus');
    tellHung();
  }

  #adopt(panel: vscode.WebviewPanel): void {
    this.#tab?.where.dispose();
    const media = vscode.Uri.joinPath(this.#app.extensionUri, 'media');
    panel.iconPath = {
      light: vscode.Uri.joinPath(media, 'icon-light.svg'),
      dark: vscode.Uri.joinPath(media, 'icon-dark.svg'),
    };
    const shown = this.#serve(panel, () => this.#replace(panel));
    this.#tab = shown;
    panel.onDidDispose(() => {
      if (this.#tab === shown) this.#tab = undefined;
    });
  }

  /** Fills a place with the page, until the place is closed. */
  #serve<T extends vscode.WebviewPanel | vscode.WebviewView>(
    where: T,
    hung: () => void,
    focused?: (focused: boolean) => void,
  ): Shown<T> {
    const page = new ServedPage(where.webview, this.#app, {
      begun: ({ session, title }) => {
        this.setTitle(title);
        this.#begun(session);
      },
      isShown: () => where.visible,
      offerTaken: (id) => this.#answer(id, true),
      hung,
      ...(focused && { focused }),
      careful: this.#careful,
    });
    where.onDidDispose(() => page.dispose());
    return { where, page };
  }
}

function tellHung(): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'The chat stopped responding and was reopened. Messages that can’t be rendered are shown as plain text.',
    ),
  );
}

/** Sets the context key for key bindings of the chat in the Side Bar. */
function noteFocus(focused: boolean): void {
  void vscode.commands.executeCommand('setContext', 'threadkeeper.chatViewFocused', focused);
}

/**
 * Chat tabs from before a window reload that weren't shown since. VS Code restores such a tab only when it's shown, and
 * until then it would be a second chat.
 */
function tabsLeft(): readonly vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input, isActive }) =>
      !isActive && input instanceof vscode.TabInputWebview && input.viewType.endsWith(CHAT_PANEL),
  );
}
