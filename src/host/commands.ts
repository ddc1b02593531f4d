import * as vscode from 'vscode';
import type { CompressionOutcome, Compressor } from '../app/compressor.ts';
import type { Conversation } from '../app/conversation.ts';
import { SpendLimitReached } from '../app/spend.ts';
import type { SessionEvent } from '../core/journal/event.ts';
import type { KeyEventId } from '../core/model/ids.ts';
import type { Step } from '../core/model/task.ts';
import { RequestFault } from '../protocol/faults.ts';
import type { CommandName } from '../protocol/views.ts';
import { checkHealth } from './health/check-health.ts';
import { askAboutSelection, attachFiles, explainProblem, moveToNewWindow, stepSession } from './editor-commands.ts';
import { COMMAND, type CommandId } from './ids.ts';
import { askForKey, chooseProvider, isKeyed } from './keys.ts';
import { addMemory, editMemory, exportMemory, forgetMemory, rememberEvent } from './memory/memory-commands.ts';
import { chooseModel, testApiKey } from './model-picker.ts';
import { reattachSessions } from './reattach.ts';
import { cleanUp, openOtherSession, searchSessions } from './session-commands.ts';
import { choosePolicy } from './policy-picker.ts';
import { exportSession, importFile, openSample } from './transcript-commands.ts';
import { openMessageDocument } from './documents/open.ts';
import { SUMMARY_HANDLERS } from './summary-commands.ts';
import { newestStanding, undoCompressions } from '../app/summary-changes.ts';
import type { Row } from './tree/rows.ts';
import type { Product } from './product.ts';

type Handler = (app: Product, argument?: unknown, more?: unknown) => Promise<void>;

/** Every command of the palette, each one use case. A failure is told once, in one sentence with a way out. */
const HANDLERS: Readonly<Record<CommandId, Handler>> = {
  [COMMAND.openChat]: async (app) => {
    app.panel.open();
    await app.sessions.currentOrLatest();
  },
  [COMMAND.newSession]: async (app) => {
    await app.sessions.startAfresh();
    app.panel.open();
  },
  [COMMAND.switchSession]: switchSession,
  [COMMAND.nextSession]: (app) => stepSession(app, 1),
  [COMMAND.previousSession]: (app) => stepSession(app, -1),
  [COMMAND.moveToNewWindow]: moveToNewWindow,
  [COMMAND.askAboutSelection]: askAboutSelection,
  [COMMAND.attachFile]: attachFiles,
  [COMMAND.explainProblem]: explainProblem,
  [COMMAND.choosePolicy]: choosePolicy,
  [COMMAND.compressHistory]: compressHistory,
  [COMMAND.undoCompression]: undoCompression,
  [COMMAND.resetTask]: async (app) => {
    const conversation = await app.sessions.currentOrLatest();
    await conversation.resetTask();
    if (!conversation.isReplying) inform(vscode.l10n.t('The task was reset; the conversation goes on.'));
  },
  [COMMAND.setTask]: setTask,
  [COMMAND.chooseModel]: (app) => chooseModel(app),
  [COMMAND.setApiKey]: async (app) => {
    const provider = await askForKey(app.keys);
    if (provider) inform(vscode.l10n.t('The key is kept in the secret storage of the editor.'));
  },
  [COMMAND.clearApiKey]: async (app) => {
    const provider = await chooseProvider();
    if (!provider) return;
    await app.keys.clear(provider);
    inform(vscode.l10n.t('The key was removed.'));
  },
  [COMMAND.testApiKey]: testApiKey,
  [COMMAND.importTranscript]: (app, argument) => importFile(app, argument instanceof vscode.Uri ? argument : undefined),
  [COMMAND.exportSession]: (app, argument) => exportSession(app, argument instanceof vscode.Uri ? argument : undefined),
  [COMMAND.openSampleSession]: openSample,
  [COMMAND.recall]: recall,
  [COMMAND.searchSessions]: searchSessions,
  [COMMAND.openOtherSession]: openOtherSession,
  [COMMAND.reattachSessions]: reattachSessions,
  [COMMAND.cleanUp]: cleanUp,
  [COMMAND.showActions]: showActions,
  [COMMAND.openLog]: (app) => {
    app.channel.show();
    return Promise.resolve();
  },
  [COMMAND.openSettings]: async () => {
    await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:threadkeeper.threadkeeper');
  },
  [COMMAND.refreshSummaries]: async (app) => {
    await app.sessions.latestIfAny();
    app.tree.refresh();
  },
  [COMMAND.undoNode]: async (app, row) => {
    const conversation = app.sessions.current;
    if (!conversation || !isNodeRow(row)) return;
    await conversation.undoNodes([row.node], true);
  },
  [COMMAND.pinEvent]: (app, row) => changeEvent(app, row, (id) => ({ type: 'event_pinned', id, pinned: true })),
  [COMMAND.unpinEvent]: (app, row) => changeEvent(app, row, (id) => ({ type: 'event_pinned', id, pinned: false })),
  [COMMAND.removeEvent]: (app, row) => changeEvent(app, row, (id) => ({ type: 'event_removed', id, removed: true })),
  [COMMAND.checkHealth]: checkHealth,
  [COMMAND.rememberEvent]: rememberEvent,
  [COMMAND.addMemory]: addMemory,
  [COMMAND.editMemory]: editMemory,
  [COMMAND.forgetMemory]: forgetMemory,
  [COMMAND.exportMemory]: (app, argument) => exportMemory(app, argument instanceof vscode.Uri ? argument : undefined),
  ...SUMMARY_HANDLERS,
  [COMMAND.takeOver]: async (app) => {
    await (await app.sessions.currentOrLatest()).journal.takeOver();
    await app.panel.changed();
  },
};

