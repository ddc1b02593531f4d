import { ANSWER_TOKENS, PlainModel } from '../models/plain-model.ts';
import type { System } from '../systems/system.ts';

interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'memory' | 'system';
  readonly content: unknown;
}

interface Memory {
  put(message: ChatMessage): void;
  getMessages(): Promise<readonly ChatMessage[]>;
}

interface Memories {
  readonly ChatSummaryMemoryBuffer: new (options: {
    readonly llm: {
      readonly metadata: { readonly contextWindow: number; readonly maxTokens: number };
      chat(request: { readonly messages: readonly ChatMessage[] }): Promise<{ readonly message: ChatMessage }>;
    };
    readonly tokenizer?: { encode(text: string): ArrayLike<unknown> };
  }) => Memory;
}

/** LlamaIndex's `ChatSummaryMemoryBuffer`: one summary of all that came before, made when the budget is full. */
export async function llamaIndexSystem(load: <T>(name: string) => Promise<T>): Promise<System> {
  const { ChatSummaryMemoryBuffer } = await load<Memories>('@llamaindex/core/memory');
  return {
    id: 'llamaIndex',
    label: 'LlamaIndex ChatSummaryMemoryBuffer',
    asks: true,
    shape: 'json',
    assemblesInTurn: true,
    open({ budget, counter, answer }) {
      const model = new PlainModel(answer, counter);
      const memory = new ChatSummaryMemoryBuffer({
        llm: {
          // Its budget is the window less the room for an answer.
          metadata: { contextWindow: budget + ANSWER_TOKENS, maxTokens: ANSWER_TOKENS },
          chat: async ({ messages }) => ({
            message: { role: 'assistant', content: await model.ask(textOf(messages)) },
          }),
        },
      });
      return Promise.resolve({
        spent: model.spent,
        async turn({ ask, rest }) {
          memory.put({ role: 'user', content: ask });
          try {
            await memory.getMessages();
          } finally {
            for (const { text } of rest) memory.put({ role: 'assistant', content: text });
          }
        },
        context: async () => textOf(await memory.getMessages()),
        close: () => Promise.resolve(),
      });
    },
  };
}

const textOf = (messages: readonly ChatMessage[]): string => messages.map(({ content }) => String(content)).join('\n');
