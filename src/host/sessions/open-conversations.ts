import * as vscode from 'vscode';
import { modelNotices } from '../models/model-notices.ts';
import type { Retries } from '../../core/compress/ask-model.ts';
import type { CompressionWork } from '../../app/compression-job.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { RegenerateOptions } from '../../app/regenerate-summary.ts';
import {
  StoreFault,
  type ChatModel,
  type Clock,
  type CountStore,
  type Log,
  type SessionJournal,
} from '../../app/ports.ts';
import type { PriceOf, SpendGate } from '../../app/spend-limited-model.ts';
import type { SessionSearch } from '../../app/session-search.ts';
import type { ConversationSettings } from '../../app/conversation-settings.ts';
import type { NodeId, SessionId } from '../../core/model/ids.ts';
import type { SummaryCheck, SummaryNode } from '../../core/model/summary.ts';
import { PolicyError, resolvePolicy, type Policy, type PolicyName } from '../../core/policy/policy.ts';
import { loadEncoding, type TokenCounter } from '../../core/tokens/token-counter.ts';
import { replyBudget } from '../../app/reply-budget.ts';
import { withRetries } from '../../providers/retry.ts';
import { withoutImages } from '../../providers/without-images.ts';
import type { PreviewView } from '../../protocol/views.ts';
import type { ProjectRules } from '../rules/project-rules.ts';
import type { WorkspaceMemory } from '../memory/workspace-memory.ts';
import type { Calibrations } from '../models/calibrations.ts';
import { chosenChatModel, chosenSummaryModel, type ChosenModel, type Models } from '../models/models.ts';
import type { SpendLimit } from '../models/spend-limit.ts';
import { summarizerConfig } from '../models/summarizers.ts';
import { translated } from '../platform/l10n.ts';
import { chosenPolicy, eventRules, policyOf, promptText, readSettings, validSettings } from '../platform/settings.ts';
import type { Settings } from '../platform/settings-schema.ts';

/** Upper estimate of a summary prompt's size without the messages, in tokens. */
const PROMPT_TOKENS = 1500;

/** For chats from other tools, no token counts are stored. */
const NO_COUNTS: CountStore = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };

export interface OpenConversation {
  readonly conversation: Conversation;
  readonly search: SessionSearch;
  /** The summarizer's name, and the maximum cost of generating these summaries with it, as in a preview. */
  readonly estimateCost: (nodes: readonly SummaryNode[]) => Pick<PreviewView, 'model' | 'estimatedCostUsd'>;
  /** Regenerates a summary; by default, with the configured summarizer. */
  readonly regenerateSummary: (
    request: Omit<RegenerateOptions, 'model'>,
    chosen: ChosenModel | undefined,
    signal: AbortSignal,
  ) => Promise<SummaryNode>;
  /** Asks a model to verify a summary against its messages; undefined if `chosen` is the local provider. */
  readonly checkSummary: (node: NodeId, chosen: ChosenModel, signal: AbortSignal) => Promise<SummaryCheck | undefined>;
}

export interface OpenConversationsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly models: Models;
  readonly spend: SpendLimit;
  readonly calibrations: Calibrations;
  readonly counts: CountStore;
  readonly memory: WorkspaceMemory;
  readonly rules: ProjectRules;
}

/** Creates conversations for journals with the user's settings and models, and keeps track of the open ones. */
export class OpenConversations {
  readonly #deps: OpenConversationsDeps;
  readonly #watchModel: ReturnType<typeof modelNotices>;
  readonly #open = new Map<SessionId, OpenConversation>();

  constructor(deps: OpenConversationsDeps) {
    this.#deps = deps;
    this.#watchModel = modelNotices(deps);
  }

  get(id: SessionId): OpenConversation | undefined {
    return this.#open.get(id);
  }

