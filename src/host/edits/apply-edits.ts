import * as vscode from 'vscode';
import { parseEdits, type Change, type FileEdit } from '../../core/edits/parse-edits.ts';
import { RequestFault } from '../../protocol/faults.ts';
import { tellUnplaced, type Reviews } from './review.ts';
import { targetFile } from './target-file.ts';

/**
 * Shows what a code block of a reply, or all that name a file, would change; the user accepts or rejects it there.
 * Throws `RequestFault` when a path leads out of the workspace, or nothing of it can be placed.
 */
export async function applyEdits(reviews: Reviews, reply: string, code?: string): Promise<void> {
  const edits = code === undefined ? parseEdits(reply).filter(({ path }) => path !== undefined) : editsIn(reply, code);
  const files = new Map<string, { readonly uri: vscode.Uri; readonly changes: Change[] }>();
  for (const { path, change } of edits) {
    const uri = await targetFile(path);
    if (!uri) continue;
    const file = files.get(String(uri)) ?? { uri, changes: [] };
    files.set(String(uri), file);
    file.changes.push(change);
  }
  // The first file comes last, so that it is in front.
  for (const { uri, changes } of [...files.values()].reverse()) {
    const { placed, unplaced } = await reviews.open(uri, changes);
    if (unplaced.length > 0) {
      if (placed === 0 && files.size === 1) throw new RequestFault('invalid', noMatch(uri));
      tellUnplaced(uri, unplaced, placed);
    } else if (placed === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('{0} already has these changes.', vscode.workspace.asRelativePath(uri)),
      );
    }
  }
}

const noMatch = (uri: vscode.Uri): string =>
  vscode.l10n.t(
    'The suggestion doesn’t match {0}, so nothing was changed. The file may have been modified in the meantime.',
    vscode.workspace.asRelativePath(uri),
  );

/** What a block of a reply proposes, with the file that the reply names for it. */
function editsIn(reply: string, code: string): readonly FileEdit[] {
  const wanted = bare(code);
  const same = parseEdits(reply).filter((edit) => bare(edit.code) === wanted);
  if (same.length > 0) return same;
  return parseEdits(`\`\`\`\`\`\`\n${code}\n\`\`\`\`\`\``);
}

const bare = (code: string): string => code.replace(/\s+/g, ' ').trim();
