import * as vscode from 'vscode';
import { parseEdits, type Change, type FileEdit } from '../../core/edits/parse-edits.ts';
import { RequestFault } from '../../protocol/faults.ts';
import { warnSkippedChanges, type EditReviews } from './edit-reviews.ts';
import {
  isInWorkspace,
  openDocuments,
  candidateUris,
  relativePath,
  workspaceFiles,
} from '../platform/workspace-files.ts';

/**
 * Shows the changes in one code block of a reply, or in all blocks that name a file, for the user to accept or reject.
 * Throws `RequestFault` if a path leads out of the workspace, or if none of a single file's changes can be applied.
 */
export async function applyEdits(reviews: EditReviews, reply: string, code?: string): Promise<void> {
  const edits = code === undefined ? parseEdits(reply).filter(({ path }) => path !== undefined) : editsIn(reply, code);
  const files = new Map<string, { readonly uri: vscode.Uri; readonly changes: Change[] }>();
  for (const [path, ofPath] of Map.groupBy(edits, ({ path: named }) => named)) {
    const uri = await targetFile(path);
    if (!uri) continue;
    const file = files.get(String(uri)) ?? { uri, changes: [] };
    files.set(String(uri), file);
    file.changes.push(...ofPath.map(({ change }) => change));
  }
  // The first file comes last, so that it's in front.
  for (const { uri, changes } of [...files.values()].reverse()) {
    const { placed, unplaced } = await reviews.open(uri, changes);
    if (unplaced.length > 0) {
      if (placed === 0 && files.size === 1) throw new RequestFault('invalid', noMatchText(uri));
      warnSkippedChanges(uri, unplaced, placed);
    } else if (placed === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} already has these changes.', relativePath(uri)));
    }
  }
}

const noMatchText = (uri: vscode.Uri): string =>
  vscode.l10n.t('Couldn’t find a unique match for the suggestion in {0}. Nothing was changed.', relativePath(uri));

/** The edits in a code block of a reply, with the file that the reply names for it. */
function editsIn(reply: string, code: string): readonly FileEdit[] {
  const target = normalized(code);
  const same = parseEdits(reply).filter((edit) => normalized(edit.code) === target);
  if (same.length > 0) return same;
  return parseEdits(`\`\`\`\`\`\`\n${code}\n\`\`\`\`\`\``);
}

const normalized = (code: string): string => code.replace(/\s+/g, ' ').trim();

/** Maximum number of files to choose from. */
const MAX_FILES = 2_000;

/**
 * The file for a path in a reply: a file of the workspace whose path equals or ends with it, or else a new one. If
 * several files match or no path is given, the user chooses; undefined if they cancel. Throws `RequestFault` for a path
 * that leads out of the workspace, even through a symbolic link.
 */
async function targetFile(named: string | undefined): Promise<vscode.Uri | undefined> {
  if (named === undefined) return chooseFile();
  const candidates = candidateUris(named);
  const found = await workspaceFiles(named);
  // A path that begins with a workspace folder's name is complete.
  if (found.length === 0 && candidates.length < 2) found.push(...(await filesEndingWith(named)));
  if (found.length === 0) found.push(...(candidates[0] ?? []));
  if (found.length === 0) throw outsideFault(named);
  const uri = found.length === 1 ? found[0]! : await pick(found);
  if (uri && !(await isInWorkspace(uri))) throw outsideFault(named);
  return uri;
}

async function filesEndingWith(named: string): Promise<vscode.Uri[]> {
  const ending = named.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
  if (ending.includes('..')) return [];
  const found = await vscode.workspace.findFiles(`**/${ending.replace(/[*?{}[\]!]/g, '?')}`, '**/node_modules/**', 20);
  return found.filter(({ path: each }) => each.endsWith(`/${ending}`));
}

const outsideFault = (named: string): RequestFault =>
  new RequestFault('invalid', vscode.l10n.t('{0} is outside the workspace, so it wasn’t changed.', named));

/** Offers open files, then the other files of the workspace. Throws `RequestFault` if there are none. */
async function chooseFile(): Promise<vscode.Uri | undefined> {
  const open = openDocuments().filter(({ scheme }) => scheme !== 'output');
  const seen = new Set(open.map(String));
  const files = await vscode.workspace.findFiles('**/*', '**/node_modules/**', MAX_FILES);
  const others = files.filter((uri) => !seen.has(String(uri))).sort((a, b) => (a.path < b.path ? -1 : 1));
  const all = [...open, ...others];
  if (all.length > 0) return pick(all);
  throw new RequestFault('not_found', vscode.l10n.t('There is no editor to insert into. Open a file first.'));
}

async function pick(files: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const items = files.map((uri) => {
    const name = relativePath(uri);
    return { label: name.slice(name.lastIndexOf('/') + 1), description: name, uri };
  });
  const placeHolder = vscode.l10n.t('Select the file to apply the change to');
  const picked = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  return picked?.uri;
}
