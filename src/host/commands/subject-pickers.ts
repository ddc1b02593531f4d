import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { compressionsSince } from '../../app/summary-changes.ts';
import { compressionId, nodeId, type CompressionId } from '../../core/model/ids.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { parseDocumentUri } from '../documents/uris.ts';
import type { Product } from '../product.ts';
import { triggerName } from '../summary-facts.ts';
import { dollars, locale } from '../translated.ts';
import { isRow } from '../tree/rows.ts';
import { tokens } from '../tree/row-words.ts';
import { inform } from './inform.ts';

/** The summary of the row, of the document in front, or the one that the user picks. */
export async function withNode(
  app: Product,
  argument: unknown,
  act: (app: Product, conversation: Conversation, node: SummaryNode) => Promise<void>,
): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const node = nodeOfRow(conversation, argument) ?? nodeInFront(conversation) ?? (await pickNode(conversation));
  if (node) await act(app, conversation, node);
}

function nodeOfRow({ state }: Conversation, row: unknown): SummaryNode | undefined {
  if (!isRow(row)) return undefined;
  return row.kind === 'node' || row.kind === 'openedNode' ? state.nodes.get(row.node) : undefined;
}

function nodeInFront({ state, journal }: Conversation): SummaryNode | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const address = uri && parseDocumentUri(uri);
  return address?.session === journal.id ? state.nodes.get(nodeId(address.id)) : undefined;
}

async function pickNode({ state }: Conversation): Promise<SummaryNode | undefined> {
  if (state.frontier.length === 0) {
    inform(vscode.l10n.t('There are no summaries yet.'));
    return undefined;
  }
  const items = state.frontier.map(({ node, from, to }) => ({
    label: node.title,
    description: `${from + 1}–${to + 1}`,
    node,
  }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Summaries') }))?.node;
}

export function compressionOf(row: unknown): CompressionId | undefined {
  return isRow(row) && row.kind === 'compression' ? compressionId(row.compression) : undefined;
}

export async function pickCompression(state: Conversation['state']): Promise<CompressionId | undefined> {
  const standing = new Set(compressionsSince(state));
  const items = state.compressions
    .filter(({ id }) => standing.has(id))
    .reverse()
    .map(({ id, at, trigger, tokens: size, calls }) => ({
      label: new Date(at).toLocaleString(locale()),
      description: triggerName(trigger),
      detail: [`${tokens(size.before)} → ${tokens(size.after)}`, dollars(calls.costUsd)].join(' · '),
      id,
    }));
  if (items.length === 0) {
    inform(vscode.l10n.t('There is no compression to undo.'));
    return undefined;
  }
  const title = vscode.l10n.t('Undo all compressions since');
  return (await vscode.window.showQuickPick(items, { title }))?.id;
}
