import * as vscode from 'vscode';
import { workspaceKey } from '../../storage/workspace-key.ts';

/** What the sessions of this window belong to: its folder, its workspace file, or no folder at all. */
export function workspaceIdentity(): string {
  const { workspaceFolders = [], workspaceFile } = vscode.workspace;
  return workspaceKey({
    folders: workspaceFolders.map((folder) => folder.uri.toString()),
    ...(workspaceFile && { workspaceFile: workspaceFile.toString() }),
    ...(vscode.env.remoteName !== undefined && { remoteName: vscode.env.remoteName }),
  });
}
