import * as v from 'valibot';
import type { Memento } from 'vscode';
import { PROVIDERS } from '../platform/settings-schema.ts';
import { isSameModel, type ChosenModel } from './models.ts';

const KEY = 'threadkeeper.recentModels';
/** More would push the providers out of sight. */
const MAX_RECENT = 5;

const schema = v.array(v.object({ provider: v.picklist(PROVIDERS), model: v.string(), baseUrl: v.string() }));

/** The models that the user chose last, the newest first. */
export class RecentModels {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  all(): readonly ChosenModel[] {
    const kept = v.safeParse(schema, this.#memento.get(KEY));
    return kept.success ? kept.output : [];
  }

  async add(chosen: ChosenModel): Promise<void> {
    const { provider, model, baseUrl } = chosen;
    const others = this.all().filter((each) => !isSameModel(each, chosen));
    await this.#memento.update(KEY, [{ provider, model, baseUrl }, ...others].slice(0, MAX_RECENT));
  }
}
