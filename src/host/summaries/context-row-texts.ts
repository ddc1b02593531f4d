import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { sentLevelOf, type EventStatus } from '../../core/context/ledger-lines.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import type { StepStatus } from '../../core/model/task.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { GaugeView } from '../../protocol/views.ts';
import { appendDroppedNotice, kindName, statusName } from '../platform/key-event-kinds.ts';
import { locale, messagesText, truncateAtWord } from '../platform/l10n.ts';
import type { EventIndex, PlacedEvent } from './event-index.ts';
import { checkWarnings, levelName, verificationText } from './summary-texts.ts';
import { isSent } from './summary-tree.ts';

/** The data of the rows. */
export interface TreeSource {
  readonly conversation: Pick<Conversation, 'state' | 'journal' | 'meter'>;
  readonly events: EventIndex;
  readonly gauge: GaugeView;
  /** In ms since the epoch. */
  readonly now: number;
}

/** Counts such as "12 · 2 pinned · 3 superseded": all events sent verbatim, the pinned ones among them, and others. */
export function statusCounts(list: readonly PlacedEvent[]): string {
  const count = (status: EventStatus): number => list.filter((event) => event.status === status).length;
  const others = (['pinned', 'dropped', 'superseded'] as const).filter((status) => count(status) > 0);
  const texts = others.map((status) => `${count(status)} ${statusName(status)}`);
  return [count('pinned') + count('active'), ...texts].join(' · ');
}

export function rangeText(state: SessionState, node: SummaryNode): string {
  const range = state.spanOf(node.id);
  return range ? `${range.from + 1}–${range.to + 1}` : '';
}

/** A summary's kept key events, the results of its audit and check, and how it was generated. */
export function trustText({ conversation: { state }, events }: TreeSource, node: SummaryNode): string {
  const range = state.spanOf(node.id);
  const { kept, total } = range ? events.keptBetween(range.from, range.to) : { kept: 0, total: 0 };
  return [
    ...(total > 0 ? [vscode.l10n.t('{0}/{1} key events kept', kept, total)] : []),
    verificationText(node, state.summaries.checkOf(node)),
  ].join(' · ');
}

/** A time that is `ms` milliseconds ago, in minutes, hours, or days. */
export function ago(ms: number): string {
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'narrow' });
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return format.format(-minutes, 'minute');
  if (minutes < 48 * 60) return format.format(-Math.round(minutes / 60), 'hour');
  return format.format(-Math.round(minutes / 1440), 'day');
}

export const stepName = (status: StepStatus): string =>
  ({
    pending: vscode.l10n.t('pending'),
    in_progress: vscode.l10n.t('in progress'),
    done: vscode.l10n.t('done'),
    skipped: vscode.l10n.t('skipped'),
  })[status];

/** Maximum length of a text in a tooltip, in UTF-16 units. */
export const MAX_TEXT = 600;

export function droppedTooltip(list: readonly PlacedEvent[]): vscode.MarkdownString | undefined {
  const dropped = list.filter(({ status }) => status === 'dropped').length;
  return dropped === 0 ? undefined : appendDroppedNotice(new vscode.MarkdownString(), dropped);
}

export function nodeTooltip(source: TreeSource, node: SummaryNode): vscode.MarkdownString {
  const { state } = source.conversation;
  const text = new vscode.MarkdownString('', true);
  text
    .appendMarkdown('**')
    .appendText(node.title)
    .appendMarkdown('**\n\n')
    // Shown as text, because it may contain a model's links and images.
    .appendText(truncateAtWord(node.brief.replaceAll(/^\*\*(.+)\*\*$/gm, '$1'), MAX_TEXT));
  const level = sentLevelOf(state, node.id);
  const facts = [
    messagesText(node.messages),
    ...(isSent(state, node) ? [vscode.l10n.t('sent as: {0}', levelName(level))] : []),
    trustText(source, node),
    node.model,
  ];
  text.appendMarkdown('\n\n---\n\n').appendText(facts.join(' · '));
  const staleText = vscode.l10n.t(
    'A child summary was changed. This summary will be regenerated at the next compression.',
  );
  const faults = checkWarnings(state, node).slice(0, 5);
  const warnings = [
    ...(state.stale.has(node.id) ? [staleText] : []),
    ...faults.map((fault) => truncateAtWord(fault, 140)),
  ];
  for (const warning of warnings) text.appendMarkdown('\n\n$(warning) ').appendText(warning);
  return text;
}

export function eventTooltip({ event, status, position }: PlacedEvent): vscode.MarkdownString {
  const messageName = vscode.l10n.t('message {0}', position + 1);
  const facts = [kindName(event.kind), statusName(status), messageName, event.reason].join(' · ');
  return new vscode.MarkdownString().appendText(event.quote).appendMarkdown('\n\n---\n\n').appendText(facts);
}
