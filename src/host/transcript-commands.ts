import * as vscode from 'vscode';
import { importTranscript } from './transcript-import.ts';
import type { Product } from './product.ts';
import { TranscriptError } from '../core/transcript/transcript-message.ts';

/** Where the sample session lies in the demo workspace. */
const SAMPLE = 'sample-session.jsonl';

/** Reads a transcript into a new session and shows it. */
export async function importFile(app: Product, given?: vscode.Uri): Promise<void> {
  const uri = given ?? (await askForFile());
  if (!uri) return;
  const result = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Importing the transcript'),
      cancellable: true,
    },
    (progress, token) => importTranscript(uri, app.sessions, () => app.clock.id(), progress, token),
  );
  if (!result) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The import was cancelled; nothing was kept of it.'));
    return;
  }
  app.panel.open();
  const left = result.skipped.map(({ reason, count }) => `${count} × ${reason}`).join(', ');
  void vscode.window.showInformationMessage(
    left === ''
      ? vscode.l10n.t('Imported {0} messages.', result.messages)
      : vscode.l10n.t('Imported {0} messages; left out: {1}.', result.messages, left),
  );
}

/** Imports the sample session of the demo workspace. */
export async function openSample(app: Product): Promise<void> {
  const [found] = await vscode.workspace.findFiles(`**/${SAMPLE}`, null, 1);
  if (!found)
    throw new TranscriptError(
      vscode.l10n.t('There is no sample session in this workspace; import a transcript of your own instead.'),
    );
  await importFile(app, found);
}

/** Writes the current session as JSONL (every event, byte for byte) or as Markdown for people. */
export async function exportSession(app: Product): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const { state } = conversation;
  const messages = state.path.map((id) => state.messages.get(id)).filter((one) => one !== undefined);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Session'),
    filters: { Markdown: ['md'], JSONL: ['jsonl'] },
  });
  if (!target) return;
  const pieces = target.path.endsWith('.md')
    ? (await import('../core/transcript/markdown-export.ts')).sessionToMarkdown({ title: state.title, messages })
    : (await import('../core/transcript/session-jsonl.ts')).sessionToJsonl(messages);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode([...pieces].join('')));
  void vscode.window.showInformationMessage(vscode.l10n.t('Exported {0} messages.', messages.length));
}

async function askForFile(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import Transcript'),
    filters: { [vscode.l10n.t('Transcripts')]: ['jsonl', 'json', 'md'], [vscode.l10n.t('All files')]: ['*'] },
  });
  return picked?.[0];
}
