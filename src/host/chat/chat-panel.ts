import * as vscode from 'vscode';
import type { SessionId } from '../../core/model/ids.ts';
import type { HostToPage } from '../../protocol/messages.ts';
import { CHAT_PANEL } from '../platform/ids.ts';
import type { PageMessages } from '../platform/inform.ts';
import { ServedPage, type ServedPageDeps } from './served-page.ts';

export interface ChatPanelDeps extends Omit<ServedPageDeps, 'offerTaken'> {
  /** Where the user wants the chat. */
  readonly place: () => ChatPlace;
}

/** Beside the files, as a tab that can be moved into a window of its own; or as a view in the sidebar. */
export type ChatPlace = 'editor' | 'sidebar';

/** An offer is on the page for eight seconds; so long (ms) after it was made it has gone. */
const OFFER_MS = 10_000;

interface Shown<T extends vscode.WebviewPanel | vscode.WebviewView> {
  readonly where: T;
  readonly page: ServedPage;
}

/**
 * Where the chat is shown: at most one tab in a window, or the view in the sidebar. Closed and opened again, moved,
 * reloaded, its page asks for everything anew.
 */
export class ChatPanel
  implements vscode.Disposable, vscode.WebviewPanelSerializer, vscode.WebviewViewProvider, PageMessages
{
  readonly #deps: ServedPageDeps & Pick<ChatPanelDeps, 'place'>;
  readonly #offers = new Map<number, (isTaken: boolean) => void>();
  #lastOffer = 0;
  #tab: Shown<vscode.WebviewPanel> | undefined;
  #view: Shown<vscode.WebviewView> | undefined;
  /** What to show once the page has its session. */
  #wanted: { readonly session: SessionId | undefined; readonly message: HostToPage } | undefined;

  /** A page has hung in this window. */
  #careful = false;

  constructor(deps: ChatPanelDeps) {
    this.#deps = { ...deps, offerTaken: (id) => this.#answer(id, true) };
  }

  dispose(): void {
    this.#tab?.where.dispose();
    this.#view?.page.dispose();
    for (const offer of [...this.#offers.keys()]) this.#answer(offer, false);
  }

  /** Shows the chat where the user wants it, and gives it the keyboard. */
  open(): void {
    if (this.#deps.place() === 'sidebar') {
      this.#bringUp();
      this.#view?.page.post({ type: 'focus', target: 'composer' });
      return;
    }
    if (this.#tab) {
      this.#bringUp();
      this.#tab.page.post({ type: 'focus', target: 'composer' });
      return;
    }
    const left = tabsLeft();
    const beside = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const column = left[0]?.group.viewColumn ?? beside;
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, vscode.l10n.t('Threadkeeper Chat'), column));
    void vscode.window.tabGroups.close(left);
  }

  /** Shows the chat with a message of the current session in view, by its 0-based position. */
  reveal(session: SessionId, position: number): void {
    this.#bringTo({ type: 'reveal', session, position }, session);
  }

  /** Shows the chat with one of its panels open. */
  show(target: 'preview'): void {
    this.#bringTo({ type: 'focus', target });
  }

  #bringTo(message: HostToPage, session?: SessionId): void {
    const shown = this.#deps.place() === 'sidebar' ? this.#view : this.#tab;
    // A page that is hidden is loaded again when it is shown, and what it was told is lost.
    if (shown?.where.visible && shown.page.listens) {
      this.#bringUp();
      this.post(message);
      return;
    }
    this.#wanted = { session, message };
    this.open();
  }

  /** Follows the user's choice of the place: a chat that is open moves there. */
  placeChanged(): void {
    if (this.#deps.place() === 'sidebar') {
      const moves = this.#tab !== undefined;
      this.#tab?.where.dispose();
      if (moves) this.open();
    } else if (this.#view?.where.visible === true) {
      // The editor takes the view away by itself.
      this.open();
    }
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    // The tab was still there when the window closed, and the chat has moved.
    if (this.#deps.place() === 'sidebar') panel.dispose();
    else this.#adopt(panel);
    return Promise.resolve();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const page = new ServedPage(view.webview, this.#deps, {
      begun: ({ session }) => this.#begun(session),
      focused: noteFocus,
      isShown: () => view.visible,
      hung: () => void this.#loadViewAgain(),
      careful: this.#careful,
    });
    const shown = { where: view, page };
    this.#view?.page.dispose();
    this.#view = shown;
    view.onDidDispose(() => {
      page.dispose();
      if (this.#view !== shown) return;
      this.#view = undefined;
      noteFocus(false);
    });
  }

  /** Names the session in the tab; a view stands under its own name. */
  setTitle(title: string): void {
    if (this.#tab) this.#tab.where.title = vscode.l10n.t('Threadkeeper: {0}', title);
  }

  /** Shows another session in what is open. */
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
    if (this.#deps.place() === 'sidebar') void vscode.commands.executeCommand('threadkeeper.chatView.focus');
    else this.#tab?.where.reveal();
  }

  #begun(session: SessionId): void {
    if (!this.#wanted || (this.#wanted.session ?? session) !== session) return;
    this.post(this.#wanted.message);
    this.#wanted = undefined;
  }

  /** A page that has hung takes no other content: its tab is closed, and one in its place draws with care. */
  #replace(panel: vscode.WebviewPanel): void {
    this.#careful = true;
    const column = panel.viewColumn ?? vscode.ViewColumn.Active;
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, panel.title, column));
    tellHung();
  }

  /** The same for the view, which is loaded again when it was hidden. */
  async #loadViewAgain(): Promise<void> {
    this.#careful = true;
    await vscode.commands.executeCommand('threadkeeper.chatView.toggleVisibility');
    await vscode.commands.executeCommand('threadkeeper.chatView.focus');
    tellHung();
  }

  #adopt(panel: vscode.WebviewPanel): void {
    this.#tab?.where.dispose();
    const media = vscode.Uri.joinPath(this.#deps.extensionUri, 'media');
    panel.iconPath = {
      light: vscode.Uri.joinPath(media, 'icon-light.svg'),
      dark: vscode.Uri.joinPath(media, 'icon-dark.svg'),
    };
    const page = new ServedPage(panel.webview, this.#deps, {
      begun: ({ session, title }) => {
        this.setTitle(title);
        this.#begun(session);
      },
      isShown: () => panel.visible,
      hung: () => this.#replace(panel),
      careful: this.#careful,
    });
    const shown = { where: panel, page };
    this.#tab = shown;
    panel.onDidDispose(() => {
      page.dispose();
      if (this.#tab === shown) this.#tab = undefined;
    });
  }
}

function tellHung(): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'The chat stopped responding and was reopened. Messages that can’t be rendered are shown as plain text.',
    ),
  );
}

/** For the keys that act on the chat in the sidebar. */
function noteFocus(focused: boolean): void {
  void vscode.commands.executeCommand('setContext', 'threadkeeper.chatViewFocused', focused);
}

/**
 * Tabs of the chat from before the window was loaded again that nobody has looked at since: the editor gives back a tab
 * when it is shown, and until then it stands there as a second chat.
 */
function tabsLeft(): readonly vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input, isActive }) =>
      !isActive && input instanceof vscode.TabInputWebview && input.viewType.endsWith(CHAT_PANEL),
  );
}
