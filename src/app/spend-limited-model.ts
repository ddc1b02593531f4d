import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { Usage } from '../core/model/message.ts';
import { summarizerOf, type NeededReasoning, type SummarizerConfig } from './summarizer.ts';

/** The cost of a call in US dollars; null if the model's price is unknown. */
export type PriceOf = (model: string, usage: Usage) => number | null;

export type UsageEvent = Extract<SessionEvent, { type: 'usage_recorded' }>;

/** A summarizer that respects the spend limit, and the usage of its calls. */
export interface SpendLimitedModel {
  readonly model: SummaryModel;
  /** Returns and clears the usage events, which belong in the journal even if the summaries are discarded. */
  takeUsage(): readonly UsageEvent[];
}

/** Once the limit is reached, further calls reject with `SpendLimitReached`, even in the middle of a compression. */
export function spendLimitedModel(
  config: SummarizerConfig,
  gate: SpendGate,
  price: PriceOf,
  signal: AbortSignal,
  neededReasoning?: NeededReasoning,
): SpendLimitedModel {
  const { maxOutputTokens, reasoning } = config;
  const { id } = config.model;
  const calls: UsageEvent[] = [];
  const onUsage = (usage: Usage): void => {
    const costUsd = price(id, usage);
    calls.push({ type: 'usage_recorded', purpose: 'compression', model: id, usage, costUsd });
    gate.recordCost(costUsd);
  };
  const summarizer = summarizerOf(config, signal, onUsage, neededReasoning);
  return {
    model: {
      ...summarizer,
      // Providers count thinking as output.
      ...(maxOutputTokens !== undefined && { maxOutputTokens: maxOutputTokens - (reasoning?.tokens ?? 0) }),
      complete: (request) =>
        gate.state() === 'open' ? summarizer.complete(request) : Promise.reject(new SpendLimitReached()),
    },
    takeUsage: () => calls.splice(0),
  };
}

/** The spend limit. Checked before each compression and before each of its model calls. */
export interface SpendGate {
  state(): 'open' | 'spent';
  /** Called after each model call with its cost in US dollars; null if the price is unknown. */
  recordCost(costUsd: number | null): void;
}

export const OPEN_GATE: SpendGate = { state: () => 'open', recordCost: () => undefined };

/** Not a `ModelFault`, because no provider was called. */
export class SpendLimitReached extends Error {
  constructor() {
    super('The limit for what compression may cost is used up.');
    this.name = 'SpendLimitReached';
  }
}
