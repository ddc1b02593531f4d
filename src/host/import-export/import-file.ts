import * as vscode from 'vscode';
import {
  dateText,
  dateRangeText,
  countText,
  formatCounted,
  itemText,
  messagesText,
  roleName,
  translated,
} from '../platform/l10n.ts';
import { addSkipped, type Skipped } from '../../core/transcript/skipped-content.ts';
import type {
  TranscriptConversation,
  TranscriptFormat,
  TranscriptMessage,
} from '../../core/transcript/transcript-message.ts';
import type { HostApp } from '../platform/host-app.ts';
import { withCancellableProgress, showInfo } from '../platform/notifications.ts';
import {
  exportedBatches,
  fileName,
  inBatches,
  readConversations,
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
import { sessionTitleFrom } from '../../app/session-title.ts';
import { transcribedMessage } from '../../app/user-message.ts';
import { changeSession, modelSelectedEvents } from '../platform/session-changes.ts';

/**
 * Imports a transcript into a new session and shows it. Without `given`, the user selects and confirms one. If it has
 * several conversations, the user selects which of them become sessions.
 */
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
  if (!preview) return showInfo(canceled);
  if (preview.conversations.length > 1) {
    const selected = await selectConversations(uri, preview.conversations);
    const imported = await withProgress(vscode.l10n.t('Importing transcript…'), (watch) =>
      importConversations(app, uri, preview.conversations, selected, watch, model),
    );
    if (imported === undefined || imported.length === 0) return showInfo(canceled);
    app.panel.open();
    return showInfo(importedConversationsText(imported, selected.size));
  }
  if (!given && !(await confirmImport(uri, preview))) return showInfo(canceled);
  const messages = await withProgress(vscode.l10n.t('Importing transcript…'), (watch) =>
    importPreviewed(app, uri, preview, watch, model),
  );
  if (messages === undefined) return showInfo(canceled);
  app.panel.open();
  showInfo(importedText(messages, skippedText(preview.skipped)));
}

function importedConversationsText(imported: readonly TranscriptConversation[], selected: number): string {
  const messages = imported.reduce((sum, one) => sum + one.messages, 0);
  const skipped = skippedText(addSkipped(imported.flatMap((one) => one.skipped)));
  if (selected === 1) return importedText(messages, skipped);
  // Fewer than selected if the import was canceled.
  const sessionCount = [...new Set([imported.length, selected])].map(countText).join('/');
  const messageCount = countText(messages);
  return skipped === ''
    ? vscode.l10n.t('Imported sessions: {0}. Messages: {1}.', sessionCount, messageCount)
    : vscode.l10n.t('Imported sessions: {0}. Messages: {1}. Skipped: {2}.', sessionCount, messageCount, skipped);
}

function importedText(messages: number, skipped: string): string {
  if (skipped === '') return formatCounted(messages, 'Imported 1 message.', 'Imported {0} messages.');
  return messages === 1
    ? vscode.l10n.t('Imported 1 message. Skipped: {0}.', skipped)
    : vscode.l10n.t('Imported {0} messages. Skipped: {1}.', countText(messages), skipped);
}

