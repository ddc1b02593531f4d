import * as vscode from 'vscode';

/** Where the sample session lies in the demo workspace. */
export const SAMPLE = 'sample-session.jsonl';

/** Whether the workspace has the sample session at its root, so that the empty chat can offer it. */
export async function hasSample(): Promise<boolean> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) return false;
  return vscode.workspace.fs.stat(vscode.Uri.joinPath(folder.uri, SAMPLE)).then(
    () => true,
    () => false,
  );
}
