import { PlainModel } from '../models/plain-model.ts';
import type { Given, Kept, System } from '../systems/system.ts';

interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** A language model as the AI SDK's providers offer it, as far as Mastra asks for it. */
interface LanguageModel {
  readonly specificationVersion: 'v2';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: object;
  doGenerate(options: { readonly prompt: readonly PromptMessage[] }): Promise<object>;
  doStream(options: { readonly prompt: readonly PromptMessage[] }): Promise<object>;
}

interface Agents {
  readonly Agent: new (config: {
    readonly id: string;
    readonly name: string;
    readonly instructions: string;
    readonly model: LanguageModel;
    readonly memory: object;
    readonly maxRetries: number;
  }) => {
    generate(
      text: string,
      options: { readonly memory: { readonly thread: string; readonly resource: string } },
    ): Promise<{ readonly tripwire?: { readonly reason: string } }>;
  };
}

interface Registries {
  /** Agents that it knows log through it. */
  readonly Mastra: new (config: { readonly agents: object; readonly logger: false }) => object;
}

interface Memories {
  readonly Memory: new (config: {
    readonly storage: object;
    readonly options: {
      readonly lastMessages: false;
      readonly observationalMemory?: {
        readonly model: LanguageModel;
        readonly observation?: { readonly messageTokens: number; readonly bufferTokens?: number | false };
        readonly reflection?: { readonly observationTokens: number };
      };
    };
  }) => object;
}

interface Stores {
  readonly InMemoryStore: new () => object;
}

interface Processors {
  readonly TokenLimiterProcessor: new (limit: number) => {
    processLLMRequest(request: {
      readonly prompt: readonly PromptMessage[];
    }): Promise<{ readonly prompt?: readonly PromptMessage[] } | undefined>;
  };
}

interface Parts extends Agents, Registries, Memories, Stores, Processors {}

/** Mastra's `TokenLimiter` and `ObservationalMemory`, the second in an agent as its documentation builds it. */
export async function mastraSystems(load: <T>(name: string) => Promise<T>): Promise<readonly System[]> {
  const { Agent } = await load<Agents>('@mastra/core/agent');
  const { Mastra } = await load<Registries>('@mastra/core/mastra');
  const { Memory } = await load<Memories>('@mastra/memory');
  const { InMemoryStore } = await load<Stores>('@mastra/core/storage');
  const { TokenLimiterProcessor } = await load<Processors>('@mastra/core/processors');
  const parts: Parts = { Agent, Mastra, Memory, InMemoryStore, TokenLimiterProcessor };
  return [
    {
      id: 'tokenLimiter',
      label: 'Mastra TokenLimiter',
      asks: false,
      shape: 'json',
      assemblesInTurn: false,
      open: (given) => Promise.resolve(limited(given, parts)),
    },
    {
      id: 'observational',
      label: 'Mastra ObservationalMemory, defaults',
      asks: true,
      shape: 'observations',
      assemblesInTurn: true,
      open: (given) => Promise.resolve(observed(given, parts, undefined)),
    },
    {
      id: 'observationalBest',
      label: 'Mastra ObservationalMemory, half of the budget each',
      asks: true,
      shape: 'observations',
      assemblesInTurn: true,
      open: (given) => Promise.resolve(observed(given, parts, Math.floor(given.budget / 2))),
    },
  ];
}

/** Asked on the prompt right before a model's call, as its agent does. */
function limited({ budget }: Given, { TokenLimiterProcessor }: Parts): Kept {
  const limiter = new TokenLimiterProcessor(budget);
  const prompt: PromptMessage[] = [{ role: 'system', content: SYSTEM }];
  return {
    spent: { calls: 0, input: 0, output: 0 },
    turn({ ask, rest }) {
      const add = (role: string, text: string): void => void prompt.push({ role, content: [{ type: 'text', text }] });
      add('user', ask);
      for (const { text } of rest) add('assistant', text);
      return Promise.resolve();
    },
    context: async () => textOf((await limiter.processLLMRequest({ prompt: [...prompt] }))?.prompt ?? prompt),
    close: () => Promise.resolve(),
  };
}

function observed(
  { answer, counter }: Given,
  { Agent, Mastra, Memory, InMemoryStore }: Parts,
  share: number | undefined,
): Kept {
  const chat = new Chat();
  const observer = new PlainModel(answer, counter);
  const memory = new Memory({
    storage: new InMemoryStore(),
    options: {
      lastMessages: false,
      observationalMemory: {
        model: languageModel('observer', (prompt) => observer.ask(prompt)),
        ...(share !== undefined && {
          observation: { messageTokens: share },
          reflection: { observationTokens: share },
        }),
      },
    },
  });
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions: SYSTEM,
    model: chat.model,
    memory,
    maxRetries: 0,
  });
  // Bad models make it fill the terminal otherwise.
  new Mastra({ agents: { bench: agent }, logger: false });
  return chat.keptBy(agent, observer.spent);
}

const SYSTEM = 'You help with code.';

/** The model that is chatted with: it says what the transcript says, and keeps what it was sent. */
class Chat {
  #reply = '';
  #sent = '';
  readonly model = languageModel('chat', (prompt) => {
    this.#sent = prompt;
    return Promise.resolve(this.#reply);
  });

  keptBy(agent: InstanceType<Agents['Agent']>, spent: Kept['spent']): Kept {
    const send = async (text: string): Promise<void> => {
      const { tripwire } = await agent.generate(text, { memory: { thread: 'bench', resource: 'bench' } });
      if (tripwire) throw new Error(tripwire.reason);
    };
    return {
      spent,
      turn: async ({ ask, rest }) => {
        // Tools' output comes as the assistant's words: the agent has no tools of its own here.
        this.#reply = rest.map(({ text }) => text).join('\n');
        await send(ask);
      },
      context: async () => {
        await send('Go on.');
        return this.#sent;
      },
      close: () => Promise.resolve(),
    };
  }
}

function languageModel(modelId: string, reply: (prompt: string) => Promise<string>): LanguageModel {
  const end = { finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
  return {
    specificationVersion: 'v2',
    provider: 'bench',
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt }) {
      return { content: [{ type: 'text', text: await reply(textOf(prompt)) }], ...end, warnings: [] };
    },
    async doStream({ prompt }) {
      const delta = await reply(textOf(prompt));
      const chunks = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta },
        { type: 'text-end', id: '1' },
        { type: 'finish', ...end },
      ];
      return { stream: ReadableStream.from(chunks) };
    },
  };
}

const textOf = (prompt: readonly PromptMessage[]): string =>
  prompt
    .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')))
    .join('\n');
