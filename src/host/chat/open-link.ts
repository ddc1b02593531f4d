import * as vscode from 'vscode';
import { messageId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { isConfirmed } from '../platform/notifications.ts';
import { workspaceFiles } from '../platform/workspace-files.ts';

/** `threadkeeper:message/<id>`, as in the local provider's answers. */
const MESSAGE_LINK = /^threadkeeper:message\/([\w-]{1,200})$/;

/** Opens a link in a message: shows messages of the session, asks before web addresses, and blocks others. */
export async function openLink(href: string, reveal: (position: number) => void, state?: SessionState): Promise<void> {
  const message = MESSAGE_LINK.exec(href)?.[1];
  if (message !== undefined) {
    const position = state?.positionOf(messageId(message));
    if (position !== undefined) reveal(position);
    return;
  }
  if (/^(?:https?|mailto):/i.test(href)) {
    await openOutside(href);
    return;
  }
  void vscode.window.showWarningMessage(
    vscode.l10n.t('Blocked link: only web links and files in this workspace can be opened ({0}).', href.slice(0, 200)),
  );
}

async function openOutside(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href, true);
  // With the host in ASCII and the rest encoded, no character looks like another or changes the text direction.
  const address = URL.parse(href)?.href ?? uri.toString();
  const question = vscode.l10n.t('Do you want to open this link outside VS Code?');
  if (!(await isConfirmed(question, address, vscode.l10n.t('Open')))) return;
  // `openExternal` decodes an address and encodes it differently, so that `%2B` leads elsewhere.
  if (uri.scheme === 'mailto') await vscode.env.openExternal(uri);
  else await vscode.commands.executeCommand('vscode.open', address);
}

/** Opens a file of the workspace at a 1-based line and column; returns false if it doesn't exist. */
export async function openWorkspaceFile(path: string, line?: number, column?: number): Promise<boolean> {
  const [uri] = await workspaceFiles(path);
  if (!uri) return false;
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  // Unlike `showTextDocument`, this also opens images and other binary files.
  await vscode.commands.executeCommand('vscode.open', uri, { selection: new vscode.Range(at, at) });
  return true;
}
