import { inEnglish, phrase, type Phrase } from '../text/phrase.ts';
import { safeCuts } from '../compress/segments.ts';
import type { SourceMessage } from '../compress/source.ts';

export const STRATEGIES = ['auto', 'smart', 'summarize', 'trim', 'off'] as const;
/**
 * smart keeps events and summarizes the rest; summarize summarizes all; trim plain-cuts without a model;
 * auto picks by what is due and which model is there; off closes every path that could compress.
 */
export type Strategy = (typeof STRATEGIES)[number];

export const POLICY_NAMES = ['balanced', 'steady', 'frugal', 'long-memory'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** When to compress; `null` switches a trigger off. The design's table of triggers. */
export interface Triggers {
  /** Share of the budget (0…1) from which compression runs in the background. */
  readonly share: number | null;
  /** Share of the budget (0…1) at which a request is not sent before compression has been tried. */
  readonly beforeSend: number | null;
  /** Uncompressed tokens that came since the newest compression: fires above. */
  readonly tokens: number | null;
  /** Uncompressed messages, the recent ones included: fires above. */
  readonly messages: number | null;
  /** At every multiple of N messages ever, from 2 × N on. */
  readonly every: number | null;
  /** Milliseconds since the newest summary: fires above, on the next activity. */
  readonly ageMs: number | null;
  /** Uncompressed messages at a reset of the task: fires above. */
  readonly taskReset: number | null;
}

/** A set of triggers and targets. */
export interface Policy {
  readonly name: PolicyName;
  readonly strategy: Strategy;
  readonly triggers: Triggers;
  /** Newest messages that stay verbatim. */
  readonly window: number;
  /** Share of the budget that summaries, ledger and window together aim at after a compression. */
  readonly targetShare: number;
  /** Share of the budget that the ledger may take. */
  readonly ledgerShare: number;
  readonly summary: {
    /** Tokens of one summary, at most. */
    readonly maxTokens: number;
    readonly temperature: number;
    /** How much a model reads and writes for developer messages: at most $0.03 or, with `economy`, $0.01 per 1,000. */
    readonly effort: 'default' | 'economy';
    /** What the prompt asks for: `structured`, or two to three sentences. */
    readonly style: 'structured' | 'sentences';
  };
}

const HOUR_MS = 3_600_000;

/** Above this share of the budget after a compression the recent messages are halved; above it still, the session is flagged. */
export const AGGRESSIVE_SHARE = 0.7;

/** A compression that would save less than this share of what it replaces is not begun. */
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
  window: 10,
  targetShare: 0.5,
  ledgerShare: 0.15,
  summary: { maxTokens: 8000, temperature: 0.3, effort: 'default', style: 'structured' },
};

/** The named policies; each number can be set by itself. */
export const POLICIES: Readonly<Record<PolicyName, Policy>> = {
  balanced,
  steady: {
    ...balanced,
    name: 'steady',
    triggers: { ...balanced.triggers, every: 10 },
    window: 10,
    summary: { ...balanced.summary, maxTokens: 300, style: 'sentences' },
  },
  frugal: {
    ...balanced,
    name: 'frugal',
    triggers: { ...balanced.triggers, tokens: 8000, messages: 50 },
    window: 12,
  },
  'long-memory': {
    ...balanced,
    name: 'long-memory',
    triggers: { ...balanced.triggers, share: 0.8 },
    window: 3,
    // The most words that a prompt asks for are then 500.
    summary: { ...balanced.summary, maxTokens: 1225 },
  },
};

/** A user's own values over a named policy's. */
export interface PolicyOverrides {
  readonly strategy?: Strategy;
  readonly triggers?: Partial<Triggers>;
  readonly window?: number;
  readonly targetShare?: number;
  readonly ledgerShare?: number;
  readonly summary?: Partial<Policy['summary']>;
}

/** A setting that makes no sense, in one sentence for the user. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly phrase: Phrase;

  constructor(said: Phrase) {
    super(inEnglish(said));
    this.phrase = said;
  }
}

/** The policy in force. Throws `PolicyError` naming the first value that makes no sense. */
export function resolvePolicy(name: PolicyName, overrides: PolicyOverrides = {}): Policy {
  const base = POLICIES[name];
  const policy: Policy = {
    ...base,
    ...overrides,
    name,
    triggers: { ...base.triggers, ...overrides.triggers },
    summary: { ...base.summary, ...overrides.summary },
  };
  const { triggers, summary } = policy;
  share(phrase('The background threshold'), triggers.share);
  share(phrase('The blocking threshold'), triggers.beforeSend);
  share(phrase('The target fraction of the context budget'), policy.targetShare);
  share(phrase('The key event budget'), policy.ledgerShare);
  whole(phrase('The maximum number of uncompressed tokens'), triggers.tokens, 1);
  whole(phrase('The maximum number of uncompressed messages'), triggers.messages, 1);
  whole(phrase('The message interval'), triggers.every, 1);
  whole(phrase('The task reset threshold'), triggers.taskReset, 0);
  whole(phrase('The number of recent messages'), policy.window, 1);
  whole(phrase('The maximum length of a summary'), summary.maxTokens, 50);
  if (triggers.ageMs !== null && !(triggers.ageMs > 0))
    throw new PolicyError(phrase('The maximum age of a summary must be greater than 0.'));
  if (!(summary.temperature >= 0 && summary.temperature <= 2))
    throw new PolicyError(phrase('The summary temperature must be between 0 and 2, not {0}.', summary.temperature));
  if (triggers.share !== null && triggers.beforeSend !== null && triggers.share > triggers.beforeSend)
    throw new PolicyError(phrase('The background threshold can’t be greater than the blocking threshold.'));
  return policy;
}

function share(what: Phrase, value: number | null): void {
  if (value !== null && !(value > 0 && value <= 1))
    throw new PolicyError(phrase('{0} must be greater than 0 and at most 1, not {1}.', what, value));
}

function whole(what: Phrase, value: number | null, least: number): void {
  if (value !== null && !(Number.isInteger(value) && value >= least))
    throw new PolicyError(phrase('{0} must be an integer of at least {1}, not {2}.', what, least, value));
}

export interface RecentLimits {
  /** Newest messages to keep verbatim while they fit. */
  readonly keep: number;
  /** Tokens they may take. */
  readonly maxTokens: number;
}

/**
 * Where the recent messages start: the position of the first message that stays verbatim. As many stay as `keep` asks,
 * more only where a tool call would be parted from its result, fewer where they take more than `maxTokens`.
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
