import * as vscode from 'vscode';
import { countText, formatCounted, locale, messagesText, roleName, translated } from '../platform/l10n.ts';
import type { TranscriptFormat } from '../../core/transcript/transcript-message.ts';
import type { HostApp } from '../platform/host-app.ts';
import { withCancellableProgress, showInfo } from '../platform/notifications.ts';
import {
  exportedBatches,
  fileName,
  scanTranscript,
  transcriptBatches,
  type ImportPreview,
  type ImportProgress,
} from './transcript-batches.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import { messageId, type MessageId } from '../../core/model/ids.ts';
import type { Message } from '../../core/model/message.ts';
import type { SessionJournal } from '../../app/ports.ts';
import { transcribedMessage } from '../../app/user-message.ts';
import { changeSession, modelSelectedEvents } from '../sessions/session-changes.ts';

/** Imports a transcript into a new session and shows it. Without `given`, the user selects and confirms one. */
export async function importFile(
  app: HostApp,
  given?: vscode.Uri,
  model = modelSelectedEvents(app.sessions.current?.state),
): Promise<void> {
  const uri = given ?? (await askForFile());
  if (!uri) return;
  const preview = await withProgress(vscode.l10n.t('Reading {0}…', fileName(uri)), (watch) =>
    scanTranscript(uri, watch),
  );
  const canceled = vscode.l10n.t('Import was canceled. Nothing was imported.');
  if (!preview || (!given && !(await confirmImport(uri, preview)))) return showInfo(canceled);
  const messages = await withProgress(vscode.l10n.t('Importing transcript…'), (watch) =>
    importPreviewed(app, uri, preview, watch, model),
  );
  if (messages === undefined) return showInfo(canceled);
  app.panel.open();
  showInfo(importedText(messages, skippedText(preview)));
}

function importedText(messages: number, skipped: string): string {
  if (skipped === '') return formatCounted(messages, 'Imported 1 message.', 'Imported {0} messages.');
  return messages === 1
    ? vscode.l10n.t('Imported 1 message. Skipped: {0}.', skipped)
    : vscode.l10n.t('Imported {0} messages. Skipped: {1}.', countText(messages), skipped);
}

const withProgress = <T>(title: string, work: (watch: ImportProgress) => Promise<T>): Promise<T | undefined> =>
  withCancellableProgress(title, (signal, report) =>
    work({ isCancelled: () => signal.aborted, report: (share, messages) => report(share, messagesText(messages)) }),
  );

type Row = vscode.QuickPickItem & { readonly isImport?: boolean };

async function confirmImport(uri: vscode.Uri, preview: ImportPreview): Promise<boolean> {
  const { from, to } = preview;
  const rows: Row[] = [
    {
      label: `$(cloud-download) ${formatCounted(preview.messages, 'Import 1 Message', 'Import {0} Messages')}`,
      description: formatName(preview.format),
      detail: [
        ...Array.from(preview.roles, ([role, count]) => `${countText(count)} × ${roleName(role)}`),
        ...(from !== undefined && to !== undefined ? [new Intl.DateTimeFormat(locale()).formatRange(from, to)] : []),
        ...(preview.isExact ? [vscode.l10n.t('all messages, exactly as exported')] : []),
      ].join(' · '),
      isImport: true,
    },
    ...(preview.skipped.length > 0
      ? [{ label: `$(warning) ${vscode.l10n.t('Skipped')}`, detail: skippedText(preview) }]
      : []),
    { label: vscode.l10n.t('First messages'), kind: vscode.QuickPickItemKind.Separator },
    ...preview.first.map(({ role, text }) => ({ label: roleName(role), detail: text })),
  ];
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Import {0}', fileName(uri)),
    placeHolder: vscode.l10n.t('Review the preview and select Import to continue'),
  });
  return picked?.isImport === true;
}

function skippedText({ skipped }: ImportPreview): string {
  return skipped.map(({ reason, count }) => `${count} × ${translated(reason)}`).join(', ');
}

