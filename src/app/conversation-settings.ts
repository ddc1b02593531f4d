import type { Policy } from '../core/policy/policy.ts';
import type { Effort } from '../core/tokens/model-facts.ts';

/** Output limits of a reply, in tokens. */
export interface ReplyLimits {
  /** Maximum tokens of the text. */
  readonly textTokens: number;
  /** Additional tokens for thinking. */
  readonly reasoningTokens: number;
  /** Maximum for text and thinking together when a reply is retried with a higher limit. */
  readonly maxOutput: number;
  readonly effort?: Effort;
}

/** The user's settings for a conversation. Read once per turn, so that they don't change during it. */
export interface ConversationSettings {
  readonly systemPrompt: string;
  /** Whether system messages before the first other message are sent unchanged, within the reserved tokens. */
  readonly keepsSystemPrompt?: boolean;
  /** Instructions from rule files in the workspace; absent if there are none. */
  readonly rules?: string;
  /** The workspace memory, which is sent in all its sessions; may be ''. */
  readonly memory: string;
  readonly policy: Policy;
  /** The chat model's context window, in tokens. */
  readonly contextWindow: number;
  /** Tokens reserved for the reply. */
  readonly reservedTokens: number;
  readonly temperature: number | undefined;
  /** By default, all reserved tokens are for text. */
  readonly reply?: ReplyLimits;
  /** Whether summaries are extracted if the summarizer fails and the compression can't be postponed. */
  readonly extractiveOnFault: boolean;
  /** Whether a finished task is reset with the next message. */
  readonly resetFinishedTask: boolean;
  /** Share of the budget for recalled excerpts of compressed history; 0 disables recall. */
  readonly recallShare: number;
  /** Whether the provider counts the tokens of the first requests, with an additional call for each. */
  readonly countWithProvider: boolean;
}
