import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { Usage } from '../core/model/message.ts';
import type { JobModel } from './job-model.ts';
import { SpendLimitReached, type SpendGate } from './spend.ts';
import { summaryModel } from './summary-model.ts';

/** US dollars for what a model has used; null when its price is not known. */
export type PriceOf = (model: string, usage: Usage) => number | null;

/** A model that is asked at the user's wish, outside of compressions: held to the limit, and what it cost is kept. */
export interface PaidModel {
  readonly model: SummaryModel;
  /** What records the calls so far. */
  usage(): readonly Extract<SessionEvent, { type: 'usage_recorded' }>[];
}

/** Its calls reject with `SpendLimitReached` once the limit is used up. */
export function paidModel(
  { model: chat, maxInputTokens, reasoning }: JobModel,
  gate: SpendGate,
  price: PriceOf,
  signal: AbortSignal,
): PaidModel {
  const calls: Extract<SessionEvent, { type: 'usage_recorded' }>[] = [];
  const asked = summaryModel(
    chat,
    maxInputTokens,
    signal,
    (usage) => {
      const costUsd = price(chat.id, usage);
      calls.push({ type: 'usage_recorded', purpose: 'compression', model: chat.id, usage, costUsd });
      gate.spent(costUsd);
    },
    reasoning,
  );
  return {
    model: {
      ...asked,
      complete: (request, cancel) =>
        gate.state() === 'open' ? asked.complete(request, cancel) : Promise.reject(new SpendLimitReached()),
    },
    usage: () => calls,
  };
}
