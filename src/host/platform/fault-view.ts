import * as vscode from 'vscode';
import { ModelFault, type FaultReason, ContextOverflow, TurnRunning } from '../../app/fault.ts';
import { describeFault, type FaultAction } from '../../app/fault-text.ts';
import { StoreFault } from '../../app/ports.ts';
import { ChangeFault } from '../../app/summary-changes.ts';
import { SpendLimitReached } from '../../app/spend-limited-model.ts';
import { PolicyError } from '../../core/policy/policy.ts';
import { TranscriptError } from '../../core/transcript/transcript-message.ts';
import { RequestFault, type FaultView, type RequestFaultReason } from '../../protocol/faults.ts';
import { SettingsError } from './settings.ts';
import { countText, translated } from './l10n.ts';

type FaultButton = NonNullable<FaultView['action']>;

/** A model fault's reason for the page; `invalid` for all others. */
const REASON_OF: Readonly<Partial<Record<FaultReason, RequestFaultReason>>> = {
  no_key: 'no_key',
  refused_key: 'no_key',
  cancelled: 'cancelled',
  context_too_long: 'too_large',
  network: 'offline',
  timeout: 'offline',
};

/** The message and action for an error. For an unexpected one, the message refers to the log. */
export function faultView(error: unknown): FaultView {
  if (error instanceof RequestFault) return { reason: error.reason, text: error.message };
  if (ModelFault.is(error)) {
    const { message, action, details, retryAfterMs } = describeFault(error);
    return {
      reason: REASON_OF[error.reason] ?? 'invalid',
      text: translated(message),
      ...(details && { details: translated(details) }),
      action: buttonFor(action),
      ...(retryAfterMs !== undefined && {
        wait: { until: Date.now() + retryAfterMs, text: translated({ ...message, values: ['{0}'] }) },
      }),
    };
  }
  if (StoreFault.is(error)) {
    const takeOver = { label: vscode.l10n.t('Take Over'), command: 'takeOver' } as const;
    return {
      reason: StoreFault.is(error, 'not_writer', 'newer', 'read_only') ? 'read_only' : 'storage',
      text: translated(error.phrase),
      ...(error.reason === 'not_writer' && { action: takeOver }),
    };
  }
  if (error instanceof ContextOverflow) {
    return {
      reason: 'too_large',
      text: vscode.l10n.t(
        error.canShortenMessage
          ? 'The request wasn’t sent because it needs {0} tokens, but the context budget is {1}. Edit the message to shorten it, or select a model with a larger context window.'
          : 'The request wasn’t sent because it needs {0} tokens, but the context budget is {1}. Compress the history, start a new session, or select a model with a larger context window.',
        countText(error.total),
        countText(error.budget),
      ),
      action: buttonFor('chooseModel'),
    };
  }
  if (error instanceof SpendLimitReached) {
    return {
      reason: 'invalid',
      text: vscode.l10n.t(
        'Monthly spend limit for compression reached. Raise it in Settings or wait until next month.',
      ),
      action: buttonFor('openSettings'),
    };
  }
  if (ChangeFault.is(error))
    return { reason: error.reason.startsWith('unknown_') ? 'not_found' : 'invalid', text: changeFaultText(error) };
  if (error instanceof TurnRunning)
    return { reason: 'busy', text: vscode.l10n.t('A response is in progress. Stop it or wait until it finishes.') };
  if (error instanceof SettingsError || error instanceof PolicyError) {
    const text = error instanceof PolicyError ? translated(error.phrase) : error.message;
    return { reason: 'invalid', text, action: buttonFor('openSettings') };
  }
  if (TranscriptError.is(error)) return { reason: 'invalid', text: translated(error.phrase) };
  return {
    reason: 'failed',
    text: vscode.l10n.t('Something went wrong. See the log for details.'),
    action: { label: vscode.l10n.t('Show Log'), command: 'openLog' },
  };
}

/** The whole text for a notification, which would show Markdown links in a provider's message as links. */
export const notificationText = ({ text, details }: Pick<FaultView, 'text' | 'details'>): string =>
  details === undefined ? text : `${text} ${details.replaceAll('](', '] (')}`;

/** Names the summarizer, because `reason` says “this model”, which could also mean the chat's model. */
export const summarizerFaultText = (reason: string): string => vscode.l10n.t('The summarizer failed. {0}', reason);

const changeFaultText = ({ reason }: ChangeFault): string =>
  ({
    unknown_node: vscode.l10n.t('This summary is no longer in the session.'),
    not_on_branch: vscode.l10n.t('Some messages of this summary were deleted or aren’t on the current branch.'),
    lost: vscode.l10n.t(
      'The messages were lost with the session file. Their summary is kept, because nothing else is left of them.',
    ),
    empty: vscode.l10n.t('A summary can’t be empty. To send the original messages instead, revert the summary.'),
    nothing_shorter: vscode.l10n.t('Couldn’t generate a better summary. The existing one was kept.'),
    changed: vscode.l10n.t('The summary changed in the meantime, so the new one was discarded.'),
    outdated: vscode.l10n.t('The summary changed in the meantime, so the verification result was discarded.'),
    unknown_event: vscode.l10n.t('This key event is no longer in the session.'),
    no_words: vscode.l10n.t('This text isn’t in the message.'),
    unanswered: vscode.l10n.t('The model returned no usable response. Try again or select another model.'),
  })[reason];

function buttonFor(action: FaultAction): FaultButton {
  const buttons: Readonly<Record<FaultAction, FaultButton>> = {
    setKey: { label: vscode.l10n.t('Set API Key…'), command: 'setModelKey' },
    chooseModel: { label: vscode.l10n.t('Select Model…'), command: 'chooseModel' },
    compress: { label: vscode.l10n.t('Compress History'), command: 'compressHistory' },
    retry: { label: vscode.l10n.t('Try Again'), command: 'retry' },
    retryWithRoom: { label: vscode.l10n.t('Try Again with a Higher Limit'), command: 'retry' },
    openSettings: { label: vscode.l10n.t('Open Settings'), command: 'openSettings' },
  };
  return buttons[action];
}
