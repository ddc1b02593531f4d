import { messageAllowance } from '../core/compress/ask-model.ts';
import { startsTurn } from '../core/compress/cut-segments.ts';
import { LOCAL_MODEL } from '../core/compress/node-content.ts';
import { tokensAt } from '../core/compress/choose-levels.ts';
import { MIN_SUMMARY_TOKENS } from '../core/compress/summarize.ts';
import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { Message } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { MAX_SHARE_AFTER_COMPRESSION, type Strategy, recentStart, type RecentLimits } from '../core/policy/policy.ts';
import type { FrontierItem } from '../core/state/frontier.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { CompressionJob } from './compression-job.ts';
import { delaysRequest } from './compressor.ts';

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
  /** Provisional summaries to replace. The runs include their messages. */
  readonly provisional: readonly FrontierItem[];
  /** Tokens of the messages that stay verbatim. */
  readonly recentTokens: number;
  /** Tokens of the replaced messages that the current request contains verbatim. */
  readonly verbatimTokens: number;
  /** Tokens of the replaced messages and summaries in the current request. */
  readonly freedTokens: number;
}

/** The share of the budget that summaries may always take. */
const MIN_SUMMARIES_SHARE = 0.22;
/** In a small budget, summaries may take this larger `share`, up to `tokens`. */
const SMALL_BUDGET = { share: 0.45, tokens: 6_000 } as const;

/** Maximum share of the budget that a compressed request may take. The rest is for the next message. */
export const MAX_FILLED_SHARE = 0.9;

/** Tokens that summaries may take even if the rest of the request exceeds its share. */
export const minSummariesTokens = (budget: number): number =>
  Math.floor(Math.max(MIN_SUMMARIES_SHARE * budget, Math.min(SMALL_BUDGET.tokens, SMALL_BUDGET.share * budget)));

export const keepsEvents = (strategy: Strategy): boolean => strategy === 'smart' || strategy === 'auto';

/**
 * Selects the messages to compress: all uncompressed messages before the recent ones. If the request would still take
 * more than 70% of the budget, the number of recent messages is halved, or reduced further until they fit. If there are
 * only recent messages and the user has requested the compression, the limit is the policy's target instead of 70%.
 */
export function planCompression(job: CompressionJob): Plan {
  const { target, before, budget, settings } = job;
  const { policy } = settings;
  if (target) return planRuns(job, { keep: target.keep, maxTokens: target.recentTokens });
  const { total, tokens } = before;
  const others = total - tokens.recent - tokens.attachments;
  // Reserve the current size of ledger and summaries, but at least their usual size.
  const room = budget - Math.max(others, policy.ledgerShare * budget + minSummariesTokens(budget));
  const plan = planRuns(job, { keep: policy.recentMessages, maxTokens: room });
  const isEmpty = plan.runs.length === 0;
  const isRequestedByUser = isEmpty && job.due.trigger === 'command';
  const limit = isRequestedByUser ? policy.targetShare : MAX_SHARE_AFTER_COMPRESSION;
  const isTooFull = others + plan.recentTokens + expectedTokens(plan) > limit * budget;
  if (!isTooFull || (isEmpty && !isRequestedByUser && !delaysRequest(job))) return plan;
  const keep = Math.max(1, Math.floor(policy.recentMessages / 2));
  return planRuns(job, { keep, maxTokens: Math.max(0, Math.min(room, MAX_FILLED_SHARE * budget - others)) });
}

/** If fewer tokens follow the newest user message, summarizing them saves nothing, because of the summary's heading. */
const MIN_TAIL_TOKENS = 32;

/** Minimum expected size of ledger and summaries, as a share of the replaced tokens. */
const EXPECTED_SHARE = 0.05;
const expectedTokens = ({ freedTokens }: Plan): number =>
  Math.min(freedTokens, Math.max(MIN_SUMMARY_TOKENS, freedTokens * EXPECTED_SHARE));

/**
 * Plans a compression that keeps the recent messages within `limits`. The newest user message stays verbatim, unless
 * the target has `coversAll`. Messages restored by an undo stay verbatim until a request doesn't fit or the user
 * compresses again.
 */
