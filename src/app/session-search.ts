import type { Recalled } from '../core/context/render.ts';
import type { MessageId } from '../core/model/ids.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { Clock } from './ports.ts';
import {
  foundAt,
  messageKey,
  placeOf,
  rankFound,
  searchableEvent,
  searchableMessage,
  searchableNode,
  type Found,
  type FoundKind,
  type Searchable,
} from './searchable.ts';

/** A search result in one session. */
export type SessionHit = Omit<Found, 'together'> & { readonly score: number };

/** Length of an excerpt in UTF-16 units. */
const EXCERPT = 600;
/** Factor for the number of ranked results, because later steps reorder and deduplicate them. */
const SPARE = 3;
/** Number of results to consider for recall. */
const RECALLED = 8;

/** Ranked search over one session; the index is built on first use and grows with the session. */
export class SessionSearch {
  readonly #index = new TextIndex();
  readonly #state: () => SessionState;
  readonly #clock: Clock;
  #indexed = 0;
  #indexedPath: MessageId | undefined;
  /** Key events and nodes as indexed. A different object has a different text. */
  readonly #indexedAs = new Map<string, unknown>();
  #derivedAt: readonly [SessionState, number] | undefined;

  constructor(state: () => SessionState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Indexes the active branch's messages up to a position, and all new key events and summaries. */
  async grow(stop = Infinity): Promise<void> {
    const state = this.#state();
    const { path } = state;
    // After a branch switch the index is kept and the new branch is walked once.
    if (this.#indexed > path.length || path[this.#indexed - 1] !== this.#indexedPath) this.#indexed = 0;
    for (; this.#indexed < Math.min(stop, path.length); this.#indexed++) {
      const id = path[this.#indexed]!;
      this.#indexedPath = id;
      if (!this.#index.has(messageKey(id))) await this.#add(searchableMessage(state, id));
    }
    await this.#growDerived(state);
  }

  /** The best results on the active branch, best first; call `grow` before. */
  search(
    query: string,
    limit: number,
    accepts: (position: number) => boolean = () => true,
    kinds?: readonly FoundKind[],
  ): SessionHit[] {
    const state = this.#state();
    const hits = this.#index.search(query, {
      limit: limit * SPARE,
      ...(kinds && { kinds }),
      accepts: (key) => {
        const position = placeOf(state, key);
        return position !== undefined && accepts(position);
      },
    });
    const found = hits.flatMap(({ id, score }) => {
      const one = foundAt(state, id, query, EXCERPT);
      return one ? [{ found: one, score }] : [];
    });
    return rankFound(found, limit).map(({ found: { together: _, ...one }, score }) => ({ ...one, score }));
  }

  /** Excerpts of compressed history that match a text and fit into a number of tokens, oldest first. */
  async recall(text: string, budgetTokens: number, counter: TokenCounter): Promise<readonly Recalled[]> {
    const { frontier } = this.#state();
    // The new message is not indexed yet: it would change how rare its own words are, and with that the preview.
    await this.grow((frontier.at(-1)?.to ?? -1) + 1);
    const covered = (position: number): boolean =>
      frontier.some((item) => item.from <= position && position <= item.to);
    const kept: Recalled[] = [];
    let used = 0;
    // Summaries and key events are in the request anyway.
    for (const hit of this.search(text, RECALLED, covered, ['message'])) {
      const cost = counter.text(hit.text) + 12;
      if (used + cost > budgetTokens) continue;
      used += cost;
      kept.push({ position: hit.position, role: hit.role, text: hit.text });
    }
    return kept.sort((a, b) => a.position - b.position);
  }

  async #growDerived(state: SessionState): Promise<void> {
    if (this.#derivedAt?.[0] === state && this.#derivedAt[1] === state.prefixRevision) return;
    this.#derivedAt = [state, state.prefixRevision];
    for (const event of state.events.values()) await this.#renew(event, searchableEvent(event));
    for (const node of state.nodes.values()) await this.#renew(node, searchableNode(node));
  }

  async #renew(of: unknown, searchable: Searchable | undefined): Promise<void> {
    if (!searchable || this.#indexedAs.get(searchable.key) === of) return;
    this.#indexedAs.set(searchable.key, of);
    await this.#add(searchable);
  }

  async #add(searchable: Searchable | undefined): Promise<void> {
    if (!searchable) return;
    const { key, text, as } = searchable;
    await this.#index.addYielding(key, text, as, this.#clock.yielder);
    await yieldIfDue(this.#clock.yielder);
  }
}
