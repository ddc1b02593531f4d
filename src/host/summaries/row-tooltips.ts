import * as vscode from 'vscode';
import { messageText } from '../../core/model/message.ts';
import type { SummaryNode } from '../../core/model/summary.ts';
import { appendDroppedNotice, kindName, statusName } from '../platform/key-event-kinds.ts';
import { truncated, messagesText } from '../platform/l10n.ts';
import type { PlacedEvent } from './event-index.ts';
import { trustText } from './tree-items.ts';
import { isSent, type Row, type RowOf, type TreeSource } from './rows.ts';
import { faultTexts, levelName } from './summary-texts.ts';

/** Maximum length of a text in a tooltip, in UTF-16 units. */
const MAX_TEXT = 600;

/** A row's tooltip; undefined if there is nothing to add to the row. */
export function tooltipOf(source: TreeSource, row: Row): string | vscode.MarkdownString | undefined {
  const { state } = source;
  switch (row.kind) {
    case 'node':
    case 'openedNode': {
      const node = state.nodes.get(row.node);
      return node && nodeTooltip(source, node);
    }
    case 'opened':
      return vscode.l10n.t('Their original messages are sent instead.');
    case 'message': {
      const message = state.messages.get(row.message);
      return message && new vscode.MarkdownString().appendText(truncated(messageText(message), MAX_TEXT));
    }
    case 'event':
      return eventTooltip(row, state.positionOf(row.event.message) ?? 0);
    case 'contentEntry':
      return row.text;
    case 'task':
      return row.task.goal;
    case 'step':
      return row.step.text;
    case 'section': {
      if (row.section !== 'events') return undefined;
      const { all } = source.events();
      return all.length === 0
        ? vscode.l10n.t('Key events are detected when messages are compressed.')
        : droppedTooltip(all);
    }
    case 'eventKind':
      return droppedTooltip(source.events().ofKind(row.of));
    default:
      return undefined;
  }
}

function droppedTooltip(list: readonly PlacedEvent[]): vscode.MarkdownString | undefined {
  const dropped = list.filter(({ status }) => status === 'dropped').length;
  return dropped === 0 ? undefined : appendDroppedNotice(new vscode.MarkdownString(), dropped);
}

function nodeTooltip(source: TreeSource, node: SummaryNode): vscode.MarkdownString {
  const { state } = source;
  const text = new vscode.MarkdownString('', true);
  text.appendMarkdown('**').appendText(node.title).appendMarkdown('**\n\n').appendText(truncated(node.brief, MAX_TEXT));
  const level = state.levels.get(node.id) ?? 'detailed';
  const facts = [
    messagesText(node.messages),
    ...(isSent(state, node) ? [vscode.l10n.t('sent as: {0}', levelName(level))] : []),
    trustText(source, node),
    node.model,
  ];
  text.appendMarkdown('\n\n---\n\n').appendText(facts.join(' · '));
  if (state.stale.has(node.id))
    text
      .appendMarkdown('\n\n$(warning) ')
      .appendText(
        vscode.l10n.t('A child summary was changed. This summary will be regenerated at the next compression.'),
      );
  for (const fault of faultTexts(state, node).slice(0, 5))
    text.appendMarkdown('\n\n$(warning) ').appendText(truncated(fault, 140));
  return text;
}

function eventTooltip({ event, status }: RowOf<'event'>, position: number): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(event.quote);
  const messageName = vscode.l10n.t('message {0}', position + 1);
  text
    .appendMarkdown('\n\n---\n\n')
    .appendText([kindName(event.kind), statusName(status), messageName, event.reason].join(' · '));
  return text;
}