function planRuns(job: CompressionJob, limits: RecentLimits): Plan {
  const { target, state, counts, model, due, settings } = job;
  const includesRestored = delaysRequest(job) || due.trigger === 'command' || due.trigger === 'import';
  const restored = includesRestored ? [] : state.restoredMessages();
  const items: PlannedMessage[] = [];
  const keepsSystemPrompt = settings.keepsSystemPrompt === true && target?.coversAll !== true;
  const first = keepsSystemPrompt ? state.path.findIndex((id) => state.messages.place(id)?.role !== 'system') : 0;
  for (const { message, position } of state.uncompressed())
    if (position >= first) items.push({ message, position, tokens: counts.total(message) });
  const newestUser = target?.coversAll === true ? -1 : items.findLastIndex((item) => startsTurn(item.message));
  const fitting = recentStart(
    items.map((item) => item.message),
    items.map((item, at) => (at === newestUser ? 0 : item.tokens)),
    limits,
  );
  const tailTokens = items.slice(newestUser + 1).reduce((sum, { tokens }) => sum + tokens, 0);
  const keepsTail = target !== undefined && newestUser !== -1 && tailTokens < MIN_TAIL_TOKENS;
  const start = keepsTail ? Math.min(fitting, newestUser + 1) : fitting;
  const runs: PlannedMessage[][] = [];
  const provisional: FrontierItem[] = [];
  let recentTokens = 0;
  let verbatimTokens = 0;
  for (const [at, item] of items.entries()) {
    if (at >= start || at === newestUser || restored[item.position] === true) {
      recentTokens += item.tokens;
      continue;
    }
    // System messages aren't part of the context, so summarizing them frees no tokens.
    if (item.message.role !== 'system') verbatimTokens += item.tokens;
    let run = runs.at(-1);
    if (run?.at(-1)?.position !== item.position - 1) {
      const replaced = model ? provisionalBefore(item.position, state, model) : [];
      provisional.push(...replaced);
      const before = replaced.flatMap(({ from, to }) =>
        state.path.slice(from, to + 1).flatMap((id, offset): PlannedMessage[] => {
          const message = state.messages.get(id);
          return message ? [{ message, position: from + offset, tokens: counts.total(message) }] : [];
        }),
      );
      if (run?.at(-1)?.position !== (before[0] ?? item).position - 1) runs.push((run = []));
      run.push(...before);
    }
    run.push(item);
  }
  const freedTokens = provisional.reduce((sum, { node }) => sum + tokensAt(node, 'detailed'), verbatimTokens);
  return { runs, provisional, recentTokens, verbatimTokens, freedTokens };
}

/** Maximum source tokens of the provisional summaries that a model replaces at once. */
const MAX_PROVISIONAL_TOKENS = 100_000;

/** Minimum cost of a model call, in input tokens. A cheaper one would mostly read the fixed part of its prompt. */
const MIN_CALL_COST = 4_000;
/** Minimum average length of a run's messages, in tokens, for it to wait. Shorter ones fill a call soon enough. */
const LONG_MESSAGE_TOKENS = 200;

/**
 * Whether a run gets a provisional summary for now, because its turn isn't over or it's too short for a model call. In
 * a context window that holds only a few long messages, the model would otherwise be called every few messages, and
 * read mostly its own prompt.
 */
export function waitsForMore({ target, due, settings, state, model }: CompressionJob, run: PlannedRun): boolean {
  if (target || (due.trigger !== 'share' && due.trigger !== 'before_send') || state.frontier.length === 0) return false;
  const summarized = state.frontier.map(({ node }) => node);
  const messages = run.length + summarized.reduce((sum, node) => sum + node.messages, 0);
  const tokens = [...run.map((item) => item.tokens), ...summarized.map((node) => node.tokens.source)];
  const length = tokens.reduce((sum, one) => sum + one, 0) / messages;
  if (length < LONG_MESSAGE_TOKENS) return false;
  const newest = run.at(-1)!.position;
  // If the next message is already summarized, the run won't grow.
  if (state.frontier.some(({ from }) => from === newest + 1)) return false;
  const isTurnOver = state.path.slice(newest + 1).some((id) => {
    const message = state.messages.get(id);
    return message !== undefined && startsTurn(message);
  });
  const allowance = messageAllowance(length, settings.policy.summary.effort, model?.price);
  return !isTurnOver || run.length * allowance < MIN_CALL_COST;
}

function provisionalBefore(
  position: number,
  { frontier, summaries }: SessionState,
  model: SummaryModel,
): readonly FrontierItem[] {
  let next = position;
  let tokens = 0;
  const at = frontier.findLastIndex(({ node, to }) => {
    if (to >= position) return false;
    tokens += node.tokens.source;
    if (
      to !== next - 1 ||
      !isProvisional(node, model) ||
      tokens > MAX_PROVISIONAL_TOKENS ||
      summaries.reverted.has(node.id)
    )
      return true;
    next -= node.messages;
    return false;
  });
  return frontier.slice(at + 1).filter(({ to }) => to < position);
}

/** Whether a model may still replace an extracted summary, because it wasn't asked for one in vain. */
export const isProvisional = (
  { children, isLost, model: madeBy, rung, audit }: SummaryNode,
  model?: Pick<SummaryModel, 'id'>,
): boolean =>
  isLost !== true &&
  children.length === 0 &&
  madeBy === LOCAL_MODEL &&
  rung !== 'edited' &&
  audit.faults.every(({ text }) => model && text !== model.id);
