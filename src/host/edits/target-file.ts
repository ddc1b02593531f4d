import * as vscode from 'vscode';
import { RequestFault } from '../../protocol/faults.ts';
import { isInWorkspace, placesOf, workspaceFiles } from '../platform/workspace-files.ts';

/** Files that are offered to choose from, at most. */
const MAX_FILES = 2_000;

/**
 * The file that a reply means by a path: one of the workspace that it names, or is the end of; else a new one. The
 * user chooses among several, and where none is named. Undefined when the user does not. Throws `RequestFault` for a
 * path that leads out of the workspace, through a symbolic link too.
 */
export async function targetFile(named: string | undefined): Promise<vscode.Uri | undefined> {
  if (named === undefined) return chooseFile();
  const places = placesOf(named);
  const found = await workspaceFiles(named);
  // What begins with the name of a folder is no end of another path.
  if (found.length === 0 && places.length < 2) found.push(...(await filesNamed(named)));
  if (found.length === 0) found.push(...(places[0] ?? []));
  if (found.length === 0) throw outside(named);
  const uri = found.length === 1 ? found[0]! : await pick(found);
  if (uri && !(await isInWorkspace(uri))) throw outside(named);
  return uri;
}

async function filesNamed(named: string): Promise<vscode.Uri[]> {
  const ending = named.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
  if (ending.includes('..')) return [];
  const found = await vscode.workspace.findFiles(`**/${ending.replace(/[*?{}[\]!]/g, '?')}`, '**/node_modules/**', 20);
  return found.filter(({ path: each }) => each.endsWith(`/${ending}`));
}

const outside = (named: string): RequestFault =>
  new RequestFault('invalid', vscode.l10n.t('{0} is outside the workspace, so it wasn’t changed.', named));

/** The files of the workspace, those that are open first. */
async function chooseFile(): Promise<vscode.Uri | undefined> {
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText && input.uri.scheme !== 'output' ? [input.uri] : []));
  const files = await vscode.workspace.findFiles('**/*', '**/node_modules/**', MAX_FILES);
  const seen = new Set(open.map(String));
  return pick([
    ...new Map(open.map((uri) => [String(uri), uri])).values(),
    ...files.filter((uri) => !seen.has(String(uri))).sort((a, b) => (a.path < b.path ? -1 : 1)),
  ]);
}

async function pick(files: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const items = files.map((uri) => {
    const name = vscode.workspace.asRelativePath(uri);
    return { label: name.slice(name.lastIndexOf('/') + 1), description: name, uri };
  });
  const placeHolder = vscode.l10n.t('Select the file to apply the change to');
  const picked = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  return picked?.uri;
}
