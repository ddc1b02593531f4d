import * as vscode from 'vscode';
import { REMEDIES, type PageCommand } from '../protocol/views.ts';
import { isChatRow } from './external-chats/chat-rows.ts';
import * as externalChats from './external-chats/external-chat-commands.ts';
import * as chat from './chat/chat-commands.ts';
import type { ChatApp } from './chat/chat-app.ts';
import { chartPanel, type ChartPanel } from './gauge/chart-panel.ts';
import { checkHealth, type HealthApp } from './health/check-health.ts';
import { importFile } from './import-export/import-file.ts';
import { exportSession, openSample } from './import-export/export-session.ts';
import * as memory from './memory/memory-commands.ts';
import { manageKeys, setModelKey } from './models/key-commands.ts';
import type { ModelsApp } from './models/models.ts';
import { chooseModel } from './models/model-picker.ts';
import { CONTEXT_VIEW } from './platform/contribution-ids.ts';
import { notificationText } from './platform/fault-view.ts';
import { settingsQuery } from './platform/settings.ts';
import * as search from './search/search-commands.ts';
import { modelSelectedEvents } from './platform/session-changes.ts';
import * as sessions from './sessions/session-commands.ts';
import * as summaries from './summaries/summary-commands.ts';
import * as compression from './summaries/compression-commands.ts';
import type { SummariesApp } from './summaries/summaries-app.ts';
import {
  compressionOfRow,
  keyEvent,
  revertedSummary,
  summaryInContext,
  undoneCompression,
  type FindTarget,
} from './summaries/command-targets.ts';
import { markEventWrong, pinEvents, undoCompressions } from '../app/summary-changes.ts';
import type { Conversation } from '../app/conversation.ts';

type App = externalChats.OpenedChatApp &
  ChatApp &
  HealthApp &
  memory.MemoryApp &
  ModelsApp &
  search.SearchApp &
  sessions.SessionsApp &
  SummariesApp;

/** `argument` and `more` come from a menu, a key binding, or the page (its session). False if the user cancels. */
type Handler = (app: App, argument?: unknown, more?: unknown) => unknown;

/** A command on the current session, or else the latest one. Refused if the page shows another one. */
const inSession =
  (run: (conversation: Conversation, argument: unknown, app: App) => unknown): Handler =>
  async (app, argument, shown) => {
    const conversation = await app.sessions.currentOrLatest();
    // A menu passes other values.
    if (typeof shown === 'string') chat.requireSession(conversation, shown);
    return run(conversation, argument, app);
  };

/** A command on a part of the session, if there is one. */
const onTarget = <T>(
  find: FindTarget<T>,
  run: (conversation: Conversation, target: NonNullable<T>, app: App) => unknown,
): Handler =>
  inSession(async (conversation, argument, app) => {
    const target = await find(conversation, argument, app);
    if (target != null) await run(conversation, target, app);
  });

const chartOf = (app: App): ChartPanel => (app.chart ??= chartPanel(() => app.sessions.current));

