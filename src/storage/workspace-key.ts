import { decodedUri } from '../core/text/decoded-uri.ts';
import { nativeChecksum } from './checksum.ts';

export interface WorkspacePlace {
  /** URIs of the folders, in any order. */
  readonly folders: readonly string[];
  /** URI of the open `.code-workspace` file. Ignored if its scheme is `untitled:`. */
  readonly workspaceFile?: string | undefined;
  /**
   * `vscode.env.remoteName`: `ssh-remote`, `wsl`, …; undefined for local workspaces. In a browser that is connected to
   * a server directly, it's the server's address.
   */
  readonly remoteName?: string | undefined;
}

/**
 * A stable key for a workspace: `file:` with the workspace file's URI, `folder:` with the folder's, `folders:` with
 * those of several folders, sorted, or `empty`; prefixed with the kind of remote, if any.
 */
export function workspaceKey({ folders, workspaceFile, remoteName }: WorkspacePlace): string {
  const key = (remoteName && !isAddress(remoteName) ? `${remoteName}!` : '') + placeKey(folders, workspaceFile);
  return key.length <= MAX_KEY_LENGTH ? key : `${key.slice(0, MAX_KEY_LENGTH - 9)}#${nativeChecksum(key)}`;
}

/** Addresses aren't part of the key, because a server may have several, and another port after each start. */
const isAddress = (remoteName: string): boolean => remoteName === 'localhost' || /[.:]/.test(remoteName);

/** Maximum length, because every index entry contains a key. Longer keys are truncated and get a checksum. */
const MAX_KEY_LENGTH = 250;

function placeKey(folders: readonly string[], workspaceFile: string | undefined): string {
  if (workspaceFile && !workspaceFile.startsWith('untitled:')) return `file:${normalizeUri(workspaceFile)}`;
  const uris = [...new Set(folders.map(normalizeUri))].sort();
  if (uris.length === 0) return WITHOUT_FOLDER;
  return uris.length === 1 ? `folder:${uris[0]!}` : `folders:${uris.join('|')}`;
}

const WITHOUT_FOLDER = 'empty';

/** Whether a key is that of windows without a folder. */
export const isWithoutFolder = (key: string): boolean => key.replace(REMOTE, '') === WITHOUT_FOLDER;

/** The remote before a key. A folder's name may contain an exclamation mark, too. */
const REMOTE = /^([^/!]+)!(?=(?:file|folders?):|empty$)/;

/** A stored key in the current form. Earlier versions put the address of a server before it. */
export const withoutAddress = (key: string): string =>
  key.replace(REMOTE, (prefix, remote: string) => (isAddress(remote) ? '' : prefix));

/** The displayed name of a workspace: that of its first folder or of its workspace file. */
export function workspaceName(key: string): string {
  // A folder's name may contain the character that separates folders.
  const [first = key] = key.split(/\|(?=[a-z][a-z0-9+.-]*:\/\/)/);
  return first.split('/').findLast((part) => part !== '') ?? key;
}

/** Whether the last parts of two keys' paths are equal, as after a move. Only used to sort suggestions. */
export function looksMoved(before: string, now: string): boolean {
  return before !== now && workspaceName(before) === workspaceName(now);
}

// URIs of the same folder may differ in escapes, a trailing slash, or the case of scheme, host, and Windows drive.
function normalizeUri(uri: string): string {
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)/.exec(uri);
  if (!parts) return uri;
  const [, scheme = '', authority = '', rawPath = ''] = parts;
  let path = decodedUri(rawPath).normalize('NFC');
  if (path.length > 1) path = path.replace(/\/+$/, '');
  path = path.replace(/^\/([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}:`);
  return `${scheme.toLowerCase()}://${decodedUri(authority).toLowerCase()}${path === '' ? '/' : path}`;
}
