import * as vscode from 'vscode';
import { tokensText } from '../platform/l10n.ts';
import { correctEvent, correctWords } from '../../app/correct-event.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { SessionJournal } from '../../app/ports.ts';
import { expandNode, setLevel, stepChange, undoCompressions } from '../../app/summary-changes.ts';
import { KEY_EVENT_KINDS, type KeyEvent } from '../../core/model/key-event.ts';
import { messageText } from '../../core/model/message.ts';
import type { Level, SummaryNode } from '../../core/model/summary.ts';
import { nodeUri } from './node-pages.ts';
import { openDocument } from './open-document.ts';
import { LEVELS } from './document-uris.ts';
import { kindName } from '../platform/key-event-kinds.ts';
import type { SummariesApp } from './summaries-app.ts';
import { levelName } from './summary-facts.ts';
import { inform, offer } from '../platform/inform.ts';
import { make } from './regenerate.ts';

export async function expandForTurn(_: SummariesApp, { journal }: Conversation, node: SummaryNode): Promise<void> {
  await expandNode(journal, node.id, 'turn');
  inform(vscode.l10n.t('The original messages will be sent with your next message.'));
}

/** Keeps an event in the context whatever the budget is, or lets it go. */
export const setEventPinned =
  (pinned: boolean) =>
  ({ journal }: Conversation, { id }: KeyEvent): Promise<void> =>
    journal.append({ type: 'event_pinned', id, pinned });

/** Opens the text that is sent, to be edited and saved. */
export async function editSummary(_: SummariesApp, { state }: Conversation, node: SummaryNode): Promise<void> {
  const level = state.levels.get(node.id) ?? 'detailed';
  await openDocument(nodeUri(state, node, node[level] === undefined ? 'detailed' : level), { preview: false });
}

export async function readSummary(
  app: SummariesApp,
  { state, journal }: Conversation,
  node: SummaryNode,
): Promise<void> {
  const sent = state.levels.get(node.id) ?? 'detailed';
  const levels = LEVELS.filter((level) => node[level] !== undefined).map((level) => ({
    label: levelName(level),
    description: [tokensText(node.tokens[level] ?? 0), ...(level === sent ? [vscode.l10n.t('sent now')] : [])].join(
      ' · ',
    ),
    open: () => openDocument(nodeUri(state, node, level)),
  }));
  const items = [
    ...levels,
    { label: vscode.l10n.t('Structured'), open: () => openDocument(nodeUri(state, node, 'structured')) },
    {
      label: vscode.l10n.t('Source'),
      description: tokensText(node.tokens.source),
      open: () => openDocument(nodeUri(state, node, 'source')),
    },
    { label: vscode.l10n.t('Detail level to send'), kind: vscode.QuickPickItemKind.Separator, open: () => undefined },
    ...LEVELS.filter((level) => node[level] !== undefined && level !== sent).map((level) => ({
      label: vscode.l10n.t('Send as: {0}', levelName(level)),
      description: vscode.l10n.t('until the next compression'),
      open: () => sendAs(journal, node, level, sent),
    })),
    ...(node.full === undefined
      ? [
          {
            label: vscode.l10n.t('Generate full summary'),
            description: vscode.l10n.t('uses the source; sent with later requests'),
            open: () => make(app, { node: node.id, finer: true }),
          },
        ]
      : []),
  ];
  await (await vscode.window.showQuickPick(items, { title: node.title }))?.open();
}

/** Sends a summary at another level, says so, and offers the way back. */
async function sendAs(journal: SessionJournal, node: SummaryNode, level: Level, before: Level): Promise<void> {
  await setLevel(journal, node.id, level);
  const text = vscode.l10n.t('“{0}” is now sent at the {1} detail level.', node.title, levelName(level));
  void offer(text, vscode.l10n.t('Undo'), () => setLevel(journal, node.id, before));
}

/** Puts a summary back that was opened, in whichever way. */
export async function closeNode({ state, journal }: Conversation, node: SummaryNode): Promise<void> {
  if (state.isExpanded(node.id)) await journal.append({ type: 'node_expanded', node: node.id, expanded: false });
  if (state.isUndone(node.id)) await journal.append({ type: 'node_undone', node: node.id, undone: false });
  const undone = state.compressions.filter(({ id, nodes }) => nodes.includes(node.id) && state.isCompressionUndone(id));
  await undoCompressions(
    journal,
    undone.map(({ id }) => id),
    false,
  );
}

/** Undoes the newest change to summaries or key events, or makes it again. */
export async function step(app: SummariesApp, undone: boolean): Promise<void> {
  const { journal } = await app.sessions.currentOrLatest();
  if (await stepChange(journal, undone)) return;
  inform(
    undone ? vscode.l10n.t('There is no summary edit to undo.') : vscode.l10n.t('There is no summary edit to redo.'),
  );
}

/** Changes what kind an event is, or how much of its message it quotes. */
export async function correct({ journal, state }: Conversation, event: KeyEvent): Promise<void> {
  const words = { label: vscode.l10n.t('Edit quote…'), to: undefined };
  const kinds = KEY_EVENT_KINDS.filter((kind) => kind !== event.kind).map((kind) => ({
    label: kindName(kind),
    to: kind,
  }));
  const picked = await vscode.window.showQuickPick([words, ...kinds], { title: event.quote.slice(0, 120) });
  if (!picked) return;
  if (picked.to !== undefined) {
    await correctEvent(journal, event.id, { kind: picked.to });
    return;
  }
  const text = messageText(state.messages.get(event.message) ?? { content: [] });
  const prompt = vscode.l10n.t('Enter the text to keep, exactly as it appears in the message.');
  const quote = await vscode.window.showInputBox({
    value: event.quote,
    prompt,
    validateInput: (value) =>
      text.includes(value.trim()) ? undefined : vscode.l10n.t('This text isn’t in the message.'),
  });
  if (quote === undefined || quote.trim() === '') return;
  await correctWords(journal, event.id, quote);
}
