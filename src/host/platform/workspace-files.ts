import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

/** The file of the workspace that a path names; undefined when there is none. */
export async function workspaceFile(path: string): Promise<vscode.Uri | undefined> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const uri = fileIn(folder.uri, path);
    if (uri && (await exists(uri))) return uri;
  }
  return undefined;
}

/** The file that a path names, from a folder or from the root; undefined where it lies outside of the folder. */
export function fileIn(folder: vscode.Uri, path: string): vscode.Uri | undefined {
  // A path is a place only once it is without `..`; joining resolves them, as it does behind a root.
  const uri = path.startsWith('/')
    ? vscode.Uri.joinPath(folder.with({ path: '/' }), path)
    : vscode.Uri.joinPath(folder, path);
  const inside = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return uri.path.startsWith(inside) ? uri : undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type !== vscode.FileType.Directory;
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return false;
    throw error;
  }
}

/** Whether a file, or where it would be made, lies in the workspace once symbolic links are followed. */
export async function isInWorkspace(uri: vscode.Uri): Promise<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) return false;
  // Other file systems follow no links of this machine.
  if (uri.scheme !== 'file') return true;
  const root = await realpath(folder.uri.fsPath);
  for (let at = uri.fsPath; ; at = path.dirname(at)) {
    try {
      const relative = path.relative(root, await realpath(at));
      return !relative.startsWith('..') && !path.isAbsolute(relative);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || at === path.dirname(at))
        throw error;
    }
  }
}
