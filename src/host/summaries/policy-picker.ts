import * as vscode from 'vscode';
import { POLICY_NAMES, type PolicyName } from '../../core/policy/policy.ts';
import type { SummariesApp } from './summaries-app.ts';
import { chosenPolicy, readSettings } from '../platform/settings.ts';

type Item = vscode.QuickPickItem & { readonly policy?: PolicyName };

/** Chooses by which rules this session compresses; the session remembers it, others keep what the settings say. */
export async function choosePolicy(app: SummariesApp): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const now = chosenPolicy(readSettings(), conversation.state);
  const policies = POLICY_NAMES.map((policy): Item => {
    const chosen = policy === now ? { description: vscode.l10n.t('current') } : {};
    return { label: policy, detail: about(policy), policy, ...chosen };
  });
  const separator: Item = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const settings: Item = { label: vscode.l10n.t('Customize thresholds in Settings…') };
  const title = vscode.l10n.t('Select Compression Policy');
  const picked = await vscode.window.showQuickPick([...policies, separator, settings], { title });
  if (!picked) return;
  if (picked.policy === undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'threadkeeper.compression');
    return;
  }
  await conversation.journal.append({ type: 'policy_selected', policy: picked.policy });
}

function about(policy: PolicyName): string {
  switch (policy) {
    case 'balanced':
      return vscode.l10n.t(
        'Compresses in the background at 70% of the context budget or 24 hours after the last summary. Keeps the 10 most recent messages.',
      );
    case 'steady':
      return vscode.l10n.t(
        'Compresses every 10 messages into summaries of two to three sentences. Keeps the 10 most recent messages.',
      );
    case 'frugal':
      return vscode.l10n.t(
        'Compresses when there are more than 8,000 uncompressed tokens or 50 uncompressed messages. Keeps the 12 most recent messages.',
      );
    case 'long-memory':
      return vscode.l10n.t(
        'Compresses in the background at 80% of the context budget. Writes summaries of up to 500 words and keeps the 3 most recent messages.',
      );
  }
}
