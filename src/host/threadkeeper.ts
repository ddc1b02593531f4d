import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Compressor, type CompressionWork } from '../app/compressor.ts';
import { Conversation } from '../app/conversation.ts';
import type { Clock, CountStore, Log, SessionJournal, SessionSummary } from '../app/ports.ts';
import { SessionSearch } from '../app/session-search.ts';
import { Sessions } from '../app/sessions.ts';
import { WorkspaceSearch, type SearchRun, type WorkspaceHit } from '../app/workspace-search.ts';
import type { ConversationSettings } from '../app/settings.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import type { LocalMemory } from '../providers/local.ts';
import { retrying } from '../providers/retry.ts';
import { readSession } from '../storage/clean-up.ts';
import { countFiles } from '../storage/count-files.ts';
import { loadSnapshots, SNAPSHOTS_KEY } from '../storage/snapshot-writer.ts';
import { openSessionStore, type FileSessionStore } from '../storage/session-store.ts';
import { Attachments } from './attachments.ts';
import { Calibrations } from './calibrations.ts';
import { ChatPanel } from './chat-panel.ts';
import { registerCommands, pageCommand } from './commands.ts';
import { ContextGauge } from './context-gauge.ts';
import { Documents } from './documents.ts';
import { Drafts } from './drafts.ts';
import { EditorModels } from './editor-models.ts';
import { faultView, isUnforeseen } from './faults.ts';
import { GaugeItem } from './gauge-item.ts';
import { CHAT_PANEL, DOCUMENT_SCHEME, SUMMARIES_VIEW } from './ids.ts';
import { Keys } from './keys.ts';
import { channelLog } from './log.ts';
import { chosenChatModel, chosenSummaryModel, costOf, Models, windowOf, type ChosenModel } from './models.ts';
import { SpendLimit } from './models/spend-limit.ts';
import { Summarizers } from './models/summarizers.ts';
import { LastEditor } from './last-editor.ts';
import { pageHandlers } from './page/page-handlers.ts';
import { PageLink } from './page/page-link.ts';
import { sessionView } from './page/views.ts';
import { eventRules, policyOf, promptText, readSettings } from './settings.ts';
import { Snapshots } from './snapshots.ts';
import { OPEN_ROW, SummariesTree } from './summaries-tree.ts';
import { importFile, hasSample } from './transcript-commands.ts';
import type { Product } from './product.ts';
import { translated } from './translated.ts';
import { workspaceIdentity } from './workspace.ts';

/** A conversation with what belongs to it alone. */
interface Open {
  readonly conversation: Conversation;
  readonly search: SessionSearch;
}

/**
 * The composition root: makes every part once and wires them by constructor arguments. Nothing is read or loaded
 * before a session is asked for.
 */
export class Threadkeeper implements Product, vscode.Disposable {
  readonly channel: vscode.LogOutputChannel;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly models: Models;
  readonly panel: ChatPanel;
  readonly tree: SummariesTree;
  readonly drafts: Drafts;
  readonly log: Log;
  readonly extensionUri: vscode.Uri;
  readonly store: FileSessionStore;
  readonly clock: Clock;
  /** Where the journals lie. */
  readonly folder: string;
  readonly workspace: string;
  readonly #workspaceSearch: WorkspaceSearch;
  readonly #memento: vscode.Memento;
  readonly #calibrations: Calibrations;
  readonly #spend: SpendLimit;
  readonly #summarizers: Summarizers;
  readonly #snapshots: Snapshots;
  readonly #attachments: Attachments;
  readonly #counts: CountStore;
  readonly #gauge: ContextGauge;
  readonly #gaugeItem: GaugeItem;
  readonly #documents: Documents;
  readonly #disposables: { dispose(): unknown }[] = [];
  readonly #open = new Map<SessionId, Open>();
  #link: PageLink | undefined;
  #modelReady = true;
  #hasSample = false;

