import * as vscode from 'vscode';
import { isUnreadable, type SessionJournal, type SessionListEntry } from '../app/ports.ts';
import type { Calibrations } from './models/calibrations.ts';
import type { ChartPanel } from './gauge/chart-panel.ts';
import type { ChatPanel } from './chat/chat-panel.ts';
import type { SessionFiles } from './summaries/document-files.ts';
import type { DocumentPanel } from './summaries/document-panel.ts';
import type { QueuedMessages } from './chat/queued-messages.ts';
import type { GaugeItem } from './gauge/gauge-item.ts';
import { locateOtherSessions } from './sessions/other-workspace-sessions.ts';
import type { OpenConversations } from './sessions/open-conversations.ts';
import { PageConnection, type PageApp } from './chat/page-connection.ts';
import type { StoredSnapshots } from '../storage/stored-snapshots.ts';
import type { ContextTree } from './summaries/context-tree.ts';
import type { HostApp } from './platform/host-app.ts';
import { showInfo } from './platform/notifications.ts';
import { formatCounted, translated, titleText } from './platform/l10n.ts';
import type { Conversation } from '../app/conversation.ts';

/** Delay in ms, so that views are rendered once for many events, such as those of an import. */
const REFRESH_DELAY_MS = 100;

export interface SessionViewsApp extends HostApp, PageApp {
  readonly openConversations: OpenConversations;
  readonly panel: ChatPanel;
  readonly gaugeItem: GaugeItem;
  readonly tree: ContextTree;
  readonly chart: ChartPanel | undefined;
  readonly files: SessionFiles;
  readonly documentPanel: DocumentPanel;
  readonly snapshots: StoredSnapshots;
  readonly calibrations: Calibrations;
  readonly queued: QueuedMessages;
  /** Records whether there is a session to show when the window is opened again. */
  setUsed(isUsed: boolean): void;
  taskEnded(): Promise<void>;
}

/** Keeps all views of the current session up to date: page, gauge, tree, chart, documents, and menus. */
export class SessionViews {
  readonly #app: SessionViewsApp;
  #connection: PageConnection | undefined;
  #isModelReady = true;
  #timer: NodeJS.Timeout | undefined;
  #hasReportedUnreadable = false;

  constructor(app: SessionViewsApp) {
    this.#app = app;
  }

