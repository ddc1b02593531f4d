import {
  compressRun,
  DEFAULT_RUN_SETTINGS,
  type RunSettings,
  type SummaryCache,
} from '../core/compress/compress-run.ts';
import { rebuildStale } from '../core/compress/rebuild.ts';
import { Pace } from '../core/compress/source.ts';
import { chooseLevels, NODE_HEADING_TOKENS } from '../core/compress/levels.ts';
import { CallLog, ModelTrust, type SummaryModel } from '../core/compress/summary-model.ts';
import type { NodeContent } from '../core/compress/leaf.ts';
import { renderLedger, SUMMARIES_INTRO } from '../core/context/render.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import { compressionId, nodeId, type MessageId } from '../core/model/ids.ts';
import type { DetectedEvent, Span } from '../core/model/key-event.ts';
import type { Usage } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { AGGRESSIVE_SHARE, LEAST_SAVING, type Policy, type Strategy } from '../core/policy/policy.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { MESSAGE_FRAMING_TOKENS, type TokenCounter } from '../core/tokens/token-counter.ts';
import { summaryPrompt, type PresetName, type SummaryPrompt } from '../core/prompts/render.ts';
import type { CompressionJob, CompressionWork, WorkResult } from './compressor.ts';
import { LedgerKeeper, type LedgerDraft } from './ledger-keeper.ts';
import type { ChatModel, Clock } from './ports.ts';
import { firstPart, planRuns, type PlannedRun } from './plan-runs.ts';
import { SpendLimitReached } from './spend.ts';
import { summaryModel } from './summary-model.ts';

export interface CompressSessionDeps {
  readonly clock: Clock;
  readonly preset: () => PresetName;
  /** The user's own prompt in place of the preset's; throws `RangeError` when it cannot be used. */
  readonly promptText?: () => string | undefined;
  /** The user's own rules for key events. */
  readonly rules?: () => readonly CompiledRule[];
  /** Undefined: summaries are made by code. Throws `ModelFault` when the chosen model cannot be had. */
  readonly summaryModel: (
    job: Pick<CompressionJob, 'due' | 'urgency'>,
  ) => Promise<{ readonly model: ChatModel; readonly maxInputTokens: number } | undefined>;
  readonly price: (model: string, usage: Usage) => number | null;
}

/** The frontier's share of the budget: enough to say something, and never most of it. */
const LEAST_FRONTIER_SHARE = 0.22;
const MOST_FRONTIER_SHARE = 0.35;

/** A frontier that is joined at all is joined so far that it need not be again for a while: joining changes what is sent. */
const CONDENSED = 0.8;

/** Enough for one short question to a provider that may still be down. */
const TRIAL_TOKENS = 3000;

/** A trimmed segment keeps a line or two. */
const TRIM_CEILINGS = { brief: 60, detailed: 120 };

/**
 * The work of one compression, from plan to record: which messages leave the window, their key events, their
 * summaries, the levels at which all nodes are sent. Changes nothing in the session.
 */
export function compressSession(deps: CompressSessionDeps): CompressionWork {
  const cache: SummaryCache = new Map<string, NodeContent>();
  const trust = new ModelTrust();
  const keeper = new LedgerKeeper(deps.clock, deps.rules ?? (() => []));
  return async (job) => {
    const started = deps.clock.now();
    const { policy } = job.settings;
    // A command is as good a reason as a full context to close again what an undo had opened.
    const opensHeld = isUrgent(job) || job.due.trigger === 'command';
    const others = job.before.total - job.before.tokens.window - job.before.tokens.attachments;
    // What is not the window: at least today's ledger and summaries, or what they are about to become.
    const room = job.budget - Math.max(others, (policy.ledgerShare + LEAST_FRONTIER_SHARE) * job.budget);
    let plan = planRuns(job, { keep: policy.window, maxTokens: room }, opensHeld);
    if (plan.runs.length === 0) return undefined;
    // Nothing waits for it, so a provider that has failed is tried with little; the rest follows when it has answered.
    const trial = job.probing && job.urgency === 'background';
    if (trial) plan = firstPart(plan, TRIAL_TOKENS);
    const model = await modelFor(policy.strategy, job, deps);
    const make = async (): Promise<Made> => {
      const draft = keepsEvents(policy.strategy)
        ? await keeper.draft(
            job,
            plan.runs.flatMap((run) => run.items),
          )
        : keeper.unchanged(job);
      return summarize(job, plan.runs, draft, { deps, keeper, cache, trust, model, windowTokens: plan.windowTokens });
    };
    let made = await make();
    if (!trial && made.after > AGGRESSIVE_SHARE * job.budget && policy.window > 1) {
      const keep = Math.max(1, Math.floor(policy.window / 2));
      const over = Math.max(0, made.after - job.budget);
      const smaller = planRuns(
        job,
        { keep, maxTokens: Math.max(0, Math.min(room, plan.windowTokens) - over) },
        opensHeld,
      );
      if (smaller.covers > plan.covers) {
        plan = smaller;
        made = await make();
      }
    }
    if (made.covered.messages === 0 || made.saved < LEAST_SAVING * made.covered.tokens) return undefined;
    return toResult(job, made, started, deps);
  };
}

