import { nativeChecksum } from './checksum.ts';

export interface WorkspacePlace {
  /** Uris of the folders, as text, in any order. */
  readonly folders: readonly string[];
  /** Uri of the `.code-workspace` file, if that is what is open. An `untitled:` one does not count. */
  readonly workspaceFile?: string | undefined;
  /** `vscode.env.remoteName`: `ssh-remote`, `wsl`, …; undefined locally. */
  readonly remoteName?: string | undefined;
}

/**
 * A name for a workspace that stays the same from start to start: `file:` and the workspace file's uri, `folder:` and
 * the folder's, `folders:` with several in a fixed order, or `empty`; with the remote in front where there is one.
 */
export function workspaceKey({ folders, workspaceFile, remoteName }: WorkspacePlace): string {
  const key = (remoteName ? `${remoteName}!` : '') + placeKey(folders, workspaceFile);
  return key.length <= KEY_LENGTH ? key : `${key.slice(0, KEY_LENGTH - 9)}#${nativeChecksum(key)}`;
}

/** Keys stand in every index entry, so a workspace of many folders is cut, with a checksum of all of them. */
const KEY_LENGTH = 250;

function placeKey(folders: readonly string[], workspaceFile: string | undefined): string {
  if (workspaceFile && !workspaceFile.startsWith('untitled:')) return `file:${normalizeUri(workspaceFile)}`;
  const uris = [...new Set(folders.map(normalizeUri))].sort();
  if (uris.length === 0) return 'empty';
  return uris.length === 1 ? `folder:${uris[0]!}` : `folders:${uris.join('|')}`;
}

/** The last part of a workspace's path, for people: the folder's name. */
export function workspaceName(key: string): string {
  const last = key
    .split('|')[0]!
    .split('/')
    .findLast((part) => part !== '');
  return decoded(last ?? key);
}

/**
 * How likely two keys name one workspace that has moved: the same last part of the path. What to offer for
 * re-attaching after a folder was renamed is the user's choice; this only orders the offers.
 */
export function looksMoved(before: string, now: string): boolean {
  return before !== now && workspaceName(before) === workspaceName(now);
}

// One folder has many spellings: escapes, a slash at the end, the case of scheme, host and Windows drive.
function normalizeUri(uri: string): string {
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)/.exec(uri);
  if (!parts) return uri;
  const [, scheme = '', authority = '', rawPath = ''] = parts;
  let path = decoded(rawPath).normalize('NFC');
  if (path.length > 1) path = path.replace(/\/+$/, '');
  path = path.replace(/^\/([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}:`);
  return `${scheme.toLowerCase()}://${decoded(authority).toLowerCase()}${path === '' ? '/' : path}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
