import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Memento } from 'vscode';
import * as v from 'valibot';
import { ModelFault } from '../../app/fault.ts';
import type { ChatModel } from '../../app/ports.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { Urgency } from '../../app/compression-job.ts';
import type { Usage } from '../../core/model/message.ts';
import { DEFAULT_MODELS, modelInfo, priceOf, type ModelInfo } from '../../core/tokens/models.ts';
import { ModelRegistry, type ModelConfig } from '../../providers/factory.ts';
import type { ListedModel } from '../../providers/listed-model.ts';
import { withoutImages } from '../../providers/without-images.ts';
import type { LocalMemory } from '../../providers/local.ts';
import type { EditorModels } from './editor-models.ts';
import { isKeyed, KEYED_PROVIDERS, type KeyHolder, type Keys } from './keys.ts';
import type { LearnedFacts } from './learned-facts.ts';
import { callTimeouts, readSettings } from '../platform/settings.ts';
import { PROVIDERS, type ProviderName, type Settings } from '../platform/settings-schema.ts';
import type { Sessions } from '../../app/sessions.ts';

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
  /** The context window that the user has set for the chat, in tokens; left out: what is known of the model's. */
  readonly contextWindow?: number;
}

/** The chat's model: the session's own choice, else the settings'. */
export function chosenChatModel(settings: Settings, state: SessionState | undefined): ChosenModel {
  const { provider, model, baseUrl, contextWindow } = settings.chat;
  const own = state?.provider;
  const set = contextWindow === null ? {} : { contextWindow };
  if (own !== undefined && own !== provider && isProvider(own))
    return { provider: own, model: state?.model ?? DEFAULT_MODEL[own].chat, baseUrl: addressOf(own, settings), ...set };
  return { provider, model: state?.model ?? (model || DEFAULT_MODEL[provider].chat), baseUrl, ...set };
}

/**
 * Where a provider is spoken to; empty: at its own address. The address in the settings is the provider's that they
 * name, and a compatible server's where they name one that has no address.
 */
export function addressOf(provider: ProviderName, { chat }: Settings): string {
  const named = chat.provider === 'local' || chat.provider === 'vscode' ? 'compatible' : chat.provider;
  return provider === named ? chat.baseUrl : '';
}

/** Everyone who may need a key by the settings: each provider that has an address, and the summarizer's own. */
export function keyHolders(settings: Settings): readonly KeyHolder[] {
  const holders: KeyHolder[] = KEYED_PROVIDERS.map((provider) => ({
    provider,
    baseUrl: addressOf(provider, settings),
  }));
  const { provider, baseUrl } = settings.summarizer;
  if (isKeyed(provider) && baseUrl !== '' && baseUrl !== addressOf(provider, settings))
    holders.push({ provider, baseUrl });
  return holders.filter((one) => one.provider !== 'compatible' || one.baseUrl !== '');
}

/** The summarizer's model; `local` extracts. */
export function chosenSummaryModel(settings: Settings, chat: ChosenModel): ChosenModel {
  const summary = summaryModelOf(settings, chat);
  return isSameModel(summary, chat) ? chat : summary;
}

function summaryModelOf({ summarizer: { provider, model, baseUrl } }: Settings, chat: ChosenModel): ChosenModel {
  if (provider !== 'chat') return { provider, model: model || DEFAULT_MODEL[provider].summary, baseUrl };
  const summary = model || DEFAULT_MODEL[chat.provider].summary || chat.model;
  // A server of one's own, or a proxy, knows the chat's model; it need not know the provider's cheap one.
  const name = chat.baseUrl === '' || model !== '' ? summary : chat.model;
  return { provider: chat.provider, model: name, baseUrl: chat.baseUrl };
}

/** The same model at the same address. */
export const isSameModel = (a: ChosenModel, b: ChosenModel): boolean =>
  a.provider === b.provider && a.model === b.model && a.baseUrl === b.baseUrl;

const isProvider = (name: string): name is ProviderName => Object.hasOwn(DEFAULT_MODEL, name);