/** All commands of the manifest, and those that only the page runs. A test compares them with the manifest. */
export const HANDLERS: Readonly<Record<PageCommand, Handler> & Record<string, Handler>> = {
  openChat: async (app) => {
    app.panel.open();
    await app.sessions.currentOrLatest();
  },
  moveToNewWindow: chat.moveToNewWindow,
  moveToSidebar: (app) => chat.moveChat(app, 'sidebar'),
  moveToEditor: (app) => chat.moveChat(app, 'editor'),
  askAboutSelection: inSession(chat.askAboutSelection),
  attachFile: chat.attachFiles,
  explainProblem: chat.explainProblem,
  setTask: inSession(chat.setTask),
  resetTask: inSession(chat.resetTask),
  acceptChange: (app) => app.reviews.accept('change'),
  rejectChange: (app) => app.reviews.reject('change'),
  acceptAllChanges: (app) => app.reviews.accept('all'),
  rejectAllChanges: (app) => app.reviews.reject('all'),
  showActions,
  openLog: (app) => app.channel.show(),
  openSettings: async () => vscode.commands.executeCommand('workbench.action.openSettings', await settingsQuery()),
  checkHealth,

  newSession: async (app, title) => {
    const before = app.sessions.current?.state;
    const model = modelSelectedEvents(before);
    const { journal } = await (typeof title === 'string' ? app.sessions.create(title) : app.sessions.openEmpty());
    const isSame = journal.state.provider === before?.provider && journal.state.model === before?.model;
    if (model.length > 0 && !isSame) {
      await journal.append(...model);
      await app.modelChanged();
    }
    app.panel.open();
  },
  switchSession: sessions.switchSession,
  nextSession: (app) => chat.openAdjacentSession(app, 1),
  previousSession: (app) => chat.openAdjacentSession(app, -1),
  openOtherSession: sessions.openOtherSession,
  restoreSession: sessions.restoreSession,
  reattachSessions: sessions.reattachSessions,
  cleanUp: sessions.cleanUp,
  takeOver: inSession(async ({ journal }, _, { panel }) => {
    await journal.takeOver();
    await panel.showCurrentSession();
  }),
  importTranscript: (app, uri) => importFile(app, uriOf(uri)),
  exportSession: inSession((conversation, uri, app) => exportSession(conversation, uriOf(uri), app)),
  openSampleSession: openSample,
  recall: inSession((_conversation, _argument, { panel }) => panel.show('recall')),
  searchSessions: search.searchAllSessions,
  whyForgotten: inSession(search.findForgotten),

  chooseModel: inSession((conversation, _, app) => chooseModel(app, conversation)),
  manageApiKeys: manageKeys,
  choosePolicy: inSession(compression.choosePolicy),

  compressHistory: inSession((conversation, how, app) => compression.compressHistory(conversation, how === 'now', app)),
  undoCompression: inSession((conversation, _, app) => compression.undoCompression(conversation, app)),
  redoCompression: onTarget(undoneCompression, ({ journal }, id) => undoCompressions(journal, [id], false)),
  undoSince: onTarget(compressionOfRow, compression.undoSince),
  undoChange: inSession((conversation) => summaries.undoOrRedo(conversation, true)),
  redoChange: inSession((conversation) => summaries.undoOrRedo(conversation, false)),
  previewNext: inSession((conversation) =>
    summaries.showDocument(conversation, 'next', 'now', vscode.l10n.t('Next Request')),
  ),
  dryRun: inSession((_conversation, _argument, { panel }) => panel.show('preview')),
  showCompressions: inSession((conversation) =>
    summaries.showDocument(conversation, 'compressions', 'all', vscode.l10n.t('Compression History')),
  ),
  openAsText: (app) => app.documentPanel.openAsText(),
  showChart: inSession((_conversation, _argument, app) => chartOf(app).open()),
  saveChart: inSession((_conversation, _argument, app) => chartOf(app).save()),

  editSummary: onTarget(summaryInContext, summaries.editSummary),
  readSummary: onTarget(summaryInContext, summaries.readSummary),
  compareSummary: onTarget(summaryInContext, summaries.compareSummary),
  checkSummary: onTarget(summaryInContext, summaries.checkSummary),
  resummarize: onTarget(summaryInContext, summaries.regenerateSummary),
  expandForTurn: onTarget(summaryInContext, summaries.expandForTurn),
  closeNode: onTarget(revertedSummary, summaries.restoreSummary),
  undoNode: onTarget(summaryInContext, (conversation, { id }) => conversation.undoNodes([id], true)),
  showInChat: inSession(summaries.showInChat),
  showInTree: inSession(summaries.showInTree),
  filterSummaries: summaries.filterSummaries,
  clearFilter: (app) => app.tree.setFilter(undefined),

  correctEvent: onTarget(keyEvent(), summaries.correctKeyEvent),
  pinEvent: onTarget(
    keyEvent(({ pinned }) => !pinned),
    ({ journal }, { id }) => pinEvents(journal, [id], true),
  ),
  unpinEvent: onTarget(
    keyEvent(({ pinned }) => pinned),
    ({ journal }, { id }) => pinEvents(journal, [id], false),
  ),
  removeEvent: onTarget(keyEvent(), ({ journal }, { id }) => markEventWrong(journal, id, true)),
  rememberEvent: memory.rememberEvent,
  rememberEvents: memory.rememberEvents,
  addMemory: memory.addMemory,
  editMemory: memory.editMemory,
  forgetMemory: memory.forgetMemory,
  exportMemory: (app, uri) => memory.exportMemory(app, uriOf(uri)),

  findChats: externalChats.copyChats,
  forgetChats: externalChats.deleteCopiedChats,
  copyDropped: externalChats.copyDropped,
  restoreDropped: externalChats.restoreDropped,
  searchChats: externalChats.searchChats,
  chatsAboutFile: externalChats.chatsAboutFile,
  openKeptChat: async (app, row, position) =>
    isChatRow(row) && row.chat
      ? externalChats.openChat(app, row.chat, typeof position === 'number' ? position : undefined)
      : false,
  continueHere: async (app, row) => {
    if (isChatRow(row) && row.chat && !(await externalChats.openChat(app, row.chat))) return false;
    return externalChats.continueHere(app, row);
  },

  // Only for the page.
  cancelCompression: (app) => app.sessions.current?.compressor.cancel(),
  setModelKey,
  unpinAll: inSession((conversation, _, app) => compression.unpinAll(conversation, app)),
};

