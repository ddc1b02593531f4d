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
 * Moves the user's values from settings' old names to the new ones, where the new one has none. A workspace's file is
 * never written to. Rejects when the editor cannot write the user's settings; what was moved until then stays.
 */
export async function moveRenamedSettings(renamed = RENAMED): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper');
  for (const [from, to] of renamed) {
    const old = configuration.inspect<unknown>(from)?.globalValue;
    if (old === undefined) continue;
    if (configuration.inspect<unknown>(to)?.globalValue === undefined)
      await configuration.update(to, old, vscode.ConfigurationTarget.Global);
    await configuration.update(from, undefined, vscode.ConfigurationTarget.Global);
  }
}
