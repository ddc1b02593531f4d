import * as vscode from 'vscode';
import { showInfo, showInfoWithAction } from '../platform/notifications.ts';
import type { HostApp } from '../platform/host-app.ts';
import {
  memoryCandidates,
  memoryLine,
  memoryMarkdown,
  memoryProposals,
  type MemoryEntry,
} from '../../core/memory/memory.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import { KEY_EVENT_KINDS, type KeyEvent } from '../../core/model/key-event.ts';
import { Redactor } from '../../core/redact/redact.ts';
import { withSpeaker } from '../../core/text/speakers.ts';
import { kindHeading, kindName } from '../platform/key-event-kinds.ts';
import { formatCounted, itemText } from '../platform/l10n.ts';
import { askWhereToSave, saveFile } from '../platform/save-file.ts';
import { readSettings } from '../platform/settings.ts';
import type { WorkspaceMemory } from './workspace-memory.ts';

export interface MemoryApp extends Pick<HostApp, 'sessions'> {
  readonly memory: WorkspaceMemory;
}

export async function rememberEvent(app: MemoryApp, row: unknown): Promise<void> {
  if (isEventRow(row)) await addEvents(app, [row.event]);
}

export async function rememberEvents(app: MemoryApp): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  await app.memory.load();
  const candidates = memoryCandidates(eventsOnBranch(conversation.state), app.memory.entries);
  if (candidates.length === 0) {
    showInfo(
      vscode.l10n.t(
        'No new decisions, preferences, constraints, configuration, or facts to save. They’re detected when messages are compressed.',
      ),
    );
    return;
  }
  await addEvents(app, await pick(candidates));
}

/** After a task, proposes to save its key events to the workspace memory. Each event is proposed once. */
export async function proposeMemory(app: MemoryApp, proposed: Set<string>): Promise<void> {
  const state = app.sessions.current?.state;
  if (!state) return;
  await app.memory.load();
  const candidates = memoryCandidates(eventsOnBranch(state), app.memory.entries, 'proposed').filter(
    ({ id }) => !proposed.has(id),
  );
  if (candidates.length === 0) return;
  for (const { id } of candidates) proposed.add(id);
  const proposals = memoryProposals(candidates);
  const text = formatCounted(
    proposals.length,
    '1 preference, constraint, or fact in this session may be useful in every session. Save it to workspace memory?',
    '{0} preferences, constraints, or facts in this session may be useful in every session. Save them to workspace memory?',
  );
  await showInfoWithAction(text, vscode.l10n.t('Select…'), async () => addEvents(app, await pick(proposals)));
}

async function pick(candidates: readonly KeyEvent[]): Promise<readonly KeyEvent[]> {
  const items = candidates.map((event) => ({
    label: itemText(withSpeaker(event.speaker, event.quote), 500),
    description: kindName(event.kind),
    event,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Save to Workspace Memory'),
    placeHolder: vscode.l10n.t(
      'Select what to send with requests in this workspace. The newest take priority within the token limit.',
    ),
    canPickMany: true,
    matchOnDescription: true,
  });
  return picked?.map(({ event }) => event) ?? [];
}

async function addEvents(app: MemoryApp, events: readonly KeyEvent[]): Promise<void> {
  if (events.length === 0) return;
  reportAdded(
    await app.memory.add(events.map(({ kind, quote, speaker }) => ({ kind, text: withSpeaker(speaker, quote) }))),
  );
}

export async function rememberText({ memory }: Pick<MemoryApp, 'memory'>, text: string): Promise<void> {
  reportAdded(await memory.add([{ kind: 'fact', text }]));
}

function reportAdded(count: number): void {
  if (count === 0) showInfo(vscode.l10n.t('This is already in the workspace memory.'));
  else showInfo(formatCounted(count, 'Added 1 memory.', 'Added {0} memories.'));
}

export async function addMemory(app: MemoryApp): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add to Memory'),
    prompt: vscode.l10n.t('What should Threadkeeper remember in this workspace?'),
    ignoreFocusOut: true,
  });
  if (text === undefined || text.trim() === '') return;
  const items = KEY_EVENT_KINDS.map((kind) => ({ label: kindName(kind), of: kind }));
  // If this list closed, the text would be lost.
  const options = { title: vscode.l10n.t('Select Memory Kind'), ignoreFocusOut: true };
  const picked = await vscode.window.showQuickPick(items, options);
  if (picked) reportAdded(await app.memory.add([{ kind: picked.of, text }]));
}

export async function editMemory(app: MemoryApp, row: unknown): Promise<void> {
  if (!isMemoryRow(row)) return;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Edit Memory'),
    value: row.text,
    ignoreFocusOut: true,
  });
  if (text !== undefined && text.trim() !== '') await app.memory.put({ ...row, text: memoryLine(text) });
}

export async function forgetMemory(app: MemoryApp, row: unknown): Promise<void> {
  if (!isMemoryRow(row)) return;
  await app.memory.remove(row.id);
  await showInfoWithAction(vscode.l10n.t('Removed from memory.'), vscode.l10n.t('Undo'), () => app.memory.put(row));
}

/** Exports the memory as Markdown; proposes the workspace folder if no file is given. */
export async function exportMemory(app: MemoryApp, target?: vscode.Uri): Promise<void> {
  await app.memory.load();
  if (app.memory.entries.length === 0) {
    showInfo(vscode.l10n.t('There are no memories to export.'));
    return;
  }
  const options = { title: vscode.l10n.t('Export Memory'), filters: { Markdown: ['md'] } };
  const uri = target ?? (await askWhereToSave('MEMORY.md', options));
  if (!uri) return;
  const body = `# ${vscode.l10n.t('Memory')}\n\n${memoryMarkdown(app.memory.entries, kindHeading)}`;
  const text = readSettings().export.maskSecrets ? new Redactor().redact(body) : body;
  await saveFile(uri, text);
  await vscode.window.showTextDocument(uri);
}

function isEventRow(row: unknown): row is { readonly event: KeyEvent } {
  return typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'event' && 'event' in row;
}

function isMemoryRow(row: unknown): row is MemoryEntry {
  return typeof row === 'object' && row !== null && 'id' in row && 'text' in row && typeof row.text === 'string';
}