const uriOf = (value: unknown): vscode.Uri | undefined => (value instanceof vscode.Uri ? value : undefined);

/** Runs a command; resolves to false if the user cancels. */
export async function runCommand(app: App, name: string, argument?: unknown, more?: unknown): Promise<boolean> {
  return (await HANDLERS[name]?.(app, argument, more)) !== false;
}

/** Runs a command from the Command Palette or a menu, by its id. An error is shown as a message with an action. */
export async function runFromEditor(app: App, command: string, ...args: readonly unknown[]): Promise<boolean> {
  try {
    return await runCommand(app, command.replace('threadkeeper.', ''), ...args);
  } catch (error) {
    const remedy = await showFault(app, error);
    if (remedy === undefined) return false;
    // Repeat the command after its problem is fixed.
    const isFixed = remedy === 'retry' || ((await runFromEditor(app, remedy)) && REMEDIES.has(remedy));
    return isFixed && runFromEditor(app, command, ...args);
  }
}

/** Shows an error; resolves to the action that the user selects. */
async function showFault(app: App, error: unknown): Promise<PageCommand | 'retry' | undefined> {
  const fault = app.describe(error);
  const { reason, action } = fault;
  if (reason === 'cancelled') return undefined;
  const label = await vscode.window.showErrorMessage(notificationText(fault), ...(action ? [action.label] : []));
  return action && label === action.label ? action.command : undefined;
}

async function showActions(app: App): Promise<void> {
  await app.sessions.currentOrLatest();
  const actions = [
    { label: `$(comment-discussion) ${vscode.l10n.t('Open Chat')}`, command: 'threadkeeper.openChat' },
    { label: `$(list-tree) ${vscode.l10n.t('Show Context')}`, command: `${CONTEXT_VIEW}.focus` },
    { label: `$(archive) ${vscode.l10n.t('Compress History')}`, command: 'threadkeeper.compressHistory' },
    { label: `$(discard) ${vscode.l10n.t('Undo Last Compression')}`, command: 'threadkeeper.undoCompression' },
    { label: `$(checklist) ${vscode.l10n.t('End Task')}`, command: 'threadkeeper.resetTask' },
    { label: `$(search) ${vscode.l10n.t('Search Session…')}`, command: 'threadkeeper.recall' },
    { label: `$(sparkle) ${vscode.l10n.t('Select Model…')}`, command: 'threadkeeper.chooseModel' },
    { label: `$(gear) ${vscode.l10n.t('Open Settings')}`, command: 'threadkeeper.openSettings' },
  ];
  const picked = await vscode.window.showQuickPick(actions, { title: 'Threadkeeper' });
  if (picked) await vscode.commands.executeCommand(picked.command);
}
