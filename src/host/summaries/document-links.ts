import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { messageId, nodeId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { DOCUMENT_SCHEME } from '../platform/contribution-ids.ts';
import type { RowTarget } from './context-rows.ts';
import { summariesOf } from './summary-tree.ts';
import type { RenderedDocument } from './rendered-document.ts';
import { nodeUri } from './node-documents.ts';
import { parseDocumentUri, type DocumentAddress } from './document-uris.ts';

/** Registers the documents' links, and code lenses that open the chat, the *Context* view, and the summary. */
export function documentLinks(app: {
  readonly files: { document(uri: vscode.Uri): Promise<RenderedDocument> };
  conversationOf(session: string): Promise<Conversation | undefined>;
}): vscode.Disposable[] {
  const selector = { scheme: DOCUMENT_SCHEME };
  return [
    vscode.languages.registerDocumentLinkProvider(selector, {
      provideDocumentLinks: async ({ uri }) =>
        (await app.files.document(uri)).links.map(
          ({ line, start, end, target }) => new vscode.DocumentLink(new vscode.Range(line, start, line, end), target),
        ),
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      provideCodeLenses: async ({ uri }) => {
        const address = parseDocumentUri(uri);
        const conversation = address && (await app.conversationOf(address.session));
        return address && conversation ? lenses(conversation.state, address) : [];
      },
    }),
  ];
}

function lenses(state: SessionState, address: DocumentAddress): vscode.CodeLens[] {
  const row = rowOfDocument(state, address);
  if (!row) return [];
  // A message that is sent verbatim has no summary.
  const leaf = row.kind === 'message' ? summariesOf(state, state.positionOf(row.message)!).at(-1) : undefined;
  return [
    lens('threadkeeper.showInChat', `$(comment-discussion) ${vscode.l10n.t('Show in Chat')}`, row),
    ...(row.kind === 'node' || leaf
      ? [lens('threadkeeper.showInTree', `$(list-tree) ${vscode.l10n.t('Show in Context View')}`, row)]
      : []),
    ...(leaf ? [lens('vscode.open', `$(note) ${leaf.title}`, nodeUri(state, leaf, 'node'))] : []),
  ];
}

const lens = (command: string, title: string, argument: unknown): vscode.CodeLens =>
  new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { command, title, arguments: [argument] });

/** The row of a document in the *Context* view; undefined if it's about the session or not on the active branch. */
export function rowOfDocument(
  state: SessionState,
  { kind, id }: DocumentAddress,
): Exclude<RowTarget, { kind: 'event' }> | undefined {
  if (kind === 'message') {
    const message = messageId(id);
    return state.positionOf(message) === undefined ? undefined : { kind: 'message', message };
  }
  const node = state.nodes.get(nodeId(id));
  return node && state.positionOf(node.first) !== undefined ? { kind: 'node', node: node.id } : undefined;
}
