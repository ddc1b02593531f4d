import type { CompressionJob } from '../../app/compression-job.ts';
import type { JobModel } from '../../app/paid-model.ts';
import type { SpendGate } from '../../app/spend.ts';
import { reasoningPlan } from '../../core/tokens/models.ts';
import { Circuit, guarded } from '../../providers/circuit.ts';
import type { LocalMemory } from '../../providers/local.ts';
import { retrying } from '../../providers/retry.ts';
import type { ChosenModel, Models } from './models.ts';
import type { SpendLimit } from './spend-limit.ts';

/** What is asked of the models here. */
type ModelSource = Pick<Models, 'make' | 'info' | 'hasPrice'>;

/** The models that compression uses: watched by a circuit for each provider, and held to the limit for spending. */
export class Summarizers {
  readonly #models: ModelSource;
  readonly #limit: SpendLimit;
  readonly #now: () => number;
  readonly #circuits = new Map<string, Circuit>();

  constructor(models: ModelSource, limit: SpendLimit, now: () => number) {
    this.#models = models;
    this.#limit = limit;
    this.#now = now;
  }

  /** Undefined where code summarizes. Throws `ModelFault` where the model cannot be had. */
  async model(
    chosen: ChosenModel,
    memory: LocalMemory,
    job: Pick<CompressionJob, 'due' | 'urgency'>,
  ): Promise<JobModel | undefined> {
    if (chosen.provider === 'local') return undefined;
    const circuit = this.#circuit(chosen.provider);
    // The user asks: it is tried, whatever the calls before it came to.
    if (job.due.trigger === 'command') circuit.reset();
    const model = await this.#models.make(chosen, memory, job.urgency);
    const info = this.#models.info(chosen);
    return {
      model: guarded(retrying(model), circuit),
      maxInputTokens: info.contextWindow,
      reasoning: reasoningPlan(info, 'summary'),
    };
  }

  /** The limit, for a session's summarizer. A model without a known price cannot use it up, so it is not held to it. */
  gate(chosen: () => ChosenModel): SpendGate {
    return {
      state: () => (this.#models.hasPrice(chosen()) && this.#limit.current().isSpent ? 'spent' : 'open'),
      spent: (costUsd) => {
        if (costUsd !== null && costUsd > 0) this.#limit.add(costUsd);
      },
    };
  }

  /** Settings or keys have changed: what failed before may work now. */
  reset(): void {
    this.#circuits.clear();
  }

  #circuit(provider: string): Circuit {
    const known = this.#circuits.get(provider);
    if (known) return known;
    const made = new Circuit(this.#now);
    this.#circuits.set(provider, made);
    return made;
  }
}
