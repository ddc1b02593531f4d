import { messageAllowance, OUTPUT_COST, type Effort } from '../core/compress/ask-model.ts';
import { buildCorpus, TermUsage } from '../core/compress/corpus.ts';
import { chooseLevels, tokensOf, type LevelChoice } from '../core/compress/levels.ts';
import { Pace } from '../core/compress/source.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import {
  MIN_SUMMARY_TOKENS,
  summarizeRuns,
  type Run,
  type SummarizedRun,
  type SummaryCache,
} from '../core/compress/summarize.ts';
import { mergeOld, partsOf, rebuildStale, type ParentTools } from '../core/compress/tree.ts';
import { coverage, keyEventCounts } from '../core/context/ledger-lines.ts';
import { prefixSteps } from '../core/context/prefix.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import { compressionId, nodeId } from '../core/model/ids.ts';
import type { DetectedEvent, Span } from '../core/model/key-event.ts';
import type { Usage } from '../core/model/message.ts';
import { nodeWith, type SummaryNode } from '../core/model/summary.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { runYielding, type Steps } from '../core/pace/steps.ts';
import { MIN_SAVING } from '../core/policy/policy.ts';
import { summaryPrompt } from '../core/prompts/render.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob, CompressionWork, WorkResult } from './compression-job.ts';
import {
  keepsEvents,
  isStandIn,
  minSummariesTokens,
  planCompression,
  waitsForMore,
  FILLED_SHARE,
  type Plan,
  type PlannedRun,
} from './compression-plan.ts';
import { LedgerKeeper, type LedgerDraft, type LedgerKeeperDeps } from './ledger-keeper.ts';
import type { PriceOf } from './spend-limited-model.ts';

export interface CompressSessionDeps extends LedgerKeeperDeps {
  /** The user's prompt instead of the preset's. Throws `RangeError` if it's invalid. */
  readonly promptText?: () => string | undefined;
  readonly price: PriceOf;
}

/** Maximum number of segments summarized concurrently. */
const CONCURRENCY = 24;

/**
 * Share of the replaced tokens that ledger and summaries may take together, unless there is a target. It's higher for
 * short sources, which can't be shortened as much.
 */
const REPLACED_SHARE = { least: 0.15, most: 0.22, first: 0.7, upToTokens: 1_500 } as const;

/** Minimum share for summaries, regardless of the number of key events, because quotes alone lack context. */
const TOLD_SHARE = 0.05;

/** Merging goes down to this share of the room, so that it isn't needed again soon: it changes the prompt's prefix. */
const CONDENSED = 0.8;

/** Up to this room, all of it is used: without a model, merging more often costs nothing. */
const LITTLE_ROOM = 8_000;

/** Limits for the texts of parents, in tokens. */
export const PARENT_CEILINGS = { brief: 400, detailed: 1600 } as const;

/** Room for a run with the `trim` strategy: a line or two. */
const TRIM_TOKENS = 120;

/** Tokens of tags, introduction, and framing for the first summaries and key events of a request. */
const SUMMARIES_FRAME_TOKENS = 46;
const LEDGER_FRAME_TOKENS = 84;

/** Approximate size of a block of summaries, and the tokens for its tags and those of its key events. */
const BLOCK_EVERY = 2_000;
const BLOCK_FRAME_TOKENS = 64;

/** Attempts to bring the request under its limit if headings take more tokens than estimated. */
const MAX_ROUNDS = 5;

/**
 * One compression from plan to record: selects the messages, detects their key events, summarizes them, and chooses the
 * level of each summary. The model is called only if ledger and summaries can save at least 10% of what they replace.
 * Doesn't change the session.
 */
