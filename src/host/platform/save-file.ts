import path from 'node:path';
import * as vscode from 'vscode';
import { withWriteFaults } from '../../storage/disk-errors.ts';

/** Asks where to save a file, and proposes a name in the workspace folder. */
export function askWhereToSave(
  name: string,
  options: Pick<vscode.SaveDialogOptions, 'title' | 'filters'>,
): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({ ...options, ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }) });
}

/** Writes a file that the user has selected. Rejects with `StoreFault`. */
export const saveFile = (uri: vscode.Uri, text: string): Promise<void> =>
  withWriteFaults(path.posix.basename(uri.path), async () =>
    vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text)),
  );
