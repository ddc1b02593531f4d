import * as vscode from 'vscode';
import {
  dateTimeText,
  countText,
  formatCounted,
  itemText,
  messagesText,
  sessionsText,
  shortLine,
  sizeText,
  titleText,
  workspaceText,
} from '../platform/l10n.ts';
import { StoreFault, type SessionListEntry } from '../../app/ports.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { HostApp } from '../platform/host-app.ts';
import { isConfirmed, pickOrShowInfo, showInfo, showInfoWithAction } from '../platform/notifications.ts';
import { changeSession } from '../platform/session-changes.ts';
import { sessionsOfOtherWorkspaces } from './other-workspace-sessions.ts';

export interface SessionsApp extends HostApp {
  readonly memoryFolder: string;
  readonly chats: { copiedBytes(): Promise<number> };
  /** Removes permanently deleted sessions from VS Code's global state. */
  forget(sessions: ReadonlySet<SessionId>): Promise<void>;
}

export async function openOtherSession(app: SessionsApp): Promise<void> {
  const items = sessionsOfOtherWorkspaces(await app.store.list(), app.workspace).map((one) => ({
    ...sessionItem(one),
    description: workspaceText(one.workspace),
  }));
  const picked = await pickOrShowInfo(items, noneElsewhereText(), {
    title: vscode.l10n.t('Open Session from Another Workspace'),
    matchOnDescription: true,
  });
  if (picked) await show(app, picked.id);
}

async function show({ sessions, panel }: SessionsApp, id: SessionId): Promise<void> {
  await sessions.open(id);
  panel.open();
}

const noneElsewhereText = (): string => vscode.l10n.t('There are no sessions from other workspaces.');

export async function restoreSession(app: SessionsApp): Promise<void> {
  const deleted = (await app.store.list()).filter((one) => one.workspace === app.workspace && one.deleted);
  const items = deleted.sort((a, b) => b.updatedAt - a.updatedAt).map(sessionItem);
  const title = vscode.l10n.t('Restore Deleted Session');
  const picked = await pickOrShowInfo(items, vscode.l10n.t('There are no deleted sessions.'), { title });
  if (!picked) return;
  await changeSession(app, picked.id, { type: 'session_deleted', deleted: false });
  await show(app, picked.id);
}

const sessionItem = ({ id, title, messages, updatedAt, archived }: SessionListEntry) => ({
  label: itemText(titleText(title)),
  detail: [messagesText(messages), dateTimeText(updatedAt), ...(archived ? [vscode.l10n.t('archived')] : [])].join(
    ' · ',
  ),
  id,
});

type CleanUpItem = vscode.QuickPickItem & { readonly session?: SessionListEntry };

/** Shows the disk usage of the sessions, and permanently deletes the selected ones after a confirmation. */
export async function cleanUp(app: SessionsApp): Promise<void> {
  const disk = await import('../../storage/clean-up.ts');
  const now = app.clock.now();
  // Those that a newer version has written to can't be deleted.
  const sessions = (await app.store.list()).filter(({ isNewer }) => isNewer !== true);
  const ids = sessions.map((one) => one.id);
  const sizes = await disk.sizesOfSessions(app.folder, ids);
  const folders = [app.folder, app.memoryFolder];
  const orphans = (await Promise.all(folders.map((folder) => disk.findOrphans(folder, now)))).flat();
  if (sessions.length === 0 && orphans.length === 0)
    return showInfo(vscode.l10n.t('There are no sessions to clean up.'));
  const sizeOf = (one: SessionListEntry): number => sizes.get(one.id) ?? one.bytes;
  const items: CleanUpItem[] = sessions
    .toSorted((a, b) => Number(b.deleted) - Number(a.deleted) || sizeOf(b) - sizeOf(a))
    .map((one) => ({
      label: itemText(titleText(one.title)),
      description: sizeText(sizeOf(one)),
      detail: [
        workspaceText(one.workspace),
        messagesText(one.messages),
        ...(one.deleted ? [vscode.l10n.t('deleted')] : []),
        ...(one.archived ? [vscode.l10n.t('archived')] : []),
      ].join(' · '),
      picked: disk.isRetentionOver(one, now),
      session: one,
    }));
  const leftover = sum(orphans.map((one) => one.bytes));
  if (orphans.length > 0)
    items.unshift({
      label: formatCounted(orphans.length, '1 leftover file', '{0} leftover files'),
      description: sizeText(leftover),
      detail: vscode.l10n.t('Cache and lock files that no session uses'),
      picked: true,
    });
  const copiedBytes = await app.chats.copiedBytes();
  const all = sum(sessions.map(sizeOf)) + leftover;
  const title = [
    vscode.l10n.t('Clean Up Sessions ({1}, {0})', sizeText(all), sessionsText(sessions.length)),
    ...(copiedBytes > 0 ? [vscode.l10n.t('Copied chats from other tools: {0}', sizeText(copiedBytes))] : []),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: title.join(' · '),
    placeHolder: vscode.l10n.t(
      'Select items to delete permanently. Leftover files and sessions deleted more than 7 days ago are preselected.',
    ),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!picked || picked.length === 0) return;
  const chosen = picked.flatMap(({ session }) => session ?? []);
  if (chosen.length > 0 && !(await confirmDeletion(chosen, sum(chosen.map(sizeOf))))) return;

  const hasOrphans = picked.some((one) => !one.session);
  let freed = 0;
  if (hasOrphans) for (const folder of folders) freed += await disk.removeOrphans(folder, now);
  const removed = new Set<SessionId>();
  let inUse = 0;
  for (const { id, deleted } of chosen) {
    // A session that was restored while the user was choosing stays.
    const result = await disk.removeSession(app.folder, id, (state) => !deleted || state.deleted);
    if (result.kind === 'in_use') inUse++;
    if (result.kind !== 'removed') continue;
    freed += result.bytes;
    removed.add(id);
  }
  await app.forget(removed);
  app.sessions.listChanged();
  const done = removed.size > 0 || hasOrphans ? deletedText(removed.size, sizeText(freed)) : '';
  if (inUse === 0) return done === '' ? undefined : showInfo(done);
  const skipped = formatCounted(
    inUse,
    'Skipped 1 session that is open in a window. Switch to another session first.',
    'Skipped {0} sessions that are open in a window. Switch to other sessions first.',
  );
  void vscode.window.showWarningMessage(`${done} ${skipped}`.trim());
}