export function compressSession(deps: CompressSessionDeps): CompressionWork {
  const { clock } = deps;
  const cache: SummaryCache = new Map();
  const usage = new TermUsage();
  const keeper = new LedgerKeeper(deps);
  const work: CompressionWork = async (job): Promise<WorkResult> => {
    const started = clock.now();
    const plan = planCompression(job);
    if (plan.runs.length === 0) return { kind: 'skipped', reason: 'recent_only' };
    await yieldIfDue(clock.yielder);
    const { strategy } = job.settings.policy;
    const found = keepsEvents(strategy) ? await keeper.draft(job, plan.runs.flat()) : NO_EVENTS;
    const pace = new Pace(clock.yielder, job.signal);
    const whole = await sized(job, plan, found, pace);
    const isModest = pays(job, plan, whole) && leavesRoom(job, plan, whole) && fitsTarget(job, plan, whole);
    const draft = isModest ? whole : await sized(job, plan, withoutRoom(found, job, plan), pace);
    if (!pays(job, plan, draft)) return { kind: 'skipped', reason: 'no_saving' };
    if (usage.isEmpty) await readUsage(usage, job.state, pace);
    const made = await summarize(job, plan, draft, deps, { cache, usage, pace });
    if (made.covered === 0 && made.fault !== undefined && job.model) {
      // The trial failed, so the new messages are extracted.
      const extracted = await work({ ...job, model: undefined });
      return extracted.kind === 'done' ? { ...extracted, fault: made.fault } : extracted;
    }
    // Summaries that were paid for are kept even if they save slightly less than estimated.
    const isFree = made.calls.count === 0 && !job.aim;
    const isTooLong = isFree && job.before.total - made.after < MIN_SAVING * made.leftTokens;
    if (made.covered === 0 || isTooLong) return { kind: 'skipped', reason: 'no_saving' };
    return toResult(job, draft, made, started, deps);
  };
  return work;
}

/** A ledger draft with its tokens in a request, including tags and introduction. */
interface SizedDraft extends LedgerDraft {
  readonly tokens: number;
}

const NO_EVENTS: LedgerDraft = { events: [], changes: [], spans: new Map() };

/** Counts the ledger as it will be sent after the compression. */
async function sized(job: CompressionJob, { runs }: Plan, draft: LedgerDraft, pace: Pace): Promise<SizedDraft> {
  const nodes = runs.map((run, at) => placeholder(run, at));
  return { ...draft, tokens: (await runYielding(frontSteps(job, nodes, [], draft), pace)).ledger };
}

/** A summary node for a run that isn't summarized yet. */
const placeholder = (run: PlannedRun, at: number): SummaryNode =>
  nodeWith({
    id: nodeId(`placeholder-${at}`),
    first: run[0]!.message.id,
    last: run.at(-1)!.message.id,
    messages: run.length,
  });

const addedLedger = ({ before }: CompressionJob, { tokens }: SizedDraft): number =>
  Math.max(0, tokens - before.tokens.ledger);

/** Maximum tokens of the summaries for ledger and summaries to save enough. */
function ceilingOf(job: CompressionJob, { leavingTokens }: Plan, draft: SizedDraft): number {
  const frame = job.before.tokens.summaries === 0 ? SUMMARIES_FRAME_TOKENS : 0;
  return Math.floor((1 - MIN_SAVING) * leavingTokens) - addedLedger(job, draft) - frame;
}

/** Minimum size of an extracted summary: one line. */
const MIN_EXTRACT_TOKENS = 32;

const pays = (job: CompressionJob, plan: Plan, draft: SizedDraft): boolean =>
  ceilingOf(job, plan, draft) >= plan.runs.length * (job.model ? MIN_SUMMARY_TOKENS : MIN_EXTRACT_TOKENS);

/** Minimum share of the replacement that the ledger must leave to summaries. */
const LEFT_TO_SUMMARIES = 0.5;

const leavesRoom = (job: CompressionJob, plan: Plan, draft: SizedDraft): boolean =>
  ceilingOf(job, plan, draft) >= LEFT_TO_SUMMARIES * (1 - MIN_SAVING) * plan.leavingTokens;

/** Whether the target, if any, leaves room for summaries beside the recent messages and the ledger. */
const fitsTarget = (job: CompressionJob, plan: Plan, draft: SizedDraft): boolean =>
  !job.aim || summariesRoom(job, plan, draft) >= MIN_EXTRACT_TOKENS;

/** Drops the unpinned key events of the summarized messages, because there is no room for them beside a summary. */
function withoutRoom({ events, changes, spans }: LedgerDraft, { state }: CompressionJob, { runs }: Plan): LedgerDraft {
  const leaving = new Set(runs.flatMap((run) => run.map(({ message }) => message.id)));
  const standing = [...state.events.values()].filter(
    ({ message, status, pinned }) => status === 'active' && !pinned && leaving.has(message),
  );
  const settled = changes.filter(({ status }) => status !== 'active');
  const dropped = standing.filter(({ id }) => !settled.some((change) => change.id === id));
  return {
    events: events.map((event) =>
      event.status === 'active' && !event.pinned ? { ...event, status: 'dropped' } : event,
    ),
    changes: [...settled, ...dropped.map(({ id }) => ({ id, status: 'dropped' as const }))],
    spans,
  };
}

