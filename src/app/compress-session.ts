import { buildCorpus } from '../core/compress/corpus.ts';
import { chooseLevels, tokensOf, type LevelChoice } from '../core/compress/levels.ts';
import { Pace } from '../core/compress/source.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { MIN_SUMMARY_TOKENS, summarizeRuns, type Run, type SummaryCache } from '../core/compress/summarize.ts';
import { TermUsage } from '../core/compress/term-usage.ts';
import { joinOld, partsOf, rebuildStale, type ParentTools } from '../core/compress/tree.ts';
import { coverage, keyEventFigures } from '../core/context/ledger-lines.ts';
import { assemblePrefix } from '../core/context/prefix.ts';
import type { CompiledRule } from '../core/events/user-rules.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import { compressionId, nodeId } from '../core/model/ids.ts';
import type { DetectedEvent, Span } from '../core/model/key-event.ts';
import type { Usage } from '../core/model/message.ts';
import { nodeWith, type SummaryNode } from '../core/model/summary.ts';
import { breathe } from '../core/pace/breather.ts';
import { MIN_SAVING } from '../core/policy/policy.ts';
import { summaryPrompt, type PresetName } from '../core/prompts/render.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob, CompressionWork, WorkResult } from './compression-job.ts';
import {
  keepsEvents,
  messagesIn,
  minSummariesTokens,
  planCompression,
  FILLED_SHARE,
  type Plan,
  type PlannedRun,
} from './compression-plan.ts';
import { LedgerKeeper, type LedgerDraft } from './ledger-keeper.ts';
import type { PriceOf } from './paid-model.ts';
import type { Clock } from './ports.ts';

export interface CompressSessionDeps {
  readonly clock: Clock;
  readonly preset: () => PresetName;
  /** The user's own prompt in place of the preset's; throws `RangeError` when it cannot be used. */
  readonly promptText?: () => string | undefined;
  /** The user's own rules for key events. */
  readonly rules?: () => Promise<readonly CompiledRule[]>;
  readonly price: PriceOf;
}

/** Segments summarized at once, at most. */
const CONCURRENCY = 24;

/**
 * What ledger and summaries may take together of what they replace, where no target says otherwise: a small share of much,
 * more of a little, which can be told in no fewer words.
 */
const REPLACED_SHARE = { least: 0.15, most: 0.22, first: 0.7, upToTokens: 1_500 } as const;

/** Of what leaves, summaries take this share at least, however many key events there are: quotes alone tell no story. */
const TOLD_SHARE = 0.05;

/** A frontier that is joined at all is joined so far that it need not be again for a while: joining changes what is sent. */
const CONDENSED = 0.8;

/** In so little room all of it is needed, and joining more often costs nothing where no model reads what joins. */
const LITTLE_ROOM = 8_000;

/** Texts of a parent, in tokens, at least. */
export const PARENT_CEILINGS = { brief: 400, detailed: 1600 } as const;

/** A trimmed run keeps a line or two. */
const TRIM_TOKENS = 120;

/** What tags, introduction and framing take of a request's first summaries and of its first key events. */
const SUMMARIES_FRAME_TOKENS = 46;
const LEDGER_FRAME_TOKENS = 84;

/** Summaries stand in blocks of about so many tokens, whose tags and those of their key events take so many. */
const BLOCK_EVERY = 2_000;
const BLOCK_FRAME_TOKENS = 64;

/** Tries to bring what is sent under its limit where headings take more than was reckoned. */
const MAX_ROUNDS = 5;

/**
 * One compression, from plan to record: which messages leave, their key events, whether it pays off, their summaries, the
 * levels at which all nodes are sent. No model is asked before ledger and summaries are known to save at least 10 % of what
 * they replace. Changes nothing in the session.
 */
