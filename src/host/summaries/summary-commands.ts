import * as vscode from 'vscode';
import { tokensText } from '../platform/counted.ts';
import { correctEvent } from '../../app/correct-event.ts';
import type { Conversation } from '../../app/conversation.ts';
import { compressionsSince, expandNode, setLevel, stepChange, undoCompressions } from '../../app/summary-changes.ts';
import { KEY_EVENT_KINDS, type KeyEvent } from '../../core/model/key-event.ts';
import { messageText } from '../../core/model/message.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { nodeUri } from './documents/node-pages.ts';
import { openDocument } from './documents/open-document.ts';
import { documentUri, LEVELS, type DocumentKind } from './documents/document-uris.ts';
import { COMMAND, type CommandId } from '../platform/ids.ts';
import { kindName } from '../platform/key-event-kinds.ts';
import type { Product } from '../product.ts';
import { levelName } from './documents/summary-facts.ts';
import { checkSummary, compareSummary } from './check-commands.ts';
import { pickFilter } from './filter-picker.ts';
import { inform } from '../platform/inform.ts';
import { make, resummarize } from './regenerate.ts';
import { showInChat, showInTree } from './show-commands.ts';
import { compressionOf, pickCompression, pickUndone, withEvent, withNode, withOpened } from './subject-pickers.ts';
import { whyForgotten } from '../search/why-forgotten.ts';

type Handler = (app: Product, argument?: unknown) => Promise<void>;

/** What can be done to summaries and key events, read of them and asked about them. */
export const SUMMARY_HANDLERS = {
  [COMMAND.editSummary]: (app, argument) => withNode(app, argument, editSummary),
  [COMMAND.readSummary]: (app, argument) => withNode(app, argument, readSummary),
  [COMMAND.compareSummary]: (app, argument) => withNode(app, argument, compareSummary),
  [COMMAND.checkSummary]: (app, argument) => withNode(app, argument, checkSummary),
  [COMMAND.resummarize]: (app, argument) => withNode(app, argument, resummarize),
  [COMMAND.expandForTurn]: (app, argument) =>
    withNode(app, argument, async (_, { journal }, node) => {
      await expandNode(journal, node.id, 'turn');
      inform(vscode.l10n.t('The messages of this summary are sent word for word with your next message.'));
    }),
  [COMMAND.closeNode]: (app, argument) => withOpened(app, argument, closeNode),
  [COMMAND.undoNode]: (app, argument) => withNode(app, argument, (_, one, { id }) => one.undoNodes([id], true)),
  [COMMAND.undoSince]: undoSince,
  [COMMAND.redoCompression]: async (app, argument) => {
    const { journal, state } = await app.sessions.currentOrLatest();
    const id = compressionOf(argument) ?? (await pickUndone(state));
    if (id !== undefined) await undoCompressions(journal, [id], false);
  },
  [COMMAND.undoChange]: (app) => step(app, true),
  [COMMAND.redoChange]: (app) => step(app, false),
  [COMMAND.correctEvent]: (app, argument) => withEvent(app, argument, () => true, correct),
  [COMMAND.pinEvent]: (app, argument) =>
    withEvent(
      app,
      argument,
      ({ pinned }) => !pinned,
      ({ journal }, { id }) => journal.append({ type: 'event_pinned', id, pinned: true }),
    ),
  [COMMAND.unpinEvent]: (app, argument) =>
    withEvent(
      app,
      argument,
      ({ pinned }) => pinned,
      ({ journal }, { id }) => journal.append({ type: 'event_pinned', id, pinned: false }),
    ),
  [COMMAND.removeEvent]: (app, argument) =>
    withEvent(
      app,
      argument,
      () => true,
      ({ journal }, { id }) => journal.append({ type: 'event_removed', id, removed: true }),
    ),
  [COMMAND.whyForgotten]: whyForgotten,
  [COMMAND.previewNext]: (app) => show(app, 'next', 'now', vscode.l10n.t('What Would Be Sent')),
  [COMMAND.dryRun]: (app) => show(app, 'dryRun', String(app.clock.now()), vscode.l10n.t('Compression Preview')),
  [COMMAND.showCompressions]: (app) => show(app, 'compressions', 'all', vscode.l10n.t('Compressions')),
  [COMMAND.showChart]: async (app) => {
    await app.sessions.currentOrLatest();
    app.chart.open();
  },
  [COMMAND.filterSummaries]: async (app) => {
    const filter = await pickFilter();
    if (!filter) return;
    await app.sessions.currentOrLatest();
    app.tree.narrow(filter);
    await vscode.commands.executeCommand('threadkeeper.summaries.focus');
  },
  [COMMAND.clearFilter]: (app) => {
    app.tree.narrow(undefined);
    return Promise.resolve();
  },
  [COMMAND.showInChat]: showInChat,
  [COMMAND.showInTree]: showInTree,
  [COMMAND.saveChart]: async (app) => {
    await app.sessions.currentOrLatest();
    await app.chart.save();
  },
} as const satisfies Partial<Record<CommandId, Handler>>;