interface Made {
  readonly nodes: readonly SummaryNode[];
  readonly levels: readonly LevelChoice[];
  /** Number of newly covered messages. */
  readonly covered: number;
  /** Tokens that are replaced. */
  readonly leftTokens: number;
  readonly last: PlannedRun[number];
  /** Tokens of the request after this compression, without messages that arrive meanwhile. */
  readonly after: number;
  readonly keyEvents: CompressionRecord['keyEvents'];
  readonly calls: CallLog;
  readonly fault: unknown;
}

async function summarize(
  job: CompressionJob,
  plan: Plan,
  draft: SizedDraft,
  deps: CompressSessionDeps,
  { cache, usage, pace }: { readonly cache: SummaryCache; readonly usage: TermUsage; readonly pace: Pace },
): Promise<Made> {
  const { clock } = deps;
  const { state, counter, model } = job;
  const { policy } = job.settings;
  const { total, tokens } = job.before;
  // Read before the first await, because the user may undo summaries meanwhile.
  const others = Math.max(0, total - tokens.ledger - tokens.summaries - sentTokens(plan, state));
  const calls = new CallLog();
  const frontierTokens = summariesRoom(job, plan, draft);
  const nextId = (): SummaryNode['id'] => nodeId(clock.id());
  const now = (): number => clock.now();
  const parents: ParentTools = { counter, pace, ceilings: PARENT_CEILINGS, nextId, now, usage };
  const planned = new Set(plan.runs.flat().map(({ message }) => message.id));
  // Summaries whose messages are summarized again are replaced.
  const standing = state.frontier.map(({ node }) => node).filter(({ first }) => !planned.has(first));
  const mended = await rebuildStale(standing, state, frontierTokens, parents);
  const nodes: SummaryNode[] = [...mended.made];
  let { frontier } = mended;

  const ceilingTokens = ceilingOf(job, plan, draft);
  const replaced = replacedTokens(plan, job.before.tokens.summaries);
  const frame = job.before.tokens.ledger === 0 ? LEDGER_FRAME_TOKENS : 0;
  const share = job.aim ? Infinity : Math.floor(replaced) - Math.max(0, addedLedger(job, draft) - frame);
  const least = Math.max(plan.runs.length * MIN_SUMMARY_TOKENS, TOLD_SHARE * plan.leavingTokens);
  // Reduce existing summaries to `brief` before giving new ones less room than they need.
  const free = frontierTokens - Math.min(tokensOf(frontier, 'brief'), frontierTokens / 2);
  const roomTokens = Math.min(ceilingTokens, free, Math.max(least, share));
  const runs = plan.runs.map((items) => ({ ...runOf(items, draft, state), waits: waitsForMore(job, items) }));
  const messages = plan.runs.flat().length;
  job.report({ stage: 'summarizing', done: 0, total: messages });
  const summarized = await summarizeRuns(
    runs,
    {
      roomTokens: policy.strategy === 'trim' ? Math.min(roomTokens, TRIM_TOKENS * runs.length) : roomTokens,
      isBounded: job.aim !== undefined,
      ceilingTokens,
      prompt: summaryPrompt(deps.preset(), deps.promptText?.(), policy.summary.style),
      temperature: policy.summary.temperature,
      maxTokens: policy.summary.maxTokens,
      effort: policy.summary.effort,
      unspent: plan.standIns.length === 0 ? 0 : unspentBy(state, policy.summary.effort),
      concurrency: job.isProbing ? 1 : CONCURRENCY,
      isDoubtful: job.isProbing,
      extractiveOnFault: job.extractiveOnFault,
    },
    {
      counter,
      nextId,
      now,
      calls,
      pace,
      cache,
      usage,
      ...(model && { model }),
      onTruncated: ({ read, affordable }) => {
        const most = Math.floor(affordable);
        job.warn(`The summarizer's context window is too small: it reads ${read} of up to ${most} tokens.`);
      },
      report: ({ done, total: segments }) => {
        job.report({ stage: 'summarizing', done: Math.floor((done / segments) * messages), total: messages });
      },
    },
  );
  const placed = placeLeaves(plan, summarized.runs, frontier, state);
  const { covered, last, uncovered } = placed;
  nodes.push(...placed.leaves);
  frontier = placed.frontier;

  const limit = job.aim?.targetTokens ?? Infinity;
  let room = frontierTokens;
  let levels: readonly LevelChoice[] = [];
  let after = 0;
  const condensed: SummaryNode[] = [];
  let keyEvents: Made['keyEvents'];
  const countAgain = async (): Promise<void> => {
    const front = await runYielding(frontSteps(job, [...nodes, ...condensed], levels, draft), pace);
    after = others + uncovered + front.all;
    keyEvents = front.keyEvents();
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = new Map([...state.nodes, ...[...nodes, ...condensed].map((node) => [node.id, node] as const)]);
    const joined = await condenseNeighbours(
      frontier,
      {
        room,
        known,
        downTo: job.aim || (!model && room <= LITTLE_ROOM) ? 1 : CONDENSED,
        waits: model !== undefined && !job.aim,
      },
      state,
      parents,
    );
    condensed.push(...joined.parents);
    ({ frontier } = joined);
    // With a target, start with all nodes detailed. Otherwise, prefer the previous levels, to keep the prompt's prefix.
    levels =
      job.aim && round === 0
        ? frontier.map(({ id }) => ({ node: id, level: 'detailed' }))
        : chooseLevels(frontier, room, nearTask(frontier, state), job.aim ? undefined : state.levels).levels;
    await countAgain();
    if (after <= limit || room <= 0) break;
    const shorter = leastLoss(frontier, levels, after - limit);
    if (shorter) {
      levels = shorter;
      await countAgain();
      if (after <= limit) break;
    }
    room = Math.max(0, room - (after - limit));
  }
  const leftTokens = plan.leavingTokens - uncovered;
  const { fault } = summarized;
  return { nodes: [...nodes, ...condensed], levels, covered, leftTokens, last, after, keyEvents, calls, fault };
}

