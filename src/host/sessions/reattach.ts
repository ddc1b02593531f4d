import * as vscode from 'vscode';
import { inform, offer } from '../platform/inform.ts';
import { sessionsText } from '../platform/l10n.ts';
import { StoreFault, type SessionSummary } from '../../app/ports.ts';
import type { SessionId } from '../../core/model/ids.ts';
import { looksMoved, workspaceName } from '../../storage/workspace-key.ts';
import type { SessionsApp } from './session-commands.ts';
import { changeSession } from './session-changes.ts';

interface Workspace {
  readonly key: string;
  readonly sessions: readonly SessionSummary[];
}

const stayed = (left: number): string =>
  left === 1
    ? vscode.l10n.t('Skipped 1 session that is open in another window.')
    : vscode.l10n.t('Skipped {0} sessions that are open in another window.', left);

/**
 * Lets the sessions of a folder that was renamed or moved belong to what is open in this window. Those of a folder with
 * the same name are offered first; nothing is moved before the user has chosen, and it can be taken back at once.
 */
export async function reattachSessions(app: SessionsApp): Promise<void> {
  const others = otherWorkspaces(await app.store.list(), app.workspace);
  if (others.length === 0) {
    inform(vscode.l10n.t('There are no sessions from other workspaces.'));
    return;
  }
  const items = others.map((one) => ({
    label: workspaceName(one.key),
    description: sessionsText(one.sessions.length),
    detail: one.key,
    one,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Recover Sessions from a Moved Folder'),
    placeHolder: vscode.l10n.t('Select the old folder. Its sessions will be moved to this workspace.'),
    matchOnDetail: true,
  });
  if (!picked) return;
  const { key, sessions } = picked.one;
  const ids = sessions.map(({ id }) => id);
  const moved = await moveSessions(app, ids, app.workspace);
  const undo = vscode.l10n.t('Undo');
  const done =
    moved.length === 1
      ? vscode.l10n.t('Moved 1 session from {0} to this workspace.', workspaceName(key))
      : vscode.l10n.t('Moved {0} sessions from {1} to this workspace.', moved.length, workspaceName(key));
  const left = ids.length - moved.length;
  await offer(left === 0 ? done : `${done} ${stayed(left)}`, undo, () => moveSessions(app, moved, key));
}

/** Workspaces by their sessions: those with this one's name first, then the one used last. */
function otherWorkspaces(sessions: readonly SessionSummary[], here: string): Workspace[] {
  const byKey = Map.groupBy(
    sessions.filter((one) => one.workspace !== here && !one.deleted),
    (one) => one.workspace,
  );
  const order = ({ key }: Workspace): number => (looksMoved(key, here) ? 0 : 1);
  const newest = ({ sessions: some }: Workspace): number => Math.max(...some.map((one) => one.updatedAt));
  return [...byKey]
    .map(([key, some]) => ({ key, sessions: some }))
    .sort((a, b) => order(a) - order(b) || newest(b) - newest(a));
}

/** Moves what can be written here; resolves to the sessions that were moved. */
async function moveSessions(app: SessionsApp, ids: readonly SessionId[], workspace: string): Promise<SessionId[]> {
  const moved: SessionId[] = [];
  for (const id of ids) {
    try {
      await changeSession(app, id, { type: 'session_moved', workspace });
      moved.push(id);
    } catch (error) {
      if (!StoreFault.is(error, 'not_writer', 'newer')) throw error;
    }
  }
  return moved;
}
