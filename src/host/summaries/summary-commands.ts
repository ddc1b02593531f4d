import * as vscode from 'vscode';
import { countText, locale, shortLine, tokensText } from '../platform/l10n.ts';
import { correctEvent, correctQuote, expandNode, setLevel, undoOrRedoChange } from '../../app/summary-changes.ts';
import type { Conversation } from '../../app/conversation.ts';
import { sentLevelOf } from '../../core/context/ledger-lines.ts';
import { MAX_SHARE } from '../../core/compress/node-content.ts';
import { KEY_EVENT_KINDS, type KeyEvent } from '../../core/model/key-event.ts';
import { messageText } from '../../core/model/message.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { wordsPattern } from '../../core/text/words-pattern.ts';
import { nodeUri } from './node-documents.ts';
import { documentUri, EDITABLE_LEVELS, openAsText, openRendered, type DocumentKind } from './document-uris.ts';
import { kindHeading, kindName } from '../platform/key-event-kinds.ts';
import { activeDocument, offerUndo, type SummariesApp } from './summaries-app.ts';
import { levelName } from './summary-texts.ts';
import { withCancellableProgress, showInfo, showInfoWithAction } from '../platform/notifications.ts';
import type { ComparisonResult } from './comparison.ts';
import { chosenChatModel, chosenSummaryModel, type ChosenModel } from '../models/models.ts';
import { readSettings } from '../platform/settings.ts';
import { providerItems } from '../models/model-items.ts';
import { pickModel } from '../models/model-picker.ts';
import type { OpenConversation } from '../sessions/open-conversations.ts';
import { rowOfDocument } from './document-links.ts';
import { filterName, isRow, type ContextRow, type RowTarget, type TreeFilter } from './context-rows.ts';
import { isSent, regenerateOptions } from './summary-tree.ts';

export async function expandForTurn({ journal }: Conversation, node: SummaryNode): Promise<void> {
  await expandNode(journal, node.id, 'turn');
  showInfo(vscode.l10n.t('If they fit, the original messages will be sent with your next message.'));
}

/** Opens a summary for editing, at the level that is sent. */
export async function editSummary({ state }: Conversation, node: SummaryNode): Promise<void> {
  const level = sentLevelOf(state, node.id);
  await openAsText(nodeUri(state, node, node[level] === undefined ? 'detailed' : level), { preview: false });
}

export async function readSummary(
  { state, journal }: Conversation,
  node: SummaryNode,
  app: SummariesApp,
): Promise<void> {
  const sent = sentLevelOf(state, node.id);
  const isInContext = isSent(state, node);
  const levels = EDITABLE_LEVELS.filter((level) => node[level] !== undefined).map((level) => ({
    label: levelName(level),
    description: [
      tokensText(node.tokens[level] ?? 0),
      ...(isInContext && level === sent ? [vscode.l10n.t('currently sent')] : []),
    ].join(' · '),
    open: () => openAsText(nodeUri(state, node, level)),
  }));
  const viewItems = [
    ...levels,
    { label: vscode.l10n.t('Structured'), open: () => openAsText(nodeUri(state, node, 'structured')) },
    {
      label: vscode.l10n.t('Source'),
      description: tokensText(node.tokens.source),
      open: () => openAsText(nodeUri(state, node, 'source')),
    },
  ];
  const levelItems = [
    { label: vscode.l10n.t('Detail level to send'), kind: vscode.QuickPickItemKind.Separator, open: () => undefined },
    ...EDITABLE_LEVELS.filter((level) => node[level] !== undefined && level !== sent).map((level) => ({
      label: vscode.l10n.t('Send as: {0}', levelName(level)),
      description: vscode.l10n.t('as long as it fits'),
      open: async () => {
        await setLevel(journal, node.id, level);
        const text = vscode.l10n.t('“{0}” is now sent as: {1}.', node.title, levelName(level));
        offerUndo(app, text, vscode.l10n.t('Undo'), () => setLevel(journal, node.id, sent));
      },
    })),
    ...(node.full === undefined
      ? [{ ...fullText(), open: () => regenerateWith(app, { node: node.id, finer: true }) }]
      : []),
  ];
  const items = isInContext ? [...viewItems, ...levelItems] : viewItems;
  await (await vscode.window.showQuickPick(items, { title: node.title }))?.open();
}

const fullText = (): vscode.QuickPickItem => ({
  label: vscode.l10n.t('Add Full Summary'),
  description: vscode.l10n.t(
    'up to {0} of the original text, extracted without a model; sent in later requests',
    MAX_SHARE.full.toLocaleString(locale(), { style: 'percent' }),
  ),
});

/** Sends a summary again instead of its messages, whether it was expanded or undone. */
export async function restoreSummary({ state, journal }: Conversation, node: SummaryNode): Promise<void> {
  if (state.summaries.isExpanded(node.id))
    await journal.append({ type: 'node_expanded', node: node.id, expanded: false });
  if (state.summaries.isUndone(node.id)) await journal.append({ type: 'node_undone', node: node.id, undone: false });
}

