import * as v from 'valibot';
import type { Memento } from 'vscode';

/** Maximum number of sessions whose drafts are stored: the most recently changed ones. */
const MAX_DRAFTS = 20;
const KEY = 'threadkeeper.drafts';
const draftsSchema = v.fallback(v.array(v.tuple([v.string(), v.string()])), []);

/** Unsent text in the composer, per session. It survives a reload. */
export class Drafts {
  readonly #memento: Memento;
  readonly #drafts: Map<string, string>;

  constructor(memento: Memento) {
    this.#memento = memento;
    this.#drafts = new Map(v.parse(draftsSchema, memento.get<unknown>(KEY)));
  }

  get(session: string): string {
    return this.#drafts.get(session) ?? '';
  }

  set(session: string, text: string): void {
    this.#drafts.delete(session);
    if (text !== '') this.#drafts.set(session, text);
    for (const oldest of this.#drafts.keys()) {
      if (this.#drafts.size <= MAX_DRAFTS) break;
      this.#drafts.delete(oldest);
    }
    void this.#memento.update(KEY, [...this.#drafts]);
  }
}
