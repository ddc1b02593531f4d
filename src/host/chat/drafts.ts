import type { Memento } from 'vscode';

/** Drafts kept for the sessions that were used last. */
const MOST = 20;
const KEY = 'threadkeeper.drafts';

/** What stands unsent in the composer, per session; it survives a reload. */
export class Drafts {
  readonly #memento: Memento;
  readonly #drafts: Map<string, string>;

  constructor(memento: Memento) {
    this.#memento = memento;
    this.#drafts = new Map(stored(memento.get<unknown>(KEY)));
  }

  get(session: string): string {
    return this.#drafts.get(session) ?? '';
  }

  set(session: string, text: string): void {
    this.#drafts.delete(session);
    if (text !== '') this.#drafts.set(session, text);
    for (const oldest of this.#drafts.keys()) {
      if (this.#drafts.size <= MOST) break;
      this.#drafts.delete(oldest);
    }
    void this.#memento.update(KEY, [...this.#drafts]);
  }
}

function stored(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one): one is [string, string] => Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'string',
  );
}
