import * as vscode from 'vscode';
import type { MessageId, SessionId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import { levelSchema, type Level, type SummaryNode } from '../../core/model/summary.ts';
import { DOCUMENT_SCHEME } from '../platform/contribution-ids.ts';

export const EDITABLE_LEVELS = levelSchema.options;

/** Documents about a summary or message, with its ID. */
const ABOUT_ITEM = [...EDITABLE_LEVELS, 'node', 'structured', 'source', 'message'] as const;
/** All kinds of documents; the others are about the whole session. */
const DOCUMENT_KINDS = [...ABOUT_ITEM, 'next', 'request', 'compressions'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** `threadkeeper:/<session>/<kind>/<id>/<name>`; the name is the tab's title. */
export function documentUri(session: SessionId, kind: DocumentKind, id: string, name: string): vscode.Uri {
  const file = name.replace(/[\\/?#%*:|"<>]/g, ' ').trim();
  const extension = kind === 'request' ? 'json' : 'md';
  return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${session}/${kind}/${id}/${file}.${extension}` });
}

export type DocumentAddress = NonNullable<ReturnType<typeof parseDocumentUri>>;

export function parseDocumentUri(uri: vscode.Uri) {
  const [, session = '', name = '', id = ''] = uri.path.split('/');
  const kind = DOCUMENT_KINDS.find((one) => one === name);
  return uri.scheme === DOCUMENT_SCHEME && kind ? { session, kind, id } : undefined;
}

/** The level whose text the document contains; undefined for read-only documents. */
export function editableLevel(uri: vscode.Uri): Level | undefined {
  const kind = parseDocumentUri(uri)?.kind;
  return EDITABLE_LEVELS.find((level) => level === kind);
}

export async function openNodeDocument(session: SessionId, node: SummaryNode): Promise<void> {
  await openRendered(documentUri(session, 'node', node.id, node.title));
}

/** Opens a message, and selects a passage if given. `position`: 0-based; -1 if it isn't on the active branch. */
export async function openMessageDocument(
  session: SessionId,
  message: MessageId,
  position: number,
  passage?: Pick<KeyEvent, 'quote' | 'start'>,
): Promise<void> {
  const name =
    position < 0 ? vscode.l10n.t('Deleted or on another branch') : vscode.l10n.t('Message {0}', position + 1);
  const editor = await openAsText(documentUri(session, 'message', message, name));
  if (!passage) return;
  const { quote, start } = passage;
  const text = editor.document.getText();
  // The editor may have changed line ends, and with them the offset.
  const at = [text.lastIndexOf(quote, start), text.indexOf(quote)].find((found) => found >= 0);
  if (at === undefined) return;
  const range = new vscode.Range(editor.document.positionAt(at), editor.document.positionAt(at + quote.length));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
}

export async function openRendered(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('threadkeeper.internal.readDocument', uri);
}

export async function openAsText(
  uri: vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true, ...options });
}
