import { compressSession } from '../app/compress-session.ts';
import { Compressor } from '../app/compressor.ts';
import type { ChatModel, Clock, SessionJournal } from '../app/ports.ts';
import type { ConversationSettings } from '../app/settings.ts';
import { assembleContext, type Context } from '../core/context/assemble.ts';
import { assemblePrefix, type ContextPrefix } from '../core/context/prefix.ts';
import type { SourceMessage } from '../core/compress/source.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { sessionId } from '../core/model/ids.ts';
import type { Usage } from '../core/model/message.ts';
import type { Policy } from '../core/policy/policy.ts';
import { dueBeforeSend, dueTrigger, type DueTrigger } from '../core/policy/triggers.ts';
import { SessionState } from '../core/state/session-state.ts';
import { ALONE } from '../core/pace/breather.ts';
import { MessageCounts } from '../core/tokens/message-counts.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';

/** Model calls of all compressions; `costUsd` in US dollars. */
export interface CallSums {
  count: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

interface GrowOptions {
  readonly policy: Policy;
  /** Tokens a request may take: the target. */
  readonly budget: number;
  readonly counter: TokenCounter;
  readonly model: { readonly model: ChatModel; readonly maxInputTokens: number } | undefined;
  readonly price: (model: string, usage: Usage) => number | null;
}

/** A session in memory, grown message by message from a file, compressed whenever its policy says. */
export class GrownSession {
  readonly state = new SessionState();
  readonly calls: CallSums = { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  readonly #options: GrowOptions;
  readonly #counts: MessageCounts;
  readonly #compressor: Compressor;
  readonly #settings: ConversationSettings;
  #at = 0;
  #prefix: { readonly revision: number; readonly made: ContextPrefix } | undefined;

  constructor(options: GrowOptions) {
    const { counter, policy, budget, model, price } = options;
    this.#options = options;
    this.#counts = new MessageCounts(counter);
    let made = 0;
    const clock: Clock = { now: Date.now, id: () => `n${++made}`, breather: ALONE };
    const work = compressSession({
      clock,
      preset: () => 'developer',
      summaryModel: () => Promise.resolve(model),
      price,
    });
    const log = { event: () => undefined, warn: () => undefined };
    this.#compressor = new Compressor({ journal: this.#journal(), clock, log, counter, work });
    this.#settings = {
      systemPrompt: '',
      memory: '',
      policy,
      contextWindow: budget,
      reservedTokens: 0,
      temperature: undefined,
      extractiveOnFault: false,
      resetFinishedTask: false,
      recallShare: 0,
      countWithProvider: false,
    };
  }

  /** Takes the next message; before a user's, the turn before it has ended and the triggers are checked. */
  async take(message: SourceMessage): Promise<void> {
    const { policy, budget } = this.#options;
    if (message.role === 'user' && this.state.path.length > 0) await this.#compressIf(this.#dueBetweenTurns());
    this.#append({
      type: 'message_added',
      message: {
        id: message.id,
        parent: this.state.head,
        role: message.role,
        content: message.content,
        at: ++this.#at,
      },
    });
    if (message.role === 'user') await this.#compressIf(dueBeforeSend(policy, this.context().total / budget));
  }

  /** The last turn has ended: what is due is done, and what still does not fit is compressed as before a request. */
  async end(): Promise<void> {
    await this.#compressIf(this.#dueBetweenTurns());
    if (this.context().total > this.#options.budget) await this.#compressIf({ trigger: 'before_send', threshold: 1 });
  }

  /** What would be sent now. */
  context(): Context {
    const { counter, budget, policy } = this.#options;
    const ledgerBudget = Math.floor(budget * policy.ledgerShare);
    if (this.#prefix?.revision !== this.state.prefixRevision) {
      const made = assemblePrefix({
        state: this.state,
        systemPrompt: '',
        memory: '',
        counts: this.#counts,
        ledgerBudget,
      });
      this.#prefix = { revision: this.state.prefixRevision, made };
    }
    return assembleContext({ state: this.state, prefix: this.#prefix.made, counter, counts: this.#counts });
  }

  #dueBetweenTurns(): DueTrigger | undefined {
    const context = this.context();
    return dueTrigger(this.#options.policy, {
      share: context.total / this.#options.budget,
      uncoveredTokens: context.tokens.window + context.tokens.attachments,
      uncoveredMessages: this.state.uncoveredCount,
      messagesEver: this.state.counters.messagesEver,
      messagesEverAtLast: this.state.messagesEverAtLastCompression,
      // A file is read in a moment: no summary in it is ever old.
      lastCompressedAt: undefined,
      now: 0,
    });
  }

  async #compressIf(due: DueTrigger | undefined): Promise<void> {
    if (!due) return;
    const request = { due, urgency: 'now', settings: this.#settings, budget: this.#options.budget } as const;
    const outcome = await this.#compressor.run({ ...request, before: this.context(), counts: this.#counts });
    if (outcome.kind === 'failed') throw outcome.error;
    const committed = outcome.kind === 'ready' ? await this.#compressor.commit() : outcome;
    if (committed.kind !== 'committed') return;
    const { calls } = committed.record;
    this.calls.count += calls.count;
    this.calls.inputTokens += calls.inputTokens;
    this.calls.outputTokens += calls.outputTokens;
    this.calls.costUsd += calls.costUsd;
  }

  #append(...events: readonly SessionEvent[]): void {
    for (const event of events) this.state.apply(event, this.#at);
  }

  #journal(): SessionJournal {
    return {
      id: sessionId('transcript'),
      state: this.state,
      readOnly: undefined,
      unsaved: undefined,
      notice: undefined,
      append: (...events) => Promise.resolve(this.#append(...events)),
      takeOver: () => Promise.resolve(),
      onDidChange: () => ({ dispose: () => undefined }),
      close: () => Promise.resolve(),
    };
  }
}
