import { messageAllowance, outputCost, type Retries } from '../core/compress/ask-model.ts';
import { buildCorpus, TermUsage } from '../core/compress/corpus.ts';
import { chooseLevels, tokensOf, type LevelChoice } from '../core/compress/choose-levels.ts';
import { modelMerger } from '../core/compress/model-merger.ts';
import { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import {
  MIN_SUMMARY_TOKENS,
  summarizeRuns,
  type Run,
  type SummarizeTools,
  type SummaryCache,
} from '../core/compress/summarize.ts';
import { mergeOld, partsOf, rebuildStale, type ParentTools } from '../core/compress/tree.ts';
import { createCoverageTest, keyEventCounts } from '../core/context/ledger-lines.ts';
import { BLOCK_TOKENS, prefixSteps } from '../core/context/prefix.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import { compressionId, nodeId } from '../core/model/ids.ts';
import type { DetectedEvent, Span } from '../core/model/key-event.ts';
import type { Usage } from '../core/model/message.ts';
import { nodeWith, type SummaryNode } from '../core/model/summary.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { runYielding, type Steps } from '../core/pace/steps.ts';
import { MIN_SAVING } from '../core/policy/policy.ts';
import { MERGE_INSTRUCTIONS, summaryPrompt, type SummaryPrompt } from '../core/prompts/render-prompts.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob, CompressionWork, WorkResult } from './compression-job.ts';
import {
  keepsEvents,
  isProvisional,
  minSummariesTokens,
  planCompression,
  waitsForMore,
  MAX_FILLED_SHARE,
  type Plan,
  type PlannedRun,
} from './compression-plan.ts';
import { LedgerKeeper, type LedgerDraft, type LedgerKeeperDeps } from './ledger-keeper.ts';
import { isUnusableAnswer } from './fault.ts';
import type { PriceOf } from './spend-limited-model.ts';
import { languageWarnings } from './summarizer.ts';

export interface CompressSessionDeps extends LedgerKeeperDeps {
  /** The user's prompt, which replaces the preset's; undefined if not set. Throws `RangeError` if it's invalid. */
  readonly promptText?: () => string | undefined;
  readonly price: PriceOf;
  readonly languageRetries: Retries;
}

/** Maximum number of concurrent requests to the summarizer, if its server allows that many. */
const CONCURRENCY = 24;

/**
 * Maximum size of ledger and summaries together, as a share of the tokens that they replace. Doesn't apply to an
 * explicit target. The share is at least `min`. Short sources can't be shortened as much, so up to `upToTokens` tokens,
 * it's `max`, or `first` for a session's first summaries.
 */
const REPLACEMENT_SHARE = { min: 0.15, max: 0.22, first: 0.7, upToTokens: 1_500 } as const;

/** Minimum size of the new summaries as a share of the replaced tokens, because quotes alone lack context. */
const MIN_NEW_SUMMARIES_SHARE = 0.05;

/** Summaries that exceed their room are merged down to this share of it, because a merge invalidates prompt caches. */
const MERGED_SHARE = 0.8;

/** Extractive summaries may fill a room of up to this size, because merging them more often costs nothing. */
const SMALL_ROOM_TOKENS = 8_000;

/** Maximum tokens of a run's summary with the `trim` strategy: a line or two. */
const TRIM_TOKENS = 120;

/** Tokens of the tags, introduction, and framing around a request's summaries and key events. */
export const SUMMARIES_FRAME_TOKENS = 46;
const LEDGER_FRAME_TOKENS = 84;

/** Tokens of the tags around a block's summaries and around its key events. */
const BLOCK_FRAME_TOKENS = 64;

/** Maximum attempts to fit the request into its target if headings take more tokens than estimated. */
const MAX_ROUNDS = 5;

/**
 * Returns the function that runs a compression: it selects the messages, detects their key events, summarizes them, and
 * chooses the level of each summary. It calls the model only if ledger and summaries can save at least 10% of the
 * tokens that they replace, and doesn't change the session.
 */
export function compressSession(deps: CompressSessionDeps): CompressionWork {
  const { clock } = deps;
  const cache: SummaryCache = new Map();
  const usage = new TermUsage();
  const retries: SummarizeTools['retries'] = new Map();
  const keeper = new LedgerKeeper(deps);
  const work: CompressionWork = async (job): Promise<WorkResult> => {
    const started = clock.now();
    const plan = planCompression(job);
    if (plan.runs.length === 0) return { kind: 'skipped', reason: 'recent_only' };
    await yieldIfDue(clock.yielder);
    const { strategy } = job.settings.policy;
    const allEvents = keepsEvents(strategy) ? await keeper.draft(job, plan.runs.flat()) : NO_EVENTS;
    const pace = new CancellableYielder(clock.yielder, job.signal);
    const full = await withSizes(job, plan, allEvents, pace);
    const canSaveEnough = ({ ceiling }: SizedDraft): boolean =>
      ceiling >= plan.runs.length * (job.model ? MIN_SUMMARY_TOKENS : MIN_EXTRACT_TOKENS);
    const eventsFit = canSaveEnough(full) && leavesRoomForSummaries(job, plan, full);
    const draft = eventsFit ? full : await withSizes(job, plan, dropUnpinned(allEvents, job, plan), pace);
    if (!canSaveEnough(draft)) return { kind: 'skipped', reason: 'no_saving' };
    if (usage.isEmpty) await sampleTermUsage(usage, job.state, pace);
    const summaries = await summarize(job, plan, draft, deps, {
      cache,
      usage,
      retries,
      pace,
      ...(keepsEvents(strategy) && { keeper }),
    });
    if (summaries.covered === 0 && summaries.fault !== undefined && job.model) {
      // The provider failed again, so the new messages are extracted.
      const extracted = await work({ ...job, model: undefined });
      return extracted.kind === 'done' ? { ...extracted, fault: summaries.fault } : extracted;
    }
    // Summaries by the model are kept even if they save slightly less than estimated, because they were paid for.
    const isFree = summaries.calls.count === 0 && !job.target;
    const isTooLong = isFree && job.before.total - summaries.after < MIN_SAVING * summaries.replacedTokens;
    if (summaries.covered === 0 || isTooLong) return { kind: 'skipped', reason: 'no_saving' };
    return toResult(job, summaries, started, deps);
  };
  return work;
}

/** A ledger draft and the sizes that follow from it, in tokens. */
interface SizedDraft extends LedgerDraft {
  /** The ledger in the next request, including tags and introduction. */
  readonly tokens: number;
  /** Tokens by which the ledger is larger than in the current request. */
  readonly added: number;
  /** Maximum size of the new summaries; if they were larger, the compression would save less than 10%. */
  readonly ceiling: number;
  /** Maximum size of all summaries; see `summariesRoom`. */
  readonly room: number;
}

const NO_EVENTS: LedgerDraft = { events: [], changes: [], detected: new Map() };

async function withSizes(
  job: CompressionJob,
  plan: Plan,
  draft: LedgerDraft,
  pace: CancellableYielder,
): Promise<SizedDraft> {
  const { tokens: before } = job.before;
  const { ledger: tokens } = await runYielding(countSteps(job, plan.runs.map(placeholder), [], draft), pace);
  const added = Math.max(0, tokens - before.ledger);
  const frame = before.summaries === 0 ? SUMMARIES_FRAME_TOKENS : 0;
  const ceiling = Math.floor((1 - MIN_SAVING) * plan.freedTokens) - added - frame;
  return { ...draft, tokens, added, ceiling, room: summariesRoom(job, plan, tokens) };
}

/** A summary node for a run that isn't summarized yet. */
const placeholder = (run: PlannedRun, at: number): SummaryNode =>
  nodeWith({
    id: nodeId(`placeholder-${at}`),
    first: run[0]!.message.id,
    last: run.at(-1)!.message.id,
    messages: run.length,
  });

/** Minimum size of an extractive summary: one line. */
const MIN_EXTRACT_TOKENS = 32;

/** Minimum share of the summaries in the tokens that ledger and summaries may take together. */
const MIN_SUMMARIES_PART = 0.5;

/** Whether a ledger leaves room for the summaries: within a target, at least as much as it takes itself. */
const leavesRoomForSummaries = ({ target }: CompressionJob, { freedTokens }: Plan, draft: SizedDraft): boolean =>
  draft.ceiling >= MIN_SUMMARIES_PART * (1 - MIN_SAVING) * freedTokens &&
  (!target || draft.room >= Math.max(MIN_EXTRACT_TOKENS, draft.tokens));

function dropUnpinned(
  { events, changes, detected }: LedgerDraft,
  { state }: CompressionJob,
  { runs }: Plan,
): LedgerDraft {
  const leaving = new Set(runs.flatMap((run) => run.map(({ message }) => message.id)));
  const active = [...state.events.values()].filter(
    ({ message, status, pinned }) => status === 'active' && !pinned && leaving.has(message),
  );
  const inactive = changes.filter(({ status }) => status !== 'active');
  const dropped = active.filter(({ id }) => !inactive.some((change) => change.id === id));
  return {
    events: events.map((event) =>
      event.status === 'active' && !event.pinned ? { ...event, status: 'dropped' } : event,
    ),
    changes: [...inactive, ...dropped.map(({ id }) => ({ id, status: 'dropped' as const }))],
    detected,
  };
}

interface CompressionTools extends Required<Pick<SummarizeTools, 'cache' | 'usage' | 'retries' | 'pace'>> {
  /** Chooses the ledger's entries again after the model wrote summaries, if the ledger may change. */
  readonly keeper?: LedgerKeeper;
}

/** Summarizes the planned messages, merges old summaries, and chooses their levels, so that the request fits. */
async function summarize(
  job: CompressionJob,
  plan: Plan,
  draft: SizedDraft,
  deps: CompressSessionDeps,
  { cache, usage, retries, pace, keeper }: CompressionTools,
) {
  const { clock } = deps;
  const { state, counter, model } = job;
  const { policy } = job.settings;
  const { total, tokens } = job.before;
  const others = Math.max(0, total - tokens.ledger - tokens.summaries - plan.verbatimTokens);
  const calls = new CallLog();
  const origin = { nextId: () => nodeId(clock.id()), now: () => clock.now() };
  const parentTools: ParentTools = { counter, pace, ...origin, usage };
  const planned = new Set(plan.runs.flat().map(({ message }) => message.id));
  const remaining = state.frontier.map(({ node }) => node).filter(({ first }) => !planned.has(first));
  const rebuilt = await rebuildStale(remaining, state, draft.room, parentTools);

  const replacement = replacementTokens(plan, tokens.summaries);
  const frame = tokens.ledger === 0 ? LEDGER_FRAME_TOKENS : 0;
  const share = job.target ? Infinity : Math.floor(replacement) - Math.max(0, draft.added - frame);
  const minRoom = Math.max(plan.runs.length * MIN_SUMMARY_TOKENS, MIN_NEW_SUMMARIES_SHARE * plan.freedTokens);
  // Existing summaries are reduced to `brief` before new ones get less room than they need.
  const free = draft.room - Math.min(tokensOf(rebuilt.frontier, 'brief'), draft.room / 2);
  const roomTokens = Math.min(draft.ceiling, free, Math.max(minRoom, share));
  const runs = plan.runs.map((items) => ({ ...runOf(items, draft, state), waits: waitsForMore(job, items) }));
  const messages = plan.runs.flat().length;
  const promptWith = (instructions?: string): SummaryPrompt =>
    summaryPrompt(deps.preset(), deps.promptText?.(), policy.summary.style, instructions);
  job.report({ stage: 'summarizing', done: 0, total: messages });
  // A model that has needed a retry before would never recover if it was asked only once.
  const isHelped = ({ model: id, rung }: SummaryNode): boolean =>
    id === model?.id && (rung === 'retry' || rung === 'tight');
  if (model && [...state.nodes.values()].some(isHelped)) retries.delete(model.id);
  const summarized = await summarizeRuns(
    runs,
    {
      ...policy.summary,
      roomTokens: policy.strategy === 'trim' ? Math.min(roomTokens, TRIM_TOKENS * runs.length) : roomTokens,
      isBounded: job.target !== undefined,
      ceilingTokens: draft.ceiling,
      prompt: promptWith(),
      unspent: plan.provisional.length === 0 ? 0 : unspentTokens(job),
      concurrency: job.isProbing ? 1 : CONCURRENCY,
      isUnusable: isUnusableAnswer,
      extractiveOnFault: job.extractiveOnFault,
    },
    {
      ...parentTools,
      calls,
      cache,
      retries,
      languageRetries: deps.languageRetries,
      ...(model && { model }),
      onTruncated: ({ read, affordable }) => {
        const max = Math.floor(affordable);
        job.warn(`The summarizer's context window is too small: it reads ${read} of up to ${max} tokens.`);
      },
      onMessageCut: ({ message, read }) =>
        job.warn(`A message of ${message} characters was cut: the summarizer read ${read} characters of its part.`),
      onForeignLanguage: languageWarnings(job.warn),
      report: ({ done, total: segments }) => {
        job.report({ stage: 'summarizing', done: Math.floor((done / segments) * messages), total: messages });
      },
    },
  );
  const { leaves, covered, last, uncovered, ...placed } = placeLeaves(plan, summarized.leaves, rebuilt.frontier, state);
  const nodes = [...rebuilt.made, ...leaves];
  let frontier: readonly SummaryNode[] = placed.frontier;

  const mergeSettings = { ...policy.summary, prompt: promptWith(MERGE_INSTRUCTIONS) };
  const mergesByModel = policy.summary.effort === 'thorough' && !job.target && summarized.fault === undefined;
  const merger = modelMerger(mergesByModel ? model : undefined, mergeSettings, { counter, pace, calls });
  const mergeTools: ParentTools = { ...parentTools, rewrite: merger.rewrite };
  const limit = job.target?.targetTokens ?? Infinity;
  let { room } = draft;
  let levels: readonly LevelChoice[] = [];
  /** Tokens of the next request, without messages that arrive during the compression. */
  let after = 0;
  let keyEvents: CompressionRecord['keyEvents'];
  let ledger: LedgerDraft = draft;
  const countAgain = async (): Promise<void> => {
    const sizes = await runYielding(countSteps(job, nodes, levels, ledger), pace);
    after = others + uncovered + sizes.all;
    keyEvents = sizes.keyEvents();
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = new Map([...state.nodes, ...nodes.map((node) => [node.id, node] as const)]);
    frontier = await mergeAdjacent(job, frontier, room, known, mergeTools);
    nodes.push(...frontier.filter(({ id }) => !known.has(id)));
    // With a target, start with all nodes detailed. Otherwise, prefer the previous levels, to keep the prompt's prefix.
    levels =
      job.target && round === 0
        ? frontier.map(({ id }) => ({ node: id, level: 'detailed' }))
        : chooseLevels(frontier, room, nodesMatchingTask(frontier, state), job.target ? undefined : state.levels);
    await countAgain();
    if (after <= limit || room <= 0) break;
    room = Math.max(0, room - (after - limit));
  }
  const replacedTokens = plan.freedTokens - uncovered;
  if (keeper && !job.target && summarized.read.size > 0) {
    const committed = state.afterCompression({ nodes, levels, ...draft });
    const saved = total - after - MIN_SAVING * replacedTokens - (draft.tokens === 0 ? LEDGER_FRAME_TOKENS : 0);
    ledger = await keeper.refit(job, draft, committed, summarized.read, Math.max(0, Math.floor(saved)));
    await countAgain();
  }
  return {
    nodes,
    levels,
    covered,
    ledger,
    replacedTokens,
    last,
    after,
    keyEvents,
    calls,
    fault: summarized.fault ?? merger.fault,
  };
}

/** Inserts the new leaves into the frontier, in order. */
function placeLeaves(
  plan: Plan,
  made: readonly (readonly SummaryNode[])[],
  remaining: readonly SummaryNode[],
  state: SessionState,
) {
  const isCovered = createCoverageTest(state.frontier);
  const all: SummaryNode[] = [];
  let frontier = [...remaining];
  /** Number of newly covered messages. */
  let covered = 0;
  /** Tokens of planned messages that aren't covered. */
  let uncovered = 0;
  let last = plan.runs[0]![0]!;
  for (const [at, items] of plan.runs.entries()) {
    const newLeaves = made[at]!;
    const count = newLeaves.reduce((sum, { messages }) => sum + messages, 0);
    const provisional = plan.provisional.filter(
      ({ from, to }) => items[0]!.position <= from && to <= items.at(-1)!.position,
    );
    const isReplaced = count > 0 && provisional.every(({ to }) => to <= items[count - 1]!.position);
    const replaces = isReplaced ? provisional.map(({ node }) => node.id) : [];
    const leaves = replaces.length === 0 ? newLeaves : newLeaves.map((leaf) => ({ ...leaf, replaces }));
    const before = frontier.filter((node) => state.positionOf(node.first)! < items[0]!.position).length;
    frontier = [...frontier.slice(0, before), ...leaves, ...frontier.slice(before)];
    all.push(...leaves);
    covered += items.slice(0, count).filter(({ position }) => !isCovered(position)).length;
    if (count > 0) last = items[count - 1]!;
    for (const { message, tokens } of items.slice(count)) if (message.role !== 'system') uncovered += tokens;
  }
  return { frontier, leaves: all, covered, uncovered, last };
}

/** Input tokens that earlier compressions could have spent on the model, but didn't. */
function unspentTokens({ state, settings, model }: CompressionJob): number {
  const { frontier, nodes, compressions } = state;
  const leaves = frontier.flatMap(({ node }) => partsOf(node, nodes)).filter((node) => !isProvisional(node, model));
  const sumOf = (list: readonly SummaryNode[], of: (node: SummaryNode) => number): number =>
    list.reduce((sum, node) => sum + of(node), 0);
  const messages = sumOf(leaves, (node) => node.messages);
  if (messages === 0) return 0;
  const tokens = sumOf(leaves, (node) => node.tokens.source);
  const perOutput = outputCost(model?.price);
  const spent = compressions.reduce((sum, { calls }) => sum + calls.inputTokens + calls.outputTokens * perOutput, 0);
  return Math.max(
    0,
    messages * messageAllowance(tokens / messages, settings.policy.summary.effort, model?.price) - spent,
  );
}

/** Maximum tokens of the new ledger entries and summaries, according to `REPLACEMENT_SHARE`. */
function replacementTokens({ freedTokens }: Plan, currentTokens: number): number {
  const { min, first, max, upToTokens } = REPLACEMENT_SHARE;
  return Math.max(
    min * freedTokens,
    Math.min(upToTokens, max * freedTokens),
    Math.min(upToTokens - currentTokens, first * freedTokens),
  );
}

/** Maximum tokens of all summaries: the target minus the other parts of the request. */
function summariesRoom(job: CompressionJob, { recentTokens }: Plan, ledgerTokens: number): number {
  const { target, before, budget, settings } = job;
  const { system, rules, memory, task } = before.tokens;
  const taken = system + rules + memory + task + recentTokens + ledgerTokens + SUMMARIES_FRAME_TOKENS;
  if (target) {
    // Each block has its own tags.
    const left = Math.max(0, target.targetTokens - taken);
    return left - Math.floor(left / BLOCK_TOKENS) * BLOCK_FRAME_TOKENS;
  }
  const free = settings.policy.targetShare * budget - taken;
  const least = minSummariesTokens(budget);
  return Math.floor(Math.max(free, Math.min(least, Math.max(MAX_FILLED_SHARE * budget - taken, 0.1 * budget))));
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
    const found = draft.detected.get(message.id);
    if (found) events.set(index, found);
  }
  const isCovered = createCoverageTest(state.frontier);
  return {
    messages: items.map(({ message }) => message),
    tokens: items.map(({ tokens }) => tokens),
    isBetween: isCovered(items[0]!.position - 1) && isCovered(items.at(-1)!.position + 1),
    kept,
    events,
    superseded,
  };
}

