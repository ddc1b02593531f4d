import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as v from 'valibot';
import { ModelFault } from '../../app/fault.ts';
import type { ChatModel } from '../../app/ports.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { PriceOf } from '../../app/spend-limited-model.ts';
import type { Urgency } from '../../app/compression-job.ts';
import type { Usage } from '../../core/model/message.ts';
import { DEFAULT_MODELS, modelInfo, priceOf, type ModelInfo } from '../../core/tokens/model-info.ts';
import { ModelRegistry, type ModelConfig } from '../../providers/model-registry.ts';
import type { ListedModel } from '../../providers/listed-model.ts';
import { withoutImages } from '../../providers/without-images.ts';
import type { VsCodeModels } from './vscode-models.ts';
import { isKeyed, isVendor, KEYED_PROVIDERS, type KeyedServer, type Keys } from './keys.ts';
import type { LearnedFacts } from './learned-facts.ts';
import type { HostApp } from '../platform/host-app.ts';
import { callTimeouts, readSettings, validSettings } from '../platform/settings.ts';
import { PROVIDERS, type ProviderName, type Settings } from '../platform/settings-schema.ts';
import type { Sessions } from '../../app/sessions.ts';

const DEFAULT_MODEL: Readonly<Record<ProviderName, { readonly chat: string; readonly summary: string }>> = {
  local: { chat: 'local', summary: 'local' },
  // An empty name means the first model that VS Code offers, because it isn't known which models the user has.
  vscode: { chat: '', summary: '' },
  ...DEFAULT_MODELS,
  compatible: { chat: '', summary: '' },
};

export interface ChosenModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string;
  /** The user's setting for the chat's context window, in tokens; by default, the model's. */
  readonly contextWindow?: number;
}

/** The chat's model: the one selected in the session, if its provider is known, or else the one in the settings. */
export function chosenChatModel(settings: Settings, state: SessionState | undefined): ChosenModel {
  const { chat } = settings;
  const selected = state?.provider;
  const isKnown = selected !== undefined && isProvider(selected);
  const provider = isKnown ? selected : chat.provider;
  const model = provider === chat.provider ? chat.model : '';
  return {
    provider,
    model: (isKnown ? state?.model : undefined) ?? (model || DEFAULT_MODEL[provider].chat),
    baseUrl: baseUrlOf(provider, settings),
    ...(chat.contextWindow !== null && { contextWindow: chat.contextWindow }),
  };
}

/**
 * A provider's base URL; empty for the provider's default. The base URL in the settings applies to the provider in the
 * settings, or to the compatible server if that provider has no URL.
 */
export function baseUrlOf(provider: ProviderName, { chat }: Settings): string {
  const owner = chat.provider === 'local' || chat.provider === 'vscode' ? 'compatible' : chat.provider;
  return provider === owner ? chat.baseUrl : '';
}

/** All configured servers that may need an API key, including the summarizer's. */
export function keyedServers(settings: Settings): readonly KeyedServer[] {
  const servers: KeyedServer[] = KEYED_PROVIDERS.map((provider) => ({
    provider,
    baseUrl: baseUrlOf(provider, settings),
  }));
  const { provider, baseUrl } = settings.summarizer;
  if (isKeyed(provider) && baseUrl !== '' && baseUrl !== baseUrlOf(provider, settings))
    servers.push({ provider, baseUrl });
  return servers.filter((one) => one.provider !== 'compatible' || one.baseUrl !== '');
}

/** The summarizer's model. `local` means extraction. */
export function chosenSummaryModel(settings: Settings, chat: ChosenModel): ChosenModel {
  const summary = summaryModelOf(settings, chat);
  return isSameModel(summary, chat) ? chat : summary;
}

function summaryModelOf({ summarizer: { provider, model, baseUrl } }: Settings, chat: ChosenModel): ChosenModel {
  if (provider !== 'chat') return { provider, model: model || DEFAULT_MODEL[provider].summary, baseUrl };
  const summary = model || DEFAULT_MODEL[chat.provider].summary || chat.model;
  // A custom server or a proxy offers the chat's model, but perhaps not the provider's default summary model.
  const name = chat.baseUrl === '' || model !== '' ? summary : chat.model;
  return { provider: chat.provider, model: name, baseUrl: chat.baseUrl };
}

