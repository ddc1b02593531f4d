import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { rowOfDocument } from './document-lenses.ts';
import { readDocument } from './open-document.ts';
import { documentUri, type DocumentKind } from './document-uris.ts';
import { addressInFront, type SummariesApp } from './summaries-app.ts';
import { isRow, type Row, type Sought } from './rows.ts';

/** Opens a document of the current session. */
export async function showDocument(app: SummariesApp, kind: DocumentKind, id: string, name: string): Promise<void> {
  const { journal } = await app.sessions.currentOrLatest();
  await readDocument(documentUri(journal.id, kind, id, name));
}

/** Brings the message of a row, or of the document in front, into view in the chat: a summary's first one. */
export async function showInChat(app: SummariesApp, argument?: unknown): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const position = positionOf(conversation, rowFor(app, conversation, argument));
  if (position === undefined) return;
  app.panel.reveal(conversation.journal.id, position);
}

/** Selects a row in the *Summaries* view, with all above it opened. */
export async function showInTree(app: SummariesApp, argument?: unknown): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const row = rowFor(app, conversation, argument);
  if (!row) return;
  await vscode.commands.executeCommand('threadkeeper.summaries.focus');
  if (row.kind === 'node' || row.kind === 'message' || row.kind === 'event') await app.tree.reveal(row);
}

function rowFor(app: SummariesApp, { state, journal }: Conversation, argument: unknown): Row | Sought | undefined {
  if (isRow(argument)) return argument;
  const address = addressInFront(app);
  return address?.session === journal.id ? rowOfDocument(state, address) : undefined;
}

/** On the active branch, from 0. */
function positionOf({ state }: Conversation, row: Row | Sought | undefined): number | undefined {
  switch (row?.kind) {
    case 'message':
      return state.positionOf(row.message);
    case 'event':
      return state.positionOf(row.event.message);
    case 'node':
    case 'openedNode': {
      const node = state.nodes.get(row.node);
      return node && state.positionOf(node.first);
    }
    default:
      return undefined;
  }
}
