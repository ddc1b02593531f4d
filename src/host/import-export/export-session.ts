import * as vscode from 'vscode';
import { showInfo } from '../platform/notifications.ts';
import type { Conversation } from '../../app/conversation.ts';
import { importFile } from './import-file.ts';
import type { HostApp } from '../platform/host-app.ts';
import { countText, titleText } from '../platform/l10n.ts';
import { askWhereToSave, saveFile } from '../platform/save-file.ts';
import { readSettings } from '../platform/settings.ts';
import { yieldIfDue } from '../../core/pace/yielder.ts';
import { truncate } from '../../core/text/truncate.ts';
import type { Redactor } from '../../core/redact/redact.ts';
import type { FrontierItem } from '../../core/state/frontier.ts';
import type { SessionState } from '../../core/state/session-state.ts';

/** Imports the sample session. No model is called. */
export async function openSample(app: HostApp): Promise<void> {
  await importFile(app, vscode.Uri.joinPath(app.extensionUri, 'dist', 'sample-session.jsonl'), []);
}

/** Export formats: for reading, all messages exactly, or only decisions. */
type ExportFormat = 'markdown' | 'jsonl' | 'decisions';

/**
 * Exports the current session to a file. The name of a given file determines the format: `.jsonl`, `.decisions.md`, or
 * else Markdown. Secrets are redacted unless the setting `threadkeeper.export.maskSecrets` is false.
 */
export async function exportSession(
  { state }: Conversation,
  given: vscode.Uri | undefined,
  { clock }: Pick<HostApp, 'clock'>,
): Promise<void> {
  const destination = given ? { target: given, format: formatOf(given.path) } : await askForTarget(state.title);
  if (!destination) return;
  const redactor = readSettings().export.maskSecrets
    ? new (await import('../../core/redact/redact.ts')).Redactor()
    : undefined;
  const pieces: string[] = [];
  for (const piece of await exportPieces(state, destination.format, redactor)) {
    pieces.push(piece);
    await yieldIfDue(clock.yielder);
  }
  await saveFile(destination.target, pieces.join(''));
  showInfo(exportedText(redactor));
}

/** The text of an export in chunks. With a redactor, secrets are redacted and counted. */
async function exportPieces(
  state: SessionState,
  format: ExportFormat,
  redactor: Redactor | undefined,
): Promise<Iterable<string>> {
  const { exportedMessages, redactMessage } = await import('../../core/redact/exported-messages.ts');
  if (format === 'jsonl') {
    const { sessionToJsonl } = await import('../../core/transcript/session-jsonl.ts');
    // Redact before encoding, because JSON escapes a secret's line breaks and quotes.
    const messages = exportedMessages(state);
    return sessionToJsonl(redactor ? messages.values().map((one) => redactMessage(one, redactor)) : messages);
  }
  const messages = state.path.map((id) => state.messages.get(id)).filter((one) => one !== undefined);
  const events = [...state.events.values()].filter((event) => !state.isRemoved(event.id));
  const session = { title: titleText(state.title), messages, events };
  const pieces =
    format === 'decisions'
      ? (await import('../../core/transcript/markdown-export.ts')).decisionRecord({
          ...session,
          summaries: placedSummaries(state),
          ...(redactor && { redact: (text) => redactor.redact(text) }),
        })
      : (await import('../../core/transcript/markdown-export.ts')).sessionToMarkdown({
          ...session,
          summaries: state.frontier,
          tasks: [...state.endedTasks, ...(state.task ? [state.task] : [])],
        });
  return redactor ? pieces.map((piece) => redactor.redact(piece)) : pieces;
}

/** All summaries of the active branch at any depth, because leaves contain more reasons than their parents. */
function placedSummaries(state: SessionState): FrontierItem[] {
  return [...state.nodes.values()].flatMap((node) => {
    const span = state.spanOf(node.id);
    return span ? [{ node, ...span }] : [];
  });
}

function exportedText(redactor: Redactor | undefined): string {
  if (!redactor) return vscode.l10n.t('Session exported. Secret masking is turned off.');
  if (redactor.total === 0) return vscode.l10n.t('Session exported. No secrets were found.');
  return vscode.l10n.t('Session exported. Masked secrets: {0}.', countText(redactor.total));
}

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  markdown: '.md',
  jsonl: '.jsonl',
  decisions: '.decisions.md',
};

function formatOf(path: string): ExportFormat {
  if (path.endsWith(EXTENSIONS.jsonl)) return 'jsonl';
  return path.endsWith(EXTENSIONS.decisions) ? 'decisions' : 'markdown';
}

async function askForTarget(title: string): Promise<{ target: vscode.Uri; format: ExportFormat } | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly format: ExportFormat })[] = [
    {
      format: 'markdown',
      label: 'Markdown',
      description: vscode.l10n.t('current branch, without images'),
      detail: vscode.l10n.t('Tasks, key events, summaries, and messages'),
    },
    { format: 'jsonl', label: 'JSONL', detail: vscode.l10n.t('All messages. Can be imported again.') },
    {
      format: 'decisions',
      label: vscode.l10n.t('Decision Record'),
      description: vscode.l10n.t('pinned or from compressed messages'),
      detail: vscode.l10n.t('Decisions with status, reason, and source message'),
    },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export Session') });
  if (!picked) return undefined;
  const { format } = picked;
  const name = `${fileNameFrom(title)}${EXTENSIONS[format]}`;
  const target = await askWhereToSave(name, {
    title: vscode.l10n.t('Export Session'),
    filters: format === 'jsonl' ? { JSONL: ['jsonl'] } : { Markdown: ['md'] },
  });
  return target && { target, format };
}

function fileNameFrom(title: string): string {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return name === '' ? 'session' : truncate(name, 80);
}
