import * as vscode from 'vscode';
import { countText, tokensText } from '../platform/l10n.ts';
import type { Conversation, SendPreview } from '../../app/conversation.ts';
import { gaugeParts } from '../../core/budget/gauge.ts';
import { messageText, type ContentBlock } from '../../core/model/message.ts';
import { MESSAGE_FRAMING_TOKENS } from '../../core/tokens/token-counter.ts';
import { partName } from '../gauge/gauge-item.ts';
import { triggerName } from './summary-texts.ts';
import { DocumentWriter, type RenderedDocument } from './rendered-document.ts';

/** The request that would be sent now, part by part, with the same token counts as the gauge. */
export function nextRequestDocument(
  { context, compressesFirst }: SendPreview,
  { counter, meter }: Conversation,
  isDraft: boolean,
  body: vscode.Uri,
): RenderedDocument {
  const used = meter.providerTokens(context.total);
  const page = new DocumentWriter().heading(1, vscode.l10n.t('Next Request'));
  if (!isDraft) page.block(vscode.l10n.t('The input is empty. This is the request without your next message.'));
  if (compressesFirst)
    page.block(
      vscode.l10n.t(
        'Compression will run first ({0}), so the actual request will be shorter.',
        triggerName(compressesFirst),
      ),
    );
  page.line({ text: vscode.l10n.t('Request as JSON'), to: body }).line();
  page.line(`| ${vscode.l10n.t('Part')} | ${vscode.l10n.t('Tokens')} |`).line('| --- | ---: |');
  for (const { name, tokens } of gaugeParts(context.tokens, used))
    if (tokens > 0) page.line(`| ${partName(name)} | ${countText(tokens)} |`);
  const total = vscode.l10n.t('Total (budget: {0})', countText(meter.providerBudget()));
  page.line(`| **${total}** | **${countText(used)}** |`).line();
  // Scaled to the total in the provider's tokens, as in the table.
  const scaled = (counted: number): string => tokensText(Math.round((counted * used) / context.total));
  for (const [index, text] of context.system.entries()) {
    const tokens = scaled(counter.text(text) + MESSAGE_FRAMING_TOKENS);
    page.heading(2, `${partName(context.systemParts[index]!)} · ${tokens}`).fenced(text);
  }
  page.heading(2, `${vscode.l10n.t('Messages')} · ${context.messages.length}`);
  for (const message of context.messages) {
    const { position, role, content, turnOnly = '' } = message;
    page.heading(3, `${position + 1} · ${role} · ${scaled(counter.message(message) + counter.text(turnOnly))}`);
    for (const block of content) page.fenced(blockText(block));
    if (turnOnly !== '') page.fenced(turnOnly);
  }
  return page.document();
}

const blockText = (block: ContentBlock): string =>
  block.type === 'image' ? `[${block.mediaType}]` : messageText({ content: [block] });
