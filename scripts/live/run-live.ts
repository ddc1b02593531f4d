import type { ChatMessage, ChatModel, ChatRequest } from '../../src/app/ports.ts';
import { compressPreserveEvents } from '../../src/app/public-api.ts';
import { replyBudget } from '../../src/app/reply-budget.ts';
import type { Usage } from '../../src/core/model/message.ts';
import { DEFAULT_MODELS, modelInfo, priceOf, reasoningPlan, type ModelInfo } from '../../src/core/tokens/model-info.ts';
import { ModelRegistry, type ModelConfig } from '../../src/providers/model-registry.ts';
import { assistant, user } from '../../test/support/chat-messages.ts';
import { withVendorsRedirected } from '../../test/support/strict/redirect-vendors.ts';
import { StrictServer, type Flavour } from '../../test/support/strict/strict-server.ts';
import { TRAITS } from '../../test/support/strict/traits.ts';

export const LIVE_PROVIDERS = ['openai', 'anthropic', 'compatible'] as const;
export type LiveProvider = (typeof LIVE_PROVIDERS)[number];

/** The result of a request, compared with that of the strict server. */
export interface LiveResult {
  readonly name: string;
  /** `complete`, `length`, or the reason of the fault. */
  readonly ending: string;
  readonly hasText: boolean;
  readonly usage: Usage | undefined;
  /** Milliseconds until the first text. */
  readonly firstTextMs: number | undefined;
  readonly costUsd: number | undefined;
}

const TURNS = 10;
const TARGET_TOKENS = 1_200;
const SYSTEM = `You help with code and answer in one short sentence. ${'Notes of the project: the gateway listens on port 8443, the queue waits 300 ms between two tries. '.repeat(90)}`;

