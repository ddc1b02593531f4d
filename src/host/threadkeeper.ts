import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { ModelFault } from '../app/fault.ts';
import type { ChatModel, Clock, Log } from '../app/ports.ts';
import type { ScoredResult } from '../app/search-results.ts';
import { Sessions } from '../app/sessions.ts';
import type { FaultView } from '../protocol/faults.ts';
import type { RequestHandlers } from '../protocol/requests.ts';
import type { PageCommand } from '../protocol/views.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { countFiles } from '../storage/count-files.ts';
import { storedSnapshots, type StoredSnapshots } from '../storage/stored-snapshots.ts';
import { FileSessionStore } from '../storage/session-store.ts';
import { ExternalChats, quoteChats } from './external-chats/external-chats.ts';
import { chatsTree } from './external-chats/chats-tree.ts';
import { Attachments } from './chat/attachments.ts';
import { answerChatRequest, decisionsTool, recallTool } from './participant/participant.ts';
import { calibrations, type Calibrations } from './models/calibrations.ts';
import { ImplicitContext } from './chat/implicit-context.ts';
import { ChatPanel } from './chat/chat-panel.ts';
import type { ChartPanel } from './gauge/chart-panel.ts';
import { comparison } from './summaries/comparison.ts';
import type { Conversation } from '../app/conversation.ts';
import { DocumentPanel } from './summaries/document-panel.ts';
import { SessionFiles } from './summaries/document-files.ts';
import { EditReviews } from './edits/edit-reviews.ts';
import { DiagramPreview } from './chat/diagram-preview.ts';
import { Drafts, moveStoredDrafts } from './chat/drafts.ts';
import { moveStoredQueues, QueuedMessages } from './chat/queued-messages.ts';
import { StoredAttachments } from './chat/stored-attachments.ts';
import { explainActions } from './chat/chat-commands.ts';
import { documentLinks } from './summaries/document-links.ts';
import { createVsCodeModels } from './models/vscode-models.ts';
import { faultView } from './platform/fault-view.ts';
import { gaugeItem, type GaugeItem } from './gauge/gauge-item.ts';
import { openLink } from './chat/open-link.ts';
import { openMessageDocument } from './summaries/document-uris.ts';
import { DECISIONS_TOOL, RECALL_TOOL, USED_KEY } from './platform/contribution-ids.ts';
import { secretKeys, type Keys } from './models/keys.ts';
import { routeInfoToPage } from './platform/notifications.ts';
import { learnedFacts } from './models/learned-facts.ts';
import { contextWindowSourceText } from './models/model-notices.ts';
import { chosenChatModel, Models, recentModels, type ChosenModel, type RecentModels } from './models/models.ts';
import { spendLimit } from './models/spend-limit.ts';
import { MemoryFile } from '../storage/memory-file.ts';
import { ProjectRules } from './rules/project-rules.ts';
import { memoryTree, reportDamagedMemory, WorkspaceMemory } from './memory/workspace-memory.ts';
import { LastEditor } from './chat/last-editor.ts';
import { OpenConversations, type OpenConversation } from './sessions/open-conversations.ts';
import { SessionViews } from './session-views.ts';
import { checkSettings, hasOtherSettingChanged, moveRenamedSettings, readSettings } from './platform/settings.ts';
import { ContextTree } from './summaries/context-tree.ts';
import { OPEN_ROW, type ContextRow } from './summaries/context-rows.ts';
import { isWindowPresent } from './platform/window-presence.ts';
import { workspaceHistory } from './search/workspace-history.ts';
import { workspaceKey } from '../storage/workspace-key.ts';
import { SharedThread } from '../core/pace/yielder.ts';
import type { PageConnection } from './chat/page-connection.ts';

/** Maximum number of results of a search in a session. */
const MAX_RESULTS = 20;
/** Key in the workspace state: the ID of the session that was shown last. */
const SHOWN_KEY = 'threadkeeper.shownSession';