/** The context of a local server that is asked for when the user names none; it is what most can hold in memory. */
const OLLAMA_CONTEXT = 32_768;
/** A server that does not list its models at once is not waited for: opening a session is. It is heard for longer. */
const DESCRIBE_WAIT_MS = 2_000;
const DESCRIBE_TIMEOUT_MS = 10_000;

/** Makes the models that settings and keys describe; clients are kept by the registry. */
export class Models {
  readonly #registry = new ModelRegistry();
  readonly #keys: Keys;
  readonly #editor: EditorModels;
  readonly #learned: LearnedFacts;
  readonly #asked = new Map<string, Promise<void>>();
  /** What the models that were made are, by their ids. */
  readonly #made = new Map<string, ChosenModel>();

  constructor(keys: Keys, editor: EditorModels, learned: LearnedFacts) {
    this.#keys = keys;
    this.#editor = editor;
    this.#learned = learned;
  }

  /** What is known of a model: window, price and so on. */
  info(chosen: ChosenModel): ModelInfo {
    const info = this.#known(chosen);
    const { contextWindow = info.contextWindow } = chosen;
    return { ...info, contextWindow, maxOutput: Math.min(info.maxOutput, contextWindow) };
  }

  #known(chosen: ChosenModel): ModelInfo {
    const { provider, model } = chosen;
    if (provider !== 'vscode') {
      const { chat, models } = readSettings();
      const told = this.#learned.of(serverOf(chosen), model);
      if (!told?.isOllama) return modelInfo(model, models.overrides, told?.facts);
      const loaded = ollamaContext(told, modelInfo(model, {}, told.facts).contextWindow);
      const info = modelInfo(model, models.overrides, { ...told.facts, contextWindow: loaded });
      // What the user has set for the chat is what their machine has memory for, whichever model it is to load.
      const most = chat.contextWindow ?? Number.POSITIVE_INFINITY;
      return { ...unpriced(info), contextWindow: Math.min(most, info.contextWindow) };
    }
    const facts = this.#editor.facts(model);
    // The editor's figure is of the input alone; taken for the whole window, it errs to the safe side.
    return unpriced(modelInfo(model, facts && { [model]: { contextWindow: facts.maxInputTokens } }));
  }

  /** The name to show. */
  label({ provider, model }: ChosenModel): string {
    if (provider === 'local') return vscode.l10n.t('No model');
    return (provider === 'vscode' ? this.#editor.facts(model)?.name : undefined) ?? model;
  }

  /** Makes sure that `info` knows the model, where the editor or the provider's own list has to be asked about it. */
  async prepare(chosen: ChosenModel): Promise<void> {
    const { provider, model } = chosen;
    if (provider === 'vscode') {
      if (!this.#editor.facts(model)) await this.isReady(chosen);
      return;
    }
    const server = serverOf(chosen);
    // How long a context a server of one's own is set up for, nobody else knows.
    const isTold = this.info(chosen).known && provider !== 'compatible';
    if (model === '' || isTold) return;
    const key = `${server} ${model}`;
    let asked = this.#asked.get(key);
    if (!asked) this.#asked.set(key, (asked = this.#ask(chosen)));
    await Promise.race([asked, sleep(DESCRIBE_WAIT_MS, undefined, { ref: false })]);
  }

  async #ask(chosen: ChosenModel): Promise<void> {
    try {
      const listed = await this.#registry.listModels(
        await this.#config(chosen),
        AbortSignal.timeout(DESCRIBE_TIMEOUT_MS),
      );
      const mine = listed.find(({ id }) => id === chosen.model);
      if (mine) await this.#learned.learn(serverOf(chosen), mine);
    } catch (error) {
      // A server that is not there says nothing; sending a message tells the user of it.
      if (!ModelFault.is(error)) throw error;
      // It may be started later, or have more time then.
      if (ModelFault.is(error, 'network', 'overloaded', 'rate_limited'))
        this.#asked.delete(`${serverOf(chosen)} ${chosen.model}`);
    }
  }

  /** The context that a server of one's own has the model loaded with now, in tokens; undefined where it does not say. */
  async loadedContext(chosen: ChosenModel): Promise<number | undefined> {
    const server = serverOf(chosen);
    this.#asked.delete(`${server} ${chosen.model}`);
    await this.prepare(chosen);
    return this.#learned.of(server, chosen.model)?.loadedContext;
  }

  /** The editor's own models are sent text alone. */
  takesImages(chosen: ChosenModel): boolean {
    return chosen.provider !== 'vscode' && this.info(chosen).takesImages;
  }

  /** Money of a call in US dollars; null when the price is not known. */
  cost(chosen: ChosenModel, usage: Usage): number | null {
    return priceOf(usage, this.info(chosen)) ?? null;
  }

  /** The same for a model that was made here, by its id. */
  readonly costOf = (id: string, usage: Usage): number | null => {
    const chosen = this.#made.get(id);
    return chosen ? this.cost(chosen, usage) : null;
  };

  /** Throws `ModelFault`, such as `no_key`, `model_not_found`, or `bad_request` for an address that is none. */
  async make(chosen: ChosenModel, memory: LocalMemory, urgency: Urgency = 'now'): Promise<ChatModel> {
    const isEditors = chosen.provider === 'vscode';
    const model = isEditors
      ? await this.#editor.make(chosen.model, urgency)
      : await this.#registry.createModel(await this.#config(chosen), memory);
    this.#made.set(model.id, chosen);
    // What was sent to another model, or imported, would be refused by this one.
    return isEditors || this.takesImages(chosen) ? model : withoutImages(model);
  }

  async list(chosen: ChosenModel, signal: AbortSignal): Promise<readonly ListedModel[]> {
    if (chosen.provider === 'vscode') return (await this.#editor.list()).map(({ model }) => ({ id: model, facts: {} }));
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
    this.#asked.clear();
  }

  async #config(chosen: ChosenModel): Promise<ModelConfig> {
    const { provider, model, baseUrl } = chosen;
    if (provider === 'vscode') throw new ModelFault('bad_request', 'the editor makes its models itself');
    const apiKey = await this.#key(chosen);
    if (needsKey(provider) && (apiKey ?? '') === '') throw new ModelFault('no_key', `no API key for ${provider}`);
    if (provider === 'compatible' && baseUrl === '') throw new ModelFault('bad_request', 'the base URL is empty');
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

/** What the editor's models cost is between the user and the vendor, whatever the same model costs elsewhere. */
function unpriced({ price: _, ...info }: ModelInfo): ModelInfo {
  return info;
}

/** The key of what a server has said of its models. */
const serverOf = ({ provider, baseUrl }: ChosenModel): string => `${provider} ${baseUrl}`;

/** What Ollama has the model loaded with, where that is more than its default, else what is asked of it. */
const ollamaContext = ({ loadedContext = 0 }: Pick<ListedModel, 'loadedContext'>, longest: number): number =>
  loadedContext >= OLLAMA_CONTEXT / 2 ? loadedContext : Math.min(OLLAMA_CONTEXT, longest);

/** A server of one's own often takes none. */
function needsKey(provider: ProviderName): boolean {
  return provider === 'openai' || provider === 'anthropic';
}

const KEY = 'threadkeeper.recentModels';
/** More would push the providers out of sight. */
const MAX_RECENT = 5;

const schema = v.array(v.object({ provider: v.picklist(PROVIDERS), model: v.string(), baseUrl: v.string() }));

/** The models that the user chose last, the newest first. */
export class RecentModels {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  all(): readonly ChosenModel[] {
    const kept = v.safeParse(schema, this.#memento.get(KEY));
    return kept.success ? kept.output : [];
  }

  async add(chosen: ChosenModel): Promise<void> {
    const { provider, model, baseUrl } = chosen;
    const others = this.all().filter((each) => !isSameModel(each, chosen));
    await this.#memento.update(KEY, [{ provider, model, baseUrl }, ...others].slice(0, MAX_RECENT));
  }
}

/** What commands on models and keys need of the product. */
export interface ModelsApp {
  readonly channel: vscode.LogOutputChannel;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly models: Models;
  readonly recentModels: RecentModels;
  /** Forgets how much of a prompt a server was seen to read: its window may have grown since. */
  forgetWindow(chosen: ChosenModel): void;
  /** The chat's model in the current session. */
  chosenModel(): ChosenModel;
  /** Shows the model everywhere; called after another one was chosen. */
  modelChanged(): Promise<void>;
}
