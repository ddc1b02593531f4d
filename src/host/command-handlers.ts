import * as vscode from 'vscode';
import { compressHistory, undoCompression } from './summaries/compression-commands.ts';
import {
  askAboutSelection,
  attachFiles,
  explainProblem,
  moveChat,
  moveToNewWindow,
  stepSession,
} from './chat/editor-commands.ts';
import { checkHealth } from './health/check-health.ts';
import { COMMAND, type CommandId } from './platform/ids.ts';
import { inform } from './platform/inform.ts';
import { clearKey, setKey, testKey } from './models/key-commands.ts';
import { addMemory, editMemory, exportMemory, forgetMemory, rememberEvent } from './memory/memory-commands.ts';
import { chooseModel } from './models/model-picker.ts';
import { choosePolicy } from './summaries/policy-picker.ts';
import type { Handler, ReadyCommand } from './ready-commands.ts';
import type { Product } from './product.ts';
import { reattachSessions } from './sessions/reattach.ts';
import { recall, searchSessions } from './search/search-commands.ts';
import { cleanUp, openOtherSession, switchSession } from './sessions/session-commands.ts';
import { SUMMARY_HANDLERS } from './summaries/summary-commands.ts';
import { setTask } from './chat/task-commands.ts';
import { importFile } from './import-export/import-file.ts';
import { exportSession, openSample } from './import-export/transcript-commands.ts';

/** What each command does, but for those that are ready at once. */
export const HANDLERS: Readonly<Record<Exclude<CommandId, ReadyCommand>, Handler>> = {
  [COMMAND.switchSession]: switchSession,
  [COMMAND.nextSession]: (app) => stepSession(app, 1),
  [COMMAND.previousSession]: (app) => stepSession(app, -1),
  [COMMAND.moveToNewWindow]: moveToNewWindow,
  [COMMAND.moveToSidebar]: (app) => moveChat(app, 'sidebar'),
  [COMMAND.moveToEditor]: (app) => moveChat(app, 'editor'),
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
  [COMMAND.setApiKey]: setKey,
  [COMMAND.clearApiKey]: clearKey,
  [COMMAND.testApiKey]: testKey,
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
