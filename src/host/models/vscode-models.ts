import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import * as vscode from 'vscode';
import { Emitter, type Disposable } from '../../app/emitter.ts';
import { ModelFault } from '../../app/fault.ts';
import type { ChatModel } from '../../app/ports.ts';
import type { Urgency } from '../../app/compression-job.ts';

const STATE_KEY = 'threadkeeper.editorModels';
/** Maximum number of models whose facts are stored. Only models that were looked up are stored, not all listed ones. */
const MAX_STORED = 16;
/** How long extensions may take to register their models, in ms. */
const SELECT_LIMIT_MS = 8000;

/** Facts about VS Code's language models. `model` is `vendor/id`, the name in sessions and settings. */
const storedSchema = v.array(v.object({ model: v.string(), name: v.string(), maxInputTokens: v.number() }));
type VsCodeModelFacts = Readonly<v.InferOutput<typeof storedSchema>[number]>;

/** VS Code's language models. Listing them activates their extensions, so it only happens when they are needed. */
export class VsCodeModels implements Disposable {
  readonly #state: vscode.Memento;
  readonly #access: vscode.LanguageModelAccessInformation;
  readonly #models = new WeakMap<vscode.LanguageModelChat, ChatModel>();
  readonly #available = new Map<string, vscode.LanguageModelChat>();
  /** The first model that VS Code offers, to which an empty name refers. */
  #first: vscode.LanguageModelChat | undefined;
  readonly #missing = new Set<string>();
  readonly #appeared: Emitter<undefined>;
  readonly #subscription: vscode.Disposable;
  #isRechecking = false;

  constructor(state: vscode.Memento, access: vscode.LanguageModelAccessInformation, warn: (message: string) => void) {
    this.#state = state;
    this.#access = access;
    this.#appeared = new Emitter((error) => warn(`Model list listener failed: ${String(error)}`));
    this.#subscription = vscode.lm.onDidChangeChatModels(() => {
      this.#recheckMissing().catch((error: unknown) =>
        warn(`The editor's models could not be listed: ${String(error)}`),
      );
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Called when a missing model becomes available, because its extension has started later. */
  onDidAppear(listener: () => void): Disposable {
    return this.#appeared.on(listener);
  }

  async list(): Promise<readonly VsCodeModelFacts[]> {
    return (await this.#select({})).map(factsOf);
  }

  /** Facts as known from this or an earlier window; undefined if never available. '' means the first model. */
  facts(model: string): VsCodeModelFacts | undefined {
    if (model === '') return this.#first ? factsOf(this.#first) : this.#stored()[0];
    const chat = this.#available.get(model);
    return chat ? factsOf(chat) : this.#stored().find((one) => one.model === model);
  }

  /** The model if it's available; an empty name means the first one. */
  async find(model: string): Promise<vscode.LanguageModelChat | undefined> {
    const slash = model.indexOf('/');
    const found = await this.#select(model === '' ? {} : { vendor: model.slice(0, slash), id: model.slice(slash + 1) });
    const chat = found[0];
    if (chat) {
      this.#missing.delete(model);
      await this.#remember(factsOf(chat));
    } else this.#missing.add(model);
    return chat;
  }

  /**
   * Throws `ModelFault`: `model_not_found`, or `forbidden` in the background if the user hasn't allowed requests,
   * because asking for consent must follow a user action.
   */
  async make(model: string, urgency: Urgency): Promise<ChatModel> {
    const chat = await this.find(model);
    if (!chat) throw new ModelFault('model_not_found', `the editor offers no model ${model}`);
    if (urgency === 'background' && this.#access.canSendRequest(chat) !== true)
      throw new ModelFault('forbidden', 'the user has not been asked for consent yet');
    const { vsCodeChatModel } = await import('./vscode-chat-model.ts');
    const made = this.#models.get(chat) ?? vsCodeChatModel(nameOf(chat), chat);
    this.#models.set(chat, made);
    return made;
  }

  async #select(selector: vscode.LanguageModelChatSelector): Promise<readonly vscode.LanguageModelChat[]> {
    const timedOut = sleep(SELECT_LIMIT_MS, undefined, { ref: false }).then((): never => {
      throw new ModelFault('timeout', `the editor did not list its models within ${SELECT_LIMIT_MS} ms`);
    });
    const found = await Promise.race([vscode.lm.selectChatModels(selector), timedOut]);
    for (const chat of found) this.#available.set(nameOf(chat), chat);
    if (selector.id === undefined) [this.#first] = found;
    return found;
  }

  // Never runs twice at a time, because listing models may itself cause a change event.
  async #recheckMissing(): Promise<void> {
    if (this.#isRechecking || this.#missing.size === 0) return;
    this.#isRechecking = true;
    try {
      const found = await Promise.all([...this.#missing].map((model) => this.find(model)));
      if (found.some((chat) => chat !== undefined)) this.#appeared.emit(undefined);
    } finally {
      this.#isRechecking = false;
    }
  }

  #stored(): readonly VsCodeModelFacts[] {
    const result = v.safeParse(storedSchema, this.#state.get(STATE_KEY));
    return result.success ? result.output : [];
  }

  async #remember(facts: VsCodeModelFacts): Promise<void> {
    const stored = this.#stored();
    const previous = stored.find((one) => one.model === facts.model);
    if (previous?.name === facts.name && previous.maxInputTokens === facts.maxInputTokens) return;
    const others = stored.filter((one) => one.model !== facts.model);
    await this.#state.update(STATE_KEY, [facts, ...others].slice(0, MAX_STORED));
  }
}

const nameOf = (chat: vscode.LanguageModelChat): string => `${chat.vendor}/${chat.id}`;

function factsOf(chat: vscode.LanguageModelChat): VsCodeModelFacts {
  return { model: nameOf(chat), name: chat.name, maxInputTokens: chat.maxInputTokens };
}