  dispose(): void {
    this.#connection?.dispose();
    clearTimeout(this.#timer);
  }

  /** The page's connection to the current session. Throws if there is none. */
  connection(): PageConnection {
    if (!this.#connection) throw new Error('no session is open');
    return this.#connection;
  }

  async currentSessionChanged(): Promise<void> {
    this.#connection?.dispose();
    this.#connection = undefined;
    const { sessions, openConversations, calibrations, gaugeItem, panel } = this.#app;
    const conversation = sessions.current;
    openConversations.keepOnly(conversation?.journal.id);
    // An open chat needs a session, and opens another one.
    if (!conversation) return panel.showCurrentSession();
    const { journal } = conversation;
    // Created immediately, because the caller requests the connection next.
    this.#connection = new PageConnection(conversation, this.#app, {
      isModelReady: () => this.#isModelReady,
      sessions: () => this.#listSessions(),
      elsewhere: async () => locateOtherSessions(await this.#app.store.list(), this.#app.workspace),
    });
    this.#app.queued.restoreAndWatch(conversation);
    const notifyUnsaved = unsavedNotifier(journal);
    journal.onDidChange((events) => {
      this.refreshSoon();
      notifyUnsaved();
      // For example, a full disk has room again.
      if (events.length === 0 || !journal.unsaved) {
        this.#app.drafts.retry();
        this.#app.attachments.retry();
      }
      const ended = events.find((event) => event.type === 'task_reset');
      // The command that ends a task says so itself.
      if (ended?.automatic === true && !journal.readOnly)
        showInfo(vscode.l10n.t('Task ended. Any open steps were skipped.'));
      if (ended) this.#inBackground(this.#app.taskEnded());
    });
    conversation.onUpdate((update) => {
      if (update.type !== 'turn_ended') return;
      calibrations.save();
      this.refreshSoon();
    });
    conversation.compressor.onDidChange(() => gaugeItem.refresh());
    await this.#updateModelReadiness();
    await panel.showCurrentSession();
    // The page gets its content before anything else is computed.
    await new Promise((resolve) => setTimeout(resolve));
    if (sessions.current !== conversation) return;
    this.#refresh();
    this.#inBackground(this.#reportUnreadable());
    // Doesn't check the triggers: opening a session must not start a compression, which may cost money.
    this.#inBackground(conversation.triggers.endEscalation());
  }

  async modelChanged(): Promise<void> {
    await this.#updateModelReadiness();
    await this.#app.sessions.current?.triggers.endEscalation();
    await this.#app.panel.showCurrentSession();
    this.#refresh();
  }

  async sessionListChanged(): Promise<void> {
    await this.#connection?.sendSessions();
  }

  /** Refreshes the views, once for all changes within the delay. */
  refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const { sessions, snapshots } = this.#app;
      sessions.listChanged();
      if (sessions.current?.isReplying === false) snapshots.schedule();
      this.#refresh();
    }, REFRESH_DELAY_MS);
  }

  #refresh(): void {
    const { sessions, panel, gaugeItem, tree, chart, files, documentPanel } = this.#app;
    panel.setTitle(titleText(sessions.current?.state.title ?? ''));
    gaugeItem.refresh();
    this.#connection?.sendGauge();
    tree.refresh();
    chart?.refresh();
    setContextKeys(sessions.current);
    this.#inBackground(files.refresh().then(() => documentPanel.refresh()));
  }

  async #listSessions(): Promise<readonly SessionListEntry[]> {
    const list = await this.#app.sessions.list();
    this.#app.snapshots.setList(list);
    this.#app.setUsed(list.some(({ archived, messages }) => !archived && messages > 0));
    return list;
  }

  /** Reports, once per window, sessions that a newer version saved and that the list leaves out. */
  async #reportUnreadable(): Promise<void> {
    if (this.#hasReportedUnreadable) return;
    this.#hasReportedUnreadable = true;
    const count = (await this.#app.store.list()).filter(isUnreadable).length;
    if (count > 0)
      showInfo(
        formatCounted(
          count,
          '1 session was saved by a newer version of Threadkeeper. Update the extension to open it.',
          '{0} sessions were saved by a newer version of Threadkeeper. Update the extension to open them.',
        ),
      );
  }

  async #updateModelReadiness(): Promise<void> {
    this.#isModelReady = await this.#app.models.isReady(this.#app.chosenModel());
  }

  #inBackground(work: Promise<unknown>): void {
    void work.catch((error: unknown) => this.#app.describe(error));
  }
}

/** Returns a function that tells the user when a full disk keeps messages in memory only, and when they are saved. */
function unsavedNotifier(journal: SessionJournal): () => void {
  let isReported = false;
  return () => {
    const { unsaved } = journal;
    if (isReported === (unsaved !== undefined)) return;
    isReported = unsaved !== undefined;
    if (unsaved) void vscode.window.showWarningMessage(translated(unsaved));
    else showInfo(vscode.l10n.t('Disk space is available again. All messages have been saved.'));
  };
}

const contextKeys = new Map<string, boolean>();

/** Sets the changed context keys for menus and the Command Palette. */
function setContextKeys(conversation: Conversation | undefined): void {
  const state = conversation?.state;
  const values = {
    isWrittenElsewhere: conversation?.journal.readOnly?.reason === 'not_writer',
    hasMessages: (state?.path.length ?? 0) > 0,
    hasSummaries: (state?.frontier.length ?? 0) > 0,
    hasEvents: (state?.events.size ?? 0) > 0,
    hasPinned: state ? [...state.events.values()].some(({ pinned }) => pinned) : false,
    hasReverted: (state?.summaries.reverted.size ?? 0) > 0,
    hasUndone: state?.compressions.some(({ id }) => state.summaries.isCompressionUndone(id)) ?? false,
    hasCompressions: (state?.compressions.length ?? 0) > 0,
    canUndoChange: (state?.changes.length ?? 0) > 0,
    canRedoChange: (state?.undoneChanges.length ?? 0) > 0,
  };
  for (const [name, value] of Object.entries(values)) {
    if (contextKeys.get(name) === value) continue;
    contextKeys.set(name, value);
    void vscode.commands.executeCommand('setContext', `threadkeeper.${name}`, value);
  }
}