/** Puts the new leaves into the frontier, in the places of the stand-ins that they replace. */
function placeLeaves(
  plan: Plan,
  runs: readonly SummarizedRun[],
  standing: readonly SummaryNode[],
  state: SessionState,
): {
  readonly frontier: SummaryNode[];
  readonly leaves: readonly SummaryNode[];
  /** Number of newly covered messages, and the tokens of those that are not. */
  readonly covered: number;
  readonly uncovered: number;
  readonly last: PlannedRun[number];
} {
  const isCovered = coverage(state.frontier);
  const all: SummaryNode[] = [];
  let frontier = [...standing];
  let covered = 0;
  let uncovered = 0;
  let last = plan.runs[0]![0]!;
  for (const [at, { leaves: told, covered: count }] of runs.entries()) {
    const items = plan.runs[at]!;
    const standIns = plan.standIns.filter(({ from, to }) => items[0]!.position <= from && to <= items.at(-1)!.position);
    const isReplaced = count > 0 && standIns.every(({ to }) => to <= items[count - 1]!.position);
    const replaces = isReplaced ? standIns.map(({ node }) => node.id) : [];
    const leaves = replaces.length === 0 ? told : told.map((leaf) => ({ ...leaf, replaces }));
    const before = frontier.filter((node) => state.positionOf(node.first)! < items[0]!.position).length;
    frontier = [...frontier.slice(0, before), ...leaves, ...frontier.slice(before)];
    all.push(...leaves);
    covered += items.slice(0, count).filter(({ position }) => !isCovered(position)).length;
    if (count > 0) last = items[count - 1]!;
    for (const { message, tokens } of items.slice(count)) if (message.role !== 'system') uncovered += tokens;
  }
  return { frontier, leaves: all, covered, uncovered, last };
}

/** How much less the model's summaries cost than they may, in input tokens. */
function unspentBy({ frontier, nodes, compressions }: SessionState, effort: Effort): number {
  const leaves = frontier.flatMap(({ node }) => partsOf(node, nodes)).filter((node) => !isStandIn(node));
  const sumOf = (list: readonly SummaryNode[], of: (node: SummaryNode) => number): number =>
    list.reduce((sum, node) => sum + of(node), 0);
  const messages = sumOf(leaves, (node) => node.messages);
  if (messages === 0) return 0;
  const tokens = sumOf(leaves, (node) => node.tokens.source);
  const spent = compressions.reduce((sum, { calls }) => sum + calls.inputTokens + calls.outputTokens * OUTPUT_COST, 0);
  return Math.max(0, messages * messageAllowance(tokens / messages, effort) - spent);
}

