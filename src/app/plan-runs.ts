import type { Message } from '../core/model/message.ts';
import type { NodeId } from '../core/model/ids.ts';
import { cutSegments, startsTurn } from '../core/compress/segments.ts';
import { windowStart, type WindowLimits } from '../core/policy/window.ts';
import type { CompressionJob } from './compression-job.ts';

export interface PlannedMessage {
  readonly message: Message;
  readonly position: number;
  /** With framing and attachments. */
  readonly tokens: number;
}

/** Messages without a gap that get nodes of their own. `afterNode` stands right before them, if one does. */
export interface PlannedRun {
  readonly items: readonly PlannedMessage[];
  readonly afterNode: NodeId | undefined;
}

export interface Plan {
  readonly runs: readonly PlannedRun[];
  /** Messages that the runs cover. */
  readonly covers: number;
  /** Tokens of what stays word for word. */
  readonly windowTokens: number;
}

/**
 * What lies before the window and is not covered yet. The newest user message is never covered, wherever it stands;
 * what the user has opened by an undo stays open, until a request would not fit or the user compresses again.
 */
export function planRuns(
  job: Pick<CompressionJob, 'state' | 'counts'>,
  limits: WindowLimits,
  opensHeld: boolean,
): Plan {
  const { state, counts } = job;
  const items: PlannedMessage[] = [];
  for (const { message, position } of state.uncovered()) {
    items.push({ message, position, tokens: counts.total(message) });
  }
  const newestUser = items.findLastIndex((item) => startsTurn(item.message));
  const tokens = items.map((item, at) => (at === newestUser ? 0 : item.tokens));
  const start = windowStart(
    items.map((item) => item.message),
    tokens,
    limits,
  );
  const runs: PlannedRun[] = [];
  let run: PlannedMessage[] = [];
  let windowTokens = 0;
  const close = (): void => {
    const first = run[0];
    if (!first) return;
    const afterNode = state.frontier.findLast((one) => one.to < first.position)?.node.id;
    runs.push({ items: run, afterNode });
    run = [];
  };
  items.forEach((item, at) => {
    if (at >= start || at === newestUser || (!opensHeld && state.isHeldOpen(item.position))) {
      close();
      windowTokens += item.tokens;
      return;
    }
    const previous = run.at(-1);
    if (previous && state.frontier.some((one) => previous.position < one.from && one.to < item.position)) close();
    run.push(item);
  });
  close();
  return { runs, covers: runs.reduce((sum, one) => sum + one.items.length, 0), windowTokens };
}

/** The oldest part of a plan, of about so many tokens and ending where a segment may; the rest stays word for word. */
export function firstPart(plan: Plan, tokens: number): Plan {
  const [run, ...others] = plan.runs;
  if (!run) return plan;
  const messages = run.items.map((item) => item.message);
  const sizes = run.items.map((item) => item.tokens);
  const [segment] = cutSegments(messages, sizes, tokens);
  const items = run.items.slice(0, (segment?.to ?? 0) + 1);
  const stays = [...run.items.slice(items.length), ...others.flatMap((one) => one.items)];
  const windowTokens = stays.reduce((sum, item) => sum + item.tokens, plan.windowTokens);
  return { runs: [{ ...run, items }], covers: items.length, windowTokens };
}