  /** Forgets all conversations but one. */
  keepOnly(id: SessionId | undefined): void {
    for (const one of this.#open.keys()) if (one !== id) this.#open.delete(one);
  }

  /** The conversation of a journal. If the session is already open, closes the journal and returns that one. */
  async open(journal: SessionJournal): Promise<Conversation> {
    const existing = this.#open.get(journal.id);
    if (existing) {
      await journal.close();
      return existing.conversation;
    }
    // Loaded with the first session, because these modules are large.
    const [{ Compressor }, { Conversation }, { SessionSearch }] = await Promise.all([
      import('../../app/compressor.ts'),
      import('../../app/conversation.ts'),
      import('../../app/session-search.ts'),
    ]);
    const { clock, log, models, spend, calibrations, counts } = this.#deps;
    const gate = (chosen: () => ChosenModel): SpendGate => spend.gate(() => models.info(chosen()).price !== undefined);
    const chatModel = (settings = readSettings()): ChosenModel => chosenChatModel(settings, journal.state);
    const summarizer = (settings = readSettings()): ChosenModel => chosenSummaryModel(settings, chatModel(settings));
    const price = models.priceOf(() => chatModel());
    const summaryPrice = models.priceOf(() => summarizer());
    await Promise.all([
      models.prepare(chatModel()),
      models.prepare(summarizer()),
      // Otherwise, no session could be read. It's read again when the next one is opened.
      this.#deps.memory.load().catch(warnWithoutMemory),
      this.#deps.rules.load(),
    ]);
    const counter = await loadEncoding(models.info(chatModel()).encoding, clock.yielder);
    const search = new SessionSearch(() => journal.state, clock);
    const languageRetries: Retries = new Map();
    const compressor = new Compressor({
      journal,
      clock,
      log,
      counter,
      spendGate: gate(summarizer),
      work: this.#work(summaryPrice, languageRetries),
      summaryModel: async ({ urgency }) => summarizerConfig(models, summarizer(callSettings(journal)), urgency),
      price: summaryPrice,
    });
    const recordUsage = compressor.recordUsage.bind(compressor);
    const paidBy = (chosen: ChosenModel) => ({
      price: models.priceOf(() => chosen),
      spendGate: gate(() => chosen),
      recordUsage,
    });
    const conversation: Conversation = new Conversation({
      journal,
      clock,
      log,
      counter,
      countStore: journal.isExternal === true ? NO_COUNTS : counts,
      calibration: () => calibrations.of(chatModel(), journal.id),
      compressor,
      price,
      settings: () => this.#settings(journal, counter),
      callSettings: () => this.#settings(journal, counter, callSettings(journal)),
      chatModel: async () => {
        const chosen = chatModel(callSettings(journal));
        if (chosen.provider === 'local') return quotingModel(search, journal);
        await models.prepare(chosen);
        return withRetries(await models.make(chosen), {
          onWait: (ms, _attempt, fault) => conversation.setPendingRetry({ until: clock.now() + ms, fault }),
        });
      },
      recall: (text, budget) => search.recall(text, budget, counter),
    });
    this.#watchModel(conversation, chatModel);
    conversation.onUpdate((update) => {
      if (update.type !== 'truncated') return;
      const chosen = chatModel();
      if (update.model !== `${chosen.provider}/${chosen.model}`) return;
      models.loadedContext(chosen).then(
        (window) => window !== undefined && calibrations.of(chosen, journal.id)?.setStatedWindow(window),
        (error: unknown) => log.warn(`The server did not report its context length: ${String(error)}`),
      );
    });
    await conversation.prepare();
    this.#open.set(journal.id, {
      conversation,
      search,
      estimateCost: (nodes) => {
        const chosen = summarizer();
        const leaves = nodes.filter(({ depth }) => depth === 0);
        const input = leaves.reduce((sum, { tokens }) => sum + tokens.source + PROMPT_TOKENS, 0);
        const output = leaves.reduce((sum, { tokens }) => sum + tokens.brief + tokens.detailed, 0);
        const isFree =
          chosen.provider === 'local' ||
          this.#settings(journal, counter).policy.strategy === 'trim' ||
          // Once the limit is reached, no model is called.
          gate(() => chosen).state() === 'spent';
        const estimatedCostUsd = isFree ? 0 : models.cost(chosen, { input, output });
        return { model: models.label(chosen), estimatedCostUsd };
      },
      regenerateSummary: async (request, chosen = summarizer(), signal) => {
        callSettings(journal);
        const model = await summarizerConfig(models, chosen);
        const { regenerateSummary } = await import('../../app/regenerate-summary.ts');
        const deps = {
          ...{ journal, clock, log, counter, languageRetries },
          counts: conversation.counts,
          settings: () => this.#settings(journal, counter),
          preset: () => readSettings().summarizer.preset,
          promptText: () => promptText(readSettings()),
          ...paidBy(chosen),
        };
        const options = { ...request, ...(model && { model }) };
        return conversation.runOutsideTurn(signal, (abort) => regenerateSummary(deps, options, abort));
      },
      checkSummary: async (node, chosen, signal) => {
        callSettings(journal);
        const model = await summarizerConfig(models, chosen);
        const { checkSummary } = await import('../../app/check-summary.ts');
        const deps = { journal, clock, counter, ...paidBy(chosen) };
        return model && conversation.runOutsideTurn(signal, (abort) => checkSummary(deps, node, model, abort));
      },
    });
    return conversation;
  }

  /** Loads detection and summarizing, the largest part of the bundle, with the first compression. */
  #work(price: PriceOf, languageRetries: Retries): CompressionWork {
    const { clock } = this.#deps;
    let loading: Promise<CompressionWork> | undefined;
    const load = (): Promise<CompressionWork> =>
      (loading ??= import('../../app/compress-session.ts').then(({ compressSession }) =>
        compressSession({
          clock,
          price,
          languageRetries,
          preset: () => readSettings().summarizer.preset,
          promptText: () => promptText(readSettings()),
          rules: () => eventRules(readSettings()),
        }),
      ));
    return async (job) => (await load())(job);
  }

  #settings(journal: SessionJournal, counter: TokenCounter, settings = readSettings()): ConversationSettings {
    const { memory } = this.#deps;
    const chosen = chosenChatModel(settings, journal.state);
    return {
      systemPrompt: settings.chat.systemPrompt,
      rules: this.#deps.rules.text,
      memory: memory.text(settings.memory.maxTokens, counter),
      policy: policyOrDefault(settings, chosenPolicy(settings, journal.state)),
      ...replyBudget(settings.chat, this.#deps.models.info(chosen)),
      temperature: settings.chat.temperature ?? undefined,
      extractiveOnFault: settings.compression.fallbackToExtractive,
      resetFinishedTask: settings.task.autoReset,
      recallShare: settings.recall.budget,
      countWithProvider: settings.chat.countTokensWithProvider,
    };
  }
}

function warnWithoutMemory(error: unknown): void {
  if (!StoreFault.is(error)) throw error;
  void vscode.window.showWarningMessage(translated(error.phrase));
}

/** The settings to call a model or compress with. Throws `SettingsError` or `PolicyError` if one is invalid. */
function callSettings({ state }: SessionJournal): Settings {
  const settings = validSettings();
  promptText(settings);
  policyOf(settings, chosenPolicy(settings, state));
  return settings;
}

/** The policy; without the user's overrides if they contradict each other, so that the session can be read. */
function policyOrDefault(settings: Settings, name: PolicyName): Policy {
  try {
    return policyOf(settings, name);
  } catch (error) {
    if (error instanceof PolicyError) return resolvePolicy(name);
    throw error;
  }
}

/** The local model, which quotes from the session. */
async function quotingModel(search: SessionSearch, journal: SessionJournal): Promise<ChatModel> {
  const { localModel } = await import('../../providers/local.ts');
  const model = localModel(async (query, limit) => {
    await search.updateIndex();
    // Exclude the newest message, which is the question itself.
    return search.search(query, limit, (position) => position < journal.state.path.length - 1);
  });
  return withoutImages(model);
}