type ImportApp = Pick<HostApp, 'sessions' | 'store' | 'clock' | 'modelChanged'>;
type TranscriptBatch = { readonly messages: readonly TranscriptMessage[] };

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
        ...(from !== undefined && to !== undefined ? [dateRangeText(from, to)] : []),
        ...(preview.isExact ? [vscode.l10n.t('all messages, exactly as exported')] : []),
      ].join(' · '),
      isImport: true,
    },
    ...(preview.skipped.length > 0
      ? [{ label: `$(warning) ${vscode.l10n.t('Skipped')}`, detail: skippedText(preview.skipped) }]
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

const skippedText = (skipped: readonly Skipped[]): string =>
  skipped.map(({ reason, count }) => `${count} × ${translated(reason)}`).join(', ');

/** Lets the user select conversations of a file, listed newest first. Returns none if canceled. */
async function selectConversations(
  uri: vscode.Uri,
  conversations: readonly TranscriptConversation[],
): Promise<ReadonlySet<TranscriptConversation>> {
  const items = conversations
    .filter(({ messages }) => messages > 0)
    .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
    .map((conversation) => ({
      label: itemText(titleOf(uri, 'chatgpt', conversation.title)),
      description: [
        ...(conversation.at === undefined ? [] : [dateText(conversation.at)]),
        messagesText(conversation.messages),
      ].join(' · '),
      conversation,
    }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Import {0}', fileName(uri)),
    placeHolder: vscode.l10n.t('Select conversations to import, each as a session'),
    canPickMany: true,
    matchOnDescription: true,
  });
  return new Set(picked?.map(({ conversation }) => conversation));
}

/** Imports each selected conversation into a new session. Returns those imported before it's canceled. */
async function importConversations(
  app: ImportApp,
  uri: vscode.Uri,
  conversations: readonly TranscriptConversation[],
  selected: ReadonlySet<TranscriptConversation>,
  watch: ImportProgress,
  model: readonly SessionEvent[],
): Promise<readonly TranscriptConversation[]> {
  const imported: TranscriptConversation[] = [];
  if (selected.size === 0) return imported;
  const total = [...selected].reduce((sum, { messages }) => sum + messages, 0);
  const messages = await readConversations(uri, conversations, watch);
  if (!messages) return imported;
  let done = 0;
  for (const [index, conversation] of conversations.entries()) {
    if (!selected.has(conversation)) continue;
    const before = done;
    const report: ImportProgress['report'] = (_, count) => {
      done = before + count;
      watch.report(done / total, done);
    };
    const title = titleOf(uri, 'chatgpt', conversation.title);
    const batches = newMessages(app, inBatches(messages[index]!, 1));
    const { count, isCanceled } = await importBatches(app, title, batches, { ...watch, report }, model);
    if (count === undefined) break;
    imported.push(conversation);
    // It was finished although it was canceled, because the user had sent a message into it or nothing was missing.
    if (isCanceled) break;
  }
  return imported;
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
  app: ImportApp,
  uri: vscode.Uri,
  preview: ImportPreview,
  watch: ImportProgress,
  model: readonly SessionEvent[] = [],
): Promise<number | undefined> {
  if (watch.isCancelled()) return undefined;
  const batches = preview.isExact ? exportedBatches(uri) : newMessages(app, transcriptBatches(uri));
  const report: ImportProgress['report'] = (_, messages) => watch.report(messages / preview.messages, messages);
  const title = titleOf(uri, preview.format, preview.title);
  return importMessages(app, title, batches, { ...watch, report }, model);
}

/**
 * The chat's title. Otherwise, the file's name without its extension, or the folder's name for aider, whose
 * histories all have the same name.
 */
function titleOf(uri: vscode.Uri, format: TranscriptFormat, given = ''): string {
  const title = sessionTitleFrom(given);
  if (title !== '') return title;
  const name = fileName(uri);
  if (format === 'aider' && name.startsWith('.')) return fileName(vscode.Uri.joinPath(uri, '..')) || name;
  return name.replace(/\.[a-z0-9]+$/i, '');
}

/**
 * Imports messages into a new session in batches; undefined if canceled, for example by opening another session. A
 * canceled or failed import leaves no session, unless the user has sent a message into it. Throws `StoreFault`.
 */
export async function importMessages(...args: Parameters<typeof importBatches>): Promise<number | undefined> {
  return (await importBatches(...args)).count;
}

async function importBatches(
  app: Pick<HostApp, 'sessions' | 'store' | 'modelChanged'>,
  title: string,
  batches: AsyncIterable<{ readonly messages: readonly Message[] }>,
  watch: ImportProgress,
  model: readonly SessionEvent[],
): Promise<{ readonly count: number | undefined; readonly isCanceled: boolean }> {
  const previous = app.sessions.current?.journal;
  // Must be true during the import and also after this process was killed, when messages are missing.
  const importingTitle = vscode.l10n.t('Importing (incomplete if interrupted): {0}', title);
  const conversation = await app.sessions.create(importingTitle);
  // Opening another session closes this one.
  const isCanceled = (): boolean => watch.isCancelled() || app.sessions.current !== conversation;
  const setTitle = async (): Promise<void> => {
    // The user may have renamed it meanwhile.
    if (conversation.state.title === importingTitle)
      await changeSession(app, conversation.journal.id, { type: 'session_renamed', title });
  };
  let modelShown: Promise<void> | undefined;
  let count = 0;
  let isComplete = false;
  try {
    isComplete = await conversation.import(async () => {
      if (model.length > 0) {
        await conversation.journal.append(...model);
        // Awaited below: it may wait until this session is closed, and so for the user's message and for this import.
        modelShown = app.modelChanged();
        modelShown.catch(() => undefined);
      }
      for await (const { messages } of batches) {
        // A message that the user has sent meanwhile must not be lost, so the import is finished.
        if (isCanceled() && !conversation.isReplying) return false;
        await conversation.journal.append(...messages.map((message) => ({ type: 'message_added', message }) as const));
        count += messages.length;
        watch.report(0, count);
      }
      // Before the messages are counted, because this process may be killed meanwhile.
      if (app.sessions.current === conversation) await setTitle();
      return true;
    });
    if (isComplete) await setTitle();
    await modelShown;
  } finally {
    if (!isComplete && !conversation.isReplying) await discardImport(app, conversation, previous);
  }
  return { count: isComplete ? count : undefined, isCanceled: isCanceled() };
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

async function* newMessages(
  app: Pick<HostApp, 'clock'>,
  batches: AsyncIterable<TranscriptBatch> | Iterable<TranscriptBatch>,
): AsyncGenerator<{ messages: Message[] }> {
  const now = app.clock.now();
  let parent: MessageId | null = null;
  for await (const { messages } of batches) {
    const batch: Message[] = [];
    for (const one of messages) {
      const message = transcribedMessage(one, { id: messageId(app.clock.id()), parent, at: one.at ?? now });
      parent = message.id;
      batch.push(message);
    }
    yield { messages: batch };
  }
}