/** Tokens for ledger and summaries together. A session's first summaries may take more. */
function replacedTokens({ leavingTokens }: Plan, standingTokens: number): number {
  const { least, first, most, upToTokens } = REPLACED_SHARE;
  return Math.max(
    least * leavingTokens,
    Math.min(upToTokens, most * leavingTokens),
    Math.min(upToTokens - standingTokens, first * leavingTokens),
  );
}

/** Changes a single node from detailed to brief: the one that saves at least `tokens`, but as few more as possible. */
function leastLoss(
  frontier: readonly SummaryNode[],
  levels: readonly LevelChoice[],
  tokens: number,
): readonly LevelChoice[] | undefined {
  const level = new Map(levels.map((one) => [one.node, one.level]));
  const saving = ({ tokens: { brief, detailed } }: SummaryNode): number => detailed - brief;
  const [chosen] = frontier
    .filter((node) => level.get(node.id) === 'detailed' && saving(node) >= tokens)
    .sort((a, b) => saving(a) - saving(b));
  return chosen && levels.map((one) => (one.node === chosen.id ? { ...one, level: 'brief' } : one));
}

/** Tokens of the runs' messages that were sent verbatim. */
function sentTokens({ runs }: Plan, { frontier }: SessionState): number {
  const isCovered = coverage(frontier);
  return runs.flat().reduce((sum, { message, position, tokens }) => {
    return message.role === 'system' || isCovered(position) ? sum : sum + tokens;
  }, 0);
}

/** Tokens for all summaries together: the target minus everything else that is sent. */
function summariesRoom(job: CompressionJob, plan: Plan, draft: SizedDraft): number {
  const { aim, before, budget, settings } = job;
  const { system, memory, task } = before.tokens;
  const taken = system + memory + task + plan.recentTokens + draft.tokens + SUMMARIES_FRAME_TOKENS;
  if (aim) {
    // Each block of summaries and its key events have their own tags.
    const left = Math.max(0, aim.targetTokens - taken);
    return left - Math.floor(left / BLOCK_EVERY) * BLOCK_FRAME_TOKENS;
  }
  const free = settings.policy.targetShare * budget - taken;
  const least = minSummariesTokens(budget);
  return Math.floor(Math.max(free, Math.min(least, Math.max(FILLED_SHARE * budget - taken, 0.1 * budget))));
}

function runOf(items: PlannedRun, draft: LedgerDraft, state: SessionState): Run {
  const at = new Map(items.map(({ message }, index) => [message.id, index]));
  const kept = new Map<number, Span[]>();
  const superseded = new Map<number, Span[]>();
  for (const event of [...state.events.values(), ...draft.events]) {
    const index = at.get(event.message);
    if (index === undefined || event.status === 'dropped' || state.isRemoved(event.id)) continue;
    const spans = event.status === 'superseded' ? superseded : kept;
    spans.set(index, [...(spans.get(index) ?? []), event]);
  }
  const events = new Map<number, readonly DetectedEvent[]>();
  for (const [index, { message }] of items.entries()) {
    const found = draft.spans.get(message.id);
    if (found) events.set(index, found);
  }
  const isCovered = coverage(state.frontier);
  return {
    messages: items.map(({ message }) => message),
    tokens: items.map(({ tokens }) => tokens),
    isBetween: isCovered(items[0]!.position - 1) && isCovered(items.at(-1)!.position + 1),
    kept,
    events,
    superseded,
  };
}

interface Condensing {
  readonly room: number;
  /** Share of the room to merge down to once it's exceeded. */
  readonly downTo: number;
  readonly known: ReadonlyMap<SummaryNode['id'], SummaryNode>;
  /** Whether the newest nodes wait for a model's summary and aren't merged. */
  readonly waits: boolean;
}

/** Maximum share of the room for summaries that wait for a model's. */
const WAITING_SHARE = 0.4;

