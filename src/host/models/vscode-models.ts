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
const factsSchema = v.object({ model: v.string(), name: v.string(), maxInputTokens: v.number() });
type VsCodeModelFacts = Readonly<v.InferOutput<typeof factsSchema>>;
const storedSchema = v.fallback(v.array(factsSchema), []);

export type VsCodeModels = ReturnType<typeof createVsCodeModels>;

/** VS Code's language models. Listing them activates their extensions, so it only happens when they are needed. */
export function createVsCodeModels(
  state: vscode.Memento,
  access: vscode.LanguageModelAccessInformation,
  warn: (message: string) => void,
) {
  const models = new WeakMap<vscode.LanguageModelChat, ChatModel>();
  const available = new Map<string, vscode.LanguageModelChat>();
  /** The first model that VS Code offers, to which an empty name refers. */
  let first: vscode.LanguageModelChat | undefined;
  const missing = new Set<string>();
  const appeared = new Emitter<undefined>((error) => warn(`Model list listener failed: ${String(error)}`));
  let isRechecking = false;

  const stored = (): readonly VsCodeModelFacts[] => v.parse(storedSchema, state.get(STATE_KEY));
  const remember = async (facts: VsCodeModelFacts): Promise<void> => {
    const previous = stored().find((one) => one.model === facts.model);
    if (previous?.name === facts.name && previous.maxInputTokens === facts.maxInputTokens) return;
    const others = stored().filter((one) => one.model !== facts.model);
    await state.update(STATE_KEY, [facts, ...others].slice(0, MAX_STORED));
  };

  const select = async (selector: vscode.LanguageModelChatSelector): Promise<readonly vscode.LanguageModelChat[]> => {
    const timedOut = sleep(SELECT_LIMIT_MS, undefined, { ref: false }).then((): never => {
      throw new ModelFault('timeout', `the editor did not list its models within ${SELECT_LIMIT_MS} ms`);
    });
    const found = await Promise.race([vscode.lm.selectChatModels(selector), timedOut]);
    for (const chat of found) available.set(nameOf(chat), chat);
    if (selector.id === undefined) [first] = found;
    return found;
  };

  /** The model if it's available; an empty name means the first one. */
  const find = async (model: string): Promise<vscode.LanguageModelChat | undefined> => {
    const slash = model.indexOf('/');
    const [chat] = await select(model === '' ? {} : { vendor: model.slice(0, slash), id: model.slice(slash + 1) });
    if (chat) {
      missing.delete(model);
      await remember(factsOf(chat));
    } else missing.add(model);
    return chat;
  };

  // Never runs twice at a time, because listing models may itself cause a change event.
  const recheckMissing = async (): Promise<void> => {
    if (isRechecking || missing.size === 0) return;
    isRechecking = true;
    try {
      const found = await Promise.all([...missing].map(find));
      if (found.some((chat) => chat !== undefined)) appeared.emit(undefined);
    } finally {
      isRechecking = false;
    }
  };
  const subscription = vscode.lm.onDidChangeChatModels(() => {
    recheckMissing().catch((error: unknown) => warn(`The editor's models could not be listed: ${String(error)}`));
  });

  return {
    find,
    dispose: (): void => void subscription.dispose(),
    /** Called when a missing model becomes available, because its extension has started later. */
    onDidAppear: (listener: () => void): Disposable => appeared.on(listener),
    list: async (): Promise<readonly VsCodeModelFacts[]> => (await select({})).map(factsOf),
    /** Facts as known from this or an earlier window; undefined if never available. '' means the first model. */
    facts: (model: string): VsCodeModelFacts | undefined => {
      if (model === '') return first ? factsOf(first) : stored()[0];
      const chat = available.get(model);
      return chat ? factsOf(chat) : stored().find((one) => one.model === model);
    },
    /**
     * Throws `ModelFault`: `model_not_found`, or `forbidden` in the background if the user hasn't allowed requests,
     * because asking for consent must follow a user action.
     */
    make: async (model: string, urgency: Urgency): Promise<ChatModel> => {
      const chat = await find(model);
      if (!chat) throw new ModelFault('model_not_found', `the editor offers no model ${model}`);
      if (urgency === 'background' && access.canSendRequest(chat) !== true)
        throw new ModelFault('forbidden', 'the user has not been asked for consent yet');
      const { vsCodeChatModel } = await import('./vscode-chat-model.ts');
      const made = models.get(chat) ?? vsCodeChatModel(nameOf(chat), chat);
      models.set(chat, made);
      return made;
    },
  };
}

const nameOf = (chat: vscode.LanguageModelChat): string => `${chat.vendor}/${chat.id}`;

function factsOf(chat: vscode.LanguageModelChat): VsCodeModelFacts {
  return { model: nameOf(chat), name: chat.name, maxInputTokens: chat.maxInputTokens };
}
