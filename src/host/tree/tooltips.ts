import * as vscode from 'vscode';
import type { SummaryNode } from '../../core/model/summary.ts';
import { kindName } from '../key-event-kinds.ts';
import { levelName } from '../summary-facts.ts';
import { locale } from '../translated.ts';
import { trust } from './row-facts.ts';
import { standingName } from './row-words.ts';
import type { Row } from './rows.ts';
import type { TreeSource } from './tree-source.ts';

export function nodeTooltip(source: TreeSource, node: SummaryNode): vscode.MarkdownString {
  const { state } = source;
  const text = new vscode.MarkdownString('', true);
  text.appendMarkdown('**').appendText(node.title).appendMarkdown('**\n\n').appendText(node.brief.slice(0, 600));
  const level = state.levels.get(node.id) ?? 'detailed';
  const facts = [
    vscode.l10n.t('{0} messages', node.messages.toLocaleString(locale())),
    vscode.l10n.t('sent as: {0}', levelName(level)),
    trust(source, node),
    node.model,
  ];
  text.appendMarkdown('\n\n---\n\n').appendText(facts.join(' · '));
  if (state.stale.has(node.id))
    text
      .appendMarkdown('\n\n$(warning) ')
      .appendText(vscode.l10n.t('A summary below was changed: this one is rebuilt at the next compression.'));
  for (const fault of node.audit.faults.slice(0, 5))
    text.appendMarkdown('\n\n$(warning) ').appendText(`${fault.kind}: ${fault.text.slice(0, 120)}`);
  return text;
}

export function eventTooltip(
  { event, standing }: Extract<Row, { kind: 'event' }>,
  position: number,
): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(event.quote);
  const place = vscode.l10n.t('message {0}', position + 1);
  text
    .appendMarkdown('\n\n---\n\n')
    .appendText([kindName(event.kind), standingName(standing), place, event.reason].join(' · '));
  return text;
}
