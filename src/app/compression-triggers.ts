import type { Context } from '../core/context/assemble.ts';
import { AGGRESSIVE_SHARE } from '../core/policy/policy.ts';
import {
  distanceToTrigger,
  dueAtReset,
  dueBeforeSend,
  dueTrigger,
  type Distance,
  type DueTrigger,
  type ServedTriggers,
  type TriggerFacts,
} from '../core/policy/triggers.ts';
import type { CompressionAim, CompressionOutcome, CompressionRequest } from './compression-job.ts';
import type { Compressor } from './compressor.ts';
import type { ContextMeter } from './context-meter.ts';
import type { SessionParts } from './session-parts.ts';

export interface CompressionTriggersDeps extends Pick<SessionParts, 'journal' | 'clock' | 'log' | 'settings'> {
  readonly compressor: Compressor;
  readonly meter: ContextMeter;
  /** Nothing is committed while a reply arrives. */
  readonly isReplying: () => boolean;
  /** Nothing new is begun while the session is being closed or handed over. */
  readonly isEnding: () => boolean;
}

/** When a conversation compresses: looks at the policy's triggers and starts what is due. */
export class CompressionTriggers {
  readonly #deps: CompressionTriggersDeps;
  #background: Promise<void> = Promise.resolve();
  /** How many messages the session had when the triggers were checked before. */
  #checkedAt: number;
  #served: ServedTriggers = {};

  constructor(deps: CompressionTriggersDeps) {
    this.#deps = deps;
    this.#checkedAt = deps.journal.state.counters.messagesEver;
  }