interface Made {
  readonly nodes: readonly SummaryNode[];
  readonly levels: WorkResult['record']['levels'];
  readonly draft: LedgerDraft;
  readonly covered: { readonly messages: number; readonly tokens: number };
  /** Tokens of the request afterwards. */
  readonly after: number;
  readonly saved: number;
  readonly calls: CallLog;
  readonly last: WorkResult['last'];
  readonly model: string;
  readonly fault: unknown;
}

interface MakeTools {
  readonly deps: CompressSessionDeps;
  readonly keeper: LedgerKeeper;
  readonly cache: SummaryCache;
  readonly trust: ModelTrust;
  readonly model: { readonly model: ChatModel; readonly maxInputTokens: number } | undefined;
  readonly windowTokens: number;
}

async function summarize(
  job: CompressionJob,
  runs: readonly PlannedRun[],
  found: LedgerDraft,
  tools: MakeTools,
): Promise<Made> {
  const { deps, keeper, cache, trust, model, windowTokens } = tools;
  const { before, budget, signal, state, counter } = job;
  const calls = new CallLog();
  const fixed = before.tokens.system + before.tokens.memory + before.tokens.task + windowTokens;
  const settings = runSettings(job, promptFor(job.settings.policy, deps), budget, fixed + found.tokens);
  const total = runs.reduce((sum, run) => sum + run.items.length, 0);
  const nodes: SummaryNode[] = [];
  const mended = await rebuildStale(
    state.frontier.map((item) => item.node),
    state,
    settings.frontierTokens,
    {
      counter,
      pace: new Pace(deps.clock.breather, signal),
      ceilings: settings.ceilings,
      nextId: () => nodeId(deps.clock.id()),
      now: () => deps.clock.now(),
    },
  );
  nodes.push(...mended.made);
  let { frontier } = mended;
  let covered = { messages: 0, tokens: 0 };
  const named = new Map<MessageId, readonly DetectedEvent[]>();
  let fault: unknown;
  let last = runs[0]!.items[0]!;
  for (const run of runs) {
    job.report({ stage: 'summarizing', done: covered.messages, total });
    const earlier = frontier.filter((node) => state.positionOf(node.first)! < run.items[0]!.position).length;
    const near = neighboursBefore(run.items[0]!.position, frontier.slice(0, earlier), state);
    const result = await compressRun(
      {
        messages: run.items.map((item) => item.message),
        tokens: run.items.map((item) => item.tokens),
        frontier: near,
        wanted: wantedIn(run, found),
      },
      settings,
      {
        counter,
        nextId: () => nodeId(deps.clock.id()),
        now: () => deps.clock.now(),
        breather: deps.clock.breather,
        cancel: signal,
        calls,
        trust,
        cache,
        ...(model && {
          model: withinLimit(
            job,
            summaryModel(model.model, model.maxInputTokens, signal, (usage) => {
              job.spent({ model: model.model.id, usage, costUsd: deps.price(model.model.id, usage) });
            }),
          ),
        }),
      },
    );
    nodes.push(...result.nodes);
    frontier = [...frontier.slice(0, earlier - near.length), ...result.frontier, ...frontier.slice(earlier)];
    covered = { messages: covered.messages + result.covered, tokens: covered.tokens + result.tokens.source };
    fault ??= result.fault;
    for (const { at, event } of result.named) {
      const { id } = run.items[at]!.message;
      named.set(id, [...(named.get(id) ?? []), event]);
    }
    last = run.items[Math.max(0, result.covered - 1)]!;
  }
  const mayAdd = named.size > 0 && keepsEvents(job.settings.policy.strategy);
  const draft = mayAdd
    ? await keeper.withNamed(
        job,
        runs.flatMap((run) => run.items),
        found,
        named,
      )
    : found;
  const chosen = chooseLevels(frontier, settings.frontierTokens, nearTask(frontier, state), state.levels);
  const remaining =
    runs.reduce((sum, run) => sum + run.items.reduce((all, item) => all + item.tokens, 0), 0) - covered.tokens;
  const ledger = draft.tokens === 0 ? 0 : draft.tokens + fence(counter, renderLedger(['']));
  const summaries = frontier.length === 0 ? 0 : chosen.tokens + fence(counter, SUMMARIES_INTRO) + NODE_HEADING_TOKENS;
  const after = fixed + ledger + summaries + Math.max(0, remaining);
  const added = ledger - before.tokens.ledger + (summaries - before.tokens.summaries);
  return {
    nodes,
    levels: chosen.levels,
    draft,
    covered,
    after,
    saved: covered.tokens - added,
    calls,
    last: { message: last.message.id, position: last.position },
    model: model?.model.id ?? 'local',
    fault,
  };
}

