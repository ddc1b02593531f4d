import { assembleContext, type AssembleInput, type Context } from '../core/context/assemble.ts';
import { assemblePrefix, type ContextPrefix } from '../core/context/prefix.ts';
import type { Recalled } from '../core/context/render.ts';
import type { Calibration, Verdict } from '../core/tokens/calibration.ts';
import { MessageCounts } from '../core/tokens/message-counts.ts';
import type { SessionParts } from './session-parts.ts';

/** Minimum share of the server's context window for the prompt, regardless of the output limit. */
const MIN_PROMPT_SHARE = 0.6;

type MeterParts = Pick<SessionParts, 'journal' | 'clock' | 'counter' | 'countStore' | 'settings' | 'calibration'>;

/**
 * Assembles the context, counts its tokens, and determines the budget. All numbers are counted tokens, unless stated
 * otherwise; the provider's token counts are estimated from its usage reports.
 */
export class ContextMeter {
  readonly counts: MessageCounts;
  readonly #deps: MeterParts;
  #prefix: { readonly key: string; readonly prefix: ContextPrefix } | undefined;
  /** The token factor derived from a rejected request, until the next usage report. */
  #refused: { readonly by: Calibration | undefined; readonly factor: number } | undefined;
  /** The context window stated in a rejection. Not stored, because the server may be restarted with a larger one. */
  #stated: { readonly by: Calibration | undefined; readonly window: number } | undefined;

  constructor(deps: MeterParts) {
    this.#deps = deps;
    this.counts = new MessageCounts(deps.counter);
  }

  /** Converts counted tokens to an estimate of the provider's, which is what the UI shows. */
  shown(counted: number): number {
    const factor = this.#refusedFactor();
    return factor === undefined
      ? (this.#deps.calibration()?.estimate(counted) ?? counted)
      : Math.round(counted * factor);
  }

  /** The factor from the last rejection, if it was by the current model. */
  #refusedFactor(): number | undefined {
    return this.#refused?.by === this.#deps.calibration() ? this.#refused?.factor : undefined;
  }

  /** True until token counts are calibrated with the provider's usage reports. */
  get isApproximate(): boolean {
    return this.#deps.calibration()?.calibrated === false;
  }

  /** Maximum size of a request, in counted tokens. */
  budget(): number {
    const budget = this.providerBudget();
    const factor = this.#refusedFactor();
    return factor === undefined ? (this.#deps.calibration()?.counted(budget) ?? budget) : Math.floor(budget / factor);
  }

  /** The server's observed context window; infinite if nothing contradicts the settings. */
  get serverWindow(): number {
    const by = this.#deps.calibration();
    const stated = this.#stated?.by === by ? this.#stated?.window : undefined;
    return Math.min(stated ?? Number.POSITIVE_INFINITY, by?.serverWindow ?? Number.POSITIVE_INFINITY);
  }

  /** Maximum size of a request, in the provider's tokens, as shown by the gauge. */
  providerBudget(): number {
    const { contextWindow, reservedTokens } = this.#deps.settings();
    const read = this.serverWindow;
    // If the server's context window is smaller than the setting, it must still have room for the reply.
    const less = Math.max(read - reservedTokens, read * MIN_PROMPT_SHARE);
    return Math.max(0, Math.floor(Math.min(contextWindow - reservedTokens, less)));
  }

  /** The current context, or that with a message that isn't sent yet. Takes time linear in its size. */
  context(recalled: readonly Recalled[] = [], pending?: AssembleInput['pending']): Context {
    const { counter, journal } = this.#deps;
    const { counts } = this;
    const prefix = this.#currentPrefix();
    try {
      return assembleContext({ state: journal.state, prefix, recalled, counter, counts, ...(pending && { pending }) });
    } finally {
      if (pending) counts.forget(pending.message.id);
    }
  }

  /**
   * Calibrates token counts with the input tokens that the provider reported for a context. Contexts with images are
   * ignored, because each vendor counts images differently and some models don't get them.
   */
  observe(context: Context, reported: number): Verdict {
    if (context.messages.some(({ content }) => content.some(({ type }) => type === 'image'))) return 'ignored';
    this.#refused = undefined;
    return this.#deps.calibration()?.observe({ tokens: context.total, reported }) ?? 'ignored';
  }

  /** Calibrates token counts after the provider rejected a context as too long for its context window. */
  refused(context: Context, window = Number.POSITIVE_INFINITY): void {
    const by = this.#deps.calibration();
    if (window < this.serverWindow) this.#stated = { by, window };
    // If the stated window explains the rejection, the token counts aren't wrong.
    const factor = Math.max(this.shown(context.total), this.providerBudget() * 1.1) / context.total;
    this.#refused = { by, factor };
  }

  /** Loads stored counts, and counts the other messages. Yields in between. */
  async load(): Promise<void> {
    const { countStore, journal } = this.#deps;
    const { messages } = journal.state;
    const ids = [...messages.keys()];
    const kept = await countStore.load(journal.id, ids);
    if (kept) this.counts.import(kept, ids);
    await this.countNew();
  }

  /** Counts all uncounted messages, yielding in between, and stores the counts. */
  async countNew(): Promise<void> {
    const { clock, journal } = this.#deps;
    const count = await this.counts.warm(journal.state.messages, clock.yielder);
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
      // Computed only with a new prefix, so that calibration alone doesn't change the ledger.
      const { counts } = this;
      const ledgerBudget = Math.floor(this.budget() * share);
      const prefix = assemblePrefix({ state, systemPrompt, rules, memory, counts, ledgerBudget });
      this.#prefix = { key, prefix };
    }
    return this.#prefix.prefix;
  }
}
