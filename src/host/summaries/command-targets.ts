import * as vscode from 'vscode';
import { itemText, locale, tokensText } from '../platform/l10n.ts';
import type { Conversation } from '../../app/conversation.ts';
import { nodeId, type CompressionId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { kindName } from '../platform/key-event-kinds.ts';
import { activeDocument, type SummariesApp } from './summaries-app.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import { triggerName } from './summary-texts.ts';
import { rangeText } from './tree-items.ts';
import { isRow, openedNodes, undoneCompressionOf } from './rows.ts';
import { showInfo } from '../platform/notifications.ts';

/** Calls the command with the summary of the row, of the active document, or one that the user selects. */
export async function withNode(
  app: SummariesApp,
  argument: unknown,
  run: (app: SummariesApp, conversation: Conversation, node: SummaryNode) => Promise<void>,
): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const { state } = conversation;
  const sent = state.frontier.map(({ node }) => node);
  const node =
    nodeOfRow(conversation, argument) ??
    activeNode(app, conversation) ??
    (await pickOf(state, sent, vscode.l10n.t('The context contains no summaries.')));
  if (node) await run(app, conversation, node);
}

function nodeOfRow({ state }: Conversation, row: unknown): SummaryNode | undefined {
  if (!isRow(row)) return undefined;
  return row.kind === 'node' || row.kind === 'openedNode' ? state.nodes.get(row.node) : undefined;
}

function activeNode(app: SummariesApp, { state, journal }: Conversation): SummaryNode | undefined {
  const address = activeDocument(app);
  return address?.session === journal.id ? state.nodes.get(nodeId(address.id)) : undefined;
}

async function pickOf(
  state: Conversation['state'],
  nodes: readonly SummaryNode[],
  emptyText: string,
): Promise<SummaryNode | undefined> {
  if (nodes.length === 0) {
    showInfo(emptyText);
    return undefined;
  }
  const items = nodes.map((node) => ({ label: itemText(node.title), description: rangeText(state, node), node }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Summaries') }))?.node;
}

/**
 * Calls the command with the key event of the row, or one that the user selects among the candidates, newest first.
 */
export async function withEvent(
  app: SummariesApp,
  argument: unknown,
  isCandidate: (event: KeyEvent) => boolean,
  run: (conversation: Conversation, event: KeyEvent) => Promise<unknown>,
): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const event =
    isRow(argument) && argument.kind === 'event' ? argument.event : await pickEvent(conversation.state, isCandidate);
  if (event) await run(conversation, event);
}

async function pickEvent(
  state: Conversation['state'],
  isCandidate: (event: KeyEvent) => boolean,
): Promise<KeyEvent | undefined> {
  const candidates = eventsOnBranch(state).filter(isCandidate).reverse();
  const items = candidates.map((event) => ({
    label: itemText(event.quote),
    description: `${kindName(event.kind)} · ${state.positionOf(event.message)! + 1}`,
    event,
  }));
  if (items.length === 0) {
    showInfo(vscode.l10n.t('There are no key events to select.'));
    return undefined;
  }
  const title = vscode.l10n.t('Key Events');
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.event;
}

/** Calls the command with the opened summary of the row, or one that the user selects. */
export async function withOpened(
  app: SummariesApp,
  argument: unknown,
  run: (conversation: Conversation, node: SummaryNode) => Promise<void>,
): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const { state } = conversation;
  const emptyText = vscode.l10n.t(
    'There are no summaries to restore. To restore an undone compression, run Redo Compression.',
  );
  const opened = openedNodes(state).filter(({ id }) => undoneCompressionOf(state, id) === undefined);
  const node = nodeOfRow(conversation, argument) ?? (await pickOf(state, opened, emptyText));
  if (node) await run(conversation, node);
}

/** The compression of the row, or the one with which the row's summary was undone. */
export function compressionOf(state: Conversation['state'], row: unknown): CompressionId | undefined {
  if (!isRow(row)) return undefined;
  return row.kind === 'openedNode'
    ? undoneCompressionOf(state, row.node)
    : row.kind === 'compression'
      ? row.compression
      : undefined;
}

/** The undone compression, or one that the user selects if there are several. */
export async function pickUndone(state: Conversation['state']): Promise<CompressionId | undefined> {
  const items = state.compressions
    .filter(({ id }) => state.summaries.isCompressionUndone(id))
    .reverse()
    .map(({ id, at, trigger, tokens: size }) => ({
      label: new Date(at).toLocaleString(locale()),
      description: triggerName(trigger),
      detail: `${tokensText(size.before)} → ${tokensText(size.after)}`,
      id,
    }));
  if (items.length === 1) return items[0]?.id;
  const title = vscode.l10n.t('Select Compression to Redo');
  if (items.length > 1) return (await vscode.window.showQuickPick(items, { title }))?.id;
  showInfo(vscode.l10n.t('There is no compression to redo.'));
  return undefined;
}
