import * as v from 'valibot';
import type { Memento } from 'vscode';
import { amountSchema } from '../../core/model/field-schemas.ts';
import { modelFactsSchema } from '../../core/tokens/model-facts.ts';
import type { ListedModel } from '../../providers/listed-model.ts';
import { storedMap } from '../platform/stored-map.ts';

const KEY = 'threadkeeper.modelFacts';
const MAX_KEPT = 24;

const schema = v.object({
  id: v.string(),
  isOllama: v.optional(v.boolean()),
  loadedContext: v.optional(amountSchema),
  facts: modelFactsSchema,
});
export type LearnedFacts = ReturnType<typeof learnedFacts>;

/** Facts about models from providers' lists, stored because a list isn't always available. `server`: see `serverOf`. */
export function learnedFacts(memento: Memento) {
  const known = storedMap(memento, KEY, schema, MAX_KEPT);
  return {
    of: (server: string, model: string) => known.get(`${server} ${model}`),
    learn: async (server: string, listed: ListedModel): Promise<void> => {
      const entry = v.safeParse(schema, listed);
      // Invalid entries are skipped: some lists contain -1 for an unknown context window.
      if (entry.success) known.set(`${server} ${listed.id}`, entry.output);
      // If the facts can't be stored, this window still has them.
      await known.save().catch(() => undefined);
    },
  };
}
