import type { Conversation } from '../../app/conversation.ts';
import { gaugeParts } from '../../core/budget/gauge.ts';
import type { GaugeView } from '../../protocol/views.ts';

/** The gauge's figures for a conversation, for the Status Bar, the chat page, and the *Context* view. */
export function gaugeView(conversation: Conversation): GaugeView {
  const context = conversation.context();
  const settings = conversation.settings();
  const { reservedTokens, policy } = settings;
  const isPaused = conversation.compressor.pauseReason(settings) !== undefined;
  const used = conversation.meter.providerTokens(context.total);
  return {
    used,
    budget: conversation.meter.providerBudget(),
    reserved: reservedTokens,
    approximate: conversation.meter.isApproximate,
    parts: gaugeParts(context.tokens, used),
    ...(policy.triggers.share !== null && !isPaused && { threshold: policy.triggers.share }),
    droppedEvents: context.leftOut.length,
    costUsd: conversation.state.counters.chatCostUsd + conversation.state.counters.compressionCostUsd,
    policy: policy.name,
  };
}
