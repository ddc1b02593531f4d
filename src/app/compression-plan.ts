import { messageAllowance } from '../core/compress/ask-model.ts';
import { startsTurn } from '../core/compress/cut-segments.ts';
import { LOCAL_MODEL } from '../core/compress/node-content.ts';
import { tokensAt } from '../core/compress/levels.ts';
import { MIN_SUMMARY_TOKENS } from '../core/compress/summarize.ts';
import type { Message } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { AGGRESSIVE_SHARE, type Strategy, recentStart, type RecentLimits } from '../core/policy/policy.ts';
import type { FrontierItem } from '../core/state/frontier.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';
import { holdsUpRequest } from './compressor.ts';

export interface PlannedMessage {
  readonly message: Message;
  readonly position: number;
  /** Including framing and attachments. */
  readonly tokens: number;
}

/** Consecutive messages to summarize, oldest first. */
export type PlannedRun = readonly PlannedMessage[];

export interface Plan {
  readonly runs: readonly PlannedRun[];
  /** Summaries without a model's text that are replaced: their messages are part of the runs. */
  readonly standIns: readonly FrontierItem[];
  /** Tokens of the messages that stay verbatim. */
  readonly recentTokens: number;
  /** Tokens that the runs free up, not counting the new ledger entries and summaries. */
  readonly leavingTokens: number;
}

/** Minimum share of the budget for summaries. */
const MIN_SUMMARIES_SHARE = 0.22;
/** In a small budget, summaries may take a larger share, up to this many tokens, before recent messages. */
const SMALL_BUDGET = { share: 0.45, tokens: 6_000 } as const;

/** Share of the budget that may be filled, to leave room for the next message. */
export const FILLED_SHARE = 0.9;

/** Tokens that summaries may always take, regardless of everything else. */
export const minSummariesTokens = (budget: number): number =>
  Math.floor(Math.max(MIN_SUMMARIES_SHARE * budget, Math.min(SMALL_BUDGET.tokens, SMALL_BUDGET.share * budget)));

/** Whether a strategy keeps key events verbatim. */
export const keepsEvents = (strategy: Strategy): boolean => strategy === 'smart' || strategy === 'auto';

const standInTokens = (items: readonly FrontierItem[]): number =>
  items.reduce((sum, { node }) => sum + tokensAt(node, 'detailed'), 0);

/**
 * Selects the messages to compress: all before the recent messages that aren't covered yet. If the request would still
 * take more than 70% of the budget, the number of recent messages is halved, or reduced further until they fit. If the
 * user compresses and only recent messages are left, the limit is the policy's target instead of 70%.
 */
export function planCompression(job: CompressionJob): Plan {
  const { aim, before, budget, settings } = job;
  const { policy } = settings;
  if (aim) return planRuns(job, { keep: aim.keep, maxTokens: aim.recentTokens });
  const { total, tokens } = before;
  const others = total - tokens.window - tokens.attachments;
  // Reserve at least the current size of ledger and summaries, or their expected size.
  const room = budget - Math.max(others, policy.ledgerShare * budget + minSummariesTokens(budget));
  const plan = planRuns(job, { keep: policy.window, maxTokens: room });
  const isEmpty = plan.runs.length === 0;
  // The user's command compresses as long as the context is above the target.
  const isAsked = isEmpty && job.due.trigger === 'command';
  const limit = isAsked ? policy.targetShare : AGGRESSIVE_SHARE;
  const isCrowded = others + plan.recentTokens + expectedTokens(plan) > limit * budget;
  if (!isCrowded || (isEmpty && !isAsked && !holdsUpRequest(job))) return plan;
  const keep = Math.max(1, Math.floor(policy.window / 2));
  return planRuns(job, { keep, maxTokens: Math.max(0, Math.min(room, FILLED_SHARE * budget - others)) });
}

/** Minimum share of the compressed tokens that ledger and summaries are expected to take. */
const EXPECTED_SHARE = 0.05;
const expectedTokens = ({ leavingTokens }: Plan): number =>
  Math.min(leavingTokens, Math.max(MIN_SUMMARY_TOKENS, leavingTokens * EXPECTED_SHARE));

/**
 * Never includes the newest user message, unless `coversAll`. Messages restored by an undo stay verbatim until a
 * request doesn't fit or the user compresses again.
 */
