import { EFFORTS, type Effort, type ModelFacts } from '../core/tokens/model-facts.ts';
import type { ChatModel } from '../app/ports.ts';
import { isObject, objectsAt, valueAt, withoutUndefined } from '../core/text/json-value.ts';

export interface ListedModel {
  readonly id: string;
  readonly facts: ModelFacts;
  /** The server is Ollama, whose own endpoint should be used. */
  readonly isOllama?: boolean;
  /** The context window with which the server has loaded the model, in tokens. */
  readonly loadedContext?: number;
  /** The server loads the model for the first request, and only then knows its context window. */
  readonly isUnloaded?: true;
}

export interface ListingModel extends ChatModel {
  /** The available models, sorted. Throws `ModelFault`. */
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
}

/** Listed models that aren't for chats. */
const NON_CHAT_MODELS =
  /embed|whisper|tts|dall-e|moderation|realtime|transcribe|rerank|sora|gpt-(?:image|audio|live)|^(babbage|davinci)-/i;

const positive = (...values: readonly unknown[]): number | undefined =>
  values.find((value): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0);

/** An entry of an OpenAI-compatible model list, with servers' extensions; undefined if the model isn't for chats. */
export function parseOpenAiListedModel(entry: unknown): ListedModel | undefined {
  if (!isObject(entry) || typeof entry['id'] !== 'string' || NON_CHAT_MODELS.test(entry['id'])) return undefined;
  const inner = (name: string): Readonly<Record<string, unknown>> => (isObject(entry[name]) ? entry[name] : {});
  const contextWindow = positive(
    entry['context_length'], // OpenRouter, Together
    entry['max_model_len'], // vLLM
    entry['context_window'], // Groq
    entry['max_context_length'], // Mistral
    entry['context_size'], // Novita
    entry['max_context'], // Arli (NousResearch/hermes-agent#81442)
    entry['max_input_tokens'], // LiteLLM
    inner('metadata')['context_length'], // DeepInfra
    inner('meta')['n_ctx'], // llama.cpp
  );
  const maxOutput = positive(
    inner('top_provider')['max_completion_tokens'],
    entry['max_completion_tokens'],
    entry['max_output_tokens'], // Novita, LiteLLM
    entry['max_output_length'], // Chutes
  );
  const modalities = inner('architecture')['input_modalities'] ?? entry['input_modalities'];
  return {
    id: entry['id'],
    // Sent by llama.cpp if it serves several models.
    ...(inner('status')['value'] === 'unloaded' && { isUnloaded: true }),
    facts: withoutUndefined({
      contextWindow,
      maxOutput,
      price: routerPrice(inner('pricing')),
      takesImages: Array.isArray(modalities) ? modalities.includes('image') : undefined,
      retires: retirementOn(entry['shutdown_date']),
    }),
  };
}

/** In US dollars. No model costs this much per token, so this and higher prices are per million tokens. */
const MIN_PER_MILLION = 0.001;

/**
 * OpenRouter's prices are strings in US dollars per token; those of Chutes are per million (NousResearch/hermes-agent
 * #112256). Of conditional prices, only the one for long prompts with the lowest threshold is used
 * (openrouter.ai/docs/guides/overview/models#pricing-object).
 */
function routerPrice(pricing: Readonly<Record<string, unknown>>): ModelFacts['price'] {
  const isPerMillion = ['prompt', 'completion'].some((name) => Number(pricing[name]) >= MIN_PER_MILLION);
  const perMillion = (name: string, from = pricing): number =>
    Number(from[name] ?? Number.NaN) * (isPerMillion ? 1 : 1e6);
  const input = perMillion('prompt');
  const output = perMillion('completion');
  if (!(input >= 0) || !(output >= 0)) return undefined;
  const cachedInput = perMillion('input_cache_read');
  const cacheWrite = perMillion('input_cache_write');
  const tiers = objectsAt(pricing, 'overrides').flatMap((each) => {
    const over = positive(each['min_prompt_tokens']);
    const factor = (name: string, base: number): number => (name in each ? perMillion(name, each) / base : 1);
    const [inputFactor, outputFactor] = [factor('prompt', input), factor('completion', output)];
    return over !== undefined && Number.isFinite(inputFactor) && Number.isFinite(outputFactor)
      ? [{ over, inputFactor, outputFactor }]
      : [];
  });
  const long = tiers.toSorted((a, b) => a.over - b.over)[0];
  return {
    input,
    output,
    ...(cachedInput > 0 && { cachedInput }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(long && { long }),
  };
}

/** Parses an entry of Anthropic's list of models (`ModelInfo` in its SDK), leniently, because gateways imitate it. */
export function parseAnthropicListedModel(entry: unknown): ListedModel | undefined {
  if (!isObject(entry) || typeof entry['id'] !== 'string') return undefined;
  const supports = (...path: readonly string[]): unknown => valueAt(entry, 'capabilities', ...path, 'supported');
  const hasEffort = (effort: Effort): boolean =>
    supports(...(effort === 'none' ? ['thinking', 'types', 'disabled'] : ['effort', effort])) === true;
  return {
    id: entry['id'],
    facts: withoutUndefined({
      vendor: 'anthropic',
      contextWindow: positive(entry['max_input_tokens']),
      maxOutput: positive(entry['max_tokens']),
      takesImages: isObject(valueAt(entry, 'capabilities', 'image_input'))
        ? supports('image_input') === true
        : undefined,
      efforts: supports('effort') === true ? EFFORTS.filter(hasEffort) : undefined,
      retires: retirementOn(entry['retires_at']),
    }),
  };
}

function retirementOn(value: unknown): ModelFacts['retires'] {
  const [day] = (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.exec(value)) || [];
  return day === undefined || Number.isNaN(Date.parse(day)) ? undefined : { on: day };
}
