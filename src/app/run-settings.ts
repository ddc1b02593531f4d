import { DEFAULT_RUN_SETTINGS, type RunSettings } from '../core/compress/compress-run.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { SummaryPrompt } from '../core/prompts/render.ts';
import type { CompressionJob } from './compression-job.ts';

/** The frontier's share of the budget: enough to say something, and never most of it. */
const LEAST_FRONTIER_SHARE = 0.22;
const MOST_FRONTIER_SHARE = 0.35;

/** A frontier of fewer tokens keeps little of a long session: in a small budget the window gives way to it first. */
const LEAST_FRONTIER_TOKENS = 1200;

/** What is sent with all of this taken up leaves room for the next message. */
export const FILLED_SHARE = 0.9;

/** What the frontier may take of a budget, however much goes to other things. */
export const leastFrontier = (budget: number): number =>
  Math.max(LEAST_FRONTIER_SHARE * budget, Math.min(LEAST_FRONTIER_TOKENS, MOST_FRONTIER_SHARE * budget));

/** A frontier that is joined at all is joined so far that it need not be again for a while: joining changes what is sent. */
const CONDENSED = 0.8;

/** A trimmed segment keeps a line or two. */
const TRIM_CEILINGS = { brief: 60, detailed: 120 };

/** How the runs of a job are summarized, where `taken` tokens of the budget go to other things than summaries. */
export function runSettings(job: CompressionJob, prompt: SummaryPrompt, budget: number, taken: number): RunSettings {
  const { policy } = job.settings;
  const free = policy.targetShare * budget - taken;
  const least = Math.max(LEAST_FRONTIER_SHARE * budget, Math.min(leastFrontier(budget), FILLED_SHARE * budget - taken));
  const frontierTokens = Math.floor(Math.min(MOST_FRONTIER_SHARE * budget, Math.max(least, free)));
  const detailed = Math.max(policy.summary.maxTokens, DEFAULT_RUN_SETTINGS.ceilings.detailed);
  const steady = policy.summary.style === 'sentences';
  return {
    ...DEFAULT_RUN_SETTINGS,
    ...(job.probing && { concurrency: 1 }),
    prompt,
    frontierTokens,
    condenseTo: CONDENSED,
    ceilings: ceilingsFor(policy, steady ? policy.summary.maxTokens : detailed),
    temperature: policy.summary.temperature,
    maxOutputTokens: policy.summary.maxTokens,
    allowExtractiveOnFault: job.extractiveOnFault,
  };
}

function ceilingsFor(policy: Policy, detailed: number): { brief: number; detailed: number } {
  if (policy.strategy === 'trim') return TRIM_CEILINGS;
  return { brief: Math.min(DEFAULT_RUN_SETTINGS.ceilings.brief, Math.ceil(detailed / 3)), detailed };
}