export function compressSession(deps: CompressSessionDeps): CompressionWork {
  const { clock } = deps;
  const cache: SummaryCache = new Map();
  const usage = new TermUsage();
  const keeper = new LedgerKeeper(clock, deps.rules ?? (() => Promise.resolve([])), deps.preset);
  const work: CompressionWork = async (job): Promise<WorkResult> => {
    const started = clock.now();
    const plan = planCompression(job);
    if (plan.runs.length === 0) return { kind: 'skipped', reason: 'recent_only' };
    await breathe(clock.breather);
    const { strategy } = job.settings.policy;
    const found = keepsEvents(strategy) ? await keeper.draft(job, plan.runs.flat()) : NO_EVENTS;
    const whole = sized(job, plan, found);
    const isModest = pays(job, plan, whole) && leavesRoom(job, plan, whole) && fitsTarget(job, plan, whole);
    const draft = isModest ? whole : sized(job, plan, withoutRoom(found, job, plan));
    if (!pays(job, plan, draft)) return { kind: 'skipped', reason: 'no_saving' };
    if (usage.isEmpty) await readUsage(usage, job.state, new Pace(clock.breather, job.signal));
    const made = await summarize(job, plan, draft, deps, { cache, usage });
    if (made.covered === 0 && made.fault !== undefined && job.model) {
      // A trial has read again what extraction had summarized before, in vain: what is new is extracted as well.
      const extracted = await work({ ...job, model: undefined });
      return extracted.kind === 'done' ? { ...extracted, fault: made.fault } : extracted;
    }
    // What was paid for is kept, even where the estimate was a little off.
    const isFree = made.calls.count === 0 && !job.aim;
    const isTooLong = isFree && job.before.total - made.after < MIN_SAVING * made.leftTokens;
    if (made.covered === 0 || isTooLong) return { kind: 'skipped', reason: 'no_saving' };
    return toResult(job, draft, made, started, deps);
  };
  return work;
}

/** What a compression does to the ledger, and what it then takes of a request, its tags and introduction included. */
interface SizedDraft extends LedgerDraft {
  readonly tokens: number;
}

const NO_EVENTS: LedgerDraft = { events: [], changes: [], spans: new Map() };

/** Counts the ledger as it is sent once summaries stand for what leaves. */
function sized(job: CompressionJob, { runs }: Plan, draft: LedgerDraft): SizedDraft {
  const nodes = runs.map((run, at) => placeholder(run, at));
  return { ...draft, tokens: frontTokens(job, { nodes, levels: [], draft }).ledger };
}

/** Stands for a run before its summary is made. */
const placeholder = (run: PlannedRun, at: number): SummaryNode =>
  nodeWith({
    id: nodeId(`placeholder-${at}`),
    first: run[0]!.message.id,
    last: run.at(-1)!.message.id,
    messages: run.length,
  });

const addedLedger = ({ before }: CompressionJob, { tokens }: SizedDraft): number =>
  Math.max(0, tokens - before.tokens.ledger);

/** Tokens that the summaries may take so that ledger and summaries save what they must. */
function ceilingOf(job: CompressionJob, { leavingTokens }: Plan, draft: SizedDraft): number {
  const frame = job.before.tokens.summaries === 0 ? SUMMARIES_FRAME_TOKENS : 0;
  return Math.floor((1 - MIN_SAVING) * leavingTokens) - addedLedger(job, draft) - frame;
}

/** The smallest summary of a short run: a line in its own words. */
const MIN_EXTRACT_TOKENS = 32;

const pays = (job: CompressionJob, plan: Plan, draft: SizedDraft): boolean =>
  ceilingOf(job, plan, draft) >= plan.runs.length * (job.model ? MIN_SUMMARY_TOKENS : MIN_EXTRACT_TOKENS);

/** Of what may be sent in place of messages, a ledger leaves the summaries at least this share. */
const LEFT_TO_SUMMARIES = 0.5;

const leavesRoom = (job: CompressionJob, plan: Plan, draft: SizedDraft): boolean =>
  ceilingOf(job, plan, draft) >= LEFT_TO_SUMMARIES * (1 - MIN_SAVING) * plan.leavingTokens;

/** Whether a target that binds everything has room for summaries beside the recent messages and the ledger. */
const fitsTarget = (job: CompressionJob, plan: Plan, draft: SizedDraft): boolean =>
  !job.aim || summariesRoom(job, plan, draft) >= MIN_EXTRACT_TOKENS;

/** A draft whose entries from what leaves have no room beside a summary, unless pinned: everything is summarized. */
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
  /** Messages. */
  readonly covered: number;
  /** Tokens that left. */
  readonly leftTokens: number;
  readonly last: PlannedRun[number];
  /** Tokens of the request afterwards, had nothing else been said since. */
  readonly after: number;
  readonly calls: CallLog;
  readonly fault: unknown;
}

