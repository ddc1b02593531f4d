import type { Context } from '../core/context/assemble.ts';
import {
  distanceToTrigger,
  dueAtReset,
  dueBeforeSend,
  dueTrigger,
  type Distance,
  type DueTrigger,
  type TriggerFacts,
} from '../core/policy/triggers.ts';
import type { CompressionOutcome, CompressionRequest } from './compression-job.ts';
import type { Compressor } from './compressor.ts';
import type { ContextMeter } from './context-meter.ts';
import type { Clock, Log, SessionJournal } from './ports.ts';
import type { ConversationSettings } from './settings.ts';

export interface CompressionTriggersDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly compressor: Compressor;
  readonly meter: ContextMeter;
  readonly settings: () => ConversationSettings;
  /** Nothing is committed while a reply arrives. */
  readonly isReplying: () => boolean;
}

/** When a conversation compresses: looks at the policy's triggers and starts what is due. */
export class CompressionTriggers {
  readonly #deps: CompressionTriggersDeps;
  #background: Promise<void> = Promise.resolve();

  constructor(deps: CompressionTriggersDeps) {
    this.#deps = deps;
  }

  /** Resolves when what was compressed in the background is committed or dropped. */
  settled(): Promise<void> {
    return this.#background;
  }

  /** Compresses when the task's end asks for it. A compression that fails is logged by the compressor. */
  async atReset(): Promise<void> {
    const due = this.dueAtEnd();
    if (due) await this.compress(due, 'now');
  }

  /** Compresses when the request that is about to leave is too large for the policy. */
  async beforeSend(): Promise<void> {
    const due = this.dueBefore(this.#deps.meter.context());
    if (due) await this.compress(due, 'now');
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
    await this.#deps.compressor.commit();
    const due = this.#dueNow();
    if (due) await this.compress(due, 'background');
  }

  /** Compresses; `now` waits and commits, `background` commits when it is done and no reply arrives. */
  async compress(due: DueTrigger, urgency: 'now' | 'background'): Promise<CompressionOutcome> {
    const { compressor } = this.#deps;
    const outcome = compressor.run(this.request(due, urgency));
    if (urgency === 'background') {
      this.#background = outcome.then(() => this.#commitIfIdle());
      return { kind: 'started' };
    }
    const result = await outcome;
    return result.kind === 'ready' ? compressor.commit() : result;
  }

  /** What the compressor is asked for now. */
  request(due: DueTrigger, urgency: 'now' | 'background'): CompressionRequest {
    const { meter } = this.#deps;
    const settings = this.#deps.settings();
    return { due, urgency, settings, budget: meter.budget(), before: meter.context(), counts: meter.counts };
  }

  /** What is left before the session is compressed in the background; undefined when the policy is off. */
  ahead(): Distance | undefined {
    const { policy } = this.#deps.settings();
    return policy.strategy === 'off' ? undefined : distanceToTrigger(policy, this.#facts(), this.#deps.meter.budget());
  }

  #dueNow(): DueTrigger | undefined {
    return dueTrigger(this.#deps.settings().policy, this.#facts());
  }

  #facts(): TriggerFacts {
    const { clock, journal, meter } = this.#deps;
    const { state } = journal;
    const context = meter.context();
    return {
      share: context.total / Math.max(1, meter.budget()),
      uncoveredTokens: context.tokens.window + context.tokens.attachments,
      uncoveredMessages: state.uncoveredCount,
      messagesEver: state.counters.messagesEver,
      messagesEverAtLast: state.messagesEverAtLastCompression,
      lastCompressedAt: state.lastCompressedAt,
      now: clock.now(),
    };
  }

  async #commitIfIdle(): Promise<void> {
    const { compressor, isReplying, journal, log } = this.#deps;
    try {
      if (!isReplying()) await compressor.commit();
    } catch (error) {
      log.warn(`Session ${journal.id}: a compression that was ready was not committed: ${String(error)}`);
    }
  }
}