export function registerCommands(app: Product): vscode.Disposable[] {
  return Object.entries(HANDLERS).map(([id, handler]) =>
    vscode.commands.registerCommand(id, async (argument?: unknown, more?: unknown) => {
      try {
        await handler(app, argument, more);
      } catch (error) {
        await tell(app, error);
      }
    }),
  );
}

/** Says what went wrong, with the button that helps. */
export async function tell(app: Product, error: unknown): Promise<void> {
  const { reason, text, action } = app.describe(error);
  if (reason === 'cancelled') return;
  const label = await vscode.window.showErrorMessage(text, ...(action ? [action.label] : []));
  if (action && label === action.label)
    await pageCommand(app, action.command, undefined).catch((next: unknown) => tell(app, next));
}

/** What the page's `/` commands, buttons and notices run. */
export async function pageCommand(app: Product, command: CommandName, argument: string | undefined): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  switch (command) {
    case 'new':
      await (argument === undefined ? app.sessions.startAfresh() : app.sessions.create(argument));
      return;
    case 'compress':
      return compressHistory(app);
    case 'cancelCompression':
      return conversation.compressor.cancel();
    case 'reset':
      return conversation.resetTask();
    case 'task':
      if (argument === undefined || argument.trim() === '') return setTask(app);
      return conversation.setTask(...parseTask(argument));
    case 'recall':
      return recall(app, argument);
    case 'model':
      return chooseModel(app);
    case 'policy':
      return choosePolicy(app);
    case 'export':
      return exportSession(app);
    case 'import':
      return importFile(app);
    case 'sample':
      return openSample(app);
    case 'undoCompression':
      return undoCompression(app);
    case 'setKey': {
      const { provider } = app.chosenModel();
      await askForKey(app.keys, isKeyed(provider) ? provider : undefined);
      return;
    }
    case 'openSettings':
      await vscode.commands.executeCommand(COMMAND.openSettings);
      return;
    case 'openSummaries':
      await vscode.commands.executeCommand('threadkeeper.summaries.focus');
      return;
    case 'openLog':
      return app.channel.show();
    case 'takeOver':
      await conversation.journal.takeOver();
      return app.panel.changed();
    case 'retryLast': {
      const last = conversation.state.path.findLast((id) => conversation.state.messages.place(id)?.role === 'user');
      if (last !== undefined) await conversation.retry(last);
      return;
    }
    case 'continue':
      return conversation.send(vscode.l10n.t('Continue where you stopped.'));
    case 'pin':
      throw new RequestFault({ reason: 'invalid', text: vscode.l10n.t('Select the text to pin in a message first.') });
    case 'dropAttachments':
      return;
  }
}

