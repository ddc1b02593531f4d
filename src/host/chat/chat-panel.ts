import * as vscode from 'vscode';
import type { SessionId } from '../../core/model/ids.ts';
import type { HostToPage } from '../../protocol/messages.ts';
import { CHAT_PANEL } from '../platform/contribution-ids.ts';
import { truncateAtWord } from '../platform/l10n.ts';
import type { PageMessages } from '../platform/notifications.ts';
import { isChatInSidebar } from '../platform/settings.ts';
import { allTabs } from '../platform/workspace-files.ts';
import { ServedPage, type PageServer } from './served-page.ts';

/** How long VS Code may take to restore a visible tab, in ms. */
const RESTORE_MS = 5_000;

/** Maximum length of a session's title in its tab, in UTF-16 units, as in VS Code's own tabs of untitled files. */
const MAX_TAB_TITLE = 40;

/** Timeout of a message's button in ms. The page shows it for seconds, but longer while it's hovered or focused. */
const ACTION_TIMEOUT_MS = 10 * 60_000;

/** Shows the chat in at most one tab per window, or in the Side Bar. */
export class ChatPanel
  implements vscode.Disposable, vscode.WebviewPanelSerializer, vscode.WebviewViewProvider, PageMessages
{
  readonly #app: PageServer;
  readonly #toastActions = new Map<number, (isAccepted: boolean) => void>();
  #lastActionId = 0;
  #tab: ServedPage<vscode.WebviewPanel> | undefined;
  #view: ServedPage<vscode.WebviewView> | undefined;
  /** The message to send when the page has loaded its session. */
  #pendingMessage: { readonly session: SessionId | undefined; readonly message: HostToPage } | undefined;
  /** Whether a page has hung in this window, so that new ones render one message at a time. */
  #hasHung = false;
  /** Whether tabs are being closed that VS Code may be about to restore. */
  #isReplacing = false;
  readonly #restoring: NodeJS.Timeout;

  constructor(app: PageServer) {
    this.#app = app;
    this.#restoring = setTimeout(() => {
      if (!isChatInSidebar() && !this.#tab && unservedTabs().some(({ isActive }) => isActive)) this.#openTab(true);
    }, RESTORE_MS).unref();
  }

  dispose(): void {
    clearTimeout(this.#restoring);
    this.#tab?.container.dispose();
    this.#view?.dispose();
    for (const id of [...this.#toastActions.keys()]) this.#resolveAction(id, false);
  }

  /** Shows the chat in the configured location and focuses it. */
  open(): void {
    const isSidebar = isChatInSidebar();
    if (isSidebar || this.#tab) {
      this.#focus();
      (isSidebar ? this.#view : this.#tab)?.post({ type: 'focus', target: 'composer' });
      return;
    }
    this.#openTab(false);
  }

  /** Opens a tab that replaces unserved ones. */
  #openTab(preserveFocus: boolean): void {
    const unserved = unservedTabs();
    const beside = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const showOptions = { viewColumn: unserved[0]?.group.viewColumn ?? beside, preserveFocus };
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, vscode.l10n.t('Threadkeeper Chat'), showOptions));
    this.#isReplacing = true;
    void Promise.resolve(vscode.window.tabGroups.close(unserved, true)).finally(() => {
      this.#isReplacing = false;
    });
  }

  /** Shows the chat and scrolls to a message, by its 0-based position. */
  reveal(session: SessionId, position: number): void {
    this.#openAndPost({ type: 'reveal', session, position }, session);
  }

  show(target: 'preview' | 'recall'): void {
    this.#openAndPost({ type: 'focus', target });
  }

  #openAndPost(message: HostToPage, session?: SessionId): void {
    const shown = isChatInSidebar() ? this.#view : this.#tab;
    // A hidden page is reloaded when it's shown, and one with another session is about to get this one, so a message
    // sent now would be lost.
    const hasSession = session === undefined || session === shown?.session;
    if (shown?.container.visible && shown.listens && hasSession) {
      this.#focus();
      this.post(message);
      return;
    }
    this.#pendingMessage = { session, message };
    this.open();
  }

  /** Moves an open chat after the setting for its location has changed. */
  locationChanged(): void {
    if (isChatInSidebar()) {
      const wasOpen = this.#tab !== undefined;
      this.#tab?.container.dispose();
      if (wasOpen) this.open();
    } else if (this.#view?.container.visible === true) {
      // VS Code hides the view itself.
      this.open();
    }
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    // The chat was moved after the window had saved its tabs, or another tab replaces this one.
    if (isChatInSidebar() || this.#isReplacing) panel.dispose();
    else this.#adopt(panel);
    return Promise.resolve();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view?.dispose();
    const shown = this.#serve(view, () => void this.#reloadView(), setFocusKey);
    this.#view = shown;
    // The page of a hidden view is removed before it can report that it has lost the focus.
    view.onDidChangeVisibility(() => {
      if (!view.visible) setFocusKey(false);
    });
    view.onDidDispose(() => {
      if (this.#view !== shown) return;
      this.#view = undefined;
      setFocusKey(false);
    });
  }

  /** Sets the tab's title to the session's, shortened. A view keeps its own name. */
  setTitle(title: string): void {
    const short = truncateAtWord(title, MAX_TAB_TITLE);
    if (this.#tab) this.#tab.container.title = vscode.l10n.t('Threadkeeper: {0}', short);
  }

  async showCurrentSession(): Promise<void> {
    await Promise.all([this.#tab?.showCurrentSession(), this.#view?.showCurrentSession()]);
  }

  get isVisible(): boolean {
    return [this.#tab, this.#view].some((shown) => shown?.container.visible === true && shown.listens);
  }

  showMessage(text: string): void {
    this.post({ type: 'toast', text, action: null });
  }

  showMessageWithAction(text: string, label: string): Promise<boolean> {
    const id = ++this.#lastActionId;
    this.post({ type: 'toast', text, action: { id, label } });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#toastActions.set(id, resolve);
    setTimeout(() => this.#resolveAction(id, false), ACTION_TIMEOUT_MS).unref();
    return promise;
  }

  post(message: HostToPage): void {
    this.#tab?.post(message);
    this.#view?.post(message);
  }

  #resolveAction(id: number, isAccepted: boolean): void {
    this.#toastActions.get(id)?.(isAccepted);
    this.#toastActions.delete(id);
  }

  #focus(): void {
    if (isChatInSidebar()) void vscode.commands.executeCommand('threadkeeper.chatView.focus');
    else this.#tab?.container.reveal();
  }

  #sendPending(session: SessionId): void {
    if (!this.#pendingMessage || (this.#pendingMessage.session ?? session) !== session) return;
    this.post(this.#pendingMessage.message);
    this.#pendingMessage = undefined;
  }

  /** Replaces the tab of a page that has hung, because it can't load other content. */
  #replace(panel: vscode.WebviewPanel): void {
    this.#hasHung = true;
    const column = panel.viewColumn ?? vscode.ViewColumn.Active;
    this.#adopt(vscode.window.createWebviewPanel(CHAT_PANEL, panel.title, column));
    warnHung();
  }

  /** Reloads the view after its page has hung, by hiding and showing it. */
  async #reloadView(): Promise<void> {
    this.#hasHung = true;
    await vscode.commands.executeCommand('threadkeeper.chatView.toggleVisibility');
    await vscode.commands.executeCommand('threadkeeper.chatView.focus');
    warnHung();
  }

  /** Makes this tab the only one with the chat. */
  #adopt(panel: vscode.WebviewPanel): void {
    this.#tab?.container.dispose();
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

  #serve<T extends vscode.WebviewPanel | vscode.WebviewView>(
    container: T,
    hung: () => void,
    focused?: (focused: boolean) => void,
  ): ServedPage<T> {
    return new ServedPage(container, this.#app, {
      initialized: ({ session, title }) => {
        this.setTitle(title);
        this.#sendPending(session);
      },
      toastAction: (id) => this.#resolveAction(id, true),
      hung,
      ...(focused && { focused }),
      rendersOneByOne: this.#hasHung,
    });
  }
}

function warnHung(): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'The chat stopped responding and was reopened. Messages that can’t be rendered are shown as plain text.',
    ),
  );
}

/** Sets the context key for key bindings of the chat in the Side Bar. */
function setFocusKey(focused: boolean): void {
  void vscode.commands.executeCommand('setContext', 'threadkeeper.chatViewFocused', focused);
}

/**
 * The chat tabs. Call it only if this window serves none: then they are from before a reload, and VS Code restores them
 * when they are shown, or from an extension host that has crashed, and their pages get no more answers.
 */
function unservedTabs(): readonly vscode.Tab[] {
  return allTabs().filter(
    ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(CHAT_PANEL),
  );
}