/** Maximum share of the room that is reserved for provisional summaries, which are never merged. */
const MAX_PROVISIONAL_SHARE = 0.4;

/** Merges adjacent nodes if all nodes together exceed the room, but not those that a model will replace. */
async function mergeAdjacent(
  { state, target, model }: CompressionJob,
  all: readonly SummaryNode[],
  wholeRoom: number,
  known: ReadonlyMap<SummaryNode['id'], SummaryNode>,
  tools: ParentTools,
): Promise<SummaryNode[]> {
  const downTo = target || (!model && wholeRoom <= SMALL_ROOM_TOKENS) ? 1 : MERGED_SHARE;
  const provisional = model && !target ? all.slice(all.findLastIndex((node) => !isProvisional(node, model)) + 1) : [];
  const frontier = all.slice(0, all.length - provisional.length);
  const room = wholeRoom - Math.min(tokensOf(provisional, 'detailed'), MAX_PROVISIONAL_SHARE * wholeRoom);
  const groups: SummaryNode[][] = [];
  for (const node of frontier) {
    const before = groups.at(-1)?.at(-1);
    if (before && state.positionOf(before.last) === state.positionOf(node.first)! - 1) groups.at(-1)!.push(node);
    else groups.push([node]);
  }
  // Shares are based on the leaves. Otherwise, already merged groups would get less room each time.
  const leafTokens = (nodes: readonly SummaryNode[]): number =>
    tokensOf(
      nodes.flatMap((node) => partsOf(node, known)),
      'detailed',
    );
  const total = leafTokens(frontier);
  const merged: SummaryNode[] = [];
  for (const group of groups) {
    const share = groups.length === 1 ? room : (room * leafTokens(group)) / Math.max(1, total);
    merged.push(...(await mergeOld(group, share, downTo, known, tools)));
  }
  return [...merged, ...provisional];
}