async function compressHistory(app: Product): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const outcome = await withProgress(conversation, () => conversation.compressNow());
  sayOutcome(app, outcome);
}

function withProgress(
  conversation: Conversation,
  work: () => Promise<CompressionOutcome>,
): Promise<CompressionOutcome> {
  const { compressor } = conversation;
  return Promise.resolve(
    vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Compressing the history'),
        cancellable: true,
      },
      async (progress, token) => {
        token.onCancellationRequested(() => compressor.cancel());
        const shown = compressor.onDidChange(() => report(compressor, progress));
        try {
          return await work();
        } finally {
          shown.dispose();
        }
      },
    ),
  );
}

function report(compressor: Compressor, progress: vscode.Progress<{ message?: string }>): void {
  const now = compressor.progress;
  if (!now) return;
  const stage = now.stage === 'events' ? vscode.l10n.t('finding key events') : vscode.l10n.t('summarizing');
  progress.report({
    message: now.stage === 'planning' ? vscode.l10n.t('planning') : `${stage}, ${now.done}/${now.total}`,
  });
}

function sayOutcome(app: Product, outcome: CompressionOutcome): void {
  switch (outcome.kind) {
    case 'committed': {
      const { record, fault } = outcome;
      const { before, after } = record.tokens;
      const done = vscode.l10n.t(
        'Compressed {0} messages: {1} → {2} tokens, {3} key events kept.',
        record.messages.before - record.messages.after,
        before.toLocaleString(vscode.env.language),
        after.toLocaleString(vscode.env.language),
        record.events.filter((event) => event.status === 'active').length,
      );
      if (fault === undefined) inform(done);
      else void vscode.window.showWarningMessage(`${done} ${byCode(fault)} ${app.describe(fault).text}`);
      return;
    }
    case 'nothing':
    case 'stale':
      return inform(
        (app.sessions.current?.state.frontier.length ?? 0) > 0
          ? vscode.l10n.t('Everything before the newest messages is compressed already.')
          : vscode.l10n.t(
              'There is nothing to compress yet: what was said is still in the window of the newest messages.',
            ),
      );
    case 'off':
      return inform(vscode.l10n.t('Compression is off: the setting threadkeeper.compression.strategy says so.'));
    case 'spent':
      throw new SpendLimitReached();
    case 'cancelled':
      return inform(vscode.l10n.t('The compression was cancelled; the session is as it was.'));
    case 'failed':
      throw outcome.error;
    case 'ready':
    case 'started':
    case 'cooling':
      return inform(vscode.l10n.t('A compression is under way; it is committed when the reply has ended.'));
  }
}

function byCode(fault: unknown): string {
  return fault instanceof SpendLimitReached
    ? vscode.l10n.t('No model was used, so this summary was made by code.')
    : vscode.l10n.t('The summarizer could not be reached, so this summary was made by code.');
}

async function undoCompression(app: Product): Promise<void> {
  const { state, journal } = await app.sessions.currentOrLatest();
  const newest = newestStanding(state);
  if (newest === undefined) return inform(vscode.l10n.t('There is no compression to undo.'));
  await undoCompressions(journal, [newest], true);
  const redo = vscode.l10n.t('Redo');
  const undone = vscode.l10n.t('The newest compression was undone: its messages are sent word for word again.');
  void vscode.window.showInformationMessage(undone, redo).then(async (answer) => {
    if (answer === redo) await undoCompressions(journal, [newest], false).catch((error: unknown) => tell(app, error));
  });
}

