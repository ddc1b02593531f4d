import { assembleContext, type AssembleInput, type Context } from '../core/context/assemble.ts';
import { assemblePrefix, type ContextPrefix } from '../core/context/prefix.ts';
import type { RecalledExcerpt } from '../core/context/render-context.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Calibration, ObservationOutcome } from '../core/tokens/calibration.ts';
import { MessageCounts } from '../core/tokens/message-counts.ts';
import type { SessionDeps } from './session-deps.ts';

/** Minimum share of an observed context window for the prompt, regardless of the tokens reserved for the reply. */
const MIN_PROMPT_SHARE = 0.6;

type MeterParts = Pick<SessionDeps, 'journal' | 'clock' | 'counter' | 'countStore' | 'settings' | 'calibration'>;

/** Assembles the context and determines the budget. Sizes are our own counts unless the name says `provider`. */
export class ContextMeter {
  readonly counts: MessageCounts;
  readonly #deps: MeterParts;
  #prefix: { readonly key: string; readonly state: SessionState; readonly prefix: ContextPrefix } | undefined;
  /** The provider's tokens per counted token, derived from a rejected request. Valid until the next usage report. */
  #rejection: { readonly calibration: Calibration | undefined; readonly factor: number } | undefined;
  /** The context window stated in a rejection. Not stored, because the server may be restarted with a larger one. */
  #statedWindow: { readonly calibration: Calibration | undefined; readonly window: number } | undefined;

  constructor(deps: MeterParts) {
    this.#deps = deps;
    this.counts = new MessageCounts(deps.counter);
  }

  /** Converts counted tokens to an estimate of the provider's, which the UI shows. */
  providerTokens(counted: number): number {
    const factor = this.#rejectionFactor();
    return factor === undefined
      ? (this.#deps.calibration()?.estimate(counted) ?? counted)
      : Math.round(counted * factor);
  }

  /** The same for the context before and after a compression. */
  providerSizes({ before, after }: CompressionRecord['tokens']): CompressionRecord['tokens'] {
    return { before: this.providerTokens(before), after: this.providerTokens(after) };
  }

  /** The factor from the last rejection, if the current model rejected it. */
  #rejectionFactor(): number | undefined {
    return this.#rejection?.calibration === this.#deps.calibration() ? this.#rejection?.factor : undefined;
  }

  /** True until token counts are calibrated with the provider's usage reports. */
  get isApproximate(): boolean {
    return this.#deps.calibration()?.calibrated === false;
  }

  /** Maximum size of a request, in counted tokens. */
  budget(): number {
    const budget = this.providerBudget();
    const factor = this.#rejectionFactor();
    return factor === undefined ? (this.#deps.calibration()?.counted(budget) ?? budget) : Math.floor(budget / factor);
  }

  /** The observed context window of the server, in the provider's tokens; infinite if none was observed. */
  get serverWindow(): number {
    const calibration = this.#deps.calibration();
    const stated = this.#statedWindow?.calibration === calibration ? this.#statedWindow?.window : undefined;
    return Math.min(stated ?? Infinity, calibration?.serverWindow ?? Infinity);
  }

  /** Maximum size of a request, in the provider's tokens. */
  providerBudget(): number {
    const { contextWindow, reservedTokens } = this.#deps.settings();
    const serverWindow = this.serverWindow;
    // If the server's context window is smaller than the setting, it must have room for the reply as well.
    const maxPrompt = Math.max(serverWindow - reservedTokens, serverWindow * MIN_PROMPT_SHARE);
    return Math.max(0, Math.floor(Math.min(contextWindow - reservedTokens, maxPrompt)));
  }

  /** The current context, in time proportional to its size. `pending`: a message that isn't in the session yet. */
  context(recalled: readonly RecalledExcerpt[] = [], pending?: AssembleInput['pending']): Context {
    const { counter, journal } = this.#deps;
    const { counts } = this;
    const prefix = this.#currentPrefix();
    try {
      return assembleContext({ state: journal.state, prefix, recalled, counter, counts, ...(pending && { pending }) });
    } finally {
      if (pending) counts.forget(pending.message.id);
    }
  }

  /** Calibrates with the reported input tokens. Contexts with images are ignored: providers count them differently. */
  observe(context: Context, reported: number): ObservationOutcome {
    if (context.messages.some(({ content }) => content.some(({ type }) => type === 'image'))) return 'ignored';
    this.#rejection = undefined;
    // The system blocks are the same array until they change.
    return this.#deps.calibration()?.observe({ tokens: context.total, reported }, context.system) ?? 'ignored';
  }

  /** Calibrates after a rejection; `window` is the stated one. Returns whether that explains it. */
  calibrateByRejection(context: Context, window = Infinity): boolean {
    const calibration = this.#deps.calibration();
    if (window < this.serverWindow) {
      this.#statedWindow = { calibration, window };
      if (this.providerTokens(context.total) <= this.providerBudget()) return true;
    }
    // If the stated window explains the rejection, the factor stays the same.
    const factor = Math.max(this.providerTokens(context.total), this.providerBudget() * 1.1) / context.total;
    this.#rejection = { calibration, factor };
    return false;
  }

  /** Loads stored counts, and counts the other messages, yielding in between. */
  async load(): Promise<void> {
    const { countStore, journal } = this.#deps;
    const { messages } = journal.state;
    const ids = [...messages.keys()];
    const stored = await countStore.load(journal.id, ids);
    if (stored) this.counts.import(stored, ids);
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
    // When the journal is read again, the new state may have the same revision but different content.
    if (this.#prefix?.key !== key || this.#prefix.state !== state) {
      const { counts } = this;
      // The key doesn't include this budget, so that calibration alone doesn't change the ledger.
      const ledgerBudget = Math.floor(this.budget() * share);
      const prefix = assemblePrefix({ state, systemPrompt, rules, memory, counts, ledgerBudget });
      this.#prefix = { key, state, prefix };
    }
    return this.#prefix.prefix;
  }
}
