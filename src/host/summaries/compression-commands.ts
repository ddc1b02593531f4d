import * as vscode from 'vscode';
import { countText, formatCounted, messagesText, stageText } from '../platform/l10n.ts';
import type { CompressionOutcome, CompressionProgress } from '../../app/compression-job.ts';
import type { Conversation } from '../../app/conversation.ts';
import { SpendLimitReached } from '../../app/spend-limited-model.ts';
import { PromptsTooLong, UnusableAnswers } from '../../core/compress/summary-model.ts';
import {
  ChangeFault,
  compressionsSince,
  newestActiveCompression,
  pinEvents,
  undoCompressions,
} from '../../app/summary-changes.ts';
import { chosenPolicy, POLICY_QUERY, readSettings } from '../platform/settings.ts';
import { summarizerFaultText } from '../platform/fault-view.ts';
import { showInfo, progressLocation } from '../platform/notifications.ts';
import { nothingToCompressText } from './summary-texts.ts';
import { offerUndo, type SummariesApp } from './summaries-app.ts';
import { eventsOnBranch } from '../../core/context/ledger-lines.ts';
import type { CompressionId } from '../../core/model/ids.ts';
import { POLICY_NAMES, type PolicyName } from '../../core/policy/policy.ts';

/** Compresses and reports the result. If previews are turned on and `now` isn't set, opens a preview instead. */
export async function compressHistory(conversation: Conversation, now: boolean, app: SummariesApp): Promise<void> {
  if (!now && readSettings().compression.showPreview) return app.panel.show('preview');
  const { compressor } = conversation;
  const options = { location: progressLocation(), title: vscode.l10n.t('Compressing history…'), cancellable: true };
  const outcome = await vscode.window.withProgress(options, (progress, token) => {
    token.onCancellationRequested(() => compressor.cancel());
    const subscription = compressor.onDidChange(() => {
      if (compressor.progress) progress.report({ message: progressText(compressor.progress) });
    });
    return conversation.compressNow().finally(() => subscription.dispose());
  });
  reportOutcome(app, outcome, conversation);
}

const progressText = ({ stage, done, total }: CompressionProgress): string =>
  stage === 'planning' ? stageText(stage) : `${stageText(stage)}, ${countText(done)}/${countText(total)}`;

function reportOutcome(app: SummariesApp, outcome: CompressionOutcome, conversation: Conversation): void {
  switch (outcome.kind) {
    case 'committed': {
      const { record, fault } = outcome;
      const { before, after } = conversation.meter.providerSizes(record.tokens);
      const done = vscode.l10n.t(
        'Compressed {0}. Context: {1} → {2} tokens. Key events kept: {3} of {4}.',
        messagesText(record.messages.before - record.messages.after),
        countText(before),
        countText(after),
        countText(record.keyEvents?.kept ?? 0),
        countText(record.keyEvents?.total ?? 0),
      );
      if (fault === undefined) showInfo(done);
      else void reportExtracted(app, fault, done);
      return;
    }
    case 'skipped':
      return showInfo(nothingToCompressText(outcome.reason, conversation.settings().policy, conversation.state));
    case 'nothing':
    case 'stale':
      return showInfo(vscode.l10n.t('The history changed during compression, so the result was discarded. Try again.'));
    case 'off':
      return showInfo(nothingToCompressText('off', conversation.settings().policy, conversation.state));
    case 'spent':
      throw new SpendLimitReached();
    case 'cancelled':
      return showInfo(vscode.l10n.t('Compression was canceled. The session wasn’t changed.'));
    case 'failed':
      throw outcome.error;
    case 'ready':
    case 'started':
    case 'backing_off':
      return showInfo(vscode.l10n.t('Compression in progress. It will be applied after the current response.'));
  }
}