/** `goal; step; step` */
function parseTask(text: string): [goal: string, steps: Step[]] {
  const [goal = '', ...steps] = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [goal, steps.map((step) => ({ text: step, status: 'pending' }))];
}

async function setTask(app: Product): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const goal = await vscode.window.showInputBox({
    title: vscode.l10n.t('Set Task'),
    prompt: vscode.l10n.t('What are you working on? Steps may follow, separated by semicolons.'),
    value: conversation.state.task?.goal ?? '',
  });
  if (goal === undefined || goal.trim() === '') return;
  await conversation.setTask(...parseTask(goal));
}

async function switchSession(app: Product): Promise<void> {
  const sessions = await app.sessions.list();
  const items = sessions.map((one) => ({
    label: one.title === '' ? vscode.l10n.t('New session') : one.title,
    description: vscode.l10n.t('{0} messages', one.messages),
    detail: new Date(one.updatedAt).toLocaleString(vscode.env.language),
    id: one.id,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Switch Session'),
    matchOnDetail: true,
  });
  if (!picked) return;
  await app.sessions.open(picked.id);
  app.panel.open();
}

async function recall(app: Product, argument?: unknown): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const given = typeof argument === 'string' ? argument.trim() : '';
  const query =
    given !== '' ? given : await vscode.window.showInputBox({ title: vscode.l10n.t('Search What Was Said') });
  if (query === undefined || query.trim() === '') return;
  const hits = await app.search(query);
  const items = hits.map((hit) => ({
    label: hit.text.replace(/\s+/g, ' ').trim().slice(0, 100),
    description: `${hit.position + 1} · ${hit.role}`,
    hit,
  }));
  if (items.length === 0) return inform(vscode.l10n.t('Nothing in this session matches {0}.', query));
  const picked = await vscode.window.showQuickPick(items, { title: query, matchOnDescription: true });
  if (picked)
    await openMessageDocument(conversation.journal.id, picked.hit.message, picked.hit.position, picked.hit.text);
}

async function showActions(app: Product): Promise<void> {
  await app.sessions.currentOrLatest();
  const actions: readonly { label: string; command: CommandId }[] = [
    { label: `$(comment-discussion) ${vscode.l10n.t('Open Chat')}`, command: COMMAND.openChat },
    { label: `$(archive) ${vscode.l10n.t('Compress History')}`, command: COMMAND.compressHistory },
    { label: `$(discard) ${vscode.l10n.t('Undo Last Compression')}`, command: COMMAND.undoCompression },
    { label: `$(checklist) ${vscode.l10n.t('Reset Task')}`, command: COMMAND.resetTask },
    { label: `$(search) ${vscode.l10n.t('Search What Was Said')}`, command: COMMAND.recall },
    { label: `$(sparkle) ${vscode.l10n.t('Choose Model')}`, command: COMMAND.chooseModel },
    { label: `$(gear) ${vscode.l10n.t('Open Settings')}`, command: COMMAND.openSettings },
  ];
  const picked = await vscode.window.showQuickPick(actions, { title: 'Threadkeeper' });
  if (picked) await vscode.commands.executeCommand(picked.command);
}

/** Changes the key event of a row in the tree. */
async function changeEvent(app: Product, row: unknown, change: (id: KeyEventId) => SessionEvent): Promise<void> {
  if (isEventRow(row)) await app.sessions.current?.journal.append(change(row.event.id));
}

function isEventRow(row: unknown): row is Extract<Row, { kind: 'event' }> {
  return typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'event';
}

function isNodeRow(row: unknown): row is Extract<Row, { kind: 'node' }> {
  return typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'node';
}

function inform(text: string): void {
  void vscode.window.showInformationMessage(text);
}
