import * as vscode from 'vscode';
import { countText, locale, messagesText } from '../platform/l10n.ts';
import { translated } from '../platform/translated.ts';
import type { TranscriptFormat } from '../../core/transcript/transcript-message.ts';
import { inform } from '../platform/inform.ts';
import type { ImportApp } from './import-app.ts';
import { bringIn } from './bring-in.ts';
import { fileName } from './file-text.ts';
import { scanTranscript, type ImportPreview, type Watch } from './scan.ts';

/**
 * Reads a transcript into a new session and shows it. A file that the user chooses is looked through first, and what
 * would come in is shown; a given one comes in at once.
 */
export async function importFile(app: ImportApp, given?: vscode.Uri): Promise<void> {
  const uri = given ?? (await askForFile());
  if (!uri) return;
  const preview = await withProgress(vscode.l10n.t('Searching {0}…', fileName(uri)), (watch) =>
    scanTranscript(uri, watch),
  );
  if (!preview || (!given && !(await isWanted(uri, preview)))) return cancelled();
  const messages = await withProgress(vscode.l10n.t('Importing transcript…'), (watch) =>
    bringIn(app, uri, preview, watch),
  );
  if (messages === undefined) return cancelled();
  app.panel.open();
  const left = leftOut(preview);
  inform(imported(messages, left));
}

function imported(messages: number, left: string): string {
  if (messages === 1)
    return left === ''
      ? vscode.l10n.t('Imported 1 message.')
      : vscode.l10n.t('Imported 1 message. Skipped: {0}.', left);
  return left === ''
    ? vscode.l10n.t('Imported {0} messages.', countText(messages))
    : vscode.l10n.t('Imported {0} messages. Skipped: {1}.', countText(messages), left);
}

function cancelled(): void {
  inform(vscode.l10n.t('Import was canceled. Nothing was imported.'));
}

function withProgress<T>(title: string, work: (watch: Watch) => Promise<T>): Promise<T> {
  return Promise.resolve(
    vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, token) => {
        let shown = 0;
        return work({
          isCancelled: () => token.isCancellationRequested,
          report: (share, messages) => {
            progress.report({
              message: messagesText(messages),
              increment: (share - shown) * 100,
            });
            shown = share;
          },
        });
      },
    ),
  );
}

type Row = vscode.QuickPickItem & { readonly isImport?: boolean };

/** Shows what would come in. True when the user agrees. */
async function isWanted(uri: vscode.Uri, preview: ImportPreview): Promise<boolean> {
  const date = (at: number): string => new Date(at).toLocaleDateString(locale());
  const { from, to } = preview;
  const rows: Row[] = [
    {
      label: `$(cloud-download) ${preview.messages === 1 ? vscode.l10n.t('Import 1 message') : vscode.l10n.t('Import {0} messages', countText(preview.messages))}`,
      description: formatName(preview.format),
      detail: [
        ...Array.from(preview.roles, ([role, count]) => `${countText(count)} × ${role}`),
        ...(from !== undefined && to !== undefined ? [`${date(from)} – ${date(to)}`] : []),
        ...(preview.kind === 'exact' ? [vscode.l10n.t('all messages, exactly as exported')] : []),
      ].join(' · '),
      isImport: true,
    },
    ...(preview.skipped.length > 0
      ? [{ label: `$(warning) ${vscode.l10n.t('Skipped')}`, detail: leftOut(preview) }]
      : []),
    { label: vscode.l10n.t('First messages'), kind: vscode.QuickPickItemKind.Separator },
    ...preview.first.map(({ role, text }) => ({ label: role, detail: text })),
  ];
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Import {0}', fileName(uri)),
    placeHolder: vscode.l10n.t('Preview. Select the first item to import.'),
  });
  return picked?.isImport === true;
}

function leftOut({ skipped }: ImportPreview): string {
  return skipped.map(({ reason, count }) => `${count} × ${translated(reason)}`).join(', ');
}

function formatName(format: TranscriptFormat): string {
  switch (format) {
    case 'messages':
      return vscode.l10n.t('messages with role and content');
    case 'vscode-chat':
      return vscode.l10n.t('VS Code chat');
    case 'aider':
      return 'aider';
    case 'specstory':
      return 'SpecStory';
    case 'claude-code':
      return 'Claude Code';
    case 'codex':
      return 'Codex';
    case 'copilot':
      return 'GitHub Copilot';
    case 'gemini':
      return 'Gemini CLI';
    case 'qwen':
      return 'Qwen Code';
    case 'continue':
      return 'Continue';
    case 'chatgpt':
      return 'ChatGPT';
    case 'threadkeeper':
      return 'Threadkeeper';
  }
}

async function askForFile(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import Transcript'),
    filters: { [vscode.l10n.t('Transcripts')]: ['jsonl', 'json', 'md'], [vscode.l10n.t('All files')]: ['*'] },
  });
  return picked?.[0];
}
