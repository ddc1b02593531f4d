import type { Policy } from '../core/policy/policy.ts';
import type { Effort } from '../core/tokens/model-facts.ts';

/** Tokens of a reply. */
export interface ReplyRoom {
  /** Its text. */
  readonly textTokens: number;
  /** What the model may think on top of it. */
  readonly reasoningTokens: number;
  /** The most that the model can write and think together: what a further try may ask for. */
  readonly maxOutput: number;
  readonly effort?: Effort;
}

/** What the user set, as a conversation needs it. Read once at the beginning of a turn, so that a turn never acts on two configurations. */
export interface ConversationSettings {
  readonly systemPrompt: string;
  /** The project's rules, from files of the workspace; left out when there are none. */
  readonly rules?: string;
  /** What holds beyond one session; sent in every one of the workspace. Empty when there is none. */
  readonly memory: string;
  readonly policy: Policy;
  /** The chat model's context window, in tokens. */
  readonly contextWindow: number;
  /** Tokens kept free for the reply. */
  readonly reservedTokens: number;
  readonly temperature: number | undefined;
  /** How the room for the reply is shared out; left out: all of it is for text. */
  readonly reply?: ReplyRoom;
  /** Whether the extractive rung stands in when the summarizer's provider fails and room is needed. */
  readonly extractiveOnFault: boolean;
  /** Whether a finished task resets by itself with the next message. */
  readonly resetFinishedTask: boolean;
  /** Share of the budget for excerpts from compressed history that match the new message; 0 switches recall off. */
  readonly recallShare: number;
  /** Whether a provider's own counting may be asked, one call more for each of the first turns. */
  readonly countWithProvider: boolean;
}