export async function undoOrRedo({ journal }: Conversation, undone: boolean): Promise<void> {
  if (await undoOrRedoChange(journal, undone)) return;
  showInfo(
    undone
      ? vscode.l10n.t('There is no context change to undo.')
      : vscode.l10n.t('There is no context change to redo.'),
  );
}

/** Changes an event's kind, or its range in the message. */
export async function correctKeyEvent({ journal, state }: Conversation, event: KeyEvent): Promise<void> {
  const editQuote = { label: vscode.l10n.t('Edit Quote…'), to: undefined };
  const kinds = KEY_EVENT_KINDS.filter((kind) => kind !== event.kind).map((kind) => ({
    label: kindName(kind),
    to: kind,
  }));
  const picked = await vscode.window.showQuickPick([editQuote, ...kinds], { title: shortLine(event.quote) });
  if (!picked) return;
  if (picked.to !== undefined) {
    await correctEvent(journal, event.id, { kind: picked.to });
    return;
  }
  const text = messageText(state.messages.get(event.message) ?? { content: [] });
  const prompt = vscode.l10n.t('Enter the text to keep, exactly as it appears in the message.');
  const inMessage = (typed: string): string | undefined =>
    text.includes(typed.trim()) ? typed : new RegExp(wordsPattern(typed)).exec(text)?.[0];
  const typed = await vscode.window.showInputBox({
    // An input box has no line breaks.
    value: event.quote.replaceAll(/\s+/g, ' '),
    prompt,
    ignoreFocusOut: true,
    validateInput: (value) =>
      inMessage(value) === undefined ? vscode.l10n.t('This text isn’t in the message.') : undefined,
  });
  if (typed === undefined || typed.trim() === '') return;
  await correctQuote(journal, event.id, inMessage(typed) ?? typed);
}

export async function compareSummary({ state }: Conversation, node: SummaryNode, app: SummariesApp): Promise<void> {
  reportResult(node, await app.comparison.open(state, node));
}

function reportResult(node: SummaryNode, { statements, unsupported, unjudged, checkedBy }: ComparisonResult): void {
  const [all, wrong] = [countText(statements), countText(unsupported)];
  if (checkedBy !== undefined) {
    showInfo(
      unjudged === 0
        ? vscode.l10n.t('Statements not supported by the source: {1} of {0} (checked by {2}).', all, wrong, checkedBy)
        : vscode.l10n.t(
            'Statements not supported by the source: {1} of {0} (checked by {2}; no verdict: {3}).',
            all,
            wrong,
            checkedBy,
            countText(unjudged),
          ),
    );
    return;
  }
  const check = vscode.l10n.t('Verify with a Model…');
  const text = vscode.l10n.t('Statements with terms that don’t appear in the source: {1} of {0}.', all, wrong);
  // Not awaited, because the command is done.
  void showInfoWithAction(text, check, () =>
    vscode.commands.executeCommand('threadkeeper.checkSummary', { kind: 'node', node: node.id }),
  );
}

export async function checkSummary(conversation: Conversation, node: SummaryNode, app: SummariesApp): Promise<void> {
  // The user may have switched sessions while selecting the model.
  const open = await app.current();
  const chosen = await pickChecker(app, conversation);
  if (!chosen) return;
  const title = vscode.l10n.t('Verifying summary with {0}…', app.models.label(chosen));
  const check = await withCancellableProgress(title, (signal) => open.checkSummary(node.id, chosen, signal));
  const checked = conversation.state.nodes.get(node.id);
  if (check && checked) reportResult(checked, await app.comparison.open(conversation.state, checked, check.level));
}

/** Lets the user select the configured summarizer, if it's a model, or another model. */
async function pickChecker(app: SummariesApp, { state }: Conversation): Promise<ChosenModel | undefined> {
  const settings = readSettings();
  const summarizer = chosenSummaryModel(settings, chosenChatModel(settings, state));
  if (summarizer.provider !== 'local') {
    const same = { label: app.models.label(summarizer), description: vscode.l10n.t('configured summarizer') };
    const other = { label: vscode.l10n.t('Other…') };
    const title = vscode.l10n.t('Select Model to Verify This Summary');
    const picked = await vscode.window.showQuickPick([same, other], { title });
    if (picked !== other) return picked && summarizer;
  }
  const models = providerItems(app).then((items) => items.filter(({ provider }) => provider !== 'local'));
  return pickModel(app, models, vscode.l10n.t('Select Model to Verify This Summary'));
}