export const isSameModel = (a: ChosenModel, b: ChosenModel): boolean =>
  a.provider === b.provider && a.model === b.model && a.baseUrl === b.baseUrl;

const isProvider = (name: string): name is ProviderName => Object.hasOwn(DEFAULT_MODEL, name);

/** Context window requested from Ollama by default, in tokens. It fits in the memory of most machines. */
const OLLAMA_CONTEXT = 32_768;
/** Opening a session waits this long for a model list, in ms; a later answer is still used, up to the timeout. */
const DESCRIBE_WAIT_MS = 2_000;
const DESCRIBE_TIMEOUT_MS = 10_000;

/** Creates models according to settings and API keys. The registry caches the clients. */
export class Models {
  readonly #registry = new ModelRegistry();
  readonly #keys: Keys;
  readonly #vsCodeModels: VsCodeModels;
  readonly #learned: LearnedFacts;
  readonly #requests = new Map<string, Promise<void>>();
  readonly #created = new Map<string, ChosenModel>();

  constructor(keys: Keys, vsCodeModels: VsCodeModels, learned: LearnedFacts) {
    this.#keys = keys;
    this.#vsCodeModels = vsCodeModels;
    this.#learned = learned;
  }

  /** A model's context window, price, and so on, as far as they are known. */
  info(chosen: ChosenModel): ModelInfo {
    const info = this.#baseInfo(chosen);
    const { contextWindow = info.contextWindow } = chosen;
    return { ...info, contextWindow, maxOutput: Math.min(info.maxOutput, contextWindow) };
  }

