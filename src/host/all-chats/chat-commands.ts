import * as vscode from 'vscode';
import { TOOL_NAMES, type Tool } from '../../app/library/source.ts';
import { inform } from '../platform/inform.ts';
import { locale, sessionsText, sizeText } from '../platform/l10n.ts';
import { readSettings } from '../platform/settings.ts';
import { translated } from '../platform/translated.ts';
import type { AllChats } from './all-chats.ts';
import { isToolRow } from './chat-rows.ts';

/** What commands on other tools' chats need of the product. */
export interface AllChatsApp {
  readonly chats: AllChats;
}

/** Asks which tools' chats to keep, showing what there is, and reads them. */
export async function findChats({ chats }: AllChatsApp): Promise<unknown> {
  if (!vscode.workspace.isTrusted) {
    return inform(vscode.l10n.t('Chats from other tools aren’t read in Restricted Mode.'));
  }
  const found = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Searching for chats from other tools…') },
    () => chats.library.find(),
  );
  const { tools } = readSettings().sources;
  const items = found
    .filter(({ tool, sessions, refused }) => sessions + refused.length > 0 || tools.includes(tool))
    .map(({ tool, sessions, bytes, newestAt, refused }) => ({
      label: TOOL_NAMES[tool],
      description: [
        sessionsText(sessions),
        ...(bytes > 0 ? [sizeText(bytes)] : []),
        ...(newestAt > 0 ? [new Date(newestAt).toLocaleDateString(locale(), { dateStyle: 'medium' })] : []),
      ].join(' · '),
      detail: refused.map(({ path, reason }) => `${path}: ${translated(reason)}`).join(' · '),
      picked: tools.length === 0 ? sessions > 0 : tools.includes(tool),
      tool,
    }));
  if (items.length === 0) return inform(vscode.l10n.t('No chats from other tools found on this machine.'));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Copy Chats from Other Tools'),
    placeHolder: vscode.l10n.t(
      'Selected chats are copied to Threadkeeper’s folder on this machine and aren’t sent anywhere.',
    ),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (!picked) return false;
  const chosen = picked.map(({ tool }) => tool);
  await setTools(chosen);
  if (chosen.length === 0) return undefined;
  await readFirst(chats);
  return vscode.commands.executeCommand('threadkeeper.allChats.focus');
}

async function setTools(tools: readonly Tool[]): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper.sources');
  await configuration.update('tools', tools, vscode.ConfigurationTarget.Global);
}

/** Reads what the chosen tools have, and shows how far it is. */
async function readFirst(chats: AllChats): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Reading chats from other tools…'),
    cancellable: true,
  };
  await vscode.window.withProgress(options, async (progress, token) => {
    let shown = 0;
    const subscriptions = [
      token.onCancellationRequested(() => chats.library.cancel()),
      chats.onNews((news) => {
        if (news.type !== 'progress') return;
        const { done, total } = news;
        progress.report({
          message: vscode.l10n.t('{0} of {1}', done, total),
          increment: ((done - shown) * 100) / total,
        });
        shown = done;
      }),
    ];
    try {
      await chats.follow();
    } finally {
      for (const one of subscriptions) one.dispose();
    }
  });
}

/** Removes our copies of a tool's chats, and follows it no more. */
export async function forgetChats({ chats }: AllChatsApp, row?: unknown): Promise<unknown> {
  const tool = isToolRow(row) ? row.tool : await pickTool(chats);
  if (!tool) return false;
  const forget = vscode.l10n.t('Delete Copies');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the copies of all {0} chats?', TOOL_NAMES[tool]),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Threadkeeper’s copies will be permanently deleted, including copies of chats that the tool no longer has, and no more chats will be copied from the tool. The tool’s own chats aren’t affected.',
      ),
    },
    forget,
  );
  if (answer !== forget) return false;
  await setTools(readSettings().sources.tools.filter((one) => one !== tool));
  await chats.library.forget(tool);
  inform(vscode.l10n.t('Deleted the copies of {0} chats.', TOOL_NAMES[tool]));
  return undefined;
}

async function pickTool(chats: AllChats): Promise<Tool | undefined> {
  const { chats: kept, copied } = await chats.library.list();
  const items = copied.map((tool) => {
    const count = kept.filter(({ entry }) => entry.tool === tool).length;
    return { label: TOOL_NAMES[tool], description: sessionsText(count), tool };
  });
  if (items.length === 0) inform(vscode.l10n.t('No chats from other tools have been copied.'));
  else return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Delete Copied Chats') }))?.tool;
  return undefined;
}
