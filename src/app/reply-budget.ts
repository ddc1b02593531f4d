import { budgetOf } from '../core/budget/gauge.ts';
import type { Effort } from '../core/tokens/model-facts.ts';
import { reasoningPlan, type ModelInfo } from '../core/tokens/model-info.ts';
import type { ConversationSettings } from './conversation-settings.ts';

/** The user's settings for chat requests; null means the model's default. */
export interface ChatLimits {
  readonly contextWindow: number | null;
  readonly reservedTokens: number;
  readonly reasoningEffort: Effort | null;
}

/** The context window, the tokens reserved for the reply, and the reply's limits, all in tokens. */
export function replyBudget(
  chat: ChatLimits,
  info: ModelInfo,
): Pick<ConversationSettings, 'contextWindow' | 'reservedTokens' | 'reply'> {
  const contextWindow = chat.contextWindow ?? info.contextWindow;
  const model = { ...info, contextWindow, maxInput: Math.min(info.maxInput ?? contextWindow, contextWindow) };
  const plan = reasoningPlan(model, 'chat', chat.reasoningEffort ?? undefined);
  const budget = budgetOf(model, chat.reservedTokens + plan.tokens);
  return {
    contextWindow,
    reservedTokens: contextWindow - budget.tokens,
    reply: {
      textTokens: Math.max(1, budget.reserved - plan.tokens),
      reasoningTokens: plan.tokens,
      maxOutput: Math.min(info.maxOutput, Math.floor(contextWindow / 2)),
      ...(plan.effort !== undefined && { effort: plan.effort }),
    },
  };
}
