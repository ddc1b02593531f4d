import { ModelFault } from '../app/fault.ts';
import type { SummarizerConfig } from '../app/summarizer.ts';
import { wrapModel } from '../app/ports.ts';
import type { SummaryModel } from '../core/compress/summary-model.ts';
import { messageText } from '../core/model/message.ts';
import {
  countedPrice,
  DEFAULT_MODELS,
  encodingFor,
  modelInfo,
  priceOf,
  reasoningPlan,
} from '../core/tokens/model-info.ts';
import type { EncodingName } from '../core/tokens/token-counter.ts';
import type { ModelConfig, ModelRegistry } from '../providers/model-registry.ts';
import type { ListedModel } from '../providers/listed-model.ts';
import { UsageError, choiceOption, textOption, type Invocation } from './command.ts';

const PROVIDERS = ['local', 'openai', 'anthropic'] as const;

const KEY_VARIABLES = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

export const MODEL_OPTIONS = {
  provider: { type: 'string' },
  model: { type: 'string' },
  'base-url': { type: 'string' },
} as const;

export const MODEL_HELP = `  --provider P        local (default; no model, no API key, offline), openai, or anthropic
                      (API key from OPENAI_API_KEY or ANTHROPIC_API_KEY; optional with
                      --base-url)
  --model M           default ${DEFAULT_MODELS.openai.summary} (openai) or ${DEFAULT_MODELS.anthropic.summary}
                      (anthropic); ignored with local
  --base-url U        API base URL (not with local)`;

export interface ModelFromOptions {
  /** Undefined with `local`, which makes extractive summaries. `chat` and `info` are then undefined, too. */
  readonly model: SummaryModel | undefined;
  /** The same model as a chat model, with its token limits. */
  readonly chat: SummarizerConfig | undefined;
  readonly info: ReturnType<typeof modelInfo> | undefined;
  readonly encoding: EncodingName;
}

/** Higher than in the editor, because giving up would lose the summaries that were already paid for. */
const RATE_LIMIT_RETRIES = 8;
/** Context window requested from Ollama, in tokens. */
const OLLAMA_CONTEXT_WINDOW = 32_768;
const LIST_TIMEOUT_MS = 4_000;
const THIS_MACHINE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/i;

async function findListedModel(registry: ModelRegistry, config: ModelConfig): Promise<ListedModel | undefined> {
  try {
    const listed = await (await registry.createModel(config)).listModels(AbortSignal.timeout(LIST_TIMEOUT_MS));
    return listed.find(({ id }) => id === config.model);
  } catch (error) {
    // Not every gateway has a model list. Other faults recur at the first request, which reports them.
    if (ModelFault.is(error)) return undefined;
    throw error;
  }
}

/** Rejects with `UsageError` if the options are invalid or lack a key. The model's calls are added to `paid`. */
export async function modelFromOptions({
  options,
  env,
  paid,
}: Pick<Invocation, 'options' | 'env' | 'paid'>): Promise<ModelFromOptions> {
  const provider = choiceOption(options, 'provider', PROVIDERS) ?? 'local';
  const baseUrl = textOption(options, 'base-url');
  if (provider === 'local') {
    if (baseUrl !== undefined) throw new UsageError('--base-url needs --provider openai or anthropic.');
    return { model: undefined, chat: undefined, info: undefined, encoding: 'o200k_base' };
  }
  const apiKey = env[KEY_VARIABLES[provider]];
  // A server at a custom base URL may not need a key.
  if ((apiKey === undefined || apiKey === '') && baseUrl === undefined) {
    throw new UsageError(`No API key. Set ${KEY_VARIABLES[provider]} or use --provider local.`);
  }
  const id = textOption(options, 'model') ?? DEFAULT_MODELS[provider].summary;
  const { ModelRegistry } = await import('../providers/model-registry.ts');
  const { reportingUsage, summarizerOf } = await import('../app/summarizer.ts');
  const { withRetries } = await import('../providers/retry.ts');
  const { parseBaseUrl } = await import('../providers/base-url.ts');
  const { useProxyOfEnvironment } = await import('../providers/http.ts');
  if (baseUrl !== undefined && !parseBaseUrl(baseUrl))
    throw new UsageError(`--base-url must be an http or https URL, not “${baseUrl}”.`);
  useProxyOfEnvironment();
  const registry = new ModelRegistry();
  const config = { provider, model: id, ...(baseUrl !== undefined && { baseUrl }), ...(apiKey && { apiKey }) };
  const listed = baseUrl === undefined ? undefined : await findListedModel(registry, config);
  const known = modelInfo(id, {}, listed?.facts);
  const ollamaWindow = Math.min(known.contextWindow, OLLAMA_CONTEXT_WINDOW);
  const maxOutput = Math.min(known.maxOutput, Math.floor(ollamaWindow / 2));
  const info = listed?.isOllama ? { ...known, contextWindow: ollamaWindow, maxOutput } : known;
  const ollama = listed?.isOllama ? ({ api: 'ollama', contextWindow: info.contextWindow } as const) : {};
  const retrying = withRetries(await registry.createModel({ ...config, ...ollama }), {
    maxRateLimitRetries: RATE_LIMIT_RETRIES,
    mayDiscard: true,
  });
  const model = wrapModel(retrying, (request, signal) => {
    const prompt = [...request.system, ...request.messages.map((message) => messageText(message))];
    const chars = prompt.reduce((sum, { length }) => sum + length, 0);
    return reportingUsage(retrying.stream(request, signal), chars, (usage) =>
      paid.addCall(usage, priceOf(usage, info)),
    );
  });
  const input = Math.min(info.maxInput ?? info.contextWindow, info.contextWindow - info.maxOutput);
  const maxInputTokens = input > 0 ? input : Math.floor(info.contextWindow / 2);
  const { contextWindow, statedMaxOutput: maxOutputTokens } = info;
  const reasoning = reasoningPlan(info, 'summary');
  // Nobody pays the vendor's list price to a server on this machine.
  const price = baseUrl !== undefined && THIS_MACHINE.test(baseUrl) ? undefined : countedPrice(info);
  const chat = { model, maxInputTokens, maxOutputTokens, contextWindow, reasoning, price };
  return {
    model: summarizerOf(chat, new AbortController().signal, () => undefined),
    chat,
    info,
    encoding: encodingFor(info.id),
  };
}