/** The composition root: creates every part once. No session is loaded before it's needed. */
export class Threadkeeper implements vscode.Disposable {
  readonly channel = vscode.window.createOutputChannel('Threadkeeper', { log: true });
  readonly log = channelLog(this.channel);
  readonly clock = systemClock();
  readonly workspace = workspaceIdentity();
  readonly editor = new LastEditor();
  readonly reviews = new EditReviews(this.clock.yielder);
  readonly diagrams = new DiagramPreview();
  readonly comparison = comparison(this.clock.yielder);
  /** Created when it's first shown. */
  chart: ChartPanel | undefined;
  readonly panel = new ChatPanel(this);
  readonly implicit = new ImplicitContext(this);
  readonly files = new SessionFiles(this);
  readonly documentPanel = new DocumentPanel(this);
  readonly #views = new SessionViews(this);
  readonly extensionUri: vscode.Uri;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly models: Models;
  readonly recentModels: RecentModels;
  readonly gaugeItem: GaugeItem;
  readonly tree: ContextTree;
  readonly memoryTree: ReturnType<typeof memoryTree>;
  readonly chats: ExternalChats;
  readonly chatsTree: ReturnType<typeof chatsTree>;
  readonly tools: Readonly<Record<typeof RECALL_TOOL | typeof DECISIONS_TOOL, vscode.LanguageModelTool<unknown>>>;
  readonly drafts: Drafts;
  readonly queued: QueuedMessages;
  readonly attachments: Attachments;
  readonly memory: WorkspaceMemory;
  readonly rules: ProjectRules;
  readonly store: FileSessionStore;
  readonly snapshots: StoredSnapshots;
  readonly openConversations: OpenConversations;
  readonly calibrations: Calibrations;
  /** The folder of the journals. */
  readonly folder: string;
  readonly memoryFolder: string;
  /** All sessions of the workspace, for the search, and for the participant and tools in VS Code's chat. */
  readonly history: ReturnType<typeof workspaceHistory>;
  readonly #context: vscode.ExtensionContext;
  readonly #disposables: { dispose(): unknown }[] = [];
  /** The problem with a setting that was reported last; '' if there is none. */
  #invalidSetting = '';
  /** Key events that were already proposed for the memory in this window. */
  readonly #proposed = new Set<string>();

