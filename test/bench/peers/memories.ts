import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import type { Answer } from '../models/metered.ts';
import { turnsOf } from '../turn-feed.ts';
import type { LangChainMessage, LangChainModel, Peers } from './load.ts';

/** What came of a session that another library kept. */
export interface Kept {
  /** All that would be sent at the end. */
  readonly text: string;
  /** Tokens that its summarizer was sent, in all. */
  readonly input: number;
}

/** Room for an answer of a peer's summarizer, in tokens: more than twice what one of our own calls gets. */
const ANSWER_TOKENS = 2_000;

/** The same oracle for every system, as plain text goes in and comes out. */
class Oracle implements LangChainModel {
  input = 0;
  readonly #answer: Answer;
  readonly #counter: TokenCounter;

  constructor(answer: Answer, counter: TokenCounter) {
    this.#answer = answer;
    this.#counter = counter;
  }

  reply(prompt: string): string {
    this.input += this.#counter.text(prompt);
    return this.#answer(prompt, ANSWER_TOKENS) ?? '';
  }

  invoke(prompt: unknown): Promise<{ readonly content: string }> {
    return Promise.resolve({ content: this.reply(String(prompt)) });
  }
}

const textOf = (messages: readonly LangChainMessage[]): string =>
  messages.map(({ content }) => String(content)).join('\n');

/** `trimMessages` as it stands: the newest messages that fit. */
export async function trimmed(
  { messages }: Peers,
  transcript: readonly TranscriptMessage[],
  budget: number,
  counter: TokenCounter,
): Promise<Kept> {
  const kept = await messages.trimMessages(asMessages(messages, transcript), {
    maxTokens: budget,
    strategy: 'last',
    tokenCounter: (some) => some.reduce((sum, one) => sum + counter.text(String(one.content)) + 4, 0),
  });
  return { text: textOf(kept), input: 0 };
}

/** `summarizationMiddleware`, asked before each of the model's turns. */
export async function summarizedByMiddleware(
  { messages, agents }: Peers,
  transcript: readonly TranscriptMessage[],
  options: {
    readonly trigger: { readonly tokens: number };
    readonly keep?: { readonly tokens: number };
    readonly trimTokensToSummarize?: number;
  },
  answer: Answer,
  counter: TokenCounter,
): Promise<Kept> {
  const model = new Oracle(answer, counter);
  const middleware = agents.summarizationMiddleware({ model, ...options });
  let state: readonly LangChainMessage[] = [];
  for (const { ask, rest } of turnsOf(transcript)) {
    state = [...state, ...asMessages(messages, [{ role: 'user', text: ask }], state.length)];
    const changed = await middleware.beforeModel({ messages: state }, { context: {} });
    // The first of the new messages only says that all that was there is gone.
    if (changed) state = changed.messages.slice(1);
    state = [...state, ...asMessages(messages, rest, state.length)];
  }
  return { text: textOf(state), input: model.input };
}

/** A tool's output goes in as the assistant's words: a result without a call would be refused. */
function asMessages(
  { HumanMessage, AIMessage }: Peers['messages'],
  transcript: readonly TranscriptMessage[],
  from = 0,
): LangChainMessage[] {
  return transcript.map(({ role, text }, at) => {
    const fields = { content: text, id: `m${from + at}-${text.length}` };
    return role === 'user' ? new HumanMessage(fields) : new AIMessage(fields);
  });
}