  /** Resolves when what was compressed in the background is committed or dropped. */
  async settled(): Promise<void> {
    let seen: Promise<void> | undefined;
    // One that ends may begin another.
    while (seen !== this.#background) await (seen = this.#background);
  }

  /** Compresses when the task's end asks for it. A compression that fails is logged by the compressor. */
  async atReset(signal?: AbortSignal): Promise<void> {
    const due = this.dueAtEnd();
    if (due && !this.#deps.isEnding()) await this.compress(due, 'now', { signal });
  }

  /** Compresses when the request that is about to leave is too large for the policy. */
  async beforeSend(signal?: AbortSignal): Promise<void> {
    await this.#makeRoom(() => this.dueBefore(this.#deps.meter.context()), signal);
  }

  /** Compresses what the provider has called too long, `threshold` tokens. Resolves to whether it is shorter now. */
  async afterRefusal(threshold: number, signal: AbortSignal): Promise<boolean> {
    const due = { trigger: 'provider_overflow', threshold } as const;
    return this.#makeRoom((isShorter) => (isShorter ? undefined : due), signal);
  }

  /** What ran already may turn out to be stale or too little for the request that has joined it: then that has its own. */
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

  /** Why a request of that size would wait for a compression; undefined when it would not. */
  dueBefore(context: Context): DueTrigger | undefined {
    const { meter, settings } = this.#deps;
    return dueBeforeSend(settings().policy, context.total / Math.max(1, meter.budget()));
  }

  /** Why the end of the task would wait for a compression now; undefined when it would not. */
  dueAtEnd(): DueTrigger | undefined {
    const { journal, settings } = this.#deps;
    return dueAtReset(settings().policy, journal.state.uncoveredCount);
  }

  /** Commits what became ready during a turn, and starts in the background what is due. */
  async betweenTurns(): Promise<void> {
    await this.#commit();
    await this.endEscalation();
    // What is due while one runs is due again at the next check.
    if (this.#deps.compressor.isRunning) return;
    const due = this.#dueNow();
    this.#checkedAt = this.#deps.journal.state.counters.messagesEver;
    if (due) await this.compress(due, 'background');
  }

  /** Takes the warning back when the request fits well again, as when what was expanded for one turn has closed. */
  async endEscalation(): Promise<void> {
    const { journal } = this.#deps;
    if (journal.readOnly !== undefined || !journal.state.escalation || this.#share() > AGGRESSIVE_SHARE) return;
    await journal.append({ type: 'escalation', reason: null });
  }

  /** Compresses; `now` waits, `background` does not. While a reply arrives only its turn commits, by its `signal`. */
  async compress(
    due: DueTrigger,
    urgency: 'now' | 'background',
    { aim, signal }: { readonly aim?: CompressionAim; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CompressionOutcome> {
    const { compressor } = this.#deps;
    const running = compressor.run({ ...this.request(due, urgency), ...(aim && { aim }), ...(signal && { signal }) });
    if (urgency === 'background') {
      this.#background = running.then((outcome) => this.#settle(outcome, due));
      return { kind: 'started' };
    }
    const outcome = await running;
    this.#serve(outcome, due);
    // A turn makes room for its own request; what was asked for beside it is committed when it ends.
    if (outcome.kind === 'ready' && !signal && this.#deps.isReplying()) return outcome;
    const result = outcome.kind === 'ready' ? await compressor.commit() : outcome;
    await this.#escalate();
    return result;
  }

  /** What the compressor is asked for now. */
  request(due: DueTrigger, urgency: 'now' | 'background'): CompressionRequest {
    const { meter } = this.#deps;
    const settings = this.#deps.settings();
    return { due, urgency, settings, budget: meter.budget(), before: meter.context(), counts: meter.counts };
  }

  /** What is left before the session is compressed in the background, or why it is not. */
  ahead(): Distance | 'off' | 'spent' {
    const { compressor, meter, settings } = this.#deps;
    return compressor.pause(settings()) ?? distanceToTrigger(settings().policy, this.#facts(), meter.budget());
  }

  #dueNow(): DueTrigger | undefined {
    return dueTrigger(this.#deps.settings().policy, this.#facts());
  }

  #facts(): TriggerFacts {
    const { clock, journal } = this.#deps;
    const { state } = journal;
    return {
      share: this.#share(),
      tokensSince: this.#tokensSince(),
      uncoveredMessages: state.uncoveredCount,
      messagesEver: state.counters.messagesEver,
      messagesEverBefore: this.#checkedAt,
      lastCompressedAt: state.lastCompressedAt,
      now: clock.now(),
      served: this.#served,
    };
  }

  #share(): number {
    const { meter } = this.#deps;
    return meter.context().total / Math.max(1, meter.budget());
  }

  /** Verbatim tokens of the messages that came after the newest compression. */
  #tokensSince(): number {
    const { journal, meter } = this.#deps;
    const { state } = journal;
    const since = state.counters.messagesEver - state.messagesEverAtLastCompression;
    let tokens = 0;
    for (const { message } of state.uncovered(Math.max(0, state.path.length - since)))
      if (message.role !== 'system') tokens += meter.counts.total(message);
    return tokens;
  }

  /** An attempt that found nothing serves its trigger until the next multiple; a compression serves all. */
  #serve(outcome: CompressionOutcome, { trigger, measured }: DueTrigger): void {
    if (outcome.kind === 'skipped' && measured !== undefined) this.#served = { ...this.#served, [trigger]: measured };
    else if (outcome.kind === 'ready') this.#served = {};
  }

  /** After a compression that ran in the background: commits unless a reply arrives, when the turn's end does. */
  async #settle(outcome: CompressionOutcome, due: DueTrigger): Promise<void> {
    const { isReplying, journal, log } = this.#deps;
    try {
      this.#serve(outcome, due);
      if (!isReplying()) await this.#commit();
      if (outcome.kind !== 'ready' && !isReplying()) await this.#escalate();
    } catch (error) {
      log.warn(`Session ${journal.id}: a finished compression was not committed: ${String(error)}`);
    }
  }

  /**
   * Commits what is ready. What came while it ran has left as many messages verbatim as came too many: they are
   * extracted at once, and a model reads them with the next compression. After a trial the model goes on with the rest.
   */
  async #commit(): Promise<void> {
    const { compressor, isEnding, journal, settings } = this.#deps;
    const outcome = await compressor.commit();
    if (outcome.kind !== 'committed') return;
    const { trigger, threshold } = outcome.record;
    const isMore = journal.state.uncoveredCount > settings().policy.window;
    if (isMore && !outcome.wasTrial) {
      const extended = await compressor.run({ ...this.request({ trigger, threshold }, 'now'), extends: true });
      if (extended.kind === 'ready') await compressor.commit();
    }
    await this.#escalate();
    if (isMore && outcome.wasTrial && !isEnding()) await this.compress({ trigger, threshold }, 'background');
  }

  /** Says in the journal whether the request is still too large after a compression, so that the user is warned. */
  async #escalate(): Promise<void> {
    const { journal, log } = this.#deps;
    if (journal.readOnly !== undefined) return;
    const reason = this.#share() > AGGRESSIVE_SHARE ? 'token_overflow' : null;
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
