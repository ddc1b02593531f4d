import type { NodeContent } from '../core/compress/leaf.ts';
import type { SummaryCache } from '../core/compress/compress-run.ts';
import { Pace } from '../core/compress/source.ts';
import { ModelTrust } from '../core/compress/summary-model.ts';
import { TermUsage } from '../core/compress/term-usage.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import { compressionId } from '../core/model/ids.ts';
import type { Usage } from '../core/model/message.ts';
import { breathe } from '../core/pace/breather.ts';
import { AGGRESSIVE_SHARE, LEAST_SAVING } from '../core/policy/policy.ts';
import { summaryPrompt, type PresetName } from '../core/prompts/render.ts';
import type { CompressionJob, CompressionWork, WorkResult } from './compression-job.ts';
import { isUrgent, jobModel, keepsEvents, type JobModel } from './job-model.ts';
import { LedgerKeeper } from './ledger-keeper.ts';
import { firstPart, planRuns, type Plan } from './plan-runs.ts';
import type { Clock } from './ports.ts';
import { FILLED_SHARE, leastFrontier } from './run-settings.ts';
import { readUsage } from './session-usage.ts';
import { summarizeRuns, type Made } from './summarize-runs.ts';

export interface CompressSessionDeps {
  readonly clock: Clock;
  readonly preset: () => PresetName;
  /** The user's own prompt in place of the preset's; throws `RangeError` when it cannot be used. */
  readonly promptText?: () => string | undefined;
  /** The user's own rules for key events. */
  readonly rules?: () => Promise<readonly CompiledRule[]>;
  /** Undefined: summaries are made by code. Throws `ModelFault` when the chosen model cannot be had. */
  readonly summaryModel: (job: Pick<CompressionJob, 'due' | 'urgency'>) => Promise<JobModel | undefined>;
  readonly price: (model: string, usage: Usage) => number | null;
}

/** Enough for one short question to a provider that may still be down. */
const TRIAL_TOKENS = 3000;

/**
 * The work of one compression, from plan to record: which messages leave the window, their key events, their
 * summaries, the levels at which all nodes are sent. Changes nothing in the session.
 */
export function compressSession(deps: CompressSessionDeps): CompressionWork {
  const { clock, price } = deps;
  const cache: SummaryCache = new Map<string, NodeContent>();
  const trust = new ModelTrust();
  const usage = new TermUsage();
  const keeper = new LedgerKeeper(clock, deps.rules ?? (() => Promise.resolve([])), deps.preset);
  return async (job) => {
    const started = clock.now();
    const { policy } = job.settings;
    // A command is as good a reason as a full context to close again what an undo had opened.
    const opensHeld = isUrgent(job) || job.due.trigger === 'command';
    const others = job.before.total - job.before.tokens.window - job.before.tokens.attachments;
    // What is not the window: at least today's ledger and summaries, or what they are about to become.
    const room = job.budget - Math.max(others, policy.ledgerShare * job.budget + leastFrontier(job.budget));
    const smaller = (maxTokens: number): Plan =>
      planRuns(job, { keep: Math.max(1, Math.floor(policy.window / 2)), maxTokens: Math.max(0, maxTokens) }, opensHeld);
    let plan = planRuns(job, { keep: policy.window, maxTokens: room }, opensHeld);
    await breathe(clock.breather);
    // What is there already leaves the window less: no summarizer needs to be asked first to know it.
    const crowded = others + plan.windowTokens > AGGRESSIVE_SHARE * job.budget;
    if (crowded && (plan.runs.length > 0 || isUrgent(job))) plan = smaller(FILLED_SHARE * job.budget - others);
    if (plan.runs.length === 0) return undefined;
    await breathe(clock.breather);
    // Nothing waits for it, so a provider that has failed is tried with little; the rest follows when it has answered.
    const trial = job.probing && job.urgency === 'background';
    if (trial) plan = firstPart(plan, TRIAL_TOKENS);
    const model = await jobModel(policy.strategy, job, deps.summaryModel);
    if (usage.isEmpty) await readUsage(usage, job.state, new Pace(clock.breather, job.signal));
    const make = async (): Promise<Made> => {
      const draft = keepsEvents(policy.strategy)
        ? await keeper.draft(
            job,
            plan.runs.flatMap((run) => run.items),
          )
        : keeper.unchanged(job);
      return summarizeRuns(job, plan.runs, draft, {
        clock,
        price,
        prompt: summaryPrompt(deps.preset(), deps.promptText?.(), policy.summary.style),
        keeper,
        cache,
        trust,
        usage,
        model,
        windowTokens: plan.windowTokens,
      });
    };
    let made = await make();
    if (!trial && made.after > AGGRESSIVE_SHARE * job.budget && policy.window > 1) {
      const next = smaller(Math.min(room, plan.windowTokens) - Math.max(0, made.after - job.budget));
      if (next.covers > plan.covers) {
        plan = next;
        made = await make();
      }
    }
    if (made.covered.messages === 0 || made.saved < LEAST_SAVING * made.covered.tokens) return undefined;
    return toResult(job, made, started, deps);
  };
}

function toResult(job: CompressionJob, made: Made, started: number, deps: CompressSessionDeps): WorkResult {
  const { calls, draft } = made;
  const before = job.state.uncoveredCount;
  const usage: Usage = { input: calls.inputTokens, output: calls.outputTokens };
  return {
    record: {
      id: compressionId(deps.clock.id()),
      trigger: job.due.trigger,
      threshold: job.due.threshold,
      policy: job.settings.policy.name,
      strategy: job.settings.policy.strategy,
      nodes: made.nodes,
      levels: made.levels,
      events: draft.events,
      changes: draft.changes,
      messages: { before, after: before - made.covered.messages },
      tokens: { before: job.before.total, after: made.after },
      calls: {
        count: calls.count,
        inputTokens: calls.inputTokens,
        outputTokens: calls.outputTokens,
        costUsd: calls.count === 0 ? 0 : (deps.price(made.model, usage) ?? 0),
      },
      durationMs: Math.max(0, deps.clock.now() - started),
    },
    last: made.last,
    fault: made.fault,
  };
}
