import * as vscode from 'vscode';
import { countText, dollars, locale, shortTokens, translated, titleText } from '../platform/l10n.ts';
import type { Conversation } from '../../app/conversation.ts';
import { gaugeLevelOf, type GaugePart } from '../../core/budget/gauge.ts';
import { tokensStillSaved } from '../../core/state/counters.ts';
import type { TriggerDistance } from '../../core/policy/triggers.ts';
import { PART_NAMES } from '../../protocol/display-names.ts';
import type { GaugeView } from '../../protocol/views.ts';
import { gaugeView } from './gauge-view.ts';
import { GAUGE_ITEM } from '../platform/contribution-ids.ts';
import { appendDroppedNotice } from '../platform/key-event-kinds.ts';
import type { MonthlySpend } from '../models/spend-limit.ts';

interface GaugeSources {
  readonly conversation: () => Conversation | undefined;
  readonly spend: () => MonthlySpend;
  /** Says where the size of the context window comes from. `serverWindow`: the tokens that the server reads. */
  readonly contextWindowSource: (serverWindow: number) => string | undefined;
}

export type GaugeItem = ReturnType<typeof gaugeItem>;

/** The context's size in the Status Bar. */
export function gaugeItem({ conversation: currentConversation, spend, contextWindowSource }: GaugeSources) {
  const item = vscode.window.createStatusBarItem(GAUGE_ITEM, vscode.StatusBarAlignment.Right, 90);
  item.name = vscode.l10n.t('Context Usage');
  item.command = 'threadkeeper.showActions';
  const refresh = (): void => {
    const conversation = currentConversation();
    if (!conversation) return item.hide();
    const view = gaugeView(conversation);
    const share = view.used / Math.max(1, view.budget);
    const percent = Math.round(share * 100);
    const level = gaugeLevelOf(share);
    const approximateSign = view.approximate === true ? '~' : '';
    const { unsaved } = conversation.journal;
    const icon = unsaved ? 'warning' : conversation.compressor.progress ? 'sync~spin' : 'symbol-ruler';
    const sizes = `${approximateSign}${shortTokens(view.used)}/${shortTokens(view.budget)}`;
    const usage = `${approximateSign}${(percent / 100).toLocaleString(locale(), { style: 'percent' })}`;
    item.text = `$(${icon}) ${sizes} · ${usage}`;
    item.tooltip = tooltip(view, conversation, spend(), contextWindowSource(conversation.meter.serverWindow));
    const label = vscode.l10n.t(
      'Context usage: {0}%, {1} of {2} tokens',
      percent,
      countText(view.used),
      countText(view.budget),
    );
    item.accessibilityInformation = { label: unsaved ? `${label}. ${translated(unsaved)}` : label, role: 'button' };
    const color = unsaved && level === 'ok' ? 'warning' : level;
    item.backgroundColor = color === 'ok' ? undefined : new vscode.ThemeColor(`statusBarItem.${color}Background`);
    item.show();
  };
  return { refresh, dispose: () => item.dispose() };
}

export const partName = (part: GaugePart): string => translated(PART_NAMES[part]);

function tooltip(
  view: GaugeView,
  conversation: Conversation,
  spend: MonthlySpend,
  contextWindowSource: string | undefined,
): vscode.MarkdownString {
  const { counters, title } = conversation.state;
  const text = new vscode.MarkdownString('', true);
  const { unsaved } = conversation.journal;
  if (unsaved) text.appendMarkdown(`$(warning) ${translated(unsaved)}\n\n`);
  text.appendMarkdown(`**${vscode.l10n.t('Context')}** — `);
  text.appendText(titleText(title));
  text.appendMarkdown('\n\n| | |\n|:--|--:|\n');
  for (const part of view.parts) {
    if (part.tokens > 0) text.appendMarkdown(`| ${partName(part.name)} | ${countText(part.tokens)} |\n`);
  }
  text.appendMarkdown(`| ${vscode.l10n.t('Free')} | ${countText(Math.max(0, view.budget - view.used))} |\n`);
  text.appendMarkdown(`| ${vscode.l10n.t('Not available for requests')} | ${countText(view.reserved)} |\n\n`);
  if (contextWindowSource !== undefined) text.appendMarkdown(`$(info) ${contextWindowSource}\n\n`);
  if (view.threshold !== undefined)
    text.appendMarkdown(
      `${vscode.l10n.t('Compresses in the background at {0}% of the context budget.', Math.round(view.threshold * 100))}\n\n`,
    );
  const distance = conversation.triggers.distanceToCompression();
  text.appendMarkdown(`${distance === 'spent' ? '$(warning) ' : ''}${nextCompressionText(distance)}\n\n`);
  if (view.droppedEvents > 0) appendDroppedNotice(text.appendMarkdown('$(warning) '), view.droppedEvents);
  const saved = tokensStillSaved(conversation.state, (counted) => conversation.meter.providerSizes(counted));
  if (saved > 0) text.appendMarkdown(`${vscode.l10n.t('Tokens saved by compression: {0}.', countText(saved))}\n\n`);
  const tokens = counters.chatTokens + counters.compressionTokens;
  if (tokens > 0) text.appendMarkdown(`${vscode.l10n.t('Tokens used by this session: {0}.', countText(tokens))} `);
  if (view.costUsd > 0) text.appendMarkdown(vscode.l10n.t('Known cost of this session: {0}.', dollars(view.costUsd)));
  text.appendMarkdown('\n\n');
  text.appendMarkdown(spendLine(spend));
  return text;
}

/** Describes the distance to the next background compression, or why it's paused. */
export function nextCompressionText(distance: TriggerDistance | 'off' | 'spent'): string {
  if (distance === 'off')
    return vscode.l10n.t('Compression is turned off by the setting threadkeeper.compression.strategy.');
  if (distance === 'spent')
    return vscode.l10n.t(
      'Monthly spend limit reached. Background compression is paused until next month or until you raise the limit.',
    );
  const { tokens, messages } = distance;
  if (tokens === 0 || messages === 0)
    return vscode.l10n.t('Compresses in the background after a response if there’s enough to compress.');
  if (tokens !== undefined && messages === 1)
    return vscode.l10n.t(
      'Compresses in the background after {0} more tokens or 1 more message, whichever comes first.',
      countText(tokens),
    );
  if (tokens !== undefined && messages !== undefined)
    return vscode.l10n.t(
      'Compresses in the background after {0} more tokens or {1} more messages, whichever comes first.',
      countText(tokens),
      countText(messages),
    );
  if (tokens !== undefined)
    return vscode.l10n.t('Compresses in the background after {0} more tokens.', countText(tokens));
  if (messages === 1) return vscode.l10n.t('Compresses in the background after 1 more message.');
  if (messages !== undefined)
    return vscode.l10n.t('Compresses in the background after {0} more messages.', countText(messages));
  return vscode.l10n.t(
    'No token or message trigger is enabled. The session is compressed only by other triggers, when you run Compress History, or when the provider rejects a request as too long.',
  );
}

/** The cost of compression this month, for the tooltip; '' if there is neither a cost nor a limit. */
export function spendLine({ usd, limitUsd }: MonthlySpend): string {
  if (limitUsd === null) return usd > 0 ? vscode.l10n.t('Known compression cost this month: {0}.', dollars(usd)) : '';
  return vscode.l10n.t('Known compression cost this month: {0} of {1}.', dollars(usd), dollars(limitUsd));
}
