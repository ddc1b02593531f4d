import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { Usage } from '../core/model/message.ts';
import type { ReasoningPlan } from '../core/tokens/models.ts';
import type { ChatModel } from './ports.ts';
import { summaryModel } from './summary-model.ts';

/** A model that summarizes, and how many tokens it may be shown. */
export interface JobModel {
  readonly model: ChatModel;
  readonly maxInputTokens: number;
  /** What it may answer at once, thoughts included; left out: not known. */
  readonly maxOutputTokens?: number | undefined;
  /** What it holds, input and answer together; left out: not known. */
  readonly contextWindow?: number;
  /** How it may think; left out: a little. */
  readonly reasoning?: ReasoningPlan;
}

/** US dollars for what a model has used; null when its price is not known. */
export type PriceOf = (model: string, usage: Usage) => number | null;

export type UsageEvent = Extract<SessionEvent, { type: 'usage_recorded' }>;

/** A summarizer that is held to the spend limit, and whose cost is kept whatever becomes of its answers. */
export interface PaidModel {
  readonly model: SummaryModel;
  /** Takes the records of the calls so far, for the journal. */
  takeUsage(): readonly UsageEvent[];
}

/** Its calls reject with `SpendLimitReached` once the limit is used up, in the midst of a compression too. */
export function paidModel(
  { model: chat, maxInputTokens, maxOutputTokens, contextWindow, reasoning }: JobModel,
  gate: SpendGate,
  price: PriceOf,
  signal: AbortSignal,
): PaidModel {
  const calls: UsageEvent[] = [];
  const onUsage = (usage: Usage): void => {
    const costUsd = price(chat.id, usage);
    calls.push({ type: 'usage_recorded', purpose: 'compression', model: chat.id, usage, costUsd });
    gate.spent(costUsd);
  };
  const asked = summaryModel(chat, maxInputTokens, signal, onUsage, reasoning, { contextWindow, maxOutputTokens });
  return {
    model: {
      ...asked,
      ...(maxOutputTokens !== undefined && { maxOutputTokens: maxOutputTokens - (reasoning?.tokens ?? 0) }),
      complete: (request, cancel) =>
        gate.state() === 'open' ? asked.complete(request, cancel) : Promise.reject(new SpendLimitReached()),
    },
    takeUsage: () => calls.splice(0),
  };
}

/** Whether compression may still spend money; asked before a compression begins and before each of its model calls. */
export interface SpendGate {
  /** `spent`: the limit is used up, and models are left alone until it is not. */
  state(): 'open' | 'spent';
  /** Told at once of each call that was paid for; US dollars, null when the price is not known. */
  spent(costUsd: number | null): void;
}

/** No limit. */
export const OPEN_GATE: SpendGate = { state: () => 'open', spent: () => undefined };

/** The user's limit for compression is used up. It is no fault of a provider: nothing was asked of one. */
export class SpendLimitReached extends Error {
  constructor() {
    super('The limit for what compression may cost is used up.');
    this.name = 'SpendLimitReached';
  }
}
