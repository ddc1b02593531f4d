import { compressRun, type SummaryCache } from '../core/compress/compress-run.ts';
import { chooseLevels } from '../core/compress/levels.ts';
import { rebuildStale } from '../core/compress/rebuild.ts';
import { Pace } from '../core/compress/source.ts';
import { CallLog, type ModelTrust } from '../core/compress/summary-model.ts';
import type { TermUsage } from '../core/compress/term-usage.ts';
import { assemblePrefix } from '../core/context/prefix.ts';
import { nodeId, type MessageId } from '../core/model/ids.ts';
import type { DetectedEvent, Span } from '../core/model/key-event.ts';
import type { Usage } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { SummaryPrompt } from '../core/prompts/render.ts';
import type { CompressionJob, WorkResult } from './compression-job.ts';
import { keepsEvents, withinLimit, type JobModel } from './job-model.ts';
import type { LedgerDraft, LedgerKeeper } from './ledger-keeper.ts';
import type { PlannedRun } from './plan-runs.ts';
import type { Clock } from './ports.ts';
import { runSettings } from './run-settings.ts';
import { summaryModel } from './summary-model.ts';

/** What summarizing came to: nothing of it is in the session yet. */
export interface Made {
  readonly nodes: readonly SummaryNode[];
  readonly levels: WorkResult['record']['levels'];
  readonly draft: LedgerDraft;
  readonly covered: { readonly messages: number; readonly tokens: number };
  /** Tokens of the request afterwards, had nothing else been said since. */
  readonly after: number;
  readonly saved: number;
  readonly calls: CallLog;
  readonly last: WorkResult['last'];
  readonly model: string;
  readonly fault: unknown;
}

export interface MakeTools {
  readonly clock: Clock;
  readonly price: (model: string, usage: Usage) => number | null;
  readonly prompt: SummaryPrompt;
  readonly keeper: LedgerKeeper;
  readonly cache: SummaryCache;
  readonly trust: ModelTrust;
  readonly usage: TermUsage;
  readonly model: JobModel | undefined;
  /** Tokens that stay word for word. */
  readonly windowTokens: number;
}

/** Summarizes the runs of a plan, mends stale nodes first, and chooses the levels at which all nodes are sent. */
export async function summarizeRuns(
  job: CompressionJob,
  runs: readonly PlannedRun[],
  found: LedgerDraft,
  tools: MakeTools,
): Promise<Made> {
  const { clock, price, prompt, keeper, cache, trust, usage, model, windowTokens } = tools;
  const { before, budget, signal, state, counter } = job;
  const calls = new CallLog();
  const fixed = before.tokens.system + before.tokens.memory + before.tokens.task + windowTokens;
  const settings = runSettings(job, prompt, budget, fixed + found.tokens);
  const total = runs.reduce((sum, run) => sum + run.items.length, 0);
  const nodes: SummaryNode[] = [];
  const mended = await rebuildStale(
    state.frontier.map((item) => item.node),
    state,
    settings.frontierTokens,
    {
      counter,
      pace: new Pace(clock.breather, signal),
      ceilings: settings.ceilings,
      nextId: () => nodeId(clock.id()),
      now: () => clock.now(),
      usage,
    },
  );
  nodes.push(...mended.made);
  let { frontier } = mended;
  let covered = { messages: 0, tokens: 0 };
  let leavingTokens = 0;
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
        nextId: () => nodeId(clock.id()),
        now: () => clock.now(),
        breather: clock.breather,
        cancel: signal,
        calls,
        trust,
        cache,
        usage,
        ...(model && {
          model: withinLimit(
            job,
            summaryModel(
              model.model,
              model.maxInputTokens,
              signal,
              (usage) => {
                job.spent({ model: model.model.id, usage, costUsd: price(model.model.id, usage) });
              },
              model.reasoning,
            ),
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
    // A system message among the others is summarized, but was not sent.
    for (const { message, tokens } of run.items.slice(0, result.covered))
      if (message.role !== 'system') leavingTokens += tokens;
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
  const { systemPrompt, memory, policy } = job.settings;
  const front = assemblePrefix({
    state: state.afterCompression({ nodes, levels: chosen.levels, events: draft.events, changes: draft.changes }),
    systemPrompt,
    memory,
    counts: job.counts,
    ledgerBudget: Math.floor(budget * policy.ledgerShare),
  }).tokens;
  const added = front.ledger + front.summaries - (before.tokens.ledger + before.tokens.summaries);
  const saved = leavingTokens - added;
  return {
    nodes,
    levels: chosen.levels,
    draft,
    covered,
    after: before.total - saved,
    saved,
    calls,
    last: { message: last.message.id, position: last.position },
    model: model?.model.id ?? 'local',
    fault,
  };
}

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

function wantedIn(run: PlannedRun, draft: LedgerDraft): ReadonlyMap<number, readonly Span[]> {
  const wanted = new Map<number, readonly Span[]>();
  run.items.forEach((item, at) => {
    const spans = draft.spans.get(item.message.id);
    if (spans) wanted.set(at, spans);
  });
  return wanted;
}

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
