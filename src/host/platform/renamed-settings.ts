import * as vscode from 'vscode';

/** Settings that had another name in a preview, the old one first. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['chat.place', 'chat.location'],
  ['chat.effort', 'chat.reasoningEffort'],
  ['chat.countWithProvider', 'chat.countTokensWithProvider'],
  ['compression.share', 'compression.backgroundThreshold'],
  ['compression.beforeSend', 'compression.blockingThreshold'],
  ['compression.tokens', 'compression.maxUncompressedTokens'],
  ['compression.messages', 'compression.maxUncompressedMessages'],
  ['compression.every', 'compression.messageInterval'],
  ['compression.ageHours', 'compression.maxSummaryAgeHours'],
  ['compression.taskReset', 'compression.taskResetThreshold'],
  ['compression.window', 'compression.recentMessages'],
  ['compression.ledgerShare', 'compression.keyEventBudget'],
  ['compression.preview', 'compression.showPreview'],
  ['compression.extractiveOnFault', 'compression.fallbackToExtractive'],
  ['compression.monthlyLimitUsd', 'compression.monthlySpendLimit'],
  ['task.resetFinished', 'task.autoReset'],
  ['recall.share', 'recall.budget'],
  ['memory.tokens', 'memory.maxTokens'],
  ['events.rules', 'keyEvents.rules'],
  ['export.redact', 'export.maskSecrets'],
];

/**
 * Moves values from settings' old names to the new ones, where the new one has none. Rejects when the editor cannot
 * write a settings file; what was moved until then stays.
 */
export async function moveRenamedSettings(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  for (const [from, to] of RENAMED) {
    const old = configuration.inspect<unknown>(from);
    const now = configuration.inspect<unknown>(to);
    for (const [scope, target] of [
      ['globalValue', vscode.ConfigurationTarget.Global],
      ['workspaceValue', vscode.ConfigurationTarget.Workspace],
    ] as const) {
      if (old?.[scope] === undefined) continue;
      if (now?.[scope] === undefined) await configuration.update(to, old[scope], target);
      await configuration.update(from, undefined, target);
    }
  }
}
