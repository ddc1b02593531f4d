import * as v from 'valibot';
import type { Memento } from 'vscode';
import { amountSchema } from '../../core/model/field-schemas.ts';
import { modelFactsSchema } from '../../core/tokens/model-facts.ts';
import type { ListedModel } from '../../providers/listed-model.ts';
import { StoredMap } from '../platform/stored-map.ts';

const KEY = 'threadkeeper.modelFacts';
const MAX_KEPT = 24;

const schema = v.object({
  id: v.string(),
  isOllama: v.optional(v.boolean()),
  loadedContext: v.optional(amountSchema),
  facts: modelFactsSchema,
});
type StoredFacts = v.InferOutput<typeof schema>;

/** Facts about models from providers' lists, stored because a list isn't always available. */
export class LearnedFacts {
  readonly #known: StoredMap<StoredFacts>;

  constructor(memento: Memento) {
    this.#known = new StoredMap(memento, KEY, schema, MAX_KEPT);
  }

  /** @param server the provider and its address */
  of(server: string, model: string): StoredFacts | undefined {
    return this.#known.get(`${server} ${model}`);
  }

  async learn(server: string, listed: ListedModel): Promise<void> {
    const entry = v.safeParse(schema, listed);
    // Invalid entries are skipped: some lists contain -1 for an unknown context window.
    if (entry.success) this.#known.set(`${server} ${listed.id}`, entry.output);
    // If the facts can't be stored, this window still has them.
    await this.#known.save().catch(() => undefined);
  }
}
