import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { errorCode } from '../../core/text/error-details.ts';

export const openFolders = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

/**
 * The path of a file or folder as VS Code shows it. If several folders of the workspace have the same name, which VS
 * Code puts before their paths, it's replaced with `distinctName`.
 */
export function relativePath(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const name = folder && distinctName(folder);
  if (!folder || !name || name === folder.name) return vscode.workspace.asRelativePath(uri);
  return path.posix.join(name, path.posix.relative(folder.uri.path, uri.path));
}

/** A folder's name, or else as many of the last parts of its path as distinguish it from folders with the same name. */
function distinctName({ name, uri }: vscode.WorkspaceFolder): string {
  const others = (vscode.workspace.workspaceFolders ?? []).filter(
    (folder) => folder.name === name && folder.uri.path !== uri.path,
  );
  if (others.length === 0) return name;
  const parts = uri.path.split('/');
  for (let count = 2; count < parts.length; count++) {
    const ending = parts.slice(-count).join('/');
    if (!others.some((folder) => folder.uri.path.endsWith(`/${ending}`))) return ending;
  }
  return uri.path;
}

/**
 * The URIs to which a path may refer, in groups to try one after the other. If the workspace has several folders, VS
 * Code puts a folder's name before its paths, so a path that begins with one is looked up in that folder first.
 */
export function candidateUris(named: string): readonly (readonly vscode.Uri[])[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const path = named.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const below = (nameOf: (folder: vscode.WorkspaceFolder) => string): vscode.Uri[] =>
    folders.flatMap((folder) => {
      const name = nameOf(folder);
      return path.startsWith(`${name}/`) ? (fileIn(folder.uri, path.slice(name.length + 1)) ?? []) : [];
    });
  const distinct = folders.length > 1 ? below(distinctName) : [];
  return [
    folders.length > 1 && distinct.length === 0 ? below(({ name }) => name) : distinct,
    folders.flatMap(({ uri }) => fileIn(uri, path) ?? []),
  ]
    .map((places) => [...new Map(places.map((uri) => [uri.toString(), uri])).values()])
    .filter((places) => places.length > 0);
}

/** The existing files of the workspace with this path; several if several folders contain it. */
export async function workspaceFiles(named: string): Promise<vscode.Uri[]> {
  for (const places of candidateUris(named)) {
    const found = await Promise.all(places.map(isFile));
    if (found.includes(true)) return places.filter((_, index) => found[index]);
  }
  return [];
}

/** The file for an absolute path or one relative to the folder; undefined if it's outside the folder. */
function fileIn(folder: vscode.Uri, named: string): vscode.Uri | undefined {
  // Joining resolves `..`, so that the result can be compared.
  const uri = /^(?:[a-z]:)?\//i.test(named)
    ? vscode.Uri.joinPath(folder.with({ path: '/' }), named)
    : vscode.Uri.joinPath(folder, named);
  // Windows paths are case-insensitive.
  const comparable = (one: string): string => (/^\/[a-z]:/i.test(folder.path) ? one.toLowerCase() : one);
  return comparable(uri.path).startsWith(comparable(folder.path.replace(/\/?$/, '/'))) ? uri : undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  const type = await fileTypeOf(uri);
  return type !== undefined && (type & vscode.FileType.Directory) === 0;
}

/** The type of a file or folder; undefined if it doesn't exist. */
export async function fileTypeOf(uri: vscode.Uri): Promise<vscode.FileType | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type;
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return undefined;
    throw error;
  }
}

/** Whether a file, or the place where it would be created, is in the workspace after resolving symbolic links. */
export async function isInWorkspace(uri: vscode.Uri): Promise<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (!folder) return false;
  // Virtual file systems have no symbolic links of this machine.
  return uri.scheme !== 'file' || isUnder(await realPath(folder.uri.fsPath), await realPath(uri.fsPath));
}

