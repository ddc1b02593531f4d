import type { ModelFault } from '../../app/fault.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { StatusView } from '../../protocol/views.ts';
import { locale, stageText } from '../platform/l10n.ts';
import { translated } from '../platform/translated.ts';
import * as vscode from 'vscode';

/** What is going on in a conversation, in words for the page. */
export function statusView(conversation: Conversation, resetPending: boolean, offline: string | null): StatusView {
  const { state, journal, compressor, waiting } = conversation;
  const { progress } = compressor;
  return {
    replying: conversation.isReplying,
    compression: progress && { stage: stageText(progress.stage), done: progress.done, total: progress.total },
    thinking: conversation.thinkingSince,
    waiting: waiting && {
      until: waiting.until,
      text: waitingText(waiting.fault),
    },
    resetPending,
    queue: queueView(conversation),
    offline,
    readOnly: journal.readOnly ? translated(journal.readOnly) : null,
    foreign: journal.isForeign === true,
    unsaved: journal.unsaved ? translated(journal.unsaved) : null,
    escalation: state.requiresEscalation ? escalationView(conversation) : null,
  };
}

/** Its figures are those of the gauge beside it. */
function escalationView({ meter }: Conversation): StatusView['escalation'] {
  const [requestTokens, budget] = [meter.shown(meter.context().total), meter.providerBudget()];
  const share = (requestTokens / Math.max(1, budget)).toLocaleString(locale(), { style: 'percent' });
  return {
    text:
      requestTokens > budget
        ? vscode.l10n.t('The request doesn’t fit in the context window, even after compression.')
        : vscode.l10n.t('The session still uses {0} of the context window after compression.', share),
    requestTokens,
    budget,
    ways: [
      { label: vscode.l10n.t('Compress now'), command: 'compressHistory' },
      { label: vscode.l10n.t('Unpin key events'), command: 'unpinAll' },
      { label: vscode.l10n.t('Select a model with a larger context window'), command: 'chooseModel' },
      { label: vscode.l10n.t('New session'), command: 'newSession' },
    ],
  };
}

function queueView({ queue }: Conversation): StatusView['queue'] {
  const items = queue.items.map(({ id, message: { text, attachments = [], images = [] } }) => ({
    ...{ id, text, attachments: attachments.length + images.length },
  }));
  return { items, isHeld: queue.isHeld };
}

export const unreachable = (): string =>
  vscode.l10n.t('Couldn’t connect to the provider. Your message was kept. Retry when the connection is back.');

function waitingText({ reason }: ModelFault): string {
  switch (reason) {
    case 'rate_limited':
      return vscode.l10n.t('Rate limit reached. Retrying…');
    case 'overloaded':
      return vscode.l10n.t('The provider is overloaded or has an outage. Retrying…');
    case 'timeout':
      return vscode.l10n.t('The provider stopped responding. Retrying…');
    default:
      return vscode.l10n.t('Couldn’t connect to the provider. Retrying…');
  }
}