  constructor(context: vscode.ExtensionContext, summaries: vscode.TreeView<ContextRow>) {
    this.#context = context;
    this.extensionUri = context.extensionUri;
    this.keys = secretKeys(context.secrets);
    const warn = (message: string): void => this.log.warn(message);
    const vsCodeModels = createVsCodeModels(context.globalState, context.languageModelAccessInformation, warn);
    this.models = new Models(this.keys, vsCodeModels, learnedFacts(context.globalState));
    this.recentModels = recentModels(context.globalState);
    // Not awaited: until the settings are moved, their defaults apply. Moving them is handled like any other change.
    void moveRenamedSettings().catch((error: unknown) =>
      warn(`Renamed settings could not be migrated: ${String(error)}`),
    );
    void this.#reportInvalidSetting();
    const limitUsd = (): number | null => readSettings().compression.monthlySpendLimit;
    const spend = spendLimit(context.globalState, () => this.clock.now(), limitUsd, warn);
    this.folder = vscode.Uri.joinPath(context.globalStorageUri, 'sessions').fsPath;
    this.memoryFolder = vscode.Uri.joinPath(context.globalStorageUri, 'memory').fsPath;
    this.drafts = new Drafts({ folder: this.folder, warn });
    void moveStoredDrafts(context.workspaceState, this.drafts).catch((error: unknown) =>
      warn(`Drafts could not be migrated: ${String(error)}`),
    );
    void moveStoredQueues(context.workspaceState, { folder: this.folder, warn }).catch((error: unknown) =>
      warn(`Queued messages could not be migrated: ${String(error)}`),
    );
    this.queued = new QueuedMessages({
      folder: this.folder,
      reportCut: () =>
        void vscode.window.showWarningMessage(
          vscode.l10n.t('Attachments of a queued message were too large to restore. Add them again.'),
        ),
      warn,
    });
    const window = randomUUID();
    this.store = new FileSessionStore({
      folder: this.folder,
      clock: this.clock,
      writer: window,
      previousList: () => this.snapshots.storedList(),
      handover: (id) => ({
        isPresent: isWindowPresent,
        beforeHandover: async () => this.openConversations.get(id)?.conversation.halt(),
      }),
    });
    this.calibrations = calibrations(context.globalState);
    const memoryFile = new MemoryFile(this.memoryFolder, this.workspace, reportDamagedMemory);
    this.memory = new WorkspaceMemory(memoryFile, this.clock);
    this.rules = new ProjectRules(context.workspaceState, warn);
    this.openConversations = new OpenConversations({
      clock: this.clock,
      log: this.log,
      models: this.models,
      spend,
      calibrations: this.calibrations,
      counts: countFiles(this.folder, warn),
      memory: this.memory,
      rules: this.rules,
    });
    const { workspace } = this;
    // Don't sync the global state: it contains titles and texts of sessions whose journals stay on this machine. Rules,
    // policies, and presets are settings, which VS Code syncs anyway.
    context.globalState.setKeysForSync([]);
    const onFault = (error: unknown): void => warn(`The session snapshot could not be saved: ${String(error)}`);
    this.snapshots = storedSnapshots(context.globalState, workspace, () => this.#ownState(), onFault);
    this.sessions = new Sessions({
      store: this.store,
      log: this.log,
      workspace,
      openConversation: (journal) => this.openConversations.open(journal),
      snapshots: this.snapshots,
      lastShown: {
        get: () => context.workspaceState.get(SHOWN_KEY),
        set: (session) => {
          if (context.workspaceState.get(SHOWN_KEY) !== session) void context.workspaceState.update(SHOWN_KEY, session);
        },
      },
    });
    this.history = workspaceHistory(this);
    this.gaugeItem = gaugeItem({
      conversation: () => this.sessions.current,
      spend: () => spend.current(),
      contextWindowSource: (serverWindow) => contextWindowSourceText(this.models, this.chosenModel(), serverWindow),
    });
    this.tree = new ContextTree(summaries, this);
    const storedAttachments = new StoredAttachments({
      folder: this.folder,
      reportCut: () =>
        void vscode.window.showWarningMessage(
          vscode.l10n.t('Attachments of an unsent message couldn’t be restored. Add them again.'),
        ),
      reportFailure: () =>
        void vscode.window.showWarningMessage(
          vscode.l10n.t(
            'Attachments of an unsent message couldn’t be saved and will be lost when the window closes. Check disk space and permissions.',
          ),
        ),
      warn,
    });
    this.attachments = new Attachments(this, { editor: this.editor, session: this.history.read }, storedAttachments);
    const refreshImplicit = (): void => void this.implicit.refresh();
    this.memoryTree = memoryTree(this.memory);
    this.chats = new ExternalChats(context, window, warn);
    this.chatsTree = chatsTree(this.chats, this.clock.yielder);
    const { recall } = this.history;
    this.tools = { [RECALL_TOOL]: recallTool(recall), [DECISIONS_TOOL]: decisionsTool(recall) };
    this.#disposables.push(
      this.editor,
      this.panel,
      this.reviews,
      this.diagrams,
      routeInfoToPage(this.panel),
      this.tree,
      this.files,
      { dispose: () => this.chart?.dispose() },
      this.comparison,
      this.documentPanel,
      vscode.commands.registerCommand('threadkeeper.internal.readDocument', (uri: vscode.Uri) =>
        this.documentPanel.open(uri),
      ),
      this.gaugeItem,
      this.memory,
      this.chats,
      this.memory.onDidChange(() => this.#views.refreshSoon()),
      this.rules,
      this.rules.onDidChange(() => this.#views.refreshSoon()),
      ...documentLinks(this),
      vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, explainActions, {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
      vscode.commands.registerCommand(OPEN_ROW, (open: () => Promise<void>) => open()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('threadkeeper.chat.location')) this.panel.locationChanged();
        if (hasOtherSettingChanged('chat.location', event)) void this.#settingsChanged();
        if (event.affectsConfiguration('threadkeeper.chat')) refreshImplicit();
      }),
      vscode.window.onDidChangeActiveTextEditor(refreshImplicit),
      // While the chat has the focus, closing a file doesn't change the active editor, and closing a hidden one only
      // changes the tabs.
      vscode.window.onDidChangeVisibleTextEditors(refreshImplicit),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0) refreshImplicit();
      }),
      vsCodeModels,
      vsCodeModels.onDidAppear(() => void this.#settingsChanged()),
      this.keys.onDidChange(() => {
        this.models.clear();
        void this.#settingsChanged();
      }),
      this.sessions.onDidChange((what) => {
        // A streaming reply changes the list every second, but not the automatic attachment.
        if (what === 'current' || this.sessions.current?.isReplying !== true) refreshImplicit();
        const shown = what === 'current' ? this.#views.currentSessionChanged() : this.#views.sessionListChanged();
        for (const work of [this.rules.ask(), shown]) work.catch((error: unknown) => this.describe(error));
      }),
    );
  }

  dispose(): void {
    this.#views.dispose();
    for (const disposable of this.#disposables.splice(0).reverse()) disposable.dispose();
  }

  /** Stops all work and closes the journals. If something can't be closed, rejects after closing the rest. */
  async close(): Promise<void> {
    this.dispose();
    this.drafts.retry();
    this.attachments.retry();
    const closing = [
      // Waiting for a chat that is being read may take longer than VS Code gives this process to end.
      this.chats.close(),
      this.snapshots
        .dispose()
        .finally(() => this.sessions.close())
        .finally(() => this.store.close()),
    ];
    await Promise.allSettled(closing);
    // A closed channel throws, and the end of each compression is logged.
    this.channel.dispose();
    await Promise.all(closing);
  }

  /** The message and action for an error. Unexpected errors are logged with their stack. */
  describe(error: unknown): FaultView {
    const view = faultView(error);
    if (view.reason === 'failed') this.channel.error(error instanceof Error ? error : String(error));
    return view;
  }

  chosenModel(): ChosenModel {
    return chosenChatModel(readSettings(), this.sessions.current?.state);
  }

  async runCommand(name: PageCommand, argument?: string, session?: SessionId): Promise<boolean> {
    return (await import('./commands.ts')).runCommand(this, name, argument, session);
  }

  async runFromEditor(command: string, ...args: readonly unknown[]): Promise<void> {
    await (await import('./commands.ts')).runFromEditor(this, command, ...args);
  }

  answer: vscode.ChatRequestHandler = (request, _context, stream, token) =>
    answerChatRequest(this.history.recall, request, stream, token);

  async modelChanged(): Promise<void> {
    if (this.sessions.current) await this.models.prepare(this.chosenModel());
    await this.#views.modelChanged();
  }

  searchChats(query: string, limit: number): ReturnType<typeof quoteChats> {
    return quoteChats(this.chats, query, limit);
  }

  /** The best results in an open session, including its newest messages. */
  async search({ journal }: Conversation, query: string): Promise<readonly ScoredResult[]> {
    const search = this.openConversations.get(journal.id)?.search;
    await search?.updateIndex();
    return search?.search(query, MAX_RESULTS) ?? [];
  }

  async forget(sessions: ReadonlySet<SessionId>): Promise<void> {
    for (const id of sessions) {
      this.drafts.delete(id);
      this.attachments.forget(id);
    }
    await this.snapshots.forget(sessions);
  }

  currentConnection(): PageConnection {
    return this.#views.connection();
  }

  async connection(): Promise<PageConnection> {
    await this.sessions.currentOrLatest();
    return this.currentConnection();
  }

  async requests(): Promise<RequestHandlers> {
    return (await import('./chat/page-requests.ts')).pageRequests(this);
  }

  setUsed(isUsed: boolean): void {
    const { workspaceState } = this.#context;
    if (workspaceState.get(USED_KEY, false) !== isUsed) void workspaceState.update(USED_KEY, isUsed);
  }

  async taskEnded(): Promise<void> {
    await (await import('./memory/memory-commands.ts')).proposeMemory(this, this.#proposed);
  }

  /** The conversation of a session, if it's open. Opens the newest session of the workspace first if none is open. */
  async conversationOf(id: string): Promise<Conversation | undefined> {
    await this.sessions.currentOrLatestIfAny();
    return this.openConversations.get(sessionId(id))?.conversation;
  }

  /** Opens a link in a document of a session. Linked messages are opened as documents, too. */
  async openDocumentLink(href: string, session = ''): Promise<void> {
    const state = (await this.conversationOf(session))?.state;
    const show = (position: number): void => {
      const id = state?.path[position];
      if (id !== undefined) void openMessageDocument(sessionId(session), id, position);
    };
    await openLink(href, show, state);
  }

  /** The state of the current session, unless it's a chat from another tool. */
  #ownState(): SessionState | undefined {
    const { current } = this.sessions;
    return current?.journal.isExternal === true ? undefined : current?.state;
  }

  async current(): Promise<OpenConversation> {
    const { journal } = await this.sessions.currentOrLatest();
    const open = this.openConversations.get(journal.id);
    if (!open) throw new Error('the current session is not open');
    return open;
  }

  /** The chat's model, which is needed to show the exact request; undefined if the model isn't available. */
  async availableModel(): Promise<ChatModel | undefined> {
    try {
      return await this.sessions.current?.chatModel();
    } catch (error) {
      if (ModelFault.is(error)) return undefined;
      throw error;
    }
  }

  async #settingsChanged(): Promise<void> {
    try {
      await this.modelChanged();
      await this.#reportInvalidSetting();
    } catch (error) {
      const { text } = this.describe(error);
      void vscode.window.showWarningMessage(text);
    }
  }

  /** Reports an invalid setting, such as a rule or prompt, before a compression needs it. Not again until it changes. */
  async #reportInvalidSetting(): Promise<void> {
    const problem = await checkSettings().then(
      () => '',
      (error: unknown) => this.describe(error).text,
    );
    if (problem !== '' && problem !== this.#invalidSetting) void vscode.window.showWarningMessage(problem);
    this.#invalidSetting = problem;
  }
}

/** Logs events to the *Threadkeeper* output channel as `name {"field":value}`. They must not contain message text. */
function channelLog(channel: vscode.LogOutputChannel): Log {
  return {
    event: (name, fields, level) => channel[level ?? 'info'](`${name} ${JSON.stringify(fields)}`),
    warn: (message) => channel.warn(message),
  };
}

/** Identifies the workspace of this window: its folders, its workspace file, or none. */
function workspaceIdentity(): string {
  const { workspaceFolders = [], workspaceFile } = vscode.workspace;
  return workspaceKey({
    folders: workspaceFolders.map((folder) => folder.uri.toString()),
    ...(workspaceFile && { workspaceFile: workspaceFile.toString() }),
    ...(vscode.env.remoteName !== undefined && { remoteName: vscode.env.remoteName }),
  });
}

/** The system clock, random IDs, and yielding to the extension host's event loop. */
function systemClock(): Clock {
  return {
    now: () => Date.now(),
    id: () => randomUUID(),
    yielder: new SharedThread(
      () => performance.now(),
      () => new Promise((resolve) => setImmediate(resolve)),
    ),
  };
}