function deletedText(sessions: number, freed: string): string {
  if (sessions === 0) return vscode.l10n.t('Deleted leftover files and freed {0}.', freed);
  return sessions === 1
    ? vscode.l10n.t('Permanently deleted 1 session and freed {0}.', freed)
    : vscode.l10n.t('Permanently deleted {1} sessions and freed {0}.', freed, countText(sessions));
}

function confirmDeletion(chosen: readonly SessionListEntry[], size: number): Promise<boolean> {
  const question =
    chosen.length === 1
      ? vscode.l10n.t('Permanently delete 1 session ({0})?', sizeText(size))
      : vscode.l10n.t('Permanently delete {0} sessions ({1})?', chosen.length, sizeText(size));
  const detail = [
    `${vscode.l10n.t('This can’t be undone.')}\n`,
    ...chosen.slice(0, 10).map((one) => titleText(one.title)),
    ...(chosen.length > 10 ? ['…'] : []),
  ];
  return isConfirmed(question, detail.join('\n'), vscode.l10n.t('Delete Permanently'));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

export async function switchSession(app: SessionsApp): Promise<void> {
  const sessions = await app.sessions.list();
  const items = sessions.map((one) => ({
    label: itemText(titleText(one.title)),
    description: messagesText(one.messages),
    detail: dateTimeText(one.updatedAt),
    id: one.id,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Switch Session'),
    matchOnDetail: true,
  });
  if (picked) await show(app, picked.id);
}

const skippedText = (skipped: number): string =>
  formatCounted(
    skipped,
    'Skipped 1 session that is open in another window or was saved by a newer version of Threadkeeper.',
    'Skipped {0} sessions that are open in another window or were saved by a newer version of Threadkeeper.',
  );

/**
 * Moves sessions to this workspace from the old path of its folder, which was renamed or moved. Folders with the same
 * name are listed first. Nothing is moved before the user has chosen, and it can be undone directly afterwards.
 */
export async function reattachSessions(app: SessionsApp): Promise<void> {
  const others = sessionsOfOtherWorkspaces(await app.store.list(), app.workspace);
  const items = Array.from(
    Map.groupBy(others, (one) => one.workspace),
    ([key, sessions]) => ({
      label: workspaceText(key),
      description: sessionsText(sessions.length),
      detail: key,
      sessions,
    }),
  );
  const picked = await pickOrShowInfo(items, noneElsewhereText(), {
    title: vscode.l10n.t('Recover Sessions from a Moved Folder'),
    placeHolder: vscode.l10n.t('Select the old folder. Its sessions will be moved to this workspace.'),
    matchOnDetail: true,
  });
  if (!picked) return;
  const { detail: key } = picked;
  const { moved, failed } = await moveSessions(app, picked.sessions, app.workspace);
  const [first] = failed;
  if (first && moved.length === 0) throw first.error;
  const done =
    moved.length === 1
      ? vscode.l10n.t('Moved 1 session from {0} to this workspace.', workspaceText(key))
      : vscode.l10n.t('Moved {0} sessions from {1} to this workspace.', moved.length, workspaceText(key));
  const skipped = picked.sessions.length - moved.length - failed.length;
  const parts = [
    done,
    ...(skipped > 0 ? [skippedText(skipped)] : []),
    ...(first ? [notMovedText(failed, app.describe(first.error).text)] : []),
  ];
  await showInfoWithAction(parts.join(' '), vscode.l10n.t('Undo'), async () => {
    const undone = await moveSessions(app, moved, key);
    if (undone.failed[0]) throw undone.failed[0].error;
  });
}

interface FailedMove {
  readonly session: SessionListEntry;
  readonly error: unknown;
}

/** Maximum number of sessions that an error message names. */
const MAX_NAMED = 3;

function notMovedText(failed: readonly FailedMove[], reason: string): string {
  const names = failed.slice(0, MAX_NAMED).map(({ session }) => shortLine(titleText(session.title)));
  return vscode.l10n.t(
    'Not moved: {0}. {1}',
    [...names, ...(failed.length > MAX_NAMED ? ['…'] : [])].join(', '),
    reason,
  );
}

/** Moves the sessions that this window can write to. Others are skipped, or reported as failed. */
async function moveSessions(app: SessionsApp, all: readonly SessionListEntry[], workspace: string) {
  const moved: SessionListEntry[] = [];
  const failed: FailedMove[] = [];
  for (const session of all) {
    try {
      await changeSession(app, session.id, { type: 'session_moved', workspace });
      moved.push(session);
    } catch (error) {
      if (!StoreFault.is(error, 'not_writer', 'newer')) failed.push({ session, error });
    }
  }
  return { moved, failed };
}