function planRuns(job: CompressionJob, limits: RecentLimits): Plan {
  const { aim, state, counts, model, due } = job;
  const opensHeld = holdsUpRequest(job) || due.trigger === 'command' || due.trigger === 'import';
  const held = opensHeld ? [] : state.restoredMessages();
  const items: PlannedMessage[] = [];
  for (const { message, position } of state.uncovered())
    items.push({ message, position, tokens: counts.total(message) });
  const newestUser = aim?.coversAll === true ? -1 : items.findLastIndex((item) => startsTurn(item.message));
  const start = recentStart(
    items.map((item) => item.message),
    items.map((item, at) => (at === newestUser ? 0 : item.tokens)),
    limits,
  );
  const runs: PlannedMessage[][] = [];
  let recentTokens = 0;
  let leavingTokens = 0;
  items.forEach((item, at) => {
    if (at >= start || at === newestUser || held[item.position] === true) {
      recentTokens += item.tokens;
      return;
    }
    // System messages are summarized, but aren't part of the context, so they free no tokens.
    if (item.message.role !== 'system') leavingTokens += item.tokens;
    const run = runs.at(-1);
    if (run?.at(-1)?.position === item.position - 1) run.push(item);
    else runs.push([item]);
  });
  const standIns: FrontierItem[] = [];
  for (const run of model ? runs : []) {
    const before = standInsBefore(run[0]!.position, state);
    standIns.push(...before);
    run.unshift(
      ...before.flatMap(({ from, to }) =>
        state.path.slice(from, to + 1).flatMap((id, at): PlannedMessage[] => {
          const message = state.messages.get(id);
          return message ? [{ message, position: from + at, tokens: counts.total(message) }] : [];
        }),
      ),
    );
  }
  return { runs: joined(runs), standIns, recentTokens, leavingTokens: leavingTokens + standInTokens(standIns) };
}

/** Joins runs between which only stand-ins were. */
function joined(runs: readonly PlannedRun[]): PlannedRun[] {
  const all: PlannedMessage[][] = [];
  for (const run of runs) {
    const before = all.at(-1);
    if (before?.at(-1)?.position === run[0]!.position - 1) before.push(...run);
    else all.push([...run]);
  }
  return all;
}

/** Maximum source tokens of extracted summaries that a model replaces. */
const MAX_STAND_IN_TOKENS = 100_000;

/** Below this cost, in input tokens, the fixed part of a prompt would take too much of what the model may read. */
const MIN_CALL_COST = 4_000;
/** With shorter messages, a context window that is compressed for its size holds enough of them. */
const LONG_MESSAGE_TOKENS = 200;

/**
 * Whether a run is extracted for now and summarized together with later messages: the rest of its turn, or enough to be
 * worth a request. In a context window that holds only a few long messages, the model would otherwise be asked every few
 * messages, and read mostly its own prompt.
 */
export function waitsForMore({ aim, due, settings, state }: CompressionJob, run: PlannedRun): boolean {
  if (aim || (due.trigger !== 'share' && due.trigger !== 'before_send') || state.frontier.length === 0) return false;
  const summarized = state.frontier.map(({ node }) => node);
  const messages = run.length + summarized.reduce((sum, node) => sum + node.messages, 0);
  const tokens = [...run.map((item) => item.tokens), ...summarized.map((node) => node.tokens.source)];
  const length = tokens.reduce((sum, one) => sum + one, 0) / messages;
  if (length < LONG_MESSAGE_TOKENS) return false;
  const newest = run.at(-1)!.position;
  // Nothing will be added to a user's message if the rest of its turn is summarized already.
  if (state.frontier.some(({ from }) => from === newest + 1)) return false;
  const isTurnOver = state.path.slice(newest + 1).some((id) => {
    const message = state.messages.get(id);
    return message !== undefined && startsTurn(message);
  });
  return !isTurnOver || run.length * messageAllowance(length, settings.policy.summary.effort) < MIN_CALL_COST;
}

/** The summaries right before a position that were extracted because no model was available. */
function standInsBefore(position: number, { frontier, summaries }: SessionState): readonly FrontierItem[] {
  let next = position;
  let tokens = 0;
  const at = frontier.findLastIndex(({ node, to }) => {
    if (to >= position) return false;
    tokens += node.tokens.source;
    if (to !== next - 1 || !isStandIn(node) || tokens > MAX_STAND_IN_TOKENS || summaries.opened.has(node.id))
      return true;
    next -= node.messages;
    return false;
  });
  return frontier.slice(at + 1).filter(({ to }) => to < position);
}

/** Whether a summary was extracted because no model was available, or to be summarized with later messages. */
export const isStandIn = ({ children, model, rung }: SummaryNode): boolean =>
  children.length === 0 && model === LOCAL_MODEL && rung !== 'edited';
