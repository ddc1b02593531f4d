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
    const chosen = policy === now ? { description: vscode.l10n.t('in force') } : {};
    return { label: policy, detail: about(policy), policy, ...chosen };
  });
  const separator: Item = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const settings: Item = { label: vscode.l10n.t('Change its figures in the settings…') };
  const title = vscode.l10n.t('When does this session compress?');
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
      return vscode.l10n.t('At 75 % of the budget, above 50 messages, after 24 hours; keeps the newest 10 messages.');
    case 'steady':
      return vscode.l10n.t('Every 10 messages, into two or three sentences each time.');
    case 'frugal':
      return vscode.l10n.t('Above 8,000 tokens or 50 messages; keeps the newest 12 messages.');
    case 'long-memory':
      return vscode.l10n.t('At 80 % of the budget, into long summaries; keeps the newest 3 messages.');
  }
}
