import type { ChatModel } from '../app/ports.ts';
import { createAnthropicModel } from './anthropic.ts';
import type { ListedModel } from './listed-model.ts';
import { LocalModel, type LocalMemory } from './local.ts';
import { createOpenAiModel, type OpenAiSettings } from './openai.ts';
import type { RemoteModel } from './remote-model.ts';

/** Which model answers. `compatible` is any server made like OpenAI's, and needs its base URL. */
export interface ModelConfig extends OpenAiSettings {
  readonly provider: 'local' | 'openai' | 'anthropic' | 'compatible';
}

/** Makes models and keeps them by their settings, since each learns of its server what that refuses. */
export class ModelRegistry {
  readonly #kept = new Map<string, RemoteModel>();

  /**
   * The model of these settings. `memory` is the session's search, of which the local model answers.
   * @throws ModelFault `bad_request` where the base URL is not one
   */
  createModel(config: ModelConfig, memory: LocalMemory): ChatModel {
    return config.provider === 'local' ? new LocalModel(memory) : this.#remote(config);
  }

  /** The models that the provider of these settings offers. Rejects with `ModelFault`. */
  async listModels(config: ModelConfig, signal: AbortSignal): Promise<readonly ListedModel[]> {
    return config.provider === 'local' ? [{ id: 'local', facts: {} }] : this.#remote(config).listModels(signal);
  }

  /** Forgets all models, and with them their keys. */
  clear(): void {
    this.#kept.clear();
  }

  #remote(config: ModelConfig): RemoteModel {
    const key = JSON.stringify(config);
    const known = this.#kept.get(key);
    if (known) return known;
    const made = config.provider === 'anthropic' ? createAnthropicModel(config) : createOpenAiModel(config);
    this.#kept.set(key, made);
    return made;
  }
}