  #baseInfo(chosen: ChosenModel): ModelInfo {
    const { provider, model } = chosen;
    if (provider !== 'vscode') {
      const { chat, models } = readSettings();
      const learned = this.#learned.of(serverOf(chosen), model);
      if (!learned?.isOllama) {
        const isFree = isLocalServer(chosen.baseUrl);
        const info = modelInfo(model, models.overrides, { ...learned?.facts, ...(isFree && { price: FREE }) });
        return info.price === FREE ? unpriced(info) : info;
      }
      const loaded = ollamaContext(learned, modelInfo(model, {}, learned.facts).contextWindow);
      const info = modelInfo(model, models.overrides, { ...learned.facts, contextWindow: loaded });
      // The user's setting reflects the machine's memory, so it limits all models.
      const max = chat.contextWindow ?? Number.POSITIVE_INFINITY;
      return { ...unpriced(info), contextWindow: Math.min(max, info.contextWindow) };
    }
    const facts = this.#vsCodeModels.facts(model);
    // VS Code's limit is only for the input. Using it as the whole context window keeps requests below it.
    return unpriced(modelInfo(model, facts && { [model]: { contextWindow: facts.maxInputTokens } }));
  }

  label({ provider, model }: ChosenModel): string {
    if (provider === 'local') return vscode.l10n.t('No model');
    return (provider === 'vscode' ? this.#vsCodeModels.facts(model)?.name : undefined) ?? model;
  }

  /** Loads facts for `info` from VS Code or the provider's model list, if they are missing. */
  async prepare(chosen: ChosenModel): Promise<void> {
    const { provider, model } = chosen;
    if (provider === 'vscode') {
      if (!this.#vsCodeModels.facts(model)) await this.isReady(chosen);
      return;
    }
    const server = serverOf(chosen);
    // A compatible server may use another context window than the model's, so its list is always read.
    const isKnown = this.info(chosen).known && provider !== 'compatible';
    if (provider === 'local' || model === '' || isKnown) return;
    const key = `${server} ${model}`;
    let request = this.#requests.get(key);
    if (!request) this.#requests.set(key, (request = this.#learn(chosen)));
    await Promise.race([request, sleep(DESCRIBE_WAIT_MS, undefined, { ref: false })]);
  }

  async #learn(chosen: ChosenModel): Promise<void> {
    try {
      const listed = await this.list(chosen, AbortSignal.timeout(DESCRIBE_TIMEOUT_MS));
      const match = listed.find(({ id }) => id === chosen.model);
      if (match) await this.#learned.learn(serverOf(chosen), match);
      if (match?.isUnloaded) this.#requests.delete(`${serverOf(chosen)} ${chosen.model}`);
    } catch (error) {
      // Not reported here, because sending a message reports the same fault.
      if (!ModelFault.is(error)) throw error;
      // Try again next time, because the server may be started or reachable later, or be less busy.
      if (
        ModelFault.is(error, 'network', 'certificate', 'proxy_authentication', 'timeout', 'overloaded', 'rate_limited')
      )
        this.#requests.delete(`${serverOf(chosen)} ${chosen.model}`);
    }
  }

  /** The context window with which the server has loaded the model; undefined if the server doesn't report it. */
  async loadedContext(chosen: ChosenModel): Promise<number | undefined> {
    const server = serverOf(chosen);
    this.#requests.delete(`${server} ${chosen.model}`);
    await this.prepare(chosen);
    return this.#learned.of(server, chosen.model)?.loadedContext;
  }

  /** False for VS Code's models, which are sent only text. */
  takesImages(chosen: ChosenModel): boolean {
    return chosen.provider !== 'vscode' && this.info(chosen).takesImages;
  }

  /** The cost of a call in US dollars; null if the price is unknown. */
  cost(chosen: ChosenModel, usage: Usage): number | null {
    return priceOf(usage, this.info(chosen)) ?? null;
  }

  /** Returns the cost of a call by model ID. If several servers have the model, the price of `current` applies. */
  priceOf(current: () => ChosenModel): PriceOf {
    return (id, usage) => {
      const { provider, model } = current();
      const chosen = id === `${provider}/${model}` ? current() : this.#created.get(id);
      return chosen ? this.cost(chosen, usage) : null;
    };
  }

  /**
   * Creates the model. Rejects with `ModelFault`, for example `no_key`, `model_not_found`, or `invalid_base_url`, and with
   * `SettingsError` if a setting is invalid, because its default could cost money or send data elsewhere.
   */
  async make(chosen: ChosenModel, urgency: Urgency = 'now'): Promise<ChatModel> {
    validSettings();
    const isVsCodeModel = chosen.provider === 'vscode';
    const model = isVsCodeModel
      ? await this.#vsCodeModels.make(chosen.model, urgency)
      : await this.#registry.createModel(await this.#config(chosen));
    this.#created.set(model.id, chosen);
    // The session may contain images from another model or an import, which this model would reject.
    return isVsCodeModel || this.takesImages(chosen) ? model : withoutImages(model);
  }

  /** The provider's models. Rejects with `ModelFault`. */
  async list(chosen: ChosenModel, signal: AbortSignal): Promise<readonly ListedModel[]> {
    if (chosen.provider === 'vscode')
      return (await this.#vsCodeModels.list()).map(({ model }) => ({ id: model, facts: {} }));
    const model = await this.#registry.createModel(await this.#config(chosen));
    return model.listModels(signal);
  }

  /** Whether the provider has the API key that it needs, or VS Code offers the model. */
  async isReady(chosen: ChosenModel): Promise<boolean> {
    if (chosen.provider === 'vscode') {
      // Not reported here, because sending a message reports the same fault.
      return this.#vsCodeModels.find(chosen.model).then(
        (found) => found !== undefined,
        () => false,
      );
    }
    return !isVendor(chosen.provider) || ((await this.#key(chosen)) ?? '') !== '';
  }

  /** Forgets clients and model lists, because an API key has changed. */
  clear(): void {
    this.#registry.clear();
    this.#requests.clear();
  }

  async #config(chosen: ChosenModel): Promise<ModelConfig> {
    const { provider, model, baseUrl } = chosen;
    if (provider === 'vscode' || provider === 'local')
      throw new ModelFault('bad_request', `the provider ${provider} has no server`);
    const apiKey = await this.#key(chosen);
    if (isVendor(provider) && (apiKey ?? '') === '') throw new ModelFault('no_key', `no API key for ${provider}`);
    if (provider === 'compatible' && baseUrl === '') throw new ModelFault('invalid_base_url', 'the base URL is empty');
    const isOllama = this.#learned.of(serverOf(chosen), model)?.isOllama === true;
    return {
      provider,
      model,
      ...(baseUrl !== '' && { baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
      ...(isOllama && { api: 'ollama', contextWindow: this.info(chosen).contextWindow }),
      ...callTimeouts(),
    };
  }

  async #key({ provider, baseUrl }: ChosenModel): Promise<string | undefined> {
    return isKeyed(provider) ? this.#keys.get({ provider, baseUrl }) : undefined;
  }
}

/** The price at a server on this machine, unless the user has set another one. */
const FREE = { input: 0, output: 0 };

/** Removes the price, because the vendor's list price doesn't apply to VS Code's models and local servers. */
function unpriced({ price: _, ...info }: ModelInfo): ModelInfo {
  return info;
}

/** Model servers that may run on this machine. Tests override the ports with an environment variable. */
function localServers() {
  const [ollama = '11434', lmStudio = '1234'] = process.env['THREADKEEPER_LOCAL_PORTS']?.split(',') ?? [];
  return Object.entries({ Ollama: ollama, 'LM Studio': lmStudio }).map(([title, port]) => ({
    title: `${title} (127.0.0.1:${port})`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
  }));
}

/** Whether two base URLs have the same host and port. `localhost` equals `127.0.0.1`. */
function isSameServer(a: string, b: string): boolean {
  const hostOf = (address: string): string | undefined =>
    URL.parse(address)?.host.replace('localhost', '127.0.0.1').replace('[::1]', '127.0.0.1');
  return hostOf(a) !== undefined && hostOf(a) === hostOf(b);
}

/** The configured server, if any, and the servers that may run on this machine. */
export const serversToQuery = (configured: string) => [
  ...(configured === '' ? [] : [{ title: configured, baseUrl: configured }]),
  ...localServers().filter(({ baseUrl }) => !isSameServer(baseUrl, configured)),
];

/** Whether a base URL is that of Ollama or LM Studio on this machine, whose models are free. */
const isLocalServer = (address: string): boolean =>
  localServers().some(({ baseUrl }) => isSameServer(baseUrl, address));

/** The key of facts learned from a server. */
const serverOf = ({ provider, baseUrl }: ChosenModel): string => `${provider} ${baseUrl}`;

/** The context window with which Ollama has loaded the model, if it's large enough, or else the one to request. */
const ollamaContext = ({ loadedContext = 0 }: Pick<ListedModel, 'loadedContext'>, max: number): number =>
  loadedContext >= OLLAMA_CONTEXT / 2 ? loadedContext : Math.min(OLLAMA_CONTEXT, max);

const KEY = 'threadkeeper.recentModels';
/** Maximum number of recent models. More would push the providers out of view. */
const MAX_RECENT = 5;

const modelSchema = v.object({ provider: v.picklist(PROVIDERS), model: v.string(), baseUrl: v.string() });
const recentSchema = v.fallback(v.array(modelSchema), []);

export type RecentModels = ReturnType<typeof recentModels>;

/** The models that the user selected last, newest first. */
export function recentModels(memento: vscode.Memento) {
  const stored = (): readonly ChosenModel[] => v.parse(recentSchema, memento.get(KEY));
  /** Without those of a vendor's former proxy, because the vendor's models are selected at the configured URL. */
  const all = (): readonly ChosenModel[] => {
    const settings = readSettings();
    return stored().filter(({ provider: by, baseUrl }) => by === 'compatible' || baseUrl === baseUrlOf(by, settings));
  };
  const add = async (chosen: ChosenModel): Promise<void> => {
    const { provider, model, baseUrl } = chosen;
    const others = stored().filter((each) => !isSameModel(each, chosen));
    await memento.update(KEY, [{ provider, model, baseUrl }, ...others].slice(0, MAX_RECENT));
  };
  return { all, add };
}

export interface ModelsApp extends Pick<HostApp, 'describe' | 'store'> {
  readonly channel: vscode.LogOutputChannel;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly models: Models;
  readonly recentModels: RecentModels;
  readonly calibrations: { forgetContextWindow(chosen: ChosenModel): void };
  chosenModel(): ChosenModel;
  modelChanged(): Promise<void>;
}
