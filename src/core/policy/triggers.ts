import type { TriggerName } from '../journal/schema.ts';
import type { Policy } from './policy.ts';

/** The state that triggers depend on, between two turns. */
export interface TriggerFacts {
  /** Used share of the budget; may exceed 1. */
  readonly share: number;
  /** Uncompressed tokens of messages since the newest compression. */
  readonly tokensSince: number;
  readonly uncompressedMessages: number;
  readonly messagesEver: number;
  /** `messagesEver` at the previous check. */
  readonly messagesEverBefore: number;
  /** When the newest compression ran, in milliseconds since the epoch; undefined if none did. */
  readonly lastCompressedAt: number | undefined;
  readonly now: number;
  /** A trigger listed here waits for its next multiple. */
  readonly unsuccessful?: UnsuccessfulTriggers;
}

/** Triggers that last fired with nothing to compress, each with the value measured then, in the trigger's own unit. */
export type UnsuccessfulTriggers = Readonly<Partial<Record<TriggerName, number>>>;

/** A trigger that fires, with the exceeded limit and the measured value, both in the trigger's own unit. */
export interface DueTrigger {
  readonly trigger: TriggerName;
  readonly threshold: number;
  readonly measured?: number;
}

/** After an unsuccessful attempt, the share must grow by this much before the trigger fires again. */
const SHARE_STEP = 0.05;

/** The first trigger of the policy that fires between turns. */
export function dueTrigger(policy: Policy, facts: TriggerFacts): DueTrigger | undefined {
  if (policy.strategy === 'off') return undefined;
  const { share, tokens, messages, every, ageMs } = policy.triggers;
  /** The trigger, unless its last attempt was unsuccessful and it hasn't reached its next multiple since. */
  const fires = (
    trigger: TriggerName,
    measured: number,
    threshold: number,
    step = threshold,
  ): DueTrigger | undefined => {
    const stepsAt = (value: number): number => Math.floor((value - threshold) / step);
    const attempted = facts.unsuccessful?.[trigger];
    const isWaiting = attempted !== undefined && stepsAt(measured) <= stepsAt(attempted);
    return isWaiting ? undefined : { trigger, threshold, measured };
  };
  let due: DueTrigger | undefined;
  if (share !== null && facts.share >= share) due ??= fires('share', facts.share, share, SHARE_STEP);
  if (tokens !== null && facts.tokensSince > tokens) due ??= fires('tokens', facts.tokensSince, tokens);
  if (messages !== null && facts.uncompressedMessages > messages)
    due ??= fires('messages', facts.uncompressedMessages, messages);
  if (every !== null && crossedMultiple(every, facts)) due ??= { trigger: 'every', threshold: every };
  const age = facts.now - (facts.lastCompressedAt ?? facts.now);
  if (ageMs !== null && age > ageMs && facts.uncompressedMessages > policy.recentMessages)
    due ??= fires('age', age, ageMs);
  return due;
}

/** With N = 10: at 20, 30, 40. A turn that skips 30 (from 29 to 31) fires once, at 31. */
function crossedMultiple(every: number, { messagesEver, messagesEverBefore }: TriggerFacts): boolean {
  if (messagesEver < 2 * every) return false;
  return Math.floor(messagesEver / every) > Math.floor(Math.max(every, messagesEverBefore) / every);
}

/** The distance to the next compression between turns: 0 if it's due, undefined if no trigger counts this unit. */
export interface TriggerDistance {
  readonly tokens: number | undefined;
  readonly messages: number | undefined;
}

/** The distance to the triggers that depend on the session's size. `budget` is in tokens. */
export function distanceToTrigger(policy: Policy, facts: TriggerFacts, budget: number): TriggerDistance {
  const { share, tokens, messages, every } = policy.triggers;
  return {
    tokens: nearest(
      share === null ? null : Math.ceil((share - facts.share) * budget),
      tokens === null ? null : tokens + 1 - facts.tokensSince,
    ),
    messages: nearest(
      messages === null ? null : messages + 1 - facts.uncompressedMessages,
      every === null ? null : nextMultiple(every, facts.messagesEver) - facts.messagesEver,
    ),
  };
}

const nextMultiple = (every: number, count: number): number => Math.max(2, Math.floor(count / every) + 1) * every;

function nearest(...distances: readonly (number | null)[]): number | undefined {
  const known = distances.filter((one) => one !== null);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known));
}

/** The trigger if a task reset leaves more uncompressed messages than the policy's limit. */
export function dueAtReset(policy: Policy, uncompressedMessages: number): DueTrigger | undefined {
  const limit = policy.triggers.taskReset;
  if (policy.strategy === 'off' || limit === null || uncompressedMessages <= limit) return undefined;
  return { trigger: 'task_reset', threshold: limit };
}

/** The trigger if the next request, which takes this share (0…1) of the budget, must wait for a compression. */
export function dueBeforeSend(policy: Policy, share: number): DueTrigger | undefined {
  const limit = policy.triggers.beforeSend;
  if (policy.strategy === 'off' || limit === null || share < limit) return undefined;
  return { trigger: 'before_send', threshold: limit };
}