/** Merges nodes if together they exceed the room. Only nodes without a message between them are merged. */
async function condenseNeighbours(
  all: readonly SummaryNode[],
  { room: wholeRoom, known, downTo, waits }: Condensing,
  state: SessionState,
  tools: ParentTools,
): Promise<{ readonly frontier: SummaryNode[]; readonly parents: SummaryNode[] }> {
  const newest = waits ? all.slice(all.findLastIndex((node) => !isStandIn(node)) + 1) : [];
  const waiting = tokensOf(newest, 'detailed') <= WAITING_SHARE * wholeRoom ? newest : [];
  const frontier = all.slice(0, all.length - waiting.length);
  const room = wholeRoom - tokensOf(waiting, 'detailed');
  const groups: SummaryNode[][] = [];
  for (const node of frontier) {
    const before = groups.at(-1)?.at(-1);
    if (before && state.positionOf(before.last) === state.positionOf(node.first)! - 1) groups.at(-1)!.push(node);
    else groups.push([node]);
  }
  // Shares are based on the leaves. Otherwise, groups that were merged before would get less room each time.
  const said = (nodes: readonly SummaryNode[]): number =>
    tokensOf(
      nodes.flatMap((node) => partsOf(node, known)),
      'detailed',
    );
  const total = said(frontier);
  const joined: SummaryNode[] = [];
  const parents: SummaryNode[] = [];
  for (const group of groups) {
    const share = groups.length === 1 ? room : (room * said(group)) / Math.max(1, total);
    const result = await mergeOld(group, share, downTo, known, tools);
    joined.push(...result.frontier);
    parents.push(...result.parents);
  }
  return { frontier: [...joined, ...waiting], parents };
}

/** Tokens of the ledger and of ledger and summaries, and the key events, if this compression was committed. */
function* frontSteps(
  job: CompressionJob,
  nodes: readonly SummaryNode[],
  levels: readonly LevelChoice[],
  { events, changes }: LedgerDraft,
): Steps<{ readonly ledger: number; readonly all: number; readonly keyEvents: () => CompressionRecord['keyEvents'] }> {
  const { systemPrompt, memory, policy } = job.settings;
  const state = job.state.afterCompression({ nodes, levels, events, changes });
  const { tokens, leftOut } = yield* prefixSteps({
    state,
    systemPrompt,
    memory,
    counts: job.counts,
    ledgerBudget: Math.floor(job.budget * policy.ledgerShare),
  });
  const keyEvents = () => keyEventCounts(state, new Set(leftOut.map(({ id }) => id)));
  return { ledger: tokens.ledger, all: tokens.ledger + tokens.summaries, keyEvents };
}

/** Maximum number of nodes that get a higher level because they match the task. */
const MAX_NEAR_TASK = 3;

/** Frontier indexes of the nodes that match the task, best match first. */
function nearTask(frontier: readonly SummaryNode[], { task }: SessionState): number[] {
  if (!task || frontier.length < 2) return [];
  const index = new TextIndex();
  frontier.forEach((node, at) => {
    index.add(String(at), `${node.title}\n${node.detailed}`);
  });
  const words = [task.goal, ...task.steps.map((step) => step.text)].join('\n');
  return index.search(words, { limit: MAX_NEAR_TASK }).map((hit) => Number(hit.id));
}

function toResult(
  job: CompressionJob,
  draft: LedgerDraft,
  made: Made,
  started: number,
  deps: CompressSessionDeps,
): WorkResult {
  const { calls, last, nodes, levels } = made;
  const { policy } = job.settings;
  const before = job.state.uncoveredCount;
  const usage: Usage = { input: calls.inputTokens, output: calls.outputTokens };
  const record = {
    id: compressionId(deps.clock.id()),
    trigger: job.due.trigger,
    threshold: job.due.threshold,
    policy: policy.name,
    strategy: policy.strategy,
    nodes,
    levels,
    events: draft.events,
    changes: draft.changes,
    messages: { before, after: before - made.covered },
    tokens: { before: job.before.total, after: made.after },
    keyEvents: made.keyEvents,
    calls: {
      count: calls.count,
      inputTokens: calls.inputTokens,
      outputTokens: calls.outputTokens,
      costUsd: calls.count === 0 ? 0 : (deps.price(job.model?.id ?? '', usage) ?? 0),
    },
    durationMs: Math.max(0, deps.clock.now() - started),
  };
  return { kind: 'done', record, last: { message: last.message.id, position: last.position }, fault: made.fault };
}

/** Number of messages that is enough to find terms that are common in the whole session. */
const SAMPLED = 500;

/** Counts the terms of a session after it's opened, from an even sample of its summarized messages. */
async function readUsage(usage: TermUsage, { path, messages, frontier }: SessionState, pace: Pace): Promise<void> {
  const covered = frontier.flatMap(({ from, to }) => path.slice(from, to + 1));
  const every = Math.max(1, Math.ceil(covered.length / SAMPLED));
  const sampled = covered.filter((_, at) => at % every === 0).flatMap((id) => messages.get(id) ?? []);
  if (sampled.length > 0) await usage.add(await buildCorpus(sampled, pace), sampled, pace);
}