/** What stands around a part of the system prompt, in tokens. */
const fence = (counter: TokenCounter, text: string): number => counter.text(text) + MESSAGE_FRAMING_TOKENS;

/** Nodes (oldest first) that end right before a position, without a gap between them: only such are joined. */
function neighboursBefore(
  position: number,
  nodes: readonly SummaryNode[],
  state: SessionState,
): readonly SummaryNode[] {
  let next = position;
  let at = nodes.length;
  for (; at > 0 && state.positionOf(nodes[at - 1]!.last) === next - 1; at--)
    next = state.positionOf(nodes[at - 1]!.first)!;
  return nodes.slice(at);
}

const promptFor = ({ summary }: Policy, deps: CompressSessionDeps): SummaryPrompt =>
  summaryPrompt(deps.preset(), deps.promptText?.(), summary.style);

/** Nodes that the task's words are about get more room than others as old: at most this many. */
const MOST_NEAR_TASK = 3;

/** Positions of the frontier's nodes that the task's words are found in, the nearest first. */
function nearTask(frontier: readonly SummaryNode[], { task }: SessionState): number[] {
  if (!task || frontier.length < 2) return [];
  const index = new TextIndex();
  frontier.forEach((node, at) => {
    index.add(String(at), `${node.title}\n${node.detailed}`);
  });
  const words = [task.goal, ...task.steps.map((step) => step.text)].join('\n');
  return index.search(words, { limit: MOST_NEAR_TASK }).map((hit) => Number(hit.id));
}

function runSettings(job: CompressionJob, prompt: SummaryPrompt, budget: number, taken: number): RunSettings {
  const { policy } = job.settings;
  const free = policy.targetShare * budget - taken;
  const frontierTokens = Math.floor(
    Math.min(MOST_FRONTIER_SHARE * budget, Math.max(LEAST_FRONTIER_SHARE * budget, free)),
  );
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

const keepsEvents = (strategy: Strategy): boolean => strategy === 'smart' || strategy === 'auto';

/** `trim` takes no model; `auto` takes none while a request waits, since code is there at once. */
async function modelFor(
  strategy: Strategy,
  job: CompressionJob,
  deps: CompressSessionDeps,
): Promise<MakeTools['model']> {
  if (strategy === 'trim' || (strategy === 'auto' && isUrgent(job))) return undefined;
  if (job.leftAlone !== undefined && job.extractiveOnFault) {
    job.standIn(job.leftAlone);
    return undefined;
  }
  try {
    const model = await deps.summaryModel(job);
    if (model && !job.mayUseModel()) throw new SpendLimitReached();
    return model;
  } catch (error) {
    if (!job.extractiveOnFault) throw error;
    job.standIn(error);
    return undefined;
  }
}

/** The limit may be reached in the midst of a compression: the rest is as for a fault, by code where something waits. */
function withinLimit(job: CompressionJob, model: SummaryModel): SummaryModel {
  return {
    ...model,
    complete: (request, cancel) =>
      job.mayUseModel() ? model.complete(request, cancel) : Promise.reject(new SpendLimitReached()),
  };
}

/** A request waits for it. */
const isUrgent = ({ due }: CompressionJob): boolean =>
  due.trigger === 'before_send' || due.trigger === 'provider_overflow';

function wantedIn(run: PlannedRun, draft: LedgerDraft): ReadonlyMap<number, readonly Span[]> {
  const wanted = new Map<number, readonly Span[]>();
  run.items.forEach((item, at) => {
    const spans = draft.spans.get(item.message.id);
    if (spans) wanted.set(at, spans);
  });
  return wanted;
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
