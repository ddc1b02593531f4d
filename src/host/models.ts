import * as vscode from 'vscode';
import { ModelFault } from '../app/fault.ts';
import type { ChatModel } from '../app/ports.ts';
import { budgetOf } from '../core/budget/gauge.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { modelInfo, type ModelInfo } from '../core/tokens/models.ts';
import { ModelRegistry, type ModelConfig } from '../providers/factory.ts';
import type { LocalMemory } from '../providers/local.ts';
import type { Keys } from './keys.ts';
import type { ProviderName, Settings } from './settings.ts';

/** The model of a provider when the user names none: a middling one for chat, the cheapest for summaries. */
const DEFAULT_MODEL: Readonly<Record<ProviderName, { readonly chat: string; readonly summary: string }>> = {
  local: { chat: 'local', summary: 'local' },
  openai: { chat: 'gpt-5.4-mini', summary: 'gpt-5-nano' },
  anthropic: { chat: 'claude-sonnet-5', summary: 'claude-haiku-4-5' },
  compatible: { chat: '', summary: '' },
};

export interface ChosenModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string;
}

/** The chat's model: the session's own choice, else the settings'. */
export function chosenChatModel(settings: Settings, state: SessionState | undefined): ChosenModel {
  const { provider, model, baseUrl } = settings.chat;
  const own = state?.provider;
  if (own !== undefined && own !== provider && isProvider(own))
    return { provider: own, model: state?.model ?? DEFAULT_MODEL[own].chat, baseUrl: '' };
  return { provider, model: state?.model ?? (model || DEFAULT_MODEL[provider].chat), baseUrl };
}

/** The summarizer's model; `local` summarizes by code. */
export function chosenSummaryModel(settings: Settings, chat: ChosenModel): ChosenModel {
  const { provider, model, baseUrl } = settings.summarizer;
  if (provider === 'chat') {
    const summary = model || DEFAULT_MODEL[chat.provider].summary || chat.model;
    // A server of one's own, or a proxy, knows the chat's model; it need not know the provider's cheap one.
    return { ...chat, model: chat.baseUrl === '' || model !== '' ? summary : chat.model };
  }
  return { provider, model: model || DEFAULT_MODEL[provider].summary, baseUrl };
}

const isProvider = (name: string): name is ProviderName => Object.hasOwn(DEFAULT_MODEL, name);

/** What is known of a model: window, price and so on. The local one reads as much as a middling model does. */
export function infoOf(chosen: ChosenModel): ModelInfo {
  return modelInfo(chosen.model);
}

/** The window in force, and what of it is kept for the reply, in tokens. */
export function windowOf(settings: Settings, chosen: ChosenModel): { contextWindow: number; reservedTokens: number } {
  const info = infoOf(chosen);
  const contextWindow = settings.chat.contextWindow ?? info.contextWindow;
  const budget = budgetOf({ ...info, contextWindow }, settings.chat.reservedTokens);
  return { contextWindow, reservedTokens: contextWindow - budget.tokens };
}

/** Makes the models that settings and keys describe; clients are kept by the registry. */
export class Models {
  readonly #registry = new ModelRegistry();
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Throws `ModelFault` with reason `no_key`, or `bad_request` for an address that is none. */
  async make(chosen: ChosenModel, memory: LocalMemory): Promise<ChatModel> {
    return this.#registry.createModel(await this.#config(chosen), memory);
  }

  async list(chosen: ChosenModel, signal: AbortSignal): Promise<readonly string[]> {
    return this.#registry.listModels(await this.#config(chosen), signal);
  }

  /** Whether the provider's key is there, where it needs one. */
  async isReady(chosen: ChosenModel): Promise<boolean> {
    return !needsKey(chosen) || ((await this.#key(chosen)) ?? '') !== '';
  }

  clear(): void {
    this.#registry.clear();
  }

  async #config(chosen: ChosenModel): Promise<ModelConfig> {
    const { provider, model, baseUrl } = chosen;
    const apiKey = await this.#key(chosen);
    if (needsKey(chosen) && (apiKey ?? '') === '') throw new ModelFault('no_key', `no API key for ${provider}`);
    if (provider === 'compatible' && baseUrl === '')
      throw new ModelFault('bad_request', vscode.l10n.t('the setting threadkeeper.chat.baseUrl is empty'));
    return { provider, model, ...(baseUrl !== '' && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
  }

  async #key({ provider }: ChosenModel): Promise<string | undefined> {
    return provider === 'local' ? undefined : this.#keys.get(provider);
  }
}

/** A server of one's own often takes none. */
function needsKey({ provider }: ChosenModel): boolean {
  return provider === 'openai' || provider === 'anthropic';
}