/** The files in the workspace after resolving symbolic links, without unresolvable ones and those that git ignores. */
export async function workspaceFilesOnly(files: readonly vscode.Uri[]): Promise<vscode.Uri[]> {
  const real = await Promise.all(
    files.map((uri) =>
      isInWorkspace(uri).then(
        (isInside) => (isInside ? realPath(uri.fsPath) : undefined),
        () => undefined,
      ),
    ),
  );
  const ignored = await ignoredByGit(real.filter((file) => file !== undefined));
  return files.filter((_, index) => real[index] !== undefined && !ignored.has(real[index]));
}

export const allTabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);

/** The URIs of all open text editors, each once, including untitled documents and files outside the workspace. */
export const openDocuments = (): vscode.Uri[] => {
  const open = allTabs().flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return [...new Map(open.map((uri) => [uri.toString(), uri])).values()];
};

/** The open documents that are in the workspace after resolving symbolic links, and that git doesn't ignore. */
export const openFiles = (): Promise<vscode.Uri[]> => workspaceFilesOnly(openDocuments());

/** The files, given by their real paths, that git ignores. */
async function ignoredByGit(files: readonly string[]): Promise<ReadonlySet<string>> {
  const resolved = await Promise.all(
    (await repositories()).map((repository) =>
      realPath(repository.rootUri.fsPath).then(
        (realRoot) => ({ repository, realRoot }),
        // The files have real paths, so they aren't in a repository that has none.
        () => undefined,
      ),
    ),
  );
  const opened = resolved.filter((each) => each !== undefined);
  // A repository doesn't know about files of a nested one, such as a submodule.
  opened.sort((a, b) => b.realRoot.length - a.realRoot.length);
  const ignored = new Set<string>();
  for (const [index, filesInside] of Map.groupBy(files, (file) =>
    opened.findIndex(({ realRoot }) => isUnder(realRoot, file)),
  )) {
    if (index < 0) continue;
    const { repository, realRoot } = opened[index]!;
    // Git knows files by the root with which the repository was opened, which may be a link.
    const byPath = new Map(
      filesInside.map((file) => [path.join(repository.rootUri.fsPath, path.relative(realRoot, file)), file]),
    );
    // On a busy machine, the Git extension may answer before it has read git's output, but rarely twice in a row.
    for (let times = 0; times < 2; times++) {
      // Git fails while a repository is being moved or deleted. Its files are treated as ignored.
      const found = await repository.checkIgnore([...byPath.keys()]).catch(() => byPath.keys());
      for (const file of found) ignored.add(byPath.get(file) ?? file);
    }
  }
  return ignored;
}

/** The real path of a file; if it doesn't exist, that of the nearest existing folder. */
async function realPath(file: string): Promise<string> {
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return await realpath(at);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || at === path.dirname(at)) throw error;
    }
  }
}

/** Whether a path is that of the folder, or of something in it. */
export function isUnder(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The used part of the built-in Git extension's API, version 1. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly { readonly uri: vscode.Uri; readonly status: number }[];
    readonly untrackedChanges: readonly { readonly uri: vscode.Uri }[];
  };
  /** A patch of staged or unstaged changes. */
  diff(cached: boolean): Promise<string>;
  checkIgnore(paths: string[]): Promise<Set<string>>;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): { readonly repositories: readonly Repository[] };
}

/** `Status.UNTRACKED` of the Git extension. */
const UNTRACKED = 7;

/** Untracked files. The setting `git.untrackedChanges` determines which of the lists they are in. */
export const untrackedFiles = ({ state }: Repository): vscode.Uri[] =>
  [...state.workingTreeChanges.filter(({ status }) => status === UNTRACKED), ...state.untrackedChanges].map(
    ({ uri }) => uri,
  );

/** The repositories that the Git extension has open; empty if the extension is missing, disabled, or fails to start. */
export async function repositories(): Promise<readonly Repository[]> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) return [];
  const git = extension.isActive ? extension.exports : await extension.activate().then(undefined, () => undefined);
  return git?.enabled === true ? git.getAPI(1).repositories : [];
}
