import * as vscode from 'vscode';
import type { MessageId, SessionId } from '../../core/model/ids.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { documentUri } from './document-uris.ts';

export async function openNodeDocument(session: SessionId, node: SummaryNode): Promise<void> {
  await readDocument(documentUri(session, 'node', node.id, node.title));
}

/** Opens a message by its 0-based position, with a quote selected where one is given. */
export async function openMessageDocument(
  session: SessionId,
  message: MessageId,
  position: number,
  quote?: string,
): Promise<void> {
  const name = vscode.l10n.t('Message {0}', position + 1);
  const editor = await openDocument(documentUri(session, 'message', message, name));
  const at = quote === undefined ? -1 : editor.document.getText().indexOf(quote);
  if (quote === undefined || at < 0) return;
  const range = new vscode.Range(editor.document.positionAt(at), editor.document.positionAt(at + quote.length));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
}

/** Shows a document rendered. */
export async function readDocument(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('threadkeeper.internal.readDocument', uri);
}

export async function openDocument(
  uri: vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true, ...options });
}
