import type { Policy } from '../core/policy/policy.ts';
import type { Effort } from '../core/tokens/model-facts.ts';

/** Output limits of a reply, in tokens. */
export interface ReplyRoom {
  /** For its text. */
  readonly textTokens: number;
  /** Additional tokens for thinking. */
  readonly reasoningTokens: number;
  /** The model's maximum for text and thinking together, which limits a retry. */
  readonly maxOutput: number;
  readonly effort?: Effort;
}

/**
 * The user's settings for a conversation. Read once at the beginning of a turn, so that a turn never mixes two
 * configurations.
 */
export interface ConversationSettings {
  readonly systemPrompt: string;
  /** The project's instructions from files of the workspace; undefined if there are none. */
  readonly rules?: string;
  /** The workspace memory, which is sent in all its sessions; '' if it's empty. */
  readonly memory: string;
  readonly policy: Policy;
  /** The chat model's context window, in tokens. */
  readonly contextWindow: number;
  /** Tokens reserved for the reply. */
  readonly reservedTokens: number;
  readonly temperature: number | undefined;
  /** The reply's limits; by default, everything is for text. */
  readonly reply?: ReplyRoom;
  /** Whether to fall back to extraction if the summarizer's provider fails and room is needed. */
  readonly extractiveOnFault: boolean;
  /** Whether a finished task is reset with the next message. */
  readonly resetFinishedTask: boolean;
  /** Share of the budget for recalled excerpts of compressed history; 0 disables recall. */
  readonly recallShare: number;
  /** Whether to use the provider's token counting, which takes an additional request for each of the first turns. */
  readonly countWithProvider: boolean;
}
