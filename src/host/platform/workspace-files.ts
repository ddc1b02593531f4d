import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { repositories } from './git.ts';

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
  return uri.scheme !== 'file' || isUnder(await realPath(folder.uri.fsPath), await realPath(uri.fsPath));
}

/** Those of the workspace that git does not leave out and no link leads out of it to. */
export async function ownFiles(files: readonly vscode.Uri[]): Promise<vscode.Uri[]> {
  const real = await Promise.all(
    files.map(async (uri) => ((await isInWorkspace(uri)) ? await realPath(uri.fsPath) : undefined)),
  );
  const ignored = await ignoredByGit(real.filter((file) => file !== undefined));
  return files.filter((_, at) => real[at] !== undefined && !ignored.has(real[at]));
}

/** Those of the files, given by their real paths, that git leaves out. */
async function ignoredByGit(files: readonly string[]): Promise<ReadonlySet<string>> {
  const ignored = new Set<string>();
  for (const repository of await repositories()) {
    const root = repository.rootUri.fsPath;
    const realRoot = await realPath(root);
    // Git knows its files below the root that it was opened by, which may be a link.
    const known = new Map(
      files
        .filter((file) => isUnder(realRoot, file))
        .map((file) => [path.join(root, path.relative(realRoot, file)), file]),
    );
    if (known.size === 0) continue;
    // Git fails while a repository is being moved or deleted. What it cannot tell of is left out: no message is lost.
    const found = await repository.checkIgnore([...known.keys()]).catch(() => known.keys());
    for (const file of found) ignored.add(known.get(file) ?? file);
  }
  return ignored;
}

/** The path of a file without symbolic links; of what does not exist, that of the nearest folder above. */
async function realPath(file: string): Promise<string> {
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return await realpath(at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || at === path.dirname(at))
        throw error;
    }
  }
}

function isUnder(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
