import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';
import type { ChatModel } from '../../app/ports.ts';
import type { ConversationSettings } from '../../app/settings.ts';
import { budgetOf } from '../../core/budget/gauge.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { Urgency } from '../../app/compression-job.ts';
import type { Usage } from '../../core/model/message.ts';
import { DEFAULT_MODELS, modelInfo, priceOf, reasoningPlan, type ModelInfo } from '../../core/tokens/models.ts';
import { ModelRegistry, type ModelConfig } from '../../providers/factory.ts';
import { withoutImages } from '../../providers/without-images.ts';
import type { LocalMemory } from '../../providers/local.ts';
import type { EditorModels } from './editor-models.ts';
import { isKeyed, KEYED_PROVIDERS, type KeyHolder, type Keys } from './keys.ts';
import { readSettings } from '../platform/settings.ts';
import type { ProviderName, Settings } from '../platform/settings-schema.ts';

/** The model of a provider when the user names none. */
const DEFAULT_MODEL: Readonly<Record<ProviderName, { readonly chat: string; readonly summary: string }>> = {
  local: { chat: 'local', summary: 'local' },
  // Which models the user has is not known beforehand; no name means the first that the editor offers.
  vscode: { chat: '', summary: '' },
  ...DEFAULT_MODELS,
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
    return { provider: own, model: state?.model ?? DEFAULT_MODEL[own].chat, baseUrl: addressOf(own, settings) };
  return { provider, model: state?.model ?? (model || DEFAULT_MODEL[provider].chat), baseUrl };
}

/**
 * Where a provider is spoken to; empty: at its own address. The address in the settings is the provider's that they
 * name, and a compatible server's where they name one that has no address.
 */
export function addressOf(provider: ProviderName, { chat }: Settings): string {
  const named = chat.provider === 'local' || chat.provider === 'vscode' ? 'compatible' : chat.provider;
  return provider === named ? chat.baseUrl : '';
}

