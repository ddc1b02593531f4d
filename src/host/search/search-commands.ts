import * as vscode from 'vscode';
import type { ScoredResult } from '../../app/search-results.ts';
import type { WorkspaceHit } from '../../app/workspace-search.ts';
import { truncate } from '../../core/text/truncate.ts';
import { keyEventId } from '../../core/model/ids.ts';
import { openMessageDocument, openNodeDocument } from '../summaries/document-uris.ts';
import type { HostApp } from '../platform/host-app.ts';
import { withCancellableProgress, pickOrShowInfo } from '../platform/notifications.ts';
import { countText, itemText, roleName, titleText } from '../platform/l10n.ts';
import { expandNode, pinQuote } from '../../app/summary-changes.ts';
import { hitsOffBranch, isRelevant, contextStatuses, type ResultInContext } from '../../app/context-status.ts';
import type { Conversation } from '../../app/conversation.ts';
import { levelName } from '../summaries/summary-texts.ts';
import type { workspaceHistory } from './workspace-history.ts';

export interface SearchApp extends HostApp {
  /** The best results in an open session. */
  search(conversation: Conversation, query: string): Promise<readonly ScoredResult[]>;
  readonly history: Pick<ReturnType<typeof workspaceHistory>, 'search'>;
}

const MAX_HITS = 30;

/** The query from the command's argument, or else from an input box; undefined if it's blank. */
async function queryFrom(argument: unknown, options: vscode.InputBoxOptions): Promise<string | undefined> {
  const given = typeof argument === 'string' ? argument.trim() : '';
  const query = given === '' ? (await vscode.window.showInputBox(options))?.trim() : given;
  return query === '' ? undefined : query;
}

export async function searchAllSessions(app: SearchApp, argument?: unknown): Promise<void> {
  const query = await queryFrom(argument, {
    title: vscode.l10n.t('Search All Sessions'),
    prompt: vscode.l10n.t('Search for text in all sessions of this workspace'),
  });
  if (query === undefined) return;
  const hits = await withCancellableProgress(vscode.l10n.t('Searching sessions…'), (signal, report) =>
    app.history.search({
      query,
      limit: MAX_HITS,
      onProgress: (done, total) => report(done / total, vscode.l10n.t('{0} of {1}', countText(done), countText(total))),
      isCancelled: () => signal.aborted,
    }),
  );
  if (!hits) return;
  const items = hits.map((hit) => ({
    label: itemText(hit.text, 100),
    description: tierText(hit),
    detail: `${itemText(titleText(hit.title))} · ${hit.position + 1} · ${roleName(hit.role)}`,
    hit,
  }));
  const title =
    hits.length === 1
      ? vscode.l10n.t('1 result for “{0}”', query)
      : vscode.l10n.t('{0} results for “{1}”', hits.length, query);
  const emptyText = vscode.l10n.t('No results for “{0}” in the sessions of this workspace.', query);
  const picked = await pickOrShowInfo(items, emptyText, { title, matchOnDescription: true, matchOnDetail: true });
  if (!picked) return;
  const { session, message, position, text, start } = picked.hit;
  await app.sessions.open(session);
  app.panel.reveal(session, position);
  await openMessageDocument(session, message, position, { quote: text, start });
}

/** The description of a result. A key event may be sent verbatim although its message is summarized. */
function tierText({ kind, tier }: WorkspaceHit): string {
  const tierName = {
    sent: vscode.l10n.t('not summarized'),
    summarized: vscode.l10n.t('summarized'),
    archived: vscode.l10n.t('archived'),
  }[tier];
  if (kind === 'message') return tierName;
  const kindName = kind === 'event' ? vscode.l10n.t('key event') : vscode.l10n.t('summary');
  return tier === 'archived' ? `${tierName} · ${kindName}` : kindName;
}

/** Maximum number of results per question. */
const MAX_PLACES = 12;
/** Maximum length of a pinned quote in UTF-16 units, because it's sent with every request. */
const MAX_QUOTE_LENGTH = 400;

