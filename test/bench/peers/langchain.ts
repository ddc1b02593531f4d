import { PlainModel } from '../models/plain-model.ts';
import type { System } from '../systems/system.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';

/** A message of LangChain. */
interface Message {
  readonly content: unknown;
  readonly id?: string;
}

type MessageClass = new (fields: { readonly content: string; readonly id?: string }) => Message;

interface Messages {
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  trimMessages(
    messages: readonly Message[],
    options: {
      readonly maxTokens: number;
      readonly strategy: 'last';
      readonly tokenCounter: (messages: readonly Message[]) => number;
    },
  ): Promise<readonly Message[]>;
}

interface MiddlewareOptions {
  readonly trigger: { readonly tokens: number };
  readonly keep?: { readonly tokens: number };
  readonly trimTokensToSummarize?: number;
}

interface Agents {
  summarizationMiddleware(
    options: MiddlewareOptions & { readonly model: { invoke(prompt: unknown): Promise<{ readonly content: string }> } },
  ): {
    beforeModel(
      state: { readonly messages: readonly Message[] },
      runtime: { readonly context: object },
    ): Promise<{ readonly messages: readonly Message[] } | undefined>;
  };
}

interface LanguageModels {
  readonly LLM: new (fields: object) => object;
}

interface Memories {
  readonly ConversationSummaryBufferMemory: new (fields: { readonly llm: object; readonly maxTokenLimit?: number }) => {
    saveContext(input: { readonly input: string }, output: { readonly output: string }): Promise<void>;
    loadMemoryVariables(values: object): Promise<{ readonly history: string }>;
  };
}

/** LangChain's memories, middleware and trimming. */
export async function langChainSystems(load: <T>(name: string) => Promise<T>): Promise<readonly System[]> {
  const messages = await load<Messages>('@langchain/core/messages');
  const agents = await load<Agents>('langchain');
  const memories = await load<Memories>('@langchain/classic/memory');
  const { LLM } = await load<LanguageModels>('@langchain/core/language_models/llms');
  const middleware = (id: string, label: string, options: (budget: number) => MiddlewareOptions): System => ({
    id,
    label: `LangChain summarizationMiddleware, ${label}`,
    asks: true,
    shape: 'json',
    // What is kept is what is sent.
    assemblesInTurn: true,
    open: (given) => Promise.resolve(summarized(given, { messages, agents, options: options(given.budget) })),
  });
  return [
    {
      id: 'trimMessages',
      label: 'LangChain trimMessages',
      asks: false,
      shape: 'json',
      assemblesInTurn: false,
      open: ({ budget, counter }) => {
        const all: Message[] = [];
        // It counts the same messages again and again: kept counts are its best setting.
        const counts = new Map<Message, number>();
        const tokensOf = (one: Message): number => {
          let tokens = counts.get(one);
          if (tokens === undefined) counts.set(one, (tokens = counter.text(String(one.content)) + 4));
          return tokens;
        };
        return Promise.resolve({
          spent: { calls: 0, input: 0, output: 0 },
          turn({ ask, rest }) {
            all.push(...asMessages(messages, [{ role: 'user', text: ask }, ...rest], all.length));
            return Promise.resolve();
          },
          context: async () =>
            textOf(
              await messages.trimMessages(all, {
                maxTokens: budget,
                strategy: 'last',
                tokenCounter: (some) => some.reduce((sum, one) => sum + tokensOf(one), 0),
              }),
            ),
          close: () => Promise.resolve(),
        });
      },
    },
    middleware('middleware', 'defaults', (budget) => ({ trigger: { tokens: budget } })),
    middleware('middlewareBest', 'half of the budget kept, all read', (budget) => ({
      trigger: { tokens: budget },
      keep: { tokens: Math.floor(budget / 2) },
      trimTokensToSummarize: 1_000_000,
    })),
    ...(['defaults', 'limit at the budget'] as const).map((label): System => ({
      id: label === 'defaults' ? 'summaryBuffer' : 'summaryBufferBest',
      label: `LangChain ConversationSummaryBufferMemory, ${label}`,
      asks: true,
      shape: 'json',
      assemblesInTurn: false,
      open: ({ budget, counter, answer }) => {
        const model = new PlainModel(answer, counter);
        const llm = languageModel(LLM, model);
        const memory = new memories.ConversationSummaryBufferMemory({
          llm,
          ...(label !== 'defaults' && { maxTokenLimit: budget }),
        });
        return Promise.resolve({
          spent: model.spent,
          turn: ({ ask, rest }) =>
            memory.saveContext({ input: ask }, { output: rest.map(({ text }) => text).join('\n') }),
          context: async () => (await memory.loadMemoryVariables({})).history,
          close: () => Promise.resolve(),
        });
      },
    })),
  ];
}

/** A model of LangChain's own kind. It counts as that does where its vocabulary cannot be loaded: by length. */
function languageModel(LLM: LanguageModels['LLM'], model: PlainModel): object {
  class Scripted extends LLM {
    _llmType(): string {
      return 'scripted';
    }
    _call(prompt: string): Promise<string> {
      return model.ask(prompt);
    }
    getNumTokens(text: string): Promise<number> {
      return Promise.resolve(Math.ceil(text.length / 4));
    }
  }
  return new Scripted({ maxRetries: 0 });
}

/** The middleware, asked before each of the model's turns. */
function summarized(
  { answer, counter }: Parameters<System['open']>[0],
  {
    messages,
    agents,
    options,
  }: { readonly messages: Messages; readonly agents: Agents; readonly options: MiddlewareOptions },
): Awaited<ReturnType<System['open']>> {
  const model = new PlainModel(answer, counter);
  const middleware = agents.summarizationMiddleware({
    model: { invoke: async (prompt) => ({ content: await model.ask(String(prompt)) }) },
    ...options,
  });
  let state: readonly Message[] = [];
  let made = 0;
  const add = (some: readonly TranscriptMessage[]): void => {
    state = [...state, ...asMessages(messages, some, made)];
    made += some.length;
  };
  return {
    spent: model.spent,
    async turn({ ask, rest }) {
      add([{ role: 'user', text: ask }]);
      const changed = await middleware.beforeModel({ messages: state }, { context: {} });
      // The first of the new messages only says that all that was there is gone.
      if (changed) state = changed.messages.slice(1);
      add(rest);
    },
    context: () => Promise.resolve(textOf(state)),
    close: () => Promise.resolve(),
  };
}

const textOf = (messages: readonly Message[]): string => messages.map(({ content }) => String(content)).join('\n');

/** A tool's output goes in as the assistant's words: a result without a call would be refused. */
function asMessages(
  { HumanMessage, AIMessage }: Messages,
  transcript: readonly TranscriptMessage[],
  from: number,
): Message[] {
  return transcript.map(({ role, text }, at) => {
    const fields = { content: text, id: `m${from + at}` };
    return role === 'user' ? new HumanMessage(fields) : new AIMessage(fields);
  });
}