/** The configuration for a provider's default model or the given one. */
export function liveConfig(
  provider: LiveProvider,
  options: { readonly model?: string; readonly baseUrl?: string; readonly apiKey?: string },
): ModelConfig {
  const { baseUrl, apiKey } = options;
  const model = options.model ?? (provider === 'compatible' ? '' : DEFAULT_MODELS[provider].summary);
  return { provider, model, ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
}

/** The kind of strict server for a service, by its address; unknown servers are treated as vLLM. */
export function flavourOf({ provider, baseUrl = '' }: ModelConfig): Flavour {
  if (provider === 'openai' || provider === 'anthropic') return provider;
  if (/\/\/(?:\w+\.)?openrouter\.ai\//.test(baseUrl)) return 'openrouter';
  return /:11434(?:\/|$)/.test(baseUrl) ? 'ollama' : 'vllm';
}

/** The same run with the strict server. An unknown model is replaced by a simple one of the same kind. */
export async function runStrict(config: ModelConfig): Promise<{ model: string; results: readonly LiveResult[] }> {
  const flavour = flavourOf(config);
  const known = TRAITS[config.model.replace(/^.*\//, '')] !== undefined;
  const plain = { openai: 'gpt-4o', openrouter: 'openai/gpt-4o', anthropic: 'claude-haiku-4-5' } as const;
  const model = known ? config.model : flavour in plain ? plain[flavour as keyof typeof plain] : 'llama3.1:8b';
  const server = await StrictServer.start(flavour);
  // Vendors' own addresses are redirected to the strict server; all others are replaced by it.
  const baseUrl = flavour === 'openrouter' ? config.baseUrl : `${server.url}/v1`;
  const own = config.provider === 'compatible' && baseUrl !== undefined ? { baseUrl } : {};
  try {
    const { provider } = config;
    return {
      model,
      results: await withVendorsRedirected(server, () => runLive({ provider, model, apiKey: 'none', ...own })),
    };
  } finally {
    await server.stop();
  }
}

/** Ten turns that grow like a session, with text that is only part of one turn, and a compression. */
export async function runLive(config: ModelConfig): Promise<readonly LiveResult[]> {
  const model = await new ModelRegistry().createModel(config);
  const info = modelInfo(config.model);
  const { reply } = replyBudget({ contextWindow: null, reservedTokens: 1_024, reasoningEffort: null }, info);
  const results: LiveResult[] = [];
  const messages: ChatMessage[] = [];
  for (let turn = 1; turn <= TURNS; turn++) {
    const question = user(`Question ${turn}: which port does the gateway listen on, and how long does the queue wait?`);
    const request: ChatRequest = {
      system: [SYSTEM],
      messages: [...messages, { ...question, turnOnly: `<current_task>\nAnswer question ${turn}.\n</current_task>` }],
      maxOutputTokens: reply?.textTokens ?? 1_024,
      reasoningTokens: reply?.reasoningTokens ?? 0,
      cache: { key: 'threadkeeper-live', idleMs: 0 },
    };
    const { text, ...result } = await ask(model, request, `turn ${turn}`, (usage) => priceOf(usage, info));
    results.push(result);
    if (text === '') break;
    messages.push(question, assistant(text));
  }
  return [...results, await compress(model, info, messages)];
}

/** Compresses the notes and the ten turns like the editor does. */
async function compress(model: ChatModel, info: ModelInfo, turns: readonly ChatMessage[]): Promise<LiveResult> {
  const started = performance.now();
  const reasoning = reasoningPlan(info, 'summary');
  const job = { model, maxInputTokens: info.contextWindow - reasoning.tokens, reasoning };
  const notes = [{ role: 'user', content: SYSTEM } as const, { role: 'assistant', content: 'Noted.' } as const];
  const name = 'compress';
  try {
    const { nodes, calls } = await compressPreserveEvents([...notes, ...turns], TARGET_TOKENS, {
      model: job,
      price: (_, usage) => priceOf(usage, info) ?? null,
    });
    const isByModel = nodes.length > 0 && nodes.every(({ node }) => node.model === model.id);
    const usage = { input: calls.inputTokens, output: calls.outputTokens };
    const firstTextMs = Math.round(performance.now() - started);
    const ending = isByModel ? 'complete' : 'not by the model';
    return { name, ending, hasText: nodes.length > 0, usage, firstTextMs, costUsd: calls.costUsd };
  } catch (error) {
    const none = { usage: undefined, firstTextMs: undefined, costUsd: undefined };
    return { name, ending: reasonOf(error), hasText: false, ...none };
  }
}

async function ask(
  model: ChatModel,
  request: ChatRequest,
  name: string,
  price: (usage: Usage) => number | undefined,
): Promise<LiveResult & { readonly text: string }> {
  const started = performance.now();
  let text = '';
  let firstTextMs: number | undefined;
  let usage: Usage | undefined;
  let ending = 'cut';
  try {
    for await (const chunk of model.stream(request, new AbortController().signal)) {
      if (chunk.type === 'text') {
        firstTextMs ??= Math.round(performance.now() - started);
        text += chunk.text;
      } else if (chunk.type === 'usage') usage = chunk.usage;
      else if (chunk.type === 'end') ending = chunk.ending;
      else if (chunk.type === 'retried' || chunk.retracts) text = '';
    }
  } catch (error) {
    ending = reasonOf(error);
  }
  return { name, text, ending, hasText: text !== '', usage, firstTextMs, costUsd: usage && price(usage) };
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${'reason' in error ? String(error.reason) : error.name}: ${error.message}` : String(error);

export function liveLine({ name, ending, usage, firstTextMs, costUsd }: LiveResult): string {
  const figures =
    usage &&
    `in ${usage.input} (cached ${usage.cachedInput ?? 0}, written ${usage.cacheWrite ?? 0}), out ${usage.output} (thinking ${usage.reasoning ?? 0})`;
  const cost = costUsd === undefined ? 'no price' : `$${costUsd.toFixed(5)}`;
  return `${name.padEnd(8)} ${ending.padEnd(9)} ${figures ?? 'no usage'}, ${firstTextMs ?? '–'} ms, ${cost}`;
}

/** Differences between the real service and the strict server, in sentences. */
export function differences(real: readonly LiveResult[], strict: readonly LiveResult[]): string[] {
  const found: string[] = [];
  for (const expected of strict) {
    const one = real.find(({ name }) => name === expected.name);
    const compare = (what: string, is: unknown, was: unknown): void => {
      if (is !== was) found.push(`${expected.name}: ${what} is ${String(is)}, on the strict server ${String(was)}`);
    };
    if (!one) {
      found.push(`${expected.name}: not reached`);
      continue;
    }
    compare('the ending', one.ending, expected.ending);
    compare('text', one.hasText, expected.hasText);
    for (const figure of ['cachedInput', 'cacheWrite', 'reasoning'] as const)
      compare(`${figure} reported`, (one.usage?.[figure] ?? 0) > 0, (expected.usage?.[figure] ?? 0) > 0);
    const [is = 0, was = 0] = [one.usage?.input, expected.usage?.input];
    if (Math.abs(is - was) > was * 0.25)
      found.push(`${expected.name}: ${is} input tokens, on the strict server ${was}`);
  }
  return found;
}