async function summarize(
  job: CompressionJob,
  plan: Plan,
  draft: SizedDraft,
  deps: CompressSessionDeps,
  { cache, usage }: { readonly cache: SummaryCache; readonly usage: TermUsage },
): Promise<Made> {
  const { clock } = deps;
  const { state, counter, signal, model } = job;
  const { policy } = job.settings;
  const { total, tokens } = job.before;
  // Before anything is awaited: what the user undoes meanwhile is sent verbatim again.
  const others = Math.max(0, total - tokens.ledger - tokens.summaries - sentTokens(plan, state));
  const calls = new CallLog();
  const frontierTokens = summariesRoom(job, plan, draft);
  const nextId = (): SummaryNode['id'] => nodeId(clock.id());
  const now = (): number => clock.now();
  const pace = new Pace(clock.breather, signal);
  const parents: ParentTools = { counter, pace, ceilings: PARENT_CEILINGS, nextId, now, usage };
  const planned = new Set(plan.runs.flat().map(({ message }) => message.id));
  // Summaries whose messages are summarized again give way to the new ones.
  const standing = state.frontier.map(({ node }) => node).filter(({ first }) => !planned.has(first));
  const mended = await rebuildStale(standing, state, frontierTokens, parents);
  const nodes: SummaryNode[] = [...mended.made];
  let { frontier } = mended;

  const ceilingTokens = ceilingOf(job, plan, draft);
  const replaced = replacedTokens(plan, job.before.tokens.summaries);
  const frame = job.before.tokens.ledger === 0 ? LEDGER_FRAME_TOKENS : 0;
  const share = job.aim ? Infinity : Math.floor(replaced) - Math.max(0, addedLedger(job, draft) - frame);
  const least = Math.max(plan.runs.length * MIN_SUMMARY_TOKENS, TOLD_SHARE * plan.leavingTokens);
  // What is already there fades to its briefest before the new gets less room than it needs.
  const free = frontierTokens - Math.min(tokensOf(frontier, 'brief'), frontierTokens / 2);
  const roomTokens = Math.min(ceilingTokens, free, Math.max(least, share));
  const runs = plan.runs.map((items) => runOf(items, draft, state));
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
      concurrency: job.isProbing ? 1 : CONCURRENCY,
      isDoubtful: job.isProbing,
      extractiveOnFault: job.extractiveOnFault,
    },
    {
      counter,
      nextId,
      now,
      calls,
      breather: clock.breather,
      cancel: signal,
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
  const isCovered = coverage(state.frontier);
  let covered = 0;
  let uncovered = 0;
  let last = plan.runs[0]![0]!;
  for (const [at, { leaves: told, covered: count }] of summarized.runs.entries()) {
    const items = plan.runs[at]!;
    const replaces = at === 0 && count >= messagesIn(plan.standIns) ? plan.standIns.map(({ node }) => node.id) : [];
    const leaves = replaces.length === 0 ? told : told.map((leaf) => ({ ...leaf, replaces }));
    const before = frontier.filter((node) => state.positionOf(node.first)! < items[0]!.position).length;
    frontier = [...frontier.slice(0, before), ...leaves, ...frontier.slice(before)];
    nodes.push(...leaves);
    covered += items.slice(0, count).filter(({ position }) => !isCovered(position)).length;
    if (count > 0) last = items[count - 1]!;
    for (const { message, tokens } of items.slice(count)) if (message.role !== 'system') uncovered += tokens;
  }

  const limit = job.aim?.targetTokens ?? Infinity;
  let room = frontierTokens;
  let levels: readonly LevelChoice[] = [];
  let after = 0;
  const condensed: SummaryNode[] = [];
  const sentFront = (): number => frontTokens(job, { nodes: [...nodes, ...condensed], levels, draft }).all;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = new Map([...state.nodes, ...[...nodes, ...condensed].map((node) => [node.id, node] as const)]);
    const joined = await condenseNeighbours(
      frontier,
      { room, known, downTo: job.aim || (!model && room <= LITTLE_ROOM) ? 1 : CONDENSED },
      state,
      parents,
    );
    condensed.push(...joined.parents);
    ({ frontier } = joined);
    // Within a target each node is sent whole first; in a session the old fades in steps, so that it seldom changes.
    levels =
      job.aim && round === 0
        ? frontier.map(({ id }) => ({ node: id, level: 'detailed' }))
        : chooseLevels(frontier, room, nearTask(frontier, state), job.aim ? undefined : state.levels).levels;
    after = others + uncovered + sentFront();
    if (after <= limit || room <= 0) break;
    const shorter = leastLoss(frontier, levels, after - limit);
    if (shorter) {
      levels = shorter;
      after = others + uncovered + sentFront();
      if (after <= limit) break;
    }
    room = Math.max(0, room - (after - limit));
  }
  const leftTokens = plan.leavingTokens - uncovered;
  return { nodes: [...nodes, ...condensed], levels, covered, leftTokens, last, after, calls, fault: summarized.fault };
}

