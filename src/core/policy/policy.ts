import { inEnglish, phrase, type Phrase } from '../text/phrase.ts';
import type { CostTier } from '../model/summary.ts';
import type { SummaryStyle } from '../prompts/render-prompts.ts';
import { safeCuts } from '../compress/cut-segments.ts';
import type { SourceMessage } from '../compress/source-message.ts';

export const STRATEGIES = ['auto', 'smart', 'summarize', 'trim', 'off'] as const;
/**
 * smart keeps key events and summarizes the rest; summarize summarizes everything; trim truncates without a model; auto
 * chooses by trigger and available model; off never compresses.
 */
export type Strategy = (typeof STRATEGIES)[number];

export const POLICY_NAMES = ['balanced', 'steady', 'frugal', 'long-memory'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** When to compress; `null` disables a trigger. */
export interface Triggers {
  /** Share of the budget (0…1) at which compression runs in the background. */
  readonly share: number | null;
  /** Share of the budget (0…1) at which compression runs before a request is sent. */
  readonly beforeSend: number | null;
  /** Fires above this number of uncompressed tokens since the newest compression. */
  readonly tokens: number | null;
  /** Fires above this number of uncompressed messages, including recent ones. */
  readonly messages: number | null;
  /** Fires at every multiple of N messages in total, starting at 2 × N. */
  readonly every: number | null;
  /** Fires at the next activity if the newest compression is older than this, in milliseconds. */
  readonly ageMs: number | null;
  /** Fires at a task reset above this number of uncompressed messages. */
  readonly taskReset: number | null;
}

export interface Policy {
  readonly name: PolicyName;
  readonly strategy: Strategy;
  readonly triggers: Triggers;
  /** Number of recent messages that stay verbatim. */
  readonly recentMessages: number;
  /** Target share of the budget for summaries, ledger, and recent messages after a compression. */
  readonly targetShare: number;
  /** Maximum share of the budget for the ledger. */
  readonly ledgerShare: number;
  readonly summary: {
    readonly maxTokens: number;
    readonly temperature: number;
    readonly effort: CostTier;
    readonly style: SummaryStyle;
  };
}

const HOUR_MS = 3_600_000;

/** Above this share of the budget after a compression, the recent messages are halved, and then the session flagged. */
export const MAX_SHARE_AFTER_COMPRESSION = 0.7;

/** Minimum share of the replaced tokens that a compression must save. */
export const MIN_SAVING = 0.1;

const balanced: Policy = {
  name: 'balanced',
  strategy: 'smart',
  triggers: {
    share: 0.7,
    beforeSend: 0.9,
    tokens: null,
    messages: null,
    every: null,
    ageMs: 24 * HOUR_MS,
    taskReset: 40,
  },
  recentMessages: 10,
  targetShare: 0.5,
  ledgerShare: 0.15,
  summary: { maxTokens: 8000, temperature: 0.3, effort: 'default', style: 'structured' },
};

/** The named policies; each value can be overridden. */
export const POLICIES: Readonly<Record<PolicyName, Policy>> = {
  balanced,
  steady: {
    ...balanced,
    name: 'steady',
    triggers: { ...balanced.triggers, every: 10 },
    summary: { ...balanced.summary, maxTokens: 300, style: 'sentences' },
  },
  frugal: {
    ...balanced,
    name: 'frugal',
    triggers: { ...balanced.triggers, tokens: 8000, messages: 50 },
    recentMessages: 12,
  },
  'long-memory': {
    ...balanced,
    name: 'long-memory',
    triggers: { ...balanced.triggers, share: 0.8 },
    recentMessages: 3,
    // So that a prompt asks for at most 500 words.
    summary: { ...balanced.summary, maxTokens: 1225 },
  },
};

/** The user's values, which override a policy's. */
export interface PolicyOverrides extends Partial<Omit<Policy, 'name' | 'triggers' | 'summary'>> {
  readonly triggers?: Partial<Triggers>;
  readonly summary?: Partial<Policy['summary']>;
}

/** Thrown for an invalid setting. `phrase` is a sentence for the user. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly phrase: Phrase;

  constructor(sentence: Phrase) {
    super(inEnglish(sentence));
    this.phrase = sentence;
  }
}

/**
 * The effective policy. Each value was already validated by the settings' schema; this checks their combination.
 *
 * @throws {PolicyError}
 */
export function resolvePolicy(name: PolicyName, overrides: PolicyOverrides = {}): Policy {
  const base = POLICIES[name];
  const policy: Policy = {
    ...base,
    ...overrides,
    name,
    triggers: { ...base.triggers, ...overrides.triggers },
    summary: { ...base.summary, ...overrides.summary },
  };
  const { share, beforeSend } = policy.triggers;
  if (share !== null && beforeSend !== null && share > beforeSend)
    throw new PolicyError(phrase('The background threshold can’t be greater than the blocking threshold.'));
  return policy;
}

export interface RecentLimits {
  /** Number of recent messages to keep verbatim if they fit. */
  readonly keep: number;
  /** Maximum tokens of these messages. */
  readonly maxTokens: number;
}

/**
 * The index of the first message that stays verbatim. The last `keep` messages stay: more if a tool call would be
 * separated from its result, fewer if they exceed `maxTokens`.
 *
 * @param tokens each message's tokens, by position
 * @returns 0…messages.length, an index into `messages`
 */
export function recentStart(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  limits: RecentLimits,
): number {
  const count = messages.length;
  if (count === 0) return 0;
  const cuts = safeCuts(messages, 0, count - 1);
  const isBoundary = (at: number): boolean => at === 0 || at === count || cuts.has(at - 1);
  let start = Math.max(0, count - limits.keep);
  while (!isBoundary(start)) start--;
  let taken = 0;
  for (let at = start; at < count; at++) taken += tokens[at]!;
  while (start < count && (taken > limits.maxTokens || !isBoundary(start))) taken -= tokens[start++]!;
  return start;
}
