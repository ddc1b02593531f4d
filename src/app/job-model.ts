import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { Strategy } from '../core/policy/policy.ts';
import type { ReasoningPlan } from '../core/tokens/models.ts';
import type { CompressionJob } from './compression-job.ts';
import type { ChatModel } from './ports.ts';
import { SpendLimitReached } from './spend.ts';

/** A model that summarizes, and how many tokens it may be shown. */
export interface JobModel {
  readonly model: ChatModel;
  readonly maxInputTokens: number;
  /** How it may think; left out: a little. */
  readonly reasoning?: ReasoningPlan;
}

/** `trim` takes no model; `auto` takes none while a request waits, since code is there at once. */
export async function jobModel(
  strategy: Strategy,
  job: CompressionJob,
  chosen: (job: CompressionJob) => Promise<JobModel | undefined>,
): Promise<JobModel | undefined> {
  if (strategy === 'trim' || (strategy === 'auto' && isUrgent(job))) return undefined;
  if (job.leftAlone !== undefined && job.extractiveOnFault) {
    job.standIn(job.leftAlone);
    return undefined;
  }
  try {
    const model = await chosen(job);
    if (model && !job.mayUseModel()) throw new SpendLimitReached();
    return model;
  } catch (error) {
    if (!job.extractiveOnFault) throw error;
    job.standIn(error);
    return undefined;
  }
}

/** The limit may be reached in the midst of a compression: the rest is as for a fault, by code where something waits. */
export function withinLimit(job: CompressionJob, model: SummaryModel): SummaryModel {
  return {
    ...model,
    complete: (request, cancel) =>
      job.mayUseModel() ? model.complete(request, cancel) : Promise.reject(new SpendLimitReached()),
  };
}

/** A request waits for it. */
export const isUrgent = ({ due }: CompressionJob): boolean =>
  due.trigger === 'before_send' || due.trigger === 'provider_overflow';

/** Whether a strategy keeps key events word for word. */
export const keepsEvents = (strategy: Strategy): boolean => strategy === 'smart' || strategy === 'auto';
