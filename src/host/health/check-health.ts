import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { HostApp } from '../platform/host-app.ts';
import { formatCounted } from '../platform/l10n.ts';
import { showInfo } from '../platform/notifications.ts';
import { ModelFault } from '../../app/fault.ts';
import {
  countProblems,
  renderHealth,
  type HealthFacts,
  type JournalHealth,
  type ProviderState,
} from '../../app/health-report.ts';
import { errorCode } from '../../core/text/error-details.ts';
import { journalPath } from '../../storage/session-store.ts';
import { verifyJournal } from '../../storage/verify-journal.ts';
import { testKey } from '../models/key-commands.ts';
import type { WorkspaceMemory } from '../memory/workspace-memory.ts';
import { isKeyed } from '../models/keys.ts';
import type { ModelsApp } from '../models/models.ts';
import { checkSettings, isSet, SettingsError } from '../platform/settings.ts';

export interface HealthApp extends HostApp, ModelsApp {
  readonly documentPanel: { openText(title: string, text: string): void };
  readonly memory: WorkspaceMemory;
  readonly memoryFolder: string;
  readonly snapshots: { status(): HealthFacts['snapshots'] };
}

/** Checks sessions, settings, provider, and memory, and shows a report that users can attach to bug reports. */
export async function checkHealth(app: HealthApp): Promise<void> {
  const facts = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Checking sessions, settings, and provider…'),
    },
    () => gatherHealth(app),
  );
  app.documentPanel.openText(vscode.l10n.t('Health Report'), renderHealth(facts));
  const problems = countProblems(facts);
  showInfo(
    problems === 0
      ? vscode.l10n.t('No problems found.')
      : formatCounted(
          problems,
          'Found 1 problem. See the report for details.',
          'Found {0} problems. See the report for details.',
        ),
  );
}

export async function gatherHealth(app: HealthApp): Promise<HealthFacts> {
  const { provider, model } = app.chosenModel();
  return {
    versions: versions(),
    journals: await journals(app),
    snapshots: app.snapshots.status(),
    quarantined: await countQuarantined(app.folder),
    settings: await settingsHealth(),
    provider: { name: provider, model, state: await providerState(app) },
    memory: await memoryHealth(app),
  };
}

function versions(): Readonly<Record<string, string>> {
  const extension = vscode.extensions.getExtension('threadkeeper.threadkeeper')?.packageJSON as
    { version?: string } | undefined;
  return {
    Threadkeeper: extension?.version ?? '',
    editor: `${vscode.env.appName} ${vscode.version}`,
    host: `${vscode.env.appHost}${vscode.env.remoteName === undefined ? '' : `, ${vscode.env.remoteName}`}`,
    system: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
    language: vscode.env.language,
  };
}

async function memoryHealth({ memory, memoryFolder }: HealthApp): Promise<HealthFacts['memory']> {
  const fault = await memory.load().then(
    () => undefined,
    // The message contains the path.
    (error: unknown) => (error instanceof Error && errorCode(error.cause)) || 'unforeseen',
  );
  return { entries: memory.entries.length, quarantined: await countQuarantined(memoryFolder), fault };
}

async function journals(app: HealthApp): Promise<JournalHealth[]> {
  const current = app.sessions.current?.journal.id;
  const health: JournalHealth[] = [];
  for (const { id, bytes, messages } of await app.store.list()) {
    health.push({ id, bytes, messages, isCurrent: id === current, fault: await journalFault(app.folder, id) });
  }
  return health;
}

async function journalFault(folder: string, id: Parameters<typeof journalPath>[1]): Promise<string | undefined> {
  const path = journalPath(folder, id);
  if (path === undefined) return 'no path';
  try {
    const verified = await verifyJournal(path);
    return verified.ok ? undefined : `line ${verified.line}: ${verified.fault}`;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code;
  }
}

async function countQuarantined(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /\.(damaged|torn-|unreadable-)/.test(name)).length;
}

async function settingsHealth(): Promise<HealthFacts['settings']> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  const groups = Object.entries(configuration).filter(([, value]) => typeof value === 'object' && value !== null);
  const changed = groups.flatMap(([group, values]) =>
    Object.keys(values as object)
      .map((name) => `${group}.${name}`)
      .filter(isSet),
  );
  // A message about a setting may contain the user's text, such as the pattern of a rule.
  const fault = await checkSettings().then(
    () => undefined,
    (error: unknown) => (error instanceof SettingsError ? `invalid: ${error.place}` : String(error)),
  );
  return { fault, changed };
}

async function providerState(app: HealthApp): Promise<ProviderState> {
  const chosen = app.chosenModel();
  if (!(await app.models.isReady(chosen))) return { kind: 'no_key' };
  const { provider, baseUrl } = chosen;
  if (!isKeyed(provider)) return { kind: 'ready' };
  try {
    await testKey(app, { provider, baseUrl });
    return { kind: 'ready' };
  } catch (error) {
    return { kind: 'fault', reason: ModelFault.is(error) ? error.reason : 'unforeseen' };
  }
}
