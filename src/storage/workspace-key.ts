/** What a window has open. URIs as strings; `remoteName` is the editor's name for the remote, if there is one. */
export interface WorkspaceParts {
  readonly folders: readonly string[];
  readonly workspaceFile?: string;
  readonly remoteName?: string;
}

/** The identity of a workspace: the same for the same folders in any order, and none for no folder at all. */
export function workspaceKey({ folders, workspaceFile, remoteName }: WorkspaceParts): string {
  const place =
    workspaceFile ??
    [...folders]
      .map((uri) => uri.replace(/\/+$/, ''))
      .sort()
      .join(' ');
  return `${remoteName ?? ''}|${place}`;
}
