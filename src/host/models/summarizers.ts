import type { CompressionJob } from '../../app/compression-job.ts';
import type { SpendGate } from '../../app/spend-limited-model.ts';
import type { SummarizerConfig } from '../../app/summarizer.ts';
import { reasoningPlan } from '../../core/tokens/models.ts';
import { withRetries } from '../../providers/retry.ts';
import type { ChosenModel, Models } from './models.ts';
import type { SpendLimit } from './spend-limit.ts';

/** The part of `Models` that is used here. */
type ModelSource = Pick<Models, 'make' | 'info'>;

/** Provides models for compression, and applies the spend limit. */
export class Summarizers {
  readonly #models: ModelSource;
  readonly #limit: SpendLimit;

  constructor(models: ModelSource, limit: SpendLimit) {
    this.#models = models;
    this.#limit = limit;
  }

  /** Resolves to undefined for `local`, which means extraction. Rejects with `ModelFault` if the model isn't available. */
  async model(chosen: ChosenModel, job: Pick<CompressionJob, 'urgency'>): Promise<SummarizerConfig | undefined> {
    if (chosen.provider === 'local') return undefined;
    const info = this.#models.info(chosen);
    const reasoning = reasoningPlan(info, 'summary');
    const { contextWindow, statedMaxOutput: maxOutputTokens, maxInput = contextWindow } = info;
    // Thinking counts against the context window as well.
    const maxInputTokens = Math.min(maxInput, contextWindow - reasoning.tokens);
    const model = withRetries(await this.#models.make(chosen, job.urgency), { mayDiscard: true });
    return { model, maxInputTokens, maxOutputTokens, contextWindow, reasoning };
  }

  /**
   * Applies the spend limit to a session's summarizer. A model without a known price isn't limited, because its cost is
   * unknown.
   */
  gate(chosen: () => ChosenModel): SpendGate {
    return {
      state: () => (this.#models.info(chosen()).price && this.#limit.current().isSpent ? 'spent' : 'open'),
      recordCost: (costUsd) => {
        if (costUsd !== null && costUsd > 0) this.#limit.add(costUsd);
      },
    };
  }
}
