import * as vscode from 'vscode';
import { dateTimeText, itemText, tokensText } from '../platform/l10n.ts';
import type { Conversation } from '../../app/conversation.ts';
import { nodeId, type CompressionId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { kindName } from '../platform/key-event-kinds.ts';
import { activeDocument, type SummariesApp } from './summaries-app.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import { withSpeaker } from '../../core/text/speakers.ts';
import { triggerName } from './summary-texts.ts';
import { rangeText } from './context-row-texts.ts';
import { isRow } from './context-rows.ts';
import { revertedNodes, undoneCompressionOf } from './summary-tree.ts';
import { pickOrShowInfo } from '../platform/notifications.ts';

/** Finds the target of a command: that of the row, or one that the user selects; undefined if there is none. */
export type FindTarget<T> = (
  conversation: Conversation,
  argument: unknown,
  app: SummariesApp,
) => T | undefined | Promise<T | undefined>;

/** The summary of the row, of the active document, or one of the context that the user selects. */
export const summaryInContext: FindTarget<SummaryNode> = (conversation, argument, app) => {
  const sent = conversation.state.frontier.map(({ node }) => node);
  return (
    nodeOfRow(conversation, argument) ??
    activeNode(conversation, app) ??
    pickNode(conversation, sent, vscode.l10n.t('The context contains no summaries.'))
  );
};

/** The reverted summary of the row, or one that the user selects. */
export const revertedSummary: FindTarget<SummaryNode> = (conversation, argument) => {
  const { state } = conversation;
  const emptyText = vscode.l10n.t(
    'There are no summaries to restore. To restore an undone compression, run Redo Compression.',
  );
  const reverted = revertedNodes(state).filter(({ id }) => undoneCompressionOf(state, id) === undefined);
  return nodeOfRow(conversation, argument) ?? pickNode(conversation, reverted, emptyText);
};

function nodeOfRow({ state }: Conversation, row: unknown): SummaryNode | undefined {
  if (!isRow(row)) return undefined;
  return row.kind === 'node' || row.kind === 'revertedNode' ? state.nodes.get(row.node) : undefined;
}

function activeNode({ state, journal }: Conversation, app: SummariesApp): SummaryNode | undefined {
  const address = activeDocument(app);
  return address?.session === journal.id ? state.nodes.get(nodeId(address.id)) : undefined;
}

async function pickNode(
  { state }: Conversation,
  nodes: readonly SummaryNode[],
  emptyText: string,
): Promise<SummaryNode | undefined> {
  const items = nodes.map((node) => ({ label: itemText(node.title), description: rangeText(state, node), node }));
  return (await pickOrShowInfo(items, emptyText, { title: vscode.l10n.t('Summaries') }))?.node;
}

/** The key event of the row, or one that the user selects among the candidates, newest first. */
export const keyEvent =
  (isCandidate: (event: KeyEvent) => boolean = () => true): FindTarget<KeyEvent> =>
  async ({ state }, row) => {
    if (isRow(row) && row.kind === 'event') return row.event;
    const candidates = eventsOnBranch(state).filter(isCandidate).reverse();
    const items = candidates.map((event) => ({
      label: itemText(withSpeaker(event.speaker, event.quote)),
      description: `${kindName(event.kind)} · ${state.positionOf(event.message)! + 1}`,
      event,
    }));
    const options = { title: vscode.l10n.t('Key Events'), matchOnDescription: true };
    return (await pickOrShowInfo(items, vscode.l10n.t('There are no key events to select.'), options))?.event;
  };

/** The compression of the row, or the one with which the row's summary was undone. */
export const compressionOfRow: FindTarget<CompressionId> = ({ state }, row) => {
  if (!isRow(row)) return undefined;
  if (row.kind === 'revertedNode') return undoneCompressionOf(state, row.node);
  return row.kind === 'compression' ? row.compression : undefined;
};

/** The compression of the row, or else the undone one, or one that the user selects if there are several. */
export const undoneCompression: FindTarget<CompressionId> = async (conversation, row, app) => {
  const { state, meter } = conversation;
  const ofRow = await compressionOfRow(conversation, row, app);
  if (ofRow !== undefined) return ofRow;
  const items = state.compressions
    .map((compression, index) => ({ ...compression, number: index + 1 }))
    .filter(({ id }) => state.summaries.isCompressionUndone(id))
    .reverse()
    .map(({ id, at, trigger, tokens, number }) => {
      const { before, after } = meter.providerSizes(tokens);
      return {
        label: `${number} · ${dateTimeText(at)}`,
        description: triggerName(trigger),
        detail: `${tokensText(before)} → ${tokensText(after)}`,
        id,
      };
    });
  if (items.length === 1) return items[0]?.id;
  const title = vscode.l10n.t('Select Compression to Redo');
  return (await pickOrShowInfo(items, vscode.l10n.t('There is no compression to redo.'), { title }))?.id;
};