/** Shows whether and how forgotten information is in the context, and offers to restore it. */
export async function findForgotten(conversation: Conversation, argument: unknown, app: SearchApp): Promise<void> {
  const query = await queryFrom(argument, {
    title: vscode.l10n.t('Find Forgotten Information'),
    prompt: vscode.l10n.t('Enter keywords for what the model forgot.'),
  });
  if (query === undefined) return;
  const found = await app.search(conversation, query);
  const hits = found.filter(({ text }) => isRelevant(text, query)).slice(0, MAX_PLACES);
  const places =
    hits.length === 0
      ? hitsOffBranch(conversation.state, query, MAX_PLACES)
      : contextStatuses(conversation.state, query, hits, conversation.context());
  const items = places.map((place) => {
    const [icon, text] = statusOf(place);
    const description = place.position < 0 ? roleName(place.role) : `${place.position + 1} · ${roleName(place.role)}`;
    return { label: `$(${icon}) ${itemText(text, 200)}`, description, detail: itemText(place.text, 160), place };
  });
  const placeHolder = vscode.l10n.t('Select a result to see available actions');
  const emptyText = vscode.l10n.t('No mention of “{0}” in this session.', query);
  const picked = await pickOrShowInfo(items, emptyText, { title: query, placeHolder, matchOnDetail: true });
  if (picked) await offerActions(conversation, picked.place, app);
}

/** The icon of a result, and how it reaches the model. */
function statusOf({ status }: ResultInContext): readonly [string, string] {
  switch (status.kind) {
    case 'verbatim':
      return ['pass', vscode.l10n.t('In the context, verbatim')];
    case 'ledger':
      return ['pass', vscode.l10n.t('In the context as a key event')];
    case 'summary':
      return ['layers', vscode.l10n.t('In the summary “{0}” ({1})', status.node.title, levelName(status.level))];
    case 'archived':
      return [
        'archive',
        vscode.l10n.t(
          'Compressed; not mentioned in the summary “{0}” ({1})',
          status.node.title,
          levelName(status.level),
        ),
      ];
    case 'system':
      return ['circle-slash', vscode.l10n.t('Not in the context (system message of an imported chat)')];
    case 'off_branch':
      return ['git-branch', vscode.l10n.t('Deleted or on another branch')];
  }
}

async function offerActions(conversation: Conversation, place: ResultInContext, app: SearchApp): Promise<void> {
  const { journal } = conversation;
  const { status, message, position, role, start, text } = place;
  const quote = truncate(text, MAX_QUOTE_LENGTH).trim();
  const at = start + text.indexOf(quote);
  const actions = [
    {
      label: `$(go-to-file) ${vscode.l10n.t('Open Message')}`,
      run: () => openMessageDocument(journal.id, message, position, { quote, start: at }),
    },
  ];
  if (status.kind === 'archived' || status.kind === 'summary') {
    const { node } = status;
    const pin = {
      label: `$(pin) ${vscode.l10n.t('Pin Quote (included in every request)')}`,
      run: () =>
        pinQuote(journal, {
          id: keyEventId(app.clock.id()),
          message,
          kind: 'fact',
          quote,
          start: at,
          end: at + quote.length,
        }),
    };
    actions.unshift(
      // A summary's words can't be pinned, because they would be sent as a quote of the message.
      ...(role === 'summary' ? [] : [pin]),
      {
        label: `$(unfold) ${vscode.l10n.t('Send Original Messages with Next Request')}`,
        run: () => expandNode(journal, node.id, 'turn'),
      },
      {
        label: `$(discard) ${vscode.l10n.t('Revert Summary to Original Messages')}`,
        run: () => expandNode(journal, node.id, 'always'),
      },
    );
    actions.push({
      label: `$(layers) ${vscode.l10n.t('Open Summary')}`,
      run: () => openNodeDocument(journal.id, node),
    });
  }
  const action = await vscode.window.showQuickPick(actions, { title: statusOf(place)[1] });
  await action?.run();
}