async function show(app: Product, kind: DocumentKind, id: string, name: string): Promise<void> {
  const { journal } = await app.sessions.currentOrLatest();
  await openDocument(documentUri(journal.id, kind, id, name));
}

/** Opens the text that is sent, to be edited and saved. */
async function editSummary(_: Product, { state }: Conversation, node: SummaryNode): Promise<void> {
  const level = state.levels.get(node.id) ?? 'detailed';
  await openDocument(nodeUri(state, node, node[level] === undefined ? 'detailed' : level), { preview: false });
}

async function readSummary(app: Product, { state, journal }: Conversation, node: SummaryNode): Promise<void> {
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
    ...LEVELS.filter((level) => node[level] !== undefined && level !== sent).map((level) => ({
      label: vscode.l10n.t('Send as: {0}', levelName(level)),
      description: vscode.l10n.t('until the next compression chooses'),
      open: () => setLevel(journal, node.id, level),
    })),
    ...(node.full === undefined
      ? [
          {
            label: vscode.l10n.t('Make the level Full'),
            description: vscode.l10n.t('from the source, and send it'),
            open: () => make(app, { node: node.id, finer: true }),
          },
        ]
      : []),
  ];
  await (await vscode.window.showQuickPick(items, { title: node.title }))?.open();
}

/** Puts a summary back that was opened, in whichever way. */
async function closeNode({ state, journal }: Conversation, node: SummaryNode): Promise<void> {
  if (state.isExpanded(node.id)) await journal.append({ type: 'node_expanded', node: node.id, expanded: false });
  if (state.isUndone(node.id)) await journal.append({ type: 'node_undone', node: node.id, undone: false });
  const undone = state.compressions.filter(({ id, nodes }) => nodes.includes(node.id) && state.isCompressionUndone(id));
  await undoCompressions(
    journal,
    undone.map(({ id }) => id),
    false,
  );
}

/** Takes back every compression from the chosen one to the newest. */
async function undoSince(app: Product, argument?: unknown): Promise<void> {
  const { state, journal } = await app.sessions.currentOrLatest();
  const from = compressionOf(argument) ?? (await pickCompression(state));
  if (from === undefined) return;
  const undone = compressionsSince(state, from);
  await undoCompressions(journal, undone, true);
  inform(
    undone.length === 1
      ? vscode.l10n.t('1 compression was undone: its messages are sent word for word again.')
      : vscode.l10n.t('{0} compressions were undone: their messages are sent word for word again.', undone.length),
  );
}

async function step(app: Product, undone: boolean): Promise<void> {
  const { journal } = await app.sessions.currentOrLatest();
  if (await stepChange(journal, undone)) return;
  inform(
    undone
      ? vscode.l10n.t('No change to summaries is left to undo.')
      : vscode.l10n.t('No change to summaries is left to redo.'),
  );
}

/** Changes what kind an event is, or how much of its message it quotes. */
async function correct({ journal, state }: Conversation, event: KeyEvent): Promise<void> {
  const words = { label: vscode.l10n.t('Change the words…'), to: undefined };
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
  const prompt = vscode.l10n.t('The words of the message that must be kept, exactly as they stand in it.');
  const quote = await vscode.window.showInputBox({
    value: event.quote,
    prompt,
    validateInput: (value) =>
      text.includes(value.trim()) ? undefined : vscode.l10n.t('These are no words of the message.'),
  });
  if (quote === undefined || quote.trim() === '') return;
  const start = text.indexOf(quote.trim());
  await correctEvent(journal, event.id, { start, end: start + quote.trim().length });
}
