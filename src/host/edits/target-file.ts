import * as vscode from 'vscode';
import { RequestFault } from '../../protocol/faults.ts';
import { fileIn, isInWorkspace, workspaceFile } from '../platform/workspace-files.ts';

/** Files that are offered to choose from, at most. */
const MAX_FILES = 2_000;

/**
 * The file that a reply means by a path: one of the workspace that it names, or is the end of; else a new one. The
 * user chooses among several, and where none is named. Undefined when the user does not. Throws `RequestFault` for a
 * path that leads out of the workspace, through a symbolic link too.
 */
export async function targetFile(named: string | undefined): Promise<vscode.Uri | undefined> {
  if (named === undefined) return chooseFile();
  const there = await workspaceFile(named);
  if (there) return inside(there, named);
  const ending = named.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
  const found = ending.includes('..') ? [] : await filesNamed(ending);
  if (found.length === 1) return inside(found[0]!, named);
  if (found.length > 1) return pick(found);
  const folder = vscode.workspace.workspaceFolders?.[0];
  const uri = folder && fileIn(folder.uri, named);
  if (!uri) throw outside(named);
  return inside(uri, named);
}

async function filesNamed(ending: string): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(`**/${ending.replace(/[*?{}[\]!]/g, '?')}`, '**/node_modules/**', 20);
  return found.filter(({ path: each }) => each.endsWith(`/${ending}`));
}

async function inside(uri: vscode.Uri, named: string): Promise<vscode.Uri> {
  if (!(await isInWorkspace(uri))) throw outside(named);
  return uri;
}

const outside = (named: string): RequestFault =>
  new RequestFault({
    reason: 'invalid',
    text: vscode.l10n.t('{0} is outside the workspace, so it wasn’t changed.', named),
  });

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
