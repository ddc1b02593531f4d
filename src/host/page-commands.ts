import * as vscode from 'vscode';
import { RequestFault } from '../protocol/faults.ts';
import type { CommandName } from '../protocol/views.ts';
import { compressHistory, undoCompression, unpinAll } from './summaries/compression-commands.ts';
import { COMMAND } from './platform/ids.ts';
import { setModelKey } from './models/key-commands.ts';
import { chooseModel } from './models/model-picker.ts';
import { choosePolicy } from './summaries/policy-picker.ts';
import type { Product } from './product.ts';
import { recall } from './search/search-commands.ts';
import { parseTask, setTask } from './chat/task-commands.ts';
import { importFile } from './import-export/import-file.ts';
import { exportSession, openSample } from './import-export/transcript-commands.ts';

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
    case 'setKey':
      return setModelKey(app);
    case 'openSettings':
      await vscode.commands.executeCommand(COMMAND.openSettings);
      return;
    case 'unpinAll':
      return unpinAll(app);
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
  }
}
