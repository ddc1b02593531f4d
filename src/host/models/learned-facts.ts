import * as v from 'valibot';
import type { Memento } from 'vscode';
import { amountSchema } from '../../core/model/field-schemas.ts';
import { modelFactsSchema } from '../../core/tokens/model-facts.ts';
import type { ListedModel } from '../../providers/listed-model.ts';

const KEY = 'threadkeeper.modelFacts';
/** Maximum number of stored models: those whose facts were learned last. */
const MAX_KEPT = 24;

const schema = v.array(
  v.tuple([
    v.string(),
    v.object({
      id: v.string(),
      isOllama: v.optional(v.boolean()),
      loadedContext: v.optional(amountSchema),
      facts: v.omit(modelFactsSchema, ['vendor']),
    }),
  ]),
);
type StoredFacts = v.InferOutput<typeof schema>[number][1];

/** Facts about models from providers' lists, stored because a list isn't always available. */
export class LearnedFacts {
  readonly #memento: Memento;
  readonly #known: Map<string, StoredFacts>;

  constructor(memento: Memento) {
    this.#memento = memento;
    const parsed = v.safeParse(schema, memento.get(KEY));
    this.#known = new Map(parsed.success ? parsed.output : []);
  }

  /** @param server the provider and its address */
  of(server: string, model: string): StoredFacts | undefined {
    return this.#known.get(`${server} ${model}`);
  }

  async learn(server: string, listed: ListedModel): Promise<void> {
    const entry = v.safeParse(schema, [[`${server} ${listed.id}`, listed]]);
    // Invalid entries are skipped: some lists contain -1 for an unknown context window.
    for (const [key, facts] of entry.success ? entry.output : []) {
      this.#known.delete(key);
      this.#known.set(key, facts);
    }
    // If they can't be stored, this window still knows them.
    await this.#memento.update(KEY, [...this.#known].slice(-MAX_KEPT)).then(undefined, () => undefined);
  }
}