  constructor(context: vscode.ExtensionContext) {
    this.extensionUri = context.extensionUri;
    this.channel = vscode.window.createOutputChannel('Threadkeeper', { log: true });
    this.log = channelLog(this.channel);
    this.clock = {
      now: () => Date.now(),
      id: () => randomUUID(),
      yieldNow: () => new Promise((resolve) => setImmediate(resolve)),
    };
    this.keys = new Keys(context.secrets);
    const warn = (message: string): void => this.log.warn(message);
    const editorModels = new EditorModels(context.globalState, context.languageModelAccessInformation, warn);
    this.models = new Models(this.keys, editorModels);
    const limitUsd = (): number | null => readSettings().compression.monthlyLimitUsd;
    this.#spend = new SpendLimit(context.globalState, () => this.clock.now(), limitUsd, warn);
    this.#summarizers = new Summarizers(this.models, this.#spend, () => this.clock.now());
    this.drafts = new Drafts(context.workspaceState);
    this.folder = vscode.Uri.joinPath(context.globalStorageUri, 'sessions').fsPath;
    this.store = openSessionStore({
      folder: this.folder,
      clock: this.clock,
      writer: randomUUID(),
    });
    this.#calibrations = new Calibrations(context.globalState);
    this.#counts = countFiles(this.folder, warn);
    const workspace = workspaceIdentity();
    this.workspace = workspace;
    this.#memento = context.globalState;
    // Nothing here follows the user to other machines: it holds titles and texts of sessions whose journals stay here.
    // Rules, policies and presets are settings, which the editor syncs by itself.
    context.globalState.setKeysForSync([]);
    this.#snapshots = new Snapshots(context.globalState, workspace, () => this.sessions.current?.state, warn);
    this.sessions = new Sessions({
      store: this.store,
      log: this.log,
      workspace,
      openConversation: (journal) => this.#openConversation(journal),
      snapshots: this.#snapshots,
    });
    this.#workspaceSearch = new WorkspaceSearch({
      clock: this.clock,
      list: async () => (await this.store.list()).filter((one) => one.workspace === workspace && !one.deleted),
      read: async (id) => this.#open.get(id)?.conversation.state ?? (await readSession(this.folder, id)),
    });
    this.#gauge = new ContextGauge(warn);
    this.#gaugeItem = new GaugeItem(
      this.#gauge,
      () => this.sessions.current,
      () => this.#spend.current(),
    );
    this.tree = new SummariesTree(
      () => this.sessions.current,
      () => this.sessions.latestIfAny(),
      this.#gauge,
    );
    this.#documents = new Documents((id) => this.#open.get(sessionId(id))?.conversation);
    const editor = new LastEditor();
    const attachments = new Attachments(() => this.clock.id(), editor);
    this.#attachments = attachments;
    this.panel = new ChatPanel({
      extensionUri: context.extensionUri,
      link: () => this.#currentLink(),
      handlers: pageHandlers({
        link: () => this.link(),
        sessions: this.sessions,
        attachments,
        drafts: this.drafts,
        editor,
        runCommand: (command, argument) => pageCommand(this, command, argument),
        searchFor: (query) => this.search(query),
        deleteSession: (id, deleted) =>
          this.changeSession(id, (one) => one.append({ type: 'session_deleted', deleted })),
        renameSession: (id, title) => this.changeSession(id, (one) => one.append({ type: 'session_renamed', title })),
        archiveSession: (id, archived) =>
          this.changeSession(id, (one) => one.append({ type: 'session_archived', archived })),
        newId: () => this.clock.id(),
      }),
      describe: (error) => this.describe(error),
      stop: () => this.sessions.current?.stop(),
      setDraft: (session, text) => this.drafts.set(session, text),
      dismissNotice: () => undefined,
      warn,
    });
    this.#disposables.push(
      this.channel,
      editor,
      this.panel,
      this.tree,
      this.#documents,
      this.#gaugeItem,
      vscode.window.registerTreeDataProvider(SUMMARIES_VIEW, this.tree),
      vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, this.#documents),
      vscode.window.registerWebviewPanelSerializer(CHAT_PANEL, this.panel),
      vscode.commands.registerCommand(OPEN_ROW, (open: () => Promise<void>) => open()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('threadkeeper')) void this.#settingsChanged();
      }),
      editorModels,
      editorModels.onDidAppear(() => void this.#settingsChanged()),
      this.keys.onDidChange(() => {
        this.models.clear();
        void this.#settingsChanged();
      }),
      this.sessions.onDidChange((what) => void (what === 'current' ? this.#currentChanged() : this.#listChanged())),
      ...registerCommands(this),
    );
  }

  dispose(): void {
    this.#link?.dispose();
    for (const disposable of this.#disposables.splice(0).reverse()) disposable.dispose();
  }

  /** Ends what runs and releases the journals. */
  async close(): Promise<void> {
    this.dispose();
    await this.#snapshots.flush();
    await this.sessions.close();
    await this.store.close();
  }

  /** The link between the page and the current session. Throws when there is none. */
  link(): PageLink {
    if (!this.#link) throw new Error('no session is open');
    return this.#link;
  }

  /** What the user reads of an error; what was not foreseen is logged with its stack. */
  describe(error: unknown): ReturnType<typeof faultView> {
    if (isUnforeseen(error)) this.channel.error(error instanceof Error ? error : String(error));
    return faultView(error);
  }

  chosenModel(): ChosenModel {
    return chosenChatModel(readSettings(), this.sessions.current?.state);
  }

  /** Shows everywhere who answers now. */
  async modelChanged(): Promise<void> {
    await this.#checkModel();
    this.sessions.current?.meter.modelChanged();
    await this.panel.changed();
    this.#refresh();
  }

  async search(query: string): Promise<ReturnType<SessionSearch['search']>> {
    const current = this.sessions.current;
    const open = current && this.#open.get(current.journal.id);
    if (!open) return [];
    await open.search.grow();
    return open.search.search(query, 20);
  }

  searchWorkspace(run: SearchRun): Promise<readonly WorkspaceHit[] | undefined> {
    return this.#workspaceSearch.search(run);
  }

  async forget(sessions: ReadonlySet<SessionId>): Promise<void> {
    const read = loadSnapshots(this.#memento);
    if (read.kind !== 'sound' || sessions.size === 0) return;
    const others = <T extends { readonly id: string }>(list: readonly T[]): T[] =>
      list.filter((one) => !sessions.has(sessionId(one.id)));
    const { index, live } = read.snapshots;
    await this.#memento.update(SNAPSHOTS_KEY, { ...read.snapshots, index: others(index), live: others(live) });
  }

  /** Reads a transcript into a new session; asks for the file when none is given. */
  importTranscript(uri?: vscode.Uri): Promise<void> {
    return importFile(this, uri);
  }

  /** Changes a session of the list, open or not. */
  async changeSession(id: SessionId, change: (journal: SessionJournal) => Promise<void>): Promise<void> {
    const current = this.sessions.current;
    if (current?.journal.id === id) {
      await change(current.journal);
    } else {
      const journal = await this.store.open(id);
      try {
        await change(journal);
      } finally {
        await journal.close();
      }
    }
    if (current?.journal.id === id && current.state.deleted) {
      await this.sessions.leave();
      await this.sessions.currentOrLatest();
    }
    this.sessions.listChanged();
  }

  async #currentLink(): Promise<PageLink> {
    await this.sessions.currentOrLatest();
    return this.link();
  }

  #settings(journal: SessionJournal): ConversationSettings {
    const settings = readSettings();
    const chosen = chosenChatModel(settings, journal.state);
    return {
      systemPrompt: settings.chat.systemPrompt,
      memory: '',
      policy: policyOf(settings),
      ...windowOf(settings, this.models.info(chosen)),
      temperature: settings.chat.temperature ?? undefined,
      extractiveOnFault: settings.compression.extractiveOnFault,
      resetFinishedTask: settings.task.resetFinished,
      recallShare: settings.recall.share,
      countWithProvider: settings.chat.countWithProvider,
    };
  }

  async #openConversation(journal: SessionJournal): Promise<Conversation> {
    const known = this.#open.get(journal.id);
    if (known) {
      await journal.close();
      return known.conversation;
    }
    const { clock, log } = this;
    const chatModel = (): ChosenModel => chosenChatModel(readSettings(), journal.state);
    const summarizer = (): ChosenModel => chosenSummaryModel(readSettings(), chatModel());
    await Promise.all([this.models.prepare(chatModel()), this.models.prepare(summarizer())]);
    const counter = await loadEncoding(this.models.info(chatModel()).encoding);
    const search = new SessionSearch(() => journal.state, clock);
    const memory: LocalMemory = {
      search: (query, limit) =>
        // The newest message is the question itself.
        search
          .search(query, limit, (position) => position < journal.state.path.length - 1)
          .map((hit) => ({ ...hit, number: hit.position + 1 })),
    };
    // Detection and summaries are the largest part of the bundle: read when the first compression runs.
    let working: Promise<CompressionWork> | undefined;
    const compression = (): Promise<CompressionWork> =>
      (working ??= import('../app/compress-session.ts').then(({ compressSession }) =>
        compressSession({
          clock,
          price: costOf,
          preset: () => readSettings().summarizer.preset,
          promptText: () => promptText(readSettings()),
          rules: () => eventRules(readSettings()),
          summaryModel: (job) => this.#summarizers.model(summarizer(), memory, job),
        }),
      ));
    const compressor = new Compressor({
      journal,
      clock,
      log,
      counter,
      spendGate: this.#summarizers.gate(summarizer),
      work: async (job) => (await compression())(job),
    });
    const conversation: Conversation = new Conversation({
      journal,
      clock,
      log,
      counter,
      countStore: this.#counts,
      calibration: () => this.#calibrations.of(chatModel()),
      compressor,
      price: costOf,
      settings: () => this.#settings(journal),
      chatModel: async () => {
        const chosen = chatModel();
        if (chosen.provider === 'local') await search.grow();
        const model = await this.models.make(chosen, memory);
        return retrying(model, {
          onWait: (ms, _attempt, fault) => conversation.setWaiting({ until: clock.now() + ms, fault }),
        });
      },
      recall: (text, budget) => search.recall(text, budget, counter),
    });
    this.#open.set(journal.id, { conversation, search });
    await conversation.prepare();
    return conversation;
  }

  async #currentChanged(): Promise<void> {
    this.#link?.dispose();
    this.#link = undefined;
    const conversation = this.sessions.current;
    for (const id of this.#open.keys()) if (id !== conversation?.journal.id) this.#open.delete(id);
    if (!conversation) return;
    const { journal } = conversation;
    // A new session, or one that an import is about to fill, has nothing to look at yet.
    const resumed = conversation.state.counters.messagesEver > 0;
    // At once, since whoever opened the session asks for its link next.
    this.#link = new PageLink(
      conversation,
      this.#gauge,
      {
        sessions: async () => (await this.#list()).map((one) => sessionView(one, untitled())),
        model: () => {
          const chosen = this.chosenModel();
          const { provider, model } = chosen;
          return { provider, model, label: this.models.label(chosen), takesImages: false, ready: this.#modelReady };
        },
        settings: () => {
          const { chat } = readSettings();
          const { enterSends, pasteAsAttachmentAbove } = chat;
          const sample = this.#hasSample;
          return { enterSends, pasteAsAttachmentAbove, minimap: true, locale: vscode.env.language, texts: {}, sample };
        },
        draft: () => ({ text: this.drafts.get(journal.id), attachments: this.#attachments.views() }),
        notices: () =>
          journal.notice === undefined
            ? []
            : [{ id: 'journal', severity: 'warning', text: translated(journal.notice), actions: [] }],
        untitled: untitled(),
      },
      (message) => this.log.warn(message),
    );
    journal.onDidChange(() => this.#refreshSoon());
    conversation.onUpdate((update) => {
      if (update.type !== 'turn_ended') return;
      this.#calibrations.save();
      this.#refreshSoon();
    });
    conversation.compressor.onDidChange(() => this.#gaugeItem.refresh());
    await this.#checkModel();
    this.#hasSample = await hasSample();
    await this.panel.changed();
    this.#refresh();
    if (resumed) void conversation.betweenTurns().catch((error: unknown) => this.describe(error));
  }

  async #listChanged(): Promise<void> {
    await this.#link?.sendSessions();
  }

  async #settingsChanged(): Promise<void> {
    this.#summarizers.reset();
    try {
      await this.modelChanged();
    } catch (error) {
      const { text } = this.describe(error);
      void vscode.window.showWarningMessage(text);
    }
  }

  async #checkModel(): Promise<void> {
    this.#modelReady = await this.models.isReady(this.chosenModel());
  }

  async #list(): Promise<readonly SessionSummary[]> {
    const list = await this.sessions.list();
    this.#snapshots.listed(list);
    return list;
  }

  #refreshTimer: NodeJS.Timeout | undefined;
  // Many events come at once (an import, a compression): the views are drawn once for them all.
  #refreshSoon(): void {
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshTimer = undefined;
      this.#refresh();
      this.sessions.listChanged();
      if (this.sessions.current?.isReplying === false) this.#snapshots.schedule();
    }, 100);
  }

  #refresh(): void {
    const title = this.sessions.current?.state.title ?? '';
    this.panel.setTitle(title === '' ? untitled() : title);
    this.#gaugeItem.refresh();
    this.#gauge.changed();
    this.tree.refresh();
    this.#documents.refresh();
  }
}

const untitled = (): string => vscode.l10n.t('New session');