/** What ledger and summaries may take of what leaves; the first summaries may tell more of little: they are the whole of what was said. */
function replacedTokens({ leavingTokens }: Plan, standingTokens: number): number {
  const { least, first, most, upToTokens } = REPLACED_SHARE;
  return Math.max(
    least * leavingTokens,
    Math.min(upToTokens, most * leavingTokens),
    Math.min(upToTokens - standingTokens, first * leavingTokens),
  );
}

/** One node sent brief in place of detailed, so that at least so many tokens are saved, and as few more as can be. */
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

/** Verbatim tokens of the runs, as far as they were sent. */
function sentTokens({ runs }: Plan, { frontier }: SessionState): number {
  const isCovered = coverage(frontier);
  return runs.flat().reduce((sum, { message, position, tokens }) => {
    return message.role === 'system' || isCovered(position) ? sum : sum + tokens;
  }, 0);
}

/** What all summaries together may take: what the target leaves beside everything else that is sent. */
function summariesRoom(job: CompressionJob, plan: Plan, draft: SizedDraft): number {
  const { aim, before, budget, settings } = job;
  const { system, memory, task } = before.tokens;
  const taken = system + memory + task + plan.recentTokens + draft.tokens + SUMMARIES_FRAME_TOKENS;
  if (aim) {
    // Each block of summaries and the key events behind it have tags of their own.
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
  /** Of a room that is exceeded, how much is taken afterwards. */
  readonly downTo: number;
  readonly known: ReadonlyMap<SummaryNode['id'], SummaryNode>;
}

/** Joins nodes where all together exceed their room; only neighbours without a message between them are joined. */
async function condenseNeighbours(
  frontier: readonly SummaryNode[],
  { room, known, downTo }: Condensing,
  state: SessionState,
  tools: ParentTools,
): Promise<{ readonly frontier: SummaryNode[]; readonly parents: SummaryNode[] }> {
  const groups: SummaryNode[][] = [];
  for (const node of frontier) {
    const before = groups.at(-1)?.at(-1);
    if (before && state.positionOf(before.last) === state.positionOf(node.first)! - 1) groups.at(-1)!.push(node);
    else groups.push([node]);
  }
  // By what their parts say: a group that was joined before would else lose its share to what came after it.
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
    const result = await joinOld(group, share, downTo, known, tools);
    joined.push(...result.frontier);
    parents.push(...result.parents);
  }
  return { frontier: joined, parents };
}

/** Tokens of the ledger, and of ledger and summaries, and the key events, were this compression committed. */
function frontTokens(
  job: CompressionJob,
  {
    nodes,
    levels,
    draft,
  }: { readonly nodes: readonly SummaryNode[]; readonly levels: readonly LevelChoice[]; readonly draft: LedgerDraft },
): { readonly ledger: number; readonly all: number; readonly keyEvents: () => CompressionRecord['keyEvents'] } {
  const { systemPrompt, memory, policy } = job.settings;
  const { events, changes } = draft;
  const state = job.state.afterCompression({ nodes, levels, events, changes });
  const { tokens, leftOut } = assemblePrefix({
    state,
    systemPrompt,
    memory,
    counts: job.counts,
    ledgerBudget: Math.floor(job.budget * policy.ledgerShare),
  });
  const keyEvents = () => keyEventFigures(state, new Set(leftOut.map(({ id }) => id)));
  return { ledger: tokens.ledger, all: tokens.ledger + tokens.summaries, keyEvents };
}

/** Nodes that the task's words are about get more room than others as old: at most this many. */
const MAX_NEAR_TASK = 3;

/** Positions of the frontier's nodes that the task's words are found in, the nearest first. */
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
    keyEvents: frontTokens(job, { nodes, levels, draft }).keyEvents(),
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

/** Messages that are enough to tell what a session says everywhere. */
const SAMPLED = 500;

/** Counts the terms of a session that was opened: those of some of its messages that have summaries, evenly spread. */
async function readUsage(usage: TermUsage, { path, messages, frontier }: SessionState, pace: Pace): Promise<void> {
  const covered = frontier.flatMap(({ from, to }) => path.slice(from, to + 1));
  const every = Math.max(1, Math.ceil(covered.length / SAMPLED));
  const sampled = covered.filter((_, at) => at % every === 0).flatMap((id) => messages.get(id) ?? []);
  if (sampled.length > 0) await usage.add(await buildCorpus(sampled, pace), sampled, 0, pace);
}
