import { assembleContext, type Context } from '../core/context/assemble.ts';
import { assemblePrefix, type ContextPrefix } from '../core/context/prefix.ts';
import type { Recalled } from '../core/context/render.ts';
import type { Message } from '../core/model/message.ts';
import type { Calibration, Verdict } from '../core/tokens/calibration.ts';
import { MessageCounts } from '../core/tokens/message-counts.ts';
import type { SessionParts } from './session-parts.ts';

/** Of what a server reads, this share stays for the prompt, however long replies may be. */
const LEAST_PROMPT_SHARE = 0.6;

type MeterParts = Pick<SessionParts, 'journal' | 'clock' | 'counter' | 'countStore' | 'settings' | 'calibration'>;

/**
 * What would be sent, how many tokens it takes and how many it may take. Everything is reckoned in counted tokens;
 * the provider's own are worked out from its reports.
 */
export class ContextMeter {
  readonly counts: MessageCounts;
  readonly #deps: MeterParts;
  #prefix: { readonly key: string; readonly prefix: ContextPrefix } | undefined;
  /** What a refusal showed, until the next report. */
  #refused: { readonly by: Calibration | undefined; readonly factor: number } | undefined;
  /** What a refusal said. Not kept on disk: who sees it may restart the server with more. */
  #stated: { readonly by: Calibration | undefined; readonly window: number } | undefined;

  constructor(deps: MeterParts) {
    this.#deps = deps;
    this.counts = new MessageCounts(deps.counter);
  }

  /** Counted tokens in the provider's own, as far as is known, as every figure is shown. */
  shown(counted: number): number {
    const factor = this.#refusedFactor();
    return factor === undefined
      ? (this.#deps.calibration()?.estimate(counted) ?? counted)
      : Math.round(counted * factor);
  }

  /** What the last refusal showed of this model; another one has its own tokenizer. */
  #refusedFactor(): number | undefined {
    return this.#refused?.by === this.#deps.calibration() ? this.#refused?.factor : undefined;
  }

  /** True until the provider's reports have shown how it counts. */
  get isApproximate(): boolean {
    return this.#deps.calibration()?.calibrated === false;
  }

  /** Tokens a request may take, in counted tokens: what every part of the product reckons in. */
  budget(): number {
    const budget = this.providerBudget();
    const factor = this.#refusedFactor();
    return factor === undefined ? (this.#deps.calibration()?.counted(budget) ?? budget) : Math.floor(budget / factor);
  }

  /** Tokens that the server is known to read and write in all; infinite while the settings' figure holds. */
  get serverWindow(): number {
    const by = this.#deps.calibration();
    const stated = this.#stated?.by === by ? this.#stated?.window : undefined;
    return Math.min(stated ?? Number.POSITIVE_INFINITY, by?.serverWindow ?? Number.POSITIVE_INFINITY);
  }

  /** The same in the provider's own tokens, as the gauge shows it. */
  providerBudget(): number {
    const { contextWindow, reservedTokens } = this.#deps.settings();
    const read = this.serverWindow;
    // A server that reads less than the setting says still needs room for its reply within that.
    const less = Math.max(read - reservedTokens, read * LEAST_PROMPT_SHARE);
    return Math.max(0, Math.floor(Math.min(contextWindow - reservedTokens, less)));
  }

  /** What would be sent now. Costs in proportion to what is sent. */
  context(recalled: readonly Recalled[] = []): Context {
    const { counter, journal } = this.#deps;
    return assembleContext({
      state: journal.state,
      prefix: this.#currentPrefix(),
      recalled,
      counter,
      counts: this.counts,
    });
  }

  /** What would be sent with a message that is not said yet. */
  contextWith(message: Message, endsTask: boolean, recalled: readonly Recalled[] = []): Context {
    const { counter, journal } = this.#deps;
    const { counts } = this;
    try {
      const pending = { message, endsTask };
      return assembleContext({
        state: journal.state,
        prefix: this.#currentPrefix(),
        recalled,
        pending,
        counter,
        counts,
      });
    } finally {
      counts.forget(message.id);
    }
  }

  /**
   * Learns from the input tokens that the provider has reported for a context. An image says nothing of the tokenizer:
   * each vendor counts it in a way of its own, and some models are not sent it.
   */
  observe(context: Context, reported: number): Verdict {
    if (context.messages.some(({ content }) => content.some(({ type }) => type === 'image'))) return 'ignored';
    this.#refused = undefined;
    return this.#deps.calibration()?.observe({ tokens: context.total, reported }) ?? 'ignored';
  }

  /** Learns from a provider that called a context too long: at least that much does not fit in the `window` it named. */
  refused(context: Context, window = Number.POSITIVE_INFINITY): void {
    const by = this.#deps.calibration();
    if (window < this.serverWindow) this.#stated = { by, window };
    // With a window that explains the refusal the tokenizer is not to blame.
    const factor = Math.max(this.shown(context.total), this.providerBudget() * 1.1) / context.total;
    this.#refused = { by, factor };
  }

  /** Reads the counts that were kept, and counts what is new. Yields as it goes. */
  async load(): Promise<void> {
    const { countStore, journal } = this.#deps;
    const { messages } = journal.state;
    const ids = [...messages.keys()];
    const kept = await countStore.load(journal.id, ids);
    if (kept) this.counts.import(kept, ids);
    await this.countNew();
  }

  /** Counts messages that came in bulk, without holding the event loop up, and keeps the counts. */
  async countNew(): Promise<void> {
    const { clock, journal } = this.#deps;
    const count = await this.counts.warm(journal.state.messages, clock.breather);
    if (count > 0) await this.save();
  }

  async save(): Promise<void> {
    const { countStore, journal } = this.#deps;
    const messages = [...journal.state.messages.keys()];
    await countStore.save(journal.id, messages, this.counts.export(messages));
  }

  #currentPrefix(): ContextPrefix {
    const { journal, settings } = this.#deps;
    const { state } = journal;
    const { systemPrompt, rules = '', memory, policy } = settings();
    const share = policy.ledgerShare;
    const key = JSON.stringify([state.prefixRevision, this.providerBudget(), share, systemPrompt, rules, memory]);
    if (this.#prefix?.key !== key) {
      // Worked out with the prefix alone: a factor that moves with each report must not move the ledger.
      const { counts } = this;
      const ledgerBudget = Math.floor(this.budget() * share);
      const prefix = assemblePrefix({ state, systemPrompt, rules, memory, counts, ledgerBudget });
      this.#prefix = { key, prefix };
    }
    return this.#prefix.prefix;
  }
}
