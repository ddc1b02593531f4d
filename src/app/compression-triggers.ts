import type { Context } from '../core/context/assemble.ts';
import { MAX_SHARE_AFTER_COMPRESSION } from '../core/policy/policy.ts';
import {
  distanceToTrigger,
  dueAtReset,
  dueBeforeSend,
  dueTrigger,
  type TriggerDistance,
  type DueTrigger,
  type UnsuccessfulTriggers,
  type TriggerFacts,
} from '../core/policy/triggers.ts';
import type { CompressionTarget, CompressionOutcome, CompressionRequest } from './compression-job.ts';
import type { Compressor } from './compressor.ts';
import type { ContextMeter } from './context-meter.ts';
import type { SessionDeps } from './session-deps.ts';

export interface CompressionTriggersDeps extends Pick<SessionDeps, 'journal' | 'clock' | 'log' | 'settings'> {
  /** The settings to compress with. Throws if one is invalid; `settings` replaces it instead. */
  readonly callSettings: SessionDeps['settings'];
  readonly compressor: Compressor;
  readonly meter: ContextMeter;
  /** Whether a reply is arriving. Then nothing is committed in the background. */
  readonly isReplying: () => boolean;
}

/** Checks the policy's triggers and starts compressions that are due. */
export class CompressionTriggers {
  readonly #deps: CompressionTriggersDeps;
  #background: Promise<void> = Promise.resolve();
  /** Number of messages at the previous check. */
  #checkedAt: number;
  #unsuccessful: UnsuccessfulTriggers = {};

  constructor(deps: CompressionTriggersDeps) {
    this.#deps = deps;
    this.#checkedAt = deps.journal.state.counters.messagesEver;
  }

  /** Resolves when background compressions are committed or discarded. */
  async settled(): Promise<void> {
    let seen: Promise<void> | undefined;
    // A compression may start another one when it ends.
    while (seen !== this.#background) await (seen = this.#background);
  }

  /** Compresses before a request if it's too large for the policy. */
  async beforeSend(signal?: AbortSignal): Promise<void> {
    await this.#makeRoom(() => this.dueBeforeSend(this.#deps.meter.context()), signal);
  }

  /** Compresses after the provider rejected `threshold` tokens as too long. Resolves to whether it was committed. */
  async afterRejection(threshold: number, signal: AbortSignal): Promise<boolean> {
    const due = { trigger: 'provider_overflow', threshold } as const;
    return this.#makeRoom((isShorter) => (isShorter ? undefined : due), signal);
  }

  /**
   * Compresses if a trigger is due. Checks again after joining a compression that was already running, because its
   * result may be stale or save too little. Resolves to whether a compression was committed.
   */
  async #makeRoom(
    dueNow: (isShorter: boolean) => DueTrigger | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    let isShorter = false;
    let hasJoined = true;
    while (hasJoined) {
      const due = dueNow(isShorter);
      if (!due) break;
      hasJoined = !this.#deps.compressor.isIdle;
      const { kind } = await this.compress(due, 'now', { signal });
      if (kind === 'cancelled') break;
      isShorter ||= kind === 'committed';
    }
    return isShorter;
  }