/** Counts the key events, and the tokens of the ledger alone and with the summaries, as after a commit. */
function* countSteps(
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

/** Maximum number of nodes that are preferred for a higher level because they match the task. */
const MAX_TASK_NODES = 3;

/** Frontier indexes of the nodes that match the task, best match first. */
function nodesMatchingTask(frontier: readonly SummaryNode[], { task }: SessionState): number[] {
  if (!task || frontier.length < 2) return [];
  const index = new TextIndex();
  frontier.forEach((node, at) => {
    index.add(String(at), `${node.title}\n${node.detailed}`);
  });
  const words = [task.goal, ...task.steps.map((step) => step.text)].join('\n');
  return index.search(words, { limit: MAX_TASK_NODES }).map((hit) => Number(hit.id));
}

function toResult(
  job: CompressionJob,
  summaries: Awaited<ReturnType<typeof summarize>>,
  started: number,
  deps: CompressSessionDeps,
): WorkResult {
  const { calls, last, nodes, levels, ledger } = summaries;
  const { policy } = job.settings;
  const before = job.state.uncompressedCount;
  const usage: Usage = { input: calls.inputTokens, output: calls.outputTokens };
  const record = {
    id: compressionId(deps.clock.id()),
    trigger: job.due.trigger,
    threshold: job.due.threshold,
    policy: policy.name,
    strategy: policy.strategy,
    nodes,
    levels,
    events: ledger.events,
    changes: ledger.changes,
    messages: { before, after: before - summaries.covered },
    tokens: { before: job.before.total, after: summaries.after },
    keyEvents: summaries.keyEvents,
    calls: {
      count: calls.count,
      inputTokens: calls.inputTokens,
      outputTokens: calls.outputTokens,
      costUsd: calls.count === 0 ? 0 : (deps.price(job.model?.id ?? '', usage) ?? 0),
    },
    durationMs: Math.max(0, deps.clock.now() - started),
  };
  return { kind: 'done', record, last: { message: last.message.id, position: last.position }, fault: summaries.fault };
}

/** Sample size that is enough to find the terms that are common in the whole session. */
const MAX_SAMPLED_MESSAGES = 500;

/** Counts the terms in an even sample of the summarized messages, the first time after a session is opened. */
async function sampleTermUsage(
  usage: TermUsage,
  { path, messages, frontier }: SessionState,
  pace: CancellableYielder,
): Promise<void> {
  const covered = frontier.flatMap(({ from, to }) => path.slice(from, to + 1));
  const every = Math.max(1, Math.ceil(covered.length / MAX_SAMPLED_MESSAGES));
  const sampled = covered.filter((_, at) => at % every === 0).flatMap((id) => messages.get(id) ?? []);
  if (sampled.length > 0) await usage.add(await buildCorpus(sampled, pace), sampled, pace);
}