export async function regenerateSummary({ state }: Conversation, node: SummaryNode, app: SummariesApp): Promise<void> {
  const settings = readSettings();
  const hasModel = chosenSummaryModel(settings, chosenChatModel(settings, state)).provider !== 'local';
  const regenerate = (more: object = {}, chosen?: ChosenModel): Promise<void> =>
    regenerateWith(app, { node: node.id, ...more }, chosen);
  const itemOf = {
    children: { label: vscode.l10n.t('From Child Summaries, Without a Model'), run: () => regenerate() },
    same: {
      label: hasModel ? vscode.l10n.t('With the Configured Summarizer') : vscode.l10n.t('Without a Model'),
      run: () => regenerate(),
    },
    model: {
      label: vscode.l10n.t('With Another Model…'),
      run: async () => {
        const chosen = await pickModel(app, providerItems(app), vscode.l10n.t('Select Model to Write This Summary'));
        if (chosen) await regenerate({}, chosen);
      },
    },
    instructions: {
      label: vscode.l10n.t('With Custom Instructions…'),
      run: async () => {
        const prompt = vscode.l10n.t('What should this summary include or omit?');
        const instructions = await vscode.window.showInputBox({ title: node.title, prompt, ignoreFocusOut: true });
        if (instructions !== undefined && instructions.trim() !== '') await regenerate({ instructions });
      },
    },
    finer: { ...fullText(), run: () => regenerate({ finer: true }) },
  };
  const items = regenerateOptions(state, node, hasModel).map((way) => itemOf[way]);
  await (await vscode.window.showQuickPick(items, { title: node.title }))?.run();
}

/** Regenerates a summary, or adds a full one, and reports the result. */
async function regenerateWith(
  app: SummariesApp,
  request: Parameters<OpenConversation['regenerateSummary']>[0],
  chosen?: ChosenModel,
): Promise<void> {
  const { regenerateSummary: regenerate } = await app.current();
  const title = request.finer ? vscode.l10n.t('Adding full summary…') : vscode.l10n.t('Regenerating summary…');
  const node = await withCancellableProgress(title, (signal) => regenerate(request, chosen, signal));
  if (!node) return;
  const tokens = countText(node.tokens.full ?? node.tokens.detailed);
  showInfo(
    request.finer
      ? vscode.l10n.t('Full summary added ({0} tokens).', tokens)
      : vscode.l10n.t('Summary regenerated ({0} tokens).', tokens),
  );
}

export const showDocument = ({ journal }: Conversation, kind: DocumentKind, id: string, name: string): Promise<void> =>
  openRendered(documentUri(journal.id, kind, id, name));

/** Scrolls the chat to the message of a row or of the active document; for a summary, to its first message. */
export function showInChat(conversation: Conversation, argument: unknown, app: SummariesApp): void {
  const position = positionOf(conversation, rowFor(conversation, argument, app));
  if (position !== undefined) app.panel.reveal(conversation.journal.id, position);
}

export async function showInTree(conversation: Conversation, argument: unknown, app: SummariesApp): Promise<void> {
  const row = rowFor(conversation, argument, app);
  if (!row) return;
  await vscode.commands.executeCommand('threadkeeper.summaries.focus');
  if (row.kind === 'node' || row.kind === 'message' || row.kind === 'event') await app.tree.reveal(row);
}

function rowFor(
  { state, journal }: Conversation,
  argument: unknown,
  app: SummariesApp,
): ContextRow | RowTarget | undefined {
  if (isRow(argument)) return argument;
  const address = activeDocument(app);
  return address?.session === journal.id ? rowOfDocument(state, address) : undefined;
}

/** The 0-based position of a row's message on the active branch; for a summary, of its first message. */
function positionOf({ state }: Conversation, row: ContextRow | RowTarget | undefined): number | undefined {
  switch (row?.kind) {
    case 'message':
      return state.positionOf(row.message);
    case 'event':
      return state.positionOf(row.event.message);
    case 'node':
    case 'revertedNode': {
      const node = state.nodes.get(row.node);
      return node && state.positionOf(node.first);
    }
    default:
      return undefined;
  }
}

export async function filterSummaries(app: SummariesApp): Promise<void> {
  const filter = await pickFilter();
  if (!filter) return;
  await app.sessions.currentOrLatest();
  app.tree.setFilter(filter);
  await vscode.commands.executeCommand('threadkeeper.summaries.focus');
}

async function pickFilter(): Promise<TreeFilter | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly filter: TreeFilter | 'text' })[] = [
    { label: `$(search) ${vscode.l10n.t('Filter by Text…')}`, filter: 'text' },
    { label: `$(warning) ${filterName({ by: 'warnings' })}`, filter: { by: 'warnings' } },
    ...KEY_EVENT_KINDS.map((of) => ({
      label: `$(quote) ${kindHeading(of)}`,
      description: vscode.l10n.t('Key events'),
      filter: { by: 'kind', of } as const,
    })),
  ];
  const title = vscode.l10n.t('Filter Context View');
  const picked = await vscode.window.showQuickPick(items, { title });
  if (picked?.filter !== 'text') return picked?.filter;
  const prompt = vscode.l10n.t('Text in a message, key event, or summary');
  const text = (await vscode.window.showInputBox({ title, prompt }))?.trim();
  return text === undefined || text === '' ? undefined : { by: 'text', text };
}