const formatName = (format: TranscriptFormat): string =>
  ({
    messages: vscode.l10n.t('messages with role and content'),
    'vscode-chat': vscode.l10n.t('VS Code chat'),
    aider: 'aider',
    specstory: 'SpecStory',
    'claude-code': 'Claude Code',
    codex: 'Codex',
    copilot: 'GitHub Copilot',
    gemini: 'Gemini CLI',
    qwen: 'Qwen Code',
    continue: 'Continue',
    chatgpt: 'ChatGPT',
    threadkeeper: 'Threadkeeper',
  })[format];

async function askForFile(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import Transcript'),
    filters: { [vscode.l10n.t('Transcripts')]: ['jsonl', 'json', 'md'], [vscode.l10n.t('All Files')]: ['*'] },
  });
  return picked?.[0];
}

/**
 * Imports a previewed file into a new session in batches; undefined if canceled. A canceled or failed import leaves no
 * session. Throws `TranscriptError` and `StoreFault`.
 */
export async function importPreviewed(
  app: Pick<HostApp, 'sessions' | 'store' | 'clock' | 'modelChanged'>,
  uri: vscode.Uri,
  preview: ImportPreview,
  watch: ImportProgress,
  model: readonly SessionEvent[] = [],
): Promise<number | undefined> {
  if (watch.isCancelled()) return undefined;
  const batches = preview.isExact ? exportedBatches(uri) : newMessages(app, uri);
  const report: ImportProgress['report'] = (_, messages) => watch.report(messages / preview.messages, messages);
  return importMessages(app, titleOf(uri, preview), batches, { ...watch, report }, model);
}

/** The file's name without its extension, or the folder's name for aider, whose histories all have the same name. */
function titleOf(uri: vscode.Uri, { format }: ImportPreview): string {
  const name = fileName(uri);
  if (format === 'aider' && name.startsWith('.')) return fileName(vscode.Uri.joinPath(uri, '..')) || name;
  return name.replace(/\.[a-z0-9]+$/i, '');
}

/**
 * Imports messages into a new session in batches; undefined if canceled, for example by opening another session. A
 * canceled or failed import leaves no session. Throws `StoreFault`.
 */
export async function importMessages(
  app: Pick<HostApp, 'sessions' | 'store' | 'modelChanged'>,
  title: string,
  batches: AsyncIterable<{ readonly messages: readonly Message[] }>,
  watch: ImportProgress,
  model: readonly SessionEvent[],
): Promise<number | undefined> {
  const previous = app.sessions.current?.journal;
  const conversation = await app.sessions.create(title);
  let count = 0;
  let isComplete = false;
  try {
    if (model.length > 0) {
      await conversation.journal.append(...model);
      await app.modelChanged();
    }
    isComplete = await conversation.import(async () => {
      for await (const { messages } of batches) {
        // Opening another session closes this one.
        if (watch.isCancelled() || app.sessions.current !== conversation) return false;
        await conversation.journal.append(...messages.map((message) => ({ type: 'message_added', message }) as const));
        count += messages.length;
        watch.report(0, count);
      }
      return true;
    });
  } finally {
    if (!isComplete) await discardImport(app, conversation, previous);
  }
  return isComplete ? count : undefined;
}

/** Deletes the new session, and shows the previous one again. */
async function discardImport(
  app: Pick<HostApp, 'sessions' | 'store'>,
  conversation: Conversation,
  previous: SessionJournal | undefined,
): Promise<void> {
  const deletion = { type: 'session_deleted', deleted: true } as const;
  if (app.sessions.current !== conversation) return changeSession(app, conversation.journal.id, deletion);
  await conversation.journal.append(deletion);
  if (previous === undefined) await app.sessions.close(conversation);
  // A chat from another tool has no journal file that could be opened.
  else await (previous.isExternal === true ? app.sessions.show(previous) : app.sessions.open(previous.id));
}

async function* newMessages(app: Pick<HostApp, 'clock'>, uri: vscode.Uri): AsyncGenerator<{ messages: Message[] }> {
  const now = app.clock.now();
  let parent: MessageId | null = null;
  for await (const { messages } of transcriptBatches(uri)) {
    const batch: Message[] = [];
    for (const one of messages) {
      const message = transcribedMessage(one, { id: messageId(app.clock.id()), parent, at: one.at ?? now });
      parent = message.id;
      batch.push(message);
    }
    yield { messages: batch };
  }
}
