import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

/**
 * Where the workspace may have what a path names, in two steps at most: where the path begins with the name of one of
 * several folders, as the editor shows paths then, in that folder; then in each. Neither is empty.
 */
export function placesOf(named: string): readonly (readonly vscode.Uri[])[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const path = named.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const own = folders.length > 1 ? folders.filter(({ name }) => path.startsWith(`${name}/`)) : [];
  return [
    own.flatMap(({ name, uri }) => fileIn(uri, path.slice(name.length + 1)) ?? []),
    folders.flatMap(({ uri }) => fileIn(uri, path) ?? []),
  ].filter((places) => places.length > 0);
}

/** The files of the workspace that a path names: more than one where several folders have it. */
export async function workspaceFiles(named: string): Promise<vscode.Uri[]> {
  for (const places of placesOf(named)) {
    const found = await Promise.all(places.map(isFile));
    if (found.includes(true)) return places.filter((_, at) => found[at]);
  }
  return [];
}

/** The file that a path names, from a folder or from the root; undefined where it lies outside of the folder. */
function fileIn(folder: vscode.Uri, named: string): vscode.Uri | undefined {
  // A path is a place only once it is without `..`; joining resolves them, as it does behind a root.
  const uri = /^(?:[a-z]:)?\//i.test(named)
    ? vscode.Uri.joinPath(folder.with({ path: '/' }), named)
    : vscode.Uri.joinPath(folder, named);
  // Windows tells no capitals from small letters, whoever wrote them.
  const comparable = (one: string): string => (/^\/[a-z]:/i.test(folder.path) ? one.toLowerCase() : one);
  return comparable(uri.path).startsWith(comparable(folder.path.replace(/\/?$/, '/'))) ? uri : undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  const type = await typeAt(uri);
  return type !== undefined && type !== vscode.FileType.Directory;
}

/** Whether a file or a folder lies there; undefined for neither. */
export async function typeAt(uri: vscode.Uri): Promise<vscode.FileType | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type;
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return undefined;
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

/** What is open in text editors, each once: untitled documents and files of other places too. */
export const openTexts = (): vscode.Uri[] => {
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return [...new Map(open.map((uri) => [uri.toString(), uri])).values()];
};

/** Files in editor tabs, each once: of the workspace, without those that git leaves out or links lead out of it to. */
export const openFiles = (): Promise<vscode.Uri[]> => ownFiles(openTexts());

/** Those of the files, given by their real paths, that git leaves out. */
async function ignoredByGit(files: readonly string[]): Promise<ReadonlySet<string>> {
  const open = await Promise.all(
    (await repositories()).map(async (repository) => ({
      repository,
      realRoot: await realPath(repository.rootUri.fsPath),
    })),
  );
  // A repository tells nothing about the files of one inside of it, such as a submodule.
  open.sort((a, b) => b.realRoot.length - a.realRoot.length);
  const ignored = new Set<string>();
  for (const [at, own] of Map.groupBy(files, (file) => open.findIndex(({ realRoot }) => isUnder(realRoot, file)))) {
    if (at < 0) continue;
    const { repository, realRoot } = open[at]!;
    // Git knows its files below the root that it was opened by, which may be a link.
    const known = new Map(
      own.map((file) => [path.join(repository.rootUri.fsPath, path.relative(realRoot, file)), file]),
    );
    // On a busy machine the extension answers now and then before it has read what git printed, but hardly twice.
    for (let times = 0; times < 2; times++) {
      // Git fails while a repository is being moved or deleted. What it cannot tell of is left out: no message is lost.
      const found = await repository.checkIgnore([...known.keys()]).catch(() => known.keys());
      for (const file of found) ignored.add(known.get(file) ?? file);
    }
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

/** What is used of the API of the built-in Git extension, version 1. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly { readonly uri: vscode.Uri; readonly status: number }[];
    readonly untrackedChanges: readonly { readonly uri: vscode.Uri }[];
  };
  /** A patch of what is staged, or of what is not. */
  diff(cached: boolean): Promise<string>;
  /** Those of the paths that `.gitignore` and the like leave out. */
  checkIgnore(paths: string[]): Promise<Set<string>>;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): { readonly repositories: readonly Repository[] };
}

/** The extension's `Status.UNTRACKED`. */
const UNTRACKED = 7;

/** Files that git does not know yet, which are among the changes or apart from them as `git.untrackedChanges` says. */
export const newFiles = ({ state }: Repository): vscode.Uri[] =>
  [...state.workingTreeChanges.filter(({ status }) => status === UNTRACKED), ...state.untrackedChanges].map(
    ({ uri }) => uri,
  );

/** The repositories that the editor's own Git extension has open; none where it is off or not there. */
export async function repositories(): Promise<readonly Repository[]> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) return [];
  const git = extension.isActive ? extension.exports : await extension.activate();
  return git.enabled ? git.getAPI(1).repositories : [];
}
