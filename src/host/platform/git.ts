import * as vscode from 'vscode';

/** What is used of the API of the built-in Git extension, version 1. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly unknown[];
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

/** The repositories that the editor's own Git extension has open; none where it is off or not there. */
export async function repositories(): Promise<readonly Repository[]> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) return [];
  const git = extension.isActive ? extension.exports : await extension.activate();
  return git.enabled ? git.getAPI(1).repositories : [];
}
