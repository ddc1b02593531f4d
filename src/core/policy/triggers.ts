import type { TriggerName } from '../journal/schema.ts';
import type { Policy } from './policy.ts';

/** What the triggers look at, between two turns. */
export interface TriggerFacts {
  /** Share of the budget in use, 0…1 and above. */
  readonly share: number;
  /** Uncompressed tokens of messages that came after the newest compression. */
  readonly tokensSince: number;
  readonly uncoveredMessages: number;
  /** All messages the session ever had; undefined in data from before it was counted, which never triggers. */
  readonly messagesEver: number | undefined;
  /** `messagesEver` when the triggers were checked before. */
  readonly messagesEverBefore: number;
  /** Milliseconds since the epoch of the newest compression; undefined before the first. */
  readonly lastCompressedAt: number | undefined;
  readonly now: number;
  /** What a trigger measured when it fired and nothing could be compressed; it waits for its next multiple. */
  readonly served?: ServedTriggers;
}

/** By trigger: its measure, in its own unit, at an attempt that came to nothing. */
export type ServedTriggers = Readonly<Partial<Record<TriggerName, number>>>;

/** The trigger that fires, with the limit that was crossed and what was measured, both in the trigger's own unit. */
export interface DueTrigger {
  readonly trigger: TriggerName;
  readonly threshold: number;
  readonly measured?: number;
}

/** After an attempt that came to nothing the share has to grow by this much before it fires again. */
const SHARE_STEP = 0.05;

/** The first trigger of the policy that fires between turns. */
export function dueTrigger(policy: Policy, facts: TriggerFacts): DueTrigger | undefined {
  if (policy.strategy === 'off') return undefined;
  const { share, tokens, messages, every, ageMs } = policy.triggers;
  const fires = (
    trigger: TriggerName,
    measured: number,
    threshold: number,
    step = threshold,
  ): DueTrigger | undefined =>
    isServed(measured - threshold, facts.served?.[trigger], threshold, step)
      ? undefined
      : { trigger, threshold, measured };
  let due: DueTrigger | undefined;
  if (share !== null && facts.share >= share) due ??= fires('share', facts.share, share, SHARE_STEP);
  if (tokens !== null && facts.tokensSince > tokens) due ??= fires('tokens', facts.tokensSince, tokens);
  if (messages !== null && facts.uncoveredMessages > messages)
    due ??= fires('messages', facts.uncoveredMessages, messages);
  if (every !== null && crossedMultiple(every, facts)) due ??= { trigger: 'every', threshold: every };
  const age = facts.lastCompressedAt === undefined ? undefined : facts.now - facts.lastCompressedAt;
  if (ageMs !== null && age !== undefined && age > ageMs && facts.uncoveredMessages > policy.window)
    due ??= fires('age', age, ageMs);
  return due;
}

/** Whether a trigger that came to nothing before has not reached its next multiple. */
function isServed(excess: number, served: number | undefined, threshold: number, step: number): boolean {
  return served !== undefined && Math.floor(excess / step) <= Math.floor((served - threshold) / step);
}

/** With N = 10: at 20, 30, 40; a turn that steps over 30 (29 to 31) fires once, at 31. */
function crossedMultiple(every: number, { messagesEver, messagesEverBefore }: TriggerFacts): boolean {
  if (messagesEver === undefined || messagesEver < 2 * every) return false;
  return Math.floor(messagesEver / every) > Math.floor(Math.max(every, messagesEverBefore) / every);
}

/** What is left before a policy compresses between turns; undefined where it has no such trigger, 0 when it is due. */
export interface Distance {
  readonly tokens: number | undefined;
  readonly messages: number | undefined;
}

/** How far off the triggers are that a session grows towards. `budget` is in tokens, as the facts are. */
export function distanceToTrigger(policy: Policy, facts: TriggerFacts, budget: number): Distance {
  const { share, tokens, messages, every } = policy.triggers;
  const { messagesEver } = facts;
  const next = every === null || messagesEver === undefined ? null : nextMultiple(every, messagesEver);
  return {
    tokens: nearest(
      share === null ? null : Math.ceil((share - facts.share) * budget),
      tokens === null ? null : tokens + 1 - facts.tokensSince,
    ),
    messages: nearest(
      messages === null ? null : messages + 1 - facts.uncoveredMessages,
      next === null ? null : next - (messagesEver ?? 0),
    ),
  };
}

const nextMultiple = (every: number, count: number): number => Math.max(2, Math.floor(count / every) + 1) * every;

function nearest(...distances: readonly (number | null)[]): number | undefined {
  const there = distances.filter((one) => one !== null);
  return there.length === 0 ? undefined : Math.max(0, Math.min(...there));
}

/** Whether a reset of the task compresses: above the limit, not at it. */
export function dueAtReset(policy: Policy, uncoveredMessages: number): DueTrigger | undefined {
  const limit = policy.triggers.taskReset;
  if (policy.strategy === 'off' || limit === null || uncoveredMessages <= limit) return undefined;
  return { trigger: 'task_reset', threshold: limit };
}

/** Whether the request that is about to leave waits for a compression. */
export function dueBeforeSend(policy: Policy, share: number): DueTrigger | undefined {
  const limit = policy.triggers.beforeSend;
  if (policy.strategy === 'off' || limit === null || share < limit) return undefined;
  return { trigger: 'before_send', threshold: limit };
}
