import type { ChatModel } from '../app/ports.ts';
import type { AnthropicModel } from './anthropic.ts';
import type { LocalMemory } from './local.ts';
import type { ListedModel } from './listed-model.ts';
import type { OpenAiModel } from './openai.ts';
import type { CallTimeouts } from './watched-call.ts';

/** Which model answers. `compatible` is any server made like OpenAI's, and needs its base URL. */
export interface ModelConfig extends CallTimeouts {
  readonly provider: 'local' | 'openai' | 'anthropic' | 'compatible';
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Which endpoint of OpenAI; default by the address, see `OpenAiSettings`. */
  readonly api?: 'responses' | 'chat' | 'ollama';
  /** The context that Ollama is asked for, in tokens. */
  readonly contextWindow?: number;
}

type RemoteModel = OpenAiModel | AnthropicModel;
type RemoteConfig = ModelConfig & { readonly provider: Exclude<ModelConfig['provider'], 'local'> };

/** Models kept at once: the chat's and the summarizer's, and some that the user switches between. */
const MAX_KEPT = 8;

/**
 * Makes models and keeps them by their settings, so that a client is made once and not per call. An SDK is loaded when
 * the first model of its provider is made, never before.
 */
export class ModelRegistry {
  readonly #kept = new Map<string, Promise<RemoteModel>>();

  /**
   * The model of these settings. `memory` is the session's search, of which the local model answers.
   * @throws ModelFault `bad_request` where the base URL is not one
   */
  async createModel(config: ModelConfig, memory: LocalMemory): Promise<ChatModel> {
    if (isRemote(config)) return await this.#remote(config);
    const { LocalModel } = await import('./local.ts');
    return new LocalModel(memory);
  }

  /** The models that the provider of these settings offers. Throws `ModelFault`. */
  async listModels(config: ModelConfig, signal: AbortSignal): Promise<readonly ListedModel[]> {
    if (!isRemote(config)) return [{ id: 'local', facts: {} }];
    return await (await this.#remote(config)).listModels(signal);
  }

  /** Forgets all models, and with them their keys. */
  clear(): void {
    this.#kept.clear();
  }

  #remote(config: RemoteConfig): Promise<RemoteModel> {
    const key = JSON.stringify([
      config.provider,
      config.model,
      config.baseUrl,
      config.apiKey,
      config.api,
      config.contextWindow,
      config.firstTokenMs,
      config.silenceMs,
    ]);
    const known = this.#kept.get(key);
    // Taken out and put back, so that the one longest unused stands first.
    this.#kept.delete(key);
    const model = known ?? make(config);
    this.#kept.set(key, model);
    if (known === undefined) model.catch(() => this.#kept.delete(key));
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value);
    return model;
  }
}

async function make(config: RemoteConfig): Promise<RemoteModel> {
  const { provider, ...settings } = config;
  switch (provider) {
    case 'anthropic': {
      const { createAnthropicModel } = await import('./anthropic.ts');
      return createAnthropicModel(settings);
    }
    case 'openai':
    case 'compatible': {
      const { createOpenAiModel } = await import('./openai.ts');
      return createOpenAiModel({ ...settings, provider });
    }
  }
}

function isRemote(config: ModelConfig): config is RemoteConfig {
  return config.provider !== 'local';
}
