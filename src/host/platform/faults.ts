import * as vscode from 'vscode';
import { CorrectionFault } from '../../app/correct-event.ts';
import { ModelFault, type FaultReason, ContextOverflow, TurnRunning } from '../../app/fault.ts';
import { describeFault, type FaultAction } from '../../app/fault-text.ts';
import { StoreFault } from '../../app/ports.ts';
import { SummaryFault } from '../../app/summary-changes.ts';
import { SpendLimitReached } from '../../app/paid-model.ts';
import { PolicyError } from '../../core/policy/policy.ts';
import { TranscriptError } from '../../core/transcript/transcript-message.ts';
import { RequestFault, type FaultView, type RequestFaultReason } from '../../protocol/faults.ts';
import { SettingsError } from './settings.ts';
import { locale, translated } from './l10n.ts';

const COMMAND_OF: Readonly<Record<FaultAction, NonNullable<FaultView['action']>['command']>> = {
  setKey: 'setModelKey',
  chooseModel: 'chooseModel',
  compress: 'compressHistory',
  retry: 'retry',
  retryWithRoom: 'retry',
  openSettings: 'openSettings',
};

/** One sentence for the user, with a way out where there is one. What is not foreseen goes to the log by its message. */
export function faultView(error: unknown): FaultView {
  if (RequestFault.is(error)) {
    const { reason, message, action } = error;
    return { reason, text: message, ...(action && { action }) };
  }
  if (ModelFault.is(error)) {
    const { message, action } = describeFault(error);
    return {
      reason: reasonOf(error.reason),
      text: translated(message),
      action: { label: actionLabel(action), command: COMMAND_OF[action] },
    };
  }
  if (StoreFault.is(error)) {
    const takeOver = { label: vscode.l10n.t('Take Over'), command: 'takeOver' } as const;
    const readOnly = error.reason === 'not_writer' || error.reason === 'newer' || error.reason === 'read_only';
    return {
      reason: readOnly ? 'read_only' : 'storage',
      text: translated(error.phrase),
      ...(error.reason === 'not_writer' && { action: takeOver }),
    };
  }
  if (error instanceof ContextOverflow) {
    return {
      reason: 'too_large',
      text: vscode.l10n.t(
        'The request wasn’t sent because it needs {0} tokens, but the context budget is {1}. Edit the message to shorten it, or select a model with a larger context window.',
        error.total.toLocaleString(locale()),
        error.budget.toLocaleString(locale()),
      ),
      action: { label: actionLabel('chooseModel'), command: 'chooseModel' },
    };
  }
  if (error instanceof SpendLimitReached) {
    return {
      reason: 'invalid',
      text: vscode.l10n.t(
        'Monthly spend limit for compression reached. Raise it in Settings or wait until next month.',
      ),
      action: { label: actionLabel('openSettings'), command: 'openSettings' },
    };
  }
  if (SummaryFault.is(error))
    return { reason: error.reason === 'unknown_node' ? 'not_found' : 'invalid', text: summaryFaultText(error) };
  if (CorrectionFault.is(error)) return correctionFaultView(error);
  if (error instanceof TurnRunning)
    return { reason: 'busy', text: vscode.l10n.t('A response is in progress. Stop it or wait until it finishes.') };
  if (error instanceof SettingsError || error instanceof PolicyError) {
    const action = { label: actionLabel('openSettings'), command: 'openSettings' } as const;
    return { reason: 'invalid', text: error instanceof PolicyError ? translated(error.phrase) : error.message, action };
  }
  if (TranscriptError.is(error)) return { reason: 'invalid', text: translated(error.phrase) };
  return {
    reason: 'failed',
    text: vscode.l10n.t('Something went wrong. See the log for details.'),
    action: { label: vscode.l10n.t('Show Log'), command: 'openLog' },
  };
}

const summaryFaultText = ({ reason }: SummaryFault): string =>
  ({
    unknown_node: vscode.l10n.t('This summary is no longer in the session.'),
    not_on_branch: vscode.l10n.t('Some messages of this summary were deleted or aren’t on the current branch.'),
    empty: vscode.l10n.t('A summary can’t be empty. To send the original messages instead, revert the summary.'),
    nothing_shorter: vscode.l10n.t('Couldn’t generate a better summary. The existing one was kept.'),
    changed: vscode.l10n.t('The summary changed in the meantime, so the new one was discarded.'),
    outdated: vscode.l10n.t('The summary changed in the meantime, so the verification result was discarded.'),
    unanswered: vscode.l10n.t('The model returned no usable response. Try again or select another model.'),
  })[reason];

function correctionFaultView({ reason }: CorrectionFault): FaultView {
  switch (reason) {
    case 'unknown_event':
      return { reason: 'not_found', text: vscode.l10n.t('This key event is no longer in the session.') };
    case 'no_words':
      return { reason: 'invalid', text: vscode.l10n.t('This text isn’t in the message.') };
  }
}

/** Whether the fault was not foreseen, so that its stack belongs in the log. */
export function isUnforeseen(error: unknown): boolean {
  return faultView(error).reason === 'failed';
}

const actionLabel = (action: FaultAction): string =>
  ({
    setKey: vscode.l10n.t('Set API Key…'),
    chooseModel: vscode.l10n.t('Select Model…'),
    compress: vscode.l10n.t('Compress History'),
    retry: vscode.l10n.t('Try Again'),
    retryWithRoom: vscode.l10n.t('Try Again with a Higher Limit'),
    openSettings: vscode.l10n.t('Open Settings'),
  })[action];

function reasonOf(reason: FaultReason): RequestFaultReason {
  switch (reason) {
    case 'no_key':
    case 'refused_key':
      return 'no_key';
    case 'cancelled':
      return 'cancelled';
    case 'context_too_long':
      return 'too_large';
    case 'network':
    case 'timeout':
      return 'offline';
    case 'forbidden':
    case 'model_not_found':
    case 'rate_limited':
    case 'quota':
    case 'content_refused':
    case 'overloaded':
    case 'cut_stream':
    case 'unaffordable':
    case 'over_rate':
    case 'output_limit':
    case 'highest_output_limit':
    case 'empty_reply':
    case 'malformed':
    case 'bad_request':
      return 'invalid';
  }
}
