import type { Urgency } from '../../app/compression-job.ts';
import type { SummarizerConfig } from '../../app/summarizer.ts';
import { countedPrice, reasoningPlan } from '../../core/tokens/model-info.ts';
import { withRetries } from '../../providers/retry.ts';
import type { ChosenModel, Models } from './models.ts';

/** A model for compression; undefined for `local`, which means extraction. Rejects like `Models.make`. */
export async function summarizerConfig(
  models: Pick<Models, 'make' | 'info'>,
  chosen: ChosenModel,
  urgency: Urgency = 'now',
): Promise<SummarizerConfig | undefined> {
  if (chosen.provider === 'local') return undefined;
  const info = models.info(chosen);
  const reasoning = reasoningPlan(info, 'summary');
  const { contextWindow, statedMaxOutput: maxOutputTokens, maxInput = contextWindow } = info;
  // Thinking counts against the context window as well.
  const maxInputTokens = Math.min(maxInput, contextWindow - reasoning.tokens);
  const model = withRetries(await models.make(chosen, urgency), { mayDiscard: true });
  return { model, maxInputTokens, maxOutputTokens, contextWindow, reasoning, price: countedPrice(info) };
}