/** Reports why summaries were extracted without a model. Sizes are only logged, because the chat shows them. */
async function reportExtracted(app: SummariesApp, fault: unknown, done: string): Promise<void> {
  const reason = app.describe(fault).text;
  app.channel.warn(`${done} ${reason}`);
  const text =
    fault instanceof UnusableAnswers
      ? vscode.l10n.t(
          'The summarizer returned no usable response. The summary was extracted from the messages without a model.',
        )
      : fault instanceof PromptsTooLong
        ? vscode.l10n.t(
            'The summarizer’s context window is too small for the messages. The summary was extracted from the messages without a model.',
          )
        : vscode.l10n.t(
            '{0} Summaries that couldn’t be generated were extracted from the messages without a model.',
            fault instanceof SpendLimitReached ? reason : summarizerFaultText(reason),
          );
  const showLog = vscode.l10n.t('Show Log');
  const openSettings = vscode.l10n.t('Open Settings');
  const answer = await vscode.window.showWarningMessage(
    text,
    fault instanceof SpendLimitReached ? openSettings : showLog,
  );
  if (answer === showLog) app.channel.show();
  else if (answer === openSettings) await vscode.commands.executeCommand('threadkeeper.openSettings');
}

export async function undoCompression({ state, journal }: Conversation, app: SummariesApp): Promise<void> {
  const newest = newestActiveCompression(state);
  if (newest === undefined) return showInfo(vscode.l10n.t('There is no compression to undo.'));
  await undoCompressions(journal, [newest], true);
  const redo = vscode.l10n.t('Redo');
  const undone = vscode.l10n.t('The last compression was undone. What it replaced will be sent again.');
  offerUndo(app, undone, redo, () => undoCompressions(journal, [newest], false));
}

/** Unpins all key events of the active branch so that a request fits; can be undone. */
export async function unpinAll({ state, journal }: Conversation, app: SummariesApp): Promise<void> {
  const pinned = eventsOnBranch(state).flatMap((event) => (event.pinned ? event.id : []));
  if (pinned.length === 0) return showInfo(vscode.l10n.t('No key events are pinned.'));
  await pinEvents(journal, pinned, false);
  const text = formatCounted(pinned.length, 'Unpinned 1 key event.', 'Unpinned {0} key events.');
  offerUndo(app, text, vscode.l10n.t('Undo'), () => pinEvents(journal, pinned, true));
}

/** Undoes all compressions from the selected one to the newest that can be undone. Rejects with `ChangeFault`. */
export async function undoSince({ state, journal }: Conversation, from: CompressionId): Promise<void> {
  const undone = compressionsSince(state, from);
  if (undone.length === 0) throw new ChangeFault('lost');
  await undoCompressions(journal, undone, true);
  showInfo(
    formatCounted(
      undone.length,
      '1 compression undone. What it replaced will be sent again.',
      '{0} compressions undone. What they replaced will be sent again.',
    ),
  );
}

type Item = vscode.QuickPickItem & { readonly policy?: PolicyName };

/** Selects this session's compression policy. Other sessions keep the policy in the settings. */
export async function choosePolicy({ state, journal }: Conversation): Promise<void> {
  const current = chosenPolicy(readSettings(), state);
  const policies = POLICY_NAMES.map((policy): Item => {
    const chosen = policy === current ? { description: vscode.l10n.t('current') } : {};
    return { label: policy, detail: policyText(policy), policy, ...chosen };
  });
  const separator: Item = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const settings: Item = { label: vscode.l10n.t('Customize Thresholds in Settings…') };
  const title = vscode.l10n.t('Select Compression Policy');
  const picked = await vscode.window.showQuickPick([...policies, separator, settings], { title });
  if (!picked) return;
  if (picked.policy === undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', POLICY_QUERY);
    return;
  }
  await journal.append({ type: 'policy_selected', policy: picked.policy });
}

const policyText = (policy: PolicyName): string =>
  ({
    balanced: vscode.l10n.t(
      'Compresses in the background at 70% of the context budget or 24 hours after the last summary. Keeps the 10 most recent messages.',
    ),
    steady: vscode.l10n.t(
      'Compresses in the background every 10 messages, at 70% of the context budget, or 24 hours after the last summary. With a model, summaries are two to three sentences long. Keeps the 10 most recent messages.',
    ),
    frugal: vscode.l10n.t(
      'Compresses in the background when there are more than 8,000 new tokens or 50 uncompressed messages, at 70% of the context budget, or 24 hours after the last summary. Keeps the 12 most recent messages.',
    ),
    'long-memory': vscode.l10n.t(
      'Compresses in the background at 80% of the context budget or 24 hours after the last summary. With a model, summaries are up to 500 words long. Keeps the 3 most recent messages.',
    ),
  })[policy];
