import type { ListingModel } from './listed-model.ts';
import type { RemoteSettings } from './remote-model.ts';

/** The model to use. `compatible` is an OpenAI-compatible server, which requires its base URL. */
export interface ModelConfig extends RemoteSettings {
  readonly provider: 'openai' | 'anthropic' | 'compatible';
}

/** Maximum number of cached models: those for chat and summaries, and some that the user switches between. */
const MAX_CACHED = 8;

/** Creates models, and caches them by their settings. Loads a provider's SDK for the first of its models. */
export class ModelRegistry {
  readonly #cache = new Map<string, Promise<ListingModel>>();

  /**
   * Returns the model for these settings.
   *
   * @throws ModelFault `invalid_base_url` if the base URL isn't an HTTP address
   */
  createModel(config: ModelConfig): Promise<ListingModel> {
    const key = JSON.stringify(config);
    const known = this.#cache.get(key);
    // Move the model to the end, so that the least recently used one comes first.
    this.#cache.delete(key);
    const model = known ?? create(config);
    this.#cache.set(key, model);
    if (known === undefined) model.catch(() => this.#cache.delete(key));
    const oldest = this.#cache.keys().next();
    if (this.#cache.size > MAX_CACHED && oldest.done !== true) this.#cache.delete(oldest.value);
    return model;
  }

  /** Forgets all models including their keys. */
  clear(): void {
    this.#cache.clear();
  }
}

async function create({ provider, ...settings }: ModelConfig): Promise<ListingModel> {
  if (provider === 'anthropic') return (await import('./anthropic.ts')).createAnthropicModel(settings);
  return (await import('./openai.ts')).createOpenAiModel({ ...settings, provider });
}