/** Everyone who may need a key by the settings: each provider, and the summarizer's where it has its own address. */
export function keyHolders(settings: Settings): readonly KeyHolder[] {
  const holders: KeyHolder[] = KEYED_PROVIDERS.map((provider) => ({
    provider,
    baseUrl: addressOf(provider, settings),
  }));
  const { provider, baseUrl } = settings.summarizer;
  if (isKeyed(provider) && baseUrl !== '' && baseUrl !== addressOf(provider, settings))
    holders.push({ provider, baseUrl });
  return holders;
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

/** The window in force, what of it is kept free for the reply, and how the reply may use it, in tokens. */
export function windowOf(
  settings: Settings,
  info: ModelInfo,
): Pick<ConversationSettings, 'contextWindow' | 'reservedTokens' | 'reply'> {
  const { chat } = settings;
  const contextWindow = chat.contextWindow ?? info.contextWindow;
  const model = { ...info, contextWindow, maxInput: Math.min(info.maxInput ?? contextWindow, contextWindow) };
  const plan = reasoningPlan(model, 'chat', chat.effort ?? undefined);
  const budget = budgetOf(model, chat.reservedTokens + plan.tokens);
  return {
    contextWindow,
    reservedTokens: contextWindow - budget.tokens,
    reply: {
      textTokens: Math.max(1, budget.reserved - plan.tokens),
      reasoningTokens: plan.tokens,
      maxOutput: Math.min(info.maxOutput, contextWindow - Math.ceil(contextWindow / 2)),
      ...(plan.effort !== undefined && { effort: plan.effort }),
    },
  };
}

/** Makes the models that settings and keys describe; clients are kept by the registry. */
export class Models {
  readonly #registry = new ModelRegistry();
  readonly #keys: Keys;
  readonly #editor: EditorModels;

  constructor(keys: Keys, editor: EditorModels) {
    this.#keys = keys;
    this.#editor = editor;
  }

  /** What is known of a model: window, price and so on. */
  info({ provider, model }: ChosenModel): ModelInfo {
    if (provider !== 'vscode') return modelInfo(model, readSettings().models.overrides);
    const facts = this.#editor.facts(model);
    // The editor's figure is of the input alone; taken for the whole window, it errs to the safe side.
    return unpriced(modelInfo(model, facts && { [model]: { contextWindow: facts.maxInputTokens } }));
  }

  /** The name to show. */
  label({ provider, model }: ChosenModel): string {
    if (provider === 'local') return vscode.l10n.t('No model (local)');
    return (provider === 'vscode' ? this.#editor.facts(model)?.name : undefined) ?? model;
  }

  /** Makes sure that `info` knows the model, where the editor has to be asked about it. */
  async prepare(chosen: ChosenModel): Promise<void> {
    if (chosen.provider === 'vscode' && !this.#editor.facts(chosen.model)) await this.isReady(chosen);
  }

  /** The editor's own models are sent text alone. */
  takesImages(chosen: ChosenModel): boolean {
    return chosen.provider !== 'vscode' && this.info(chosen).takesImages;
  }

  hasPrice(chosen: ChosenModel): boolean {
    return this.info(chosen).price !== undefined;
  }

  /** Throws `ModelFault`, such as `no_key`, `model_not_found`, or `bad_request` for an address that is none. */
  async make(chosen: ChosenModel, memory: LocalMemory, urgency: Urgency = 'now'): Promise<ChatModel> {
    if (chosen.provider === 'vscode') return this.#editor.make(chosen.model, urgency);
    const model = await this.#registry.createModel(await this.#config(chosen), memory);
    // What was sent to another model, or imported, would be refused by this one.
    return this.takesImages(chosen) ? model : withoutImages(model);
  }

  async list(chosen: ChosenModel, signal: AbortSignal): Promise<readonly string[]> {
    if (chosen.provider === 'vscode') return (await this.#editor.list()).map((one) => one.model);
    return this.#registry.listModels(await this.#config(chosen), signal);
  }

  /** Whether the provider's key is there, where it needs one, and the model, where the editor offers it. */
  async isReady(chosen: ChosenModel): Promise<boolean> {
    if (chosen.provider === 'vscode') {
      // An extension that does not answer is as good as none; sending says what is wrong.
      return this.#editor.find(chosen.model).then(
        (found) => found !== undefined,
        () => false,
      );
    }
    return !needsKey(chosen.provider) || ((await this.#key(chosen)) ?? '') !== '';
  }

  clear(): void {
    this.#registry.clear();
  }

  async #config(chosen: ChosenModel): Promise<ModelConfig> {
    const { provider, model, baseUrl } = chosen;
    if (provider === 'vscode') throw new ModelFault('bad_request', 'the editor makes its models itself');
    const apiKey = await this.#key(chosen);
    if (needsKey(provider) && (apiKey ?? '') === '') throw new ModelFault('no_key', `no API key for ${provider}`);
    if (provider === 'compatible' && baseUrl === '')
      throw new ModelFault('bad_request', vscode.l10n.t('the setting threadkeeper.chat.baseUrl is empty'));
    return { provider, model, ...(baseUrl !== '' && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
  }

  async #key({ provider, baseUrl }: ChosenModel): Promise<string | undefined> {
    return isKeyed(provider) ? this.#keys.get({ provider, baseUrl }) : undefined;
  }
}

/** Money of a call in US dollars; null when the price is not known. `model` is `provider/model`. */
export function costOf(model: string, usage: Usage): number | null {
  const info = modelInfo(model, readSettings().models.overrides);
  return priceOf(usage, model.startsWith('vscode/') ? unpriced(info) : info) ?? null;
}

/** What the editor's models cost is between the user and the vendor, whatever the same model costs elsewhere. */
function unpriced({ price: _, ...info }: ModelInfo): ModelInfo {
  return info;
}

/** A server of one's own often takes none. */
function needsKey(provider: ProviderName): boolean {
  return provider === 'openai' || provider === 'anthropic';
}
