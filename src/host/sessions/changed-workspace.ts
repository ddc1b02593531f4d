import * as vscode from 'vscode';

/** VS Code usually restarts its extensions after a change of folders, within this time in ms. */
const RESTART_MS = 2000;

/**
 * Says that the sessions are still those of the previous folders: after a change of folders other than the first,
 * VS Code doesn't restart its extensions, and a workspace without a file is identified by its folders.
 */
export function reportChangedWorkspace(workspace: string, current: () => string): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const report = async (): Promise<void> => {
    if (current() === workspace) return;
    const reload = vscode.l10n.t('Reload Window');
    const text = vscode.l10n.t(
      'The folders of this workspace have changed. New sessions and memories belong to the workspace with the previous folders until you reload the window.',
    );
    if ((await vscode.window.showWarningMessage(text, reload)) === reload)
      await vscode.commands.executeCommand('workbench.action.reloadWindow');
  };
  const changes = vscode.workspace.onDidChangeWorkspaceFolders(() => {
    clearTimeout(timer);
    timer = setTimeout(() => void report(), RESTART_MS);
  });
  return new vscode.Disposable(() => {
    changes.dispose();
    clearTimeout(timer);
  });
}
