import { isObject, objectsAt, valueAt } from '../core/text/json-value.ts';
import { fetchServerInfo } from './http.ts';
import { parseOpenAiListedModel, type ListedModel } from './listed-model.ts';
import { isOllamaEntry, ollamaFacts } from './ollama.ts';

type ServerFacts = Omit<ListedModel, 'id'>;

/** Facts about a listed model that some servers only provide at a separate endpoint; undefined for other servers. */
export async function serverFacts(
  { origin, url }: { readonly origin: string; readonly url: string },
  id: string,
  owner: unknown,
  init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<ServerFacts | undefined> {
  if (isOllamaEntry(id, owner)) return ollamaFacts(origin, id, init.headers, init.signal);
  // LM Studio names this owner for all models (lmstudio-ai/lmstudio-bug-tracker#2139).
  if (owner === 'organization_owner') return lmStudioFacts(await fetchServerInfo(`${origin}/api/v1/models`, init), id);
  // LiteLLM names the same owner for all models.
  return owner === 'openai' ? liteLlmFacts(await fetchServerInfo(`${url}/model/info`, init), id) : undefined;
}

/**
 * LM Studio's facts about a model (lmstudio.ai/docs/developer/rest/list), because its OpenAI-compatible list has only
 * IDs. A model that isn't loaded gets a context window when it's loaded for the first request, so the maximum that it
 * supports says nothing. Undefined if the server isn't LM Studio 0.4 or later, or doesn't know the model.
 */
function lmStudioFacts(answer: unknown, model: string): ServerFacts | undefined {
  for (const each of objectsAt(answer, 'models')) {
    const instances = objectsAt(each, 'loaded_instances');
    const instance = instances.find(({ id }) => id === model);
    if (instance === undefined && each['key'] !== model) continue;
    const loaded = valueAt(instance ?? instances[0], 'config', 'context_length');
    const capabilities = valueAt(each, 'capabilities');
    return {
      ...(typeof loaded === 'number' ? { loadedContext: loaded } : { isUnloaded: true }),
      facts: {
        ...(typeof loaded === 'number' && { contextWindow: loaded }),
        ...(isObject(capabilities) && { takesImages: capabilities['vision'] === true }),
      },
    };
  }
  return undefined;
}

/** LiteLLM's name of a price for long prompts, with the threshold in thousands of tokens. */
const LONG_PRICE = /^input_cost_per_token_above_(\d+)k_tokens$/;

/**
 * LiteLLM's facts about a model (docs.litellm.ai/docs/proxy/model_management), because its list has no prices. Prices of
 * zero are unknown. Undefined if the server isn't LiteLLM, or doesn't know the model.
 */
function liteLlmFacts(answer: unknown, id: string): ServerFacts | undefined {
  const entry = objectsAt(answer, 'data').find((each) => each['model_name'] === id);
  const info = valueAt(entry, 'model_info');
  if (!isObject(info)) return undefined;
  const { input_cost_per_token: prompt, output_cost_per_token: completion, supports_vision: vision } = info;
  const overrides = Object.keys(info).flatMap((name) => {
    const [, thousands] = LONG_PRICE.exec(name) ?? [];
    const long = info[`output_cost_per_token_above_${thousands}k_tokens`];
    return thousands ? { min_prompt_tokens: Number(thousands) * 1_000, prompt: info[name], completion: long } : [];
  });
  const { cache_read_input_token_cost: input_cache_read, cache_creation_input_token_cost: input_cache_write } = info;
  return parseOpenAiListedModel({
    ...info,
    id,
    ...(prompt !== 0 && { pricing: { prompt, completion, input_cache_read, input_cache_write, overrides } }),
    ...(typeof vision === 'boolean' && { input_modalities: vision ? ['image'] : [] }),
  });
}
