import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { SessionListEntry } from '../../app/ports.ts';
import type { ContextItem } from '../../protocol/views.ts';
import { openFiles, relativePath, workspaceFilesOnly, repositories } from '../platform/workspace-files.ts';
import type { LastEditor } from './last-editor.ts';

const MAX_FILES = 20;
/** Maximum number of matching files to select the best from; more take noticeably longer. */
const MAX_FOUND = 200;
const MAX_FOLDERS = 5;
const MAX_SYMBOLS = 10;
const MAX_SESSIONS = 5;
/** Minimum length of a query for folders, symbols, and sessions. A shorter one matches nearly every name. */
const MIN_QUERY_LENGTH = 2;

/** The attachable items whose names contain the query, in order of display. */
export async function contextItems(
  query: string,
  editor: LastEditor,
  sessions: readonly SessionListEntry[],
): Promise<ContextItem[]> {
  const lowerQuery = query.toLowerCase();
  const matches = (label: string): boolean => label.toLowerCase().includes(lowerQuery);
  const [others, files, folders, symbols] = await Promise.all([
    otherItems(editor),
    filesNamed(lowerQuery),
    query.length < MIN_QUERY_LENGTH ? [] : findFolders(query),
    query.length < MIN_QUERY_LENGTH ? [] : findSymbols(query),
  ]);
  const found =
    query.length < MIN_QUERY_LENGTH ? [] : sessions.filter(({ title }) => matches(title)).slice(0, MAX_SESSIONS);
  return [
    ...others.filter(({ label }) => matches(label)),
    ...files.map((uri) => fileItem(uri, 'file')),
    ...folders.map((uri) => fileItem(uri, 'folder')),
    ...symbols,
    ...found.map(({ id, title }): ContextItem => ({
      label: title.slice(0, 200),
      detail: vscode.l10n.t('Session'),
      what: { kind: 'session', session: id },
    })),
  ];
}

/** Items other than named files, as far as they have any content. */
async function otherItems({ current }: LastEditor): Promise<ContextItem[]> {
  const problems = vscode.languages.getDiagnostics().reduce((sum, [, list]) => sum + list.length, 0);
  const changes = (await repositories()).reduce(
    (sum, { state }) =>
      sum + state.indexChanges.length + state.workingTreeChanges.length + state.untrackedChanges.length,
    0,
  );
  const files = (await openFiles()).length;
  const name = current ? relativePath(current.document.uri) : '';
  // The terminal's name is empty until the shell has reported it.
  const terminal = vscode.window.activeTerminal?.name;
  const rows = [
    [current?.selection.isEmpty === false, vscode.l10n.t('Selection'), name, 'selection'],
    [current !== undefined, vscode.l10n.t('Current File'), name, 'currentFile'],
    [files > 1, vscode.l10n.t('Open Editors'), String(files), 'openEditors'],
    [problems > 0, vscode.l10n.t('Problems'), String(problems), 'allProblems'],
    [changes > 0, vscode.l10n.t('Changes'), String(changes), 'changes'],
    [terminal !== undefined, vscode.l10n.t('Terminal Selection'), terminal ?? '', 'terminal'],
    [terminal !== undefined, vscode.l10n.t('Last Terminal Command'), terminal ?? '', 'terminalCommand'],
  ] as const;
  return rows.filter(([exists]) => exists).map(([, label, detail, kind]) => ({ label, detail, what: { kind } }));
}

function fileItem(uri: vscode.Uri, kind: 'file' | 'folder'): ContextItem {
  const path = relativePath(uri);
  const label = path.slice(path.lastIndexOf('/') + 1);
  return { label, detail: path === label ? '' : path, what: { kind, path } };
}

async function findFiles(glob: string): Promise<vscode.Uri[]> {
  return workspaceFilesOnly(await vscode.workspace.findFiles(glob, '**/node_modules/**', MAX_FOUND));
}

/** Open files first, then those whose names begin with the query; among equal ones, those with shorter paths first. */
async function filesNamed(lowerQuery: string): Promise<vscode.Uri[]> {
  const open = new Map((await openFiles()).map((uri) => [String(uri), uri]));
  const found = await findFiles(`**/*${anyCase(lowerQuery)}*`);
  const files = [...open.values(), ...found.filter((uri) => !open.has(String(uri)))];
  const rank = (uri: vscode.Uri): number =>
    (open.has(String(uri)) ? 0 : 2) + (posix.basename(uri.path).toLowerCase().startsWith(lowerQuery) ? 0 : 1);
  const order = (a: vscode.Uri, b: vscode.Uri): number => rank(a) - rank(b) || a.path.length - b.path.length;
  const named = files.filter((uri) => relativePath(uri).toLowerCase().includes(lowerQuery));
  return named.sort(order).slice(0, MAX_FILES);
}

async function findFolders(query: string): Promise<vscode.Uri[]> {
  const inside = await findFiles(`**/*${anyCase(query)}*/**`);
  const folders = new Map<string, vscode.Uri>();
  for (const uri of inside) {
    const path = vscode.workspace.asRelativePath(uri, false);
    const root = uri.path.slice(0, uri.path.length - path.length);
    const parts = path.split('/');
    const at = parts.slice(0, -1).findIndex((part) => part.toLowerCase().includes(query.toLowerCase()));
    if (at < 0) continue;
    const folder = uri.with({ path: root + parts.slice(0, at + 1).join('/') });
    folders.set(folder.path, folder);
  }
  return [...folders.values()].slice(0, MAX_FOLDERS);
}

async function findSymbols(query: string): Promise<ContextItem[]> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const inWorkspace = found.filter(({ location: { uri } }) => vscode.workspace.getWorkspaceFolder(uri) !== undefined);
  return inWorkspace.slice(0, MAX_SYMBOLS).map(({ name, location: { uri, range } }) => {
    const path = relativePath(uri);
    const lines: [number, number] = [range.start.line + 1, range.end.line + 1];
    return { label: name.slice(0, 200), detail: path, what: { kind: 'symbol', path, lines } };
  });
}

/** A glob for a query that ignores case. In brackets, ripgrep only matches ASCII letters. */
const anyCase = (query: string): string =>
  query.replace(/[*?{}[\]!]/g, '').replace(/\p{L}/gu, (letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    return /[a-z]/i.test(letter) ? `[${lower}${upper}]` : `{${lower},${upper}}`;
  });
