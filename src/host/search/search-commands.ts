import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { SessionHit } from '../../app/session-search.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { SearchRun, WorkspaceHit } from '../../app/workspace-search.ts';
import type { SessionId } from '../../core/model/ids.ts';
import { openMessageDocument } from '../summaries/documents.ts';
import { inform } from '../platform/inform.ts';
import { oneLine } from '../platform/l10n.ts';
import { titleOf } from '../sessions/session-commands.ts';

/** What search commands need of the product. */
export interface SearchApp {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly panel: { reveal(session: SessionId, position: number): void };
  /** The best places of the current session for a query. */
  search(query: string): Promise<readonly SessionHit[]>;
  /** The best places of all sessions of the workspace; undefined when cancelled. */
  searchWorkspace(run: SearchRun): Promise<readonly WorkspaceHit[] | undefined>;
}

/** Hits shown for one search. */
const MOST_HITS = 30;

/** Searches the messages of every session of the workspace and opens the chosen hit at its place. */
export async function searchSessions(app: SearchApp, argument?: unknown): Promise<void> {
  const query =
    typeof argument === 'string'
      ? argument
      : await vscode.window.showInputBox({
          title: vscode.l10n.t('Search All Sessions'),
          prompt: vscode.l10n.t('Search for text in all sessions of this workspace'),
        });
  if (query === undefined || query.trim() === '') return;
  const hits = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Searching sessions…'),
      cancellable: true,
    },
    (progress, token) =>
      app.searchWorkspace({
        query,
        limit: MOST_HITS,
        onProgress: (done, total) =>
          progress.report({
            message: vscode.l10n.t('Searching sessions: {0} of {1}', done, total),
            increment: 100 / total,
          }),
        isCancelled: () => token.isCancellationRequested,
      }),
  );
  if (!hits) return;
  if (hits.length === 0) return inform(vscode.l10n.t('No results for {0} in the sessions of this workspace.', query));
  const items = hits.map((hit) => ({
    label: oneLine(hit.text, 100),
    description: hit.kind === 'message' ? tierName(hit) : `${tierName(hit)} · ${kindName(hit.kind)}`,
    detail: `${titleOf(hit.title)} · ${hit.position + 1} · ${hit.role}`,
    hit,
  }));
  const title =
    hits.length === 1
      ? vscode.l10n.t('1 result for {0}', query)
      : vscode.l10n.t('{0} results for {1}', hits.length, query);
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true });
  if (!picked) return;
  const { session, message, position, text } = picked.hit;
  await app.sessions.open(session);
  app.panel.reveal(session, position);
  await openMessageDocument(session, message, position, text);
}

const tierName = ({ tier }: WorkspaceHit): string =>
  ({
    sent: vscode.l10n.t('sent'),
    summarized: vscode.l10n.t('summarized'),
    archived: vscode.l10n.t('archived'),
  })[tier];

function kindName(kind: 'event' | 'summary'): string {
  return kind === 'event' ? vscode.l10n.t('key event') : vscode.l10n.t('summary');
}

/** Finds what was said in the current session and opens it at its place. */
export async function recall(app: SearchApp, argument?: unknown): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const given = typeof argument === 'string' ? argument.trim() : '';
  const query = given !== '' ? given : await vscode.window.showInputBox({ title: vscode.l10n.t('Search Session') });
  if (query === undefined || query.trim() === '') return;
  const hits = await app.search(query);
  const items = hits.map((hit) => ({
    label: oneLine(hit.text, 100),
    description: `${hit.position + 1} · ${hit.role}`,
    hit,
  }));
  if (items.length === 0) return inform(vscode.l10n.t('No results for {0} in this session.', query));
  const picked = await vscode.window.showQuickPick(items, { title: query, matchOnDescription: true });
  if (picked)
    await openMessageDocument(conversation.journal.id, picked.hit.message, picked.hit.position, picked.hit.text);
}