  dueBeforeSend(context: Context): DueTrigger | undefined {
    return dueBeforeSend(this.#deps.settings().policy, this.#share(context));
  }

  dueAtReset(): DueTrigger | undefined {
    const { journal, settings } = this.#deps;
    return dueAtReset(settings().policy, journal.state.uncompressedCount);
  }

  /**
   * Commits a compression that finished during the turn, and starts one in the background if it's due. Rejects if a
   * setting is invalid.
   */
  async betweenTurns(): Promise<void> {
    await this.#commit();
    await this.endEscalation();
    // A trigger that fires during a compression fires again at the next check.
    if (this.#deps.compressor.isRunning) return;
    const due = dueTrigger(this.#deps.callSettings().policy, this.#facts());
    this.#checkedAt = this.#deps.journal.state.counters.messagesEver;
    if (due) await this.compress(due, 'background');
  }

  /**
   * Commits a compression that became ready during a turn that was stopped, because it's paid for. Discards it if
   * another window writes. Never rejects.
   */
  async commitReady(): Promise<void> {
    const { compressor, journal } = this.#deps;
    if (journal.readOnly !== undefined) return compressor.discard();
    try {
      await compressor.commit();
    } catch (error) {
      this.#logNotCommitted(error);
    }
  }

  /**
   * Ends the warning once the request fits, for example when a summary that was expanded for one turn is collapsed, or
   * another model is selected.
   */
  async endEscalation(): Promise<void> {
    const { journal } = this.#deps;
    if (journal.readOnly !== undefined || !journal.state.escalation || this.#share() > MAX_SHARE_AFTER_COMPRESSION)
      return;
    await journal.append({ type: 'escalation', reason: null });
  }

  /**
   * Compresses, and commits the result. With `background`, resolves as soon as the compression has started. A running
   * turn that compresses its own request passes its `signal`; results of other compressions are committed when the turn
   * ends. Rejects with `StoreFault`.
   */
  async compress(
    due: DueTrigger,
    urgency: 'now' | 'background',
    { target, signal }: { readonly target?: CompressionTarget; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CompressionOutcome> {
    const { compressor } = this.#deps;
    const joins = !compressor.isIdle;
    const running = this.#run({
      ...this.compressionRequest(due, urgency),
      ...(target && { target }),
      ...(signal && { signal }),
    });
    if (urgency === 'background') {
      this.#background = running.then((outcome) => this.#settle(outcome, due));
      return { kind: 'started' };
    }
    const outcome = await running;
    this.#recordOutcome(outcome, due);
    if (outcome.kind === 'ready' && !signal && this.#deps.isReplying()) return outcome;
    const committing = outcome.kind !== 'ready' ? outcome : joins ? this.#commitExtended() : compressor.commit();
    const result = await committing;
    await this.#updateEscalation();
    return result;
  }

  /** Runs a compression; it fails if a setting is invalid. Never rejects. */
  #run(request: CompressionRequest): Promise<CompressionOutcome> {
    try {
      const settings = this.#deps.callSettings();
      return this.#deps.compressor.run({ ...request, settings });
    } catch (error) {
      return Promise.resolve({ kind: 'failed', error });
    }
  }

  compressionRequest(due: DueTrigger, urgency: 'now' | 'background'): CompressionRequest {
    const { meter } = this.#deps;
    const settings = this.#deps.settings();
    return { due, urgency, settings, budget: meter.budget(), before: meter.context(), counts: meter.counts };
  }

  /** The distance to the next background compression, or the reason why background compression is paused. */
  distanceToCompression(): TriggerDistance | 'off' | 'spent' {
    const { compressor, meter, settings } = this.#deps;
    return compressor.pauseReason(settings()) ?? distanceToTrigger(settings().policy, this.#facts(), meter.budget());
  }

  #facts(): TriggerFacts {
    const { clock, journal } = this.#deps;
    const { state } = journal;
    return {
      share: this.#share(),
      tokensSince: this.#uncompressedTokensSince(),
      uncompressedMessages: state.uncompressedCount,
      messagesEver: state.counters.messagesEver,
      messagesEverBefore: this.#checkedAt,
      lastCompressedAt: state.lastCompressedAt,
      now: clock.now(),
      unsuccessful: this.#unsuccessful,
    };
  }

  /** A context's share of the budget. */
  #share(context = this.#deps.meter.context()): number {
    return context.total / Math.max(1, this.#deps.meter.budget());
  }

  /** Uncompressed tokens since the last compression. */
  #uncompressedTokensSince(): number {
    const { journal, meter } = this.#deps;
    const { state } = journal;
    const since = state.counters.messagesEver - state.messagesEverAtLastCompression;
    let tokens = 0;
    for (const { message } of state.uncompressed(Math.max(0, state.path.length - since)))
      if (message.role !== 'system') tokens += meter.counts.total(message);
    return tokens;
  }

  /**
   * After a skipped compression, its trigger fires again only at the next multiple of its limit, or after the share of
   * the budget has grown. A compression resets all triggers.
   */
  #recordOutcome(outcome: CompressionOutcome, { trigger, measured }: DueTrigger): void {
    if (outcome.kind === 'skipped' && measured !== undefined)
      this.#unsuccessful = { ...this.#unsuccessful, [trigger]: measured };
    else if (outcome.kind === 'ready') this.#unsuccessful = {};
  }

  /** Commits a background compression. While a reply arrives, `betweenTurns` commits it later. */
  async #settle(outcome: CompressionOutcome, due: DueTrigger): Promise<void> {
    const { isReplying } = this.#deps;
    try {
      this.#recordOutcome(outcome, due);
      if (!isReplying()) await this.#commit();
      if (outcome.kind !== 'ready' && !isReplying()) await this.#updateEscalation();
    } catch (error) {
      this.#logNotCommitted(error);
    }
  }

  #logNotCommitted(error: unknown): void {
    const { journal, log } = this.#deps;
    log.warn(`Session ${journal.id}: a finished compression was not committed: ${String(error)}`);
  }

  async #commit(): Promise<void> {
    const { kind } = await this.#commitExtended();
    if (kind === 'committed') await this.#updateEscalation();
  }

  /** Commits a finished compression. Messages that are no longer recent by then get a provisional summary. */
  async #commitExtended(): Promise<CompressionOutcome> {
    const { compressor, journal, settings } = this.#deps;
    const outcome = await compressor.commit();
    if (outcome.kind !== 'committed') return outcome;
    const { trigger, threshold } = outcome.record;
    if (journal.state.uncompressedCount > settings().policy.recentMessages) {
      const extended = await this.#run({
        ...this.compressionRequest({ trigger, threshold }, 'now'),
        extends: true,
      });
      if (extended.kind === 'ready') await compressor.commit();
    }
    return outcome;
  }

  /** Records whether the request is still too large after a compression, so that the user is warned. */
  async #updateEscalation(): Promise<void> {
    const { journal, log } = this.#deps;
    if (journal.readOnly !== undefined) return;
    const reason = this.#share() > MAX_SHARE_AFTER_COMPRESSION ? 'token_overflow' : null;
    if (journal.state.escalation === reason) return;
    await journal.append({ type: 'escalation', reason });
    if (reason === null) return;
    const { id: session_id, state } = journal;
    const share = Math.round(this.#share() * 1000) / 1000;
    log.event('history_compression_escalation', {
      session_id,
      requires_escalation: state.requiresEscalation,
      reason,
      share,
    });
  }
}
