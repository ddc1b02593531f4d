import { createCoverageTest } from '../core/context/ledger-lines.ts';
import type { RecalledExcerpt } from '../core/context/render-context.ts';
import type { MessageId } from '../core/model/ids.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { wordsIn } from '../core/text/words.ts';
import { withoutCourtesies } from '../core/text/small-talk.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { Clock } from './ports.ts';
import {
  indexText,
  resultOf,
  messageKey,
  positionOfKey,
  rankResults,
  searchableEvent,
  searchableMessage,
  searchableNode,
  type ScoredResult,
  type ResultKind,
  type Searchable,
} from './search-results.ts';

/** Length of an excerpt in UTF-16 units. */
const EXCERPT_UNITS = 600;
/** Tokens of the heading and tags of a recalled excerpt. */
const EXCERPT_FRAME_TOKENS = 12;
/** Number of candidates per requested result, because results are reordered and deduplicated later. */
const CANDIDATE_FACTOR = 3;
/** An excerpt of which the others already contain more than this share of the words is omitted, unless it's short. */
const REPEATED_SHARE = 0.8;
const MIN_REPEATED_WORDS = 20;
/** Maximum number of results that are considered for recall. */
const MAX_RECALL_CANDIDATES = 16;

/** Ranked search over one session. The index is built on first use and then updated. */
export class SessionSearch {
  readonly #index = new TextIndex();
  readonly #state: () => SessionState;
  readonly #clock: Clock;
  #indexed = 0;
  #indexedPath: MessageId | undefined;
  /** Key events and nodes as indexed. A different object may have a different text or weight. */
  readonly #indexedAs = new Map<string, unknown>();
  #derivedAt: readonly [SessionState, number] | undefined;
  readonly #updates = new Sequencer();

  constructor(state: () => SessionState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Indexes the active branch's messages before position `end`, and new key events and summaries. */
  updateIndex(end = Infinity): Promise<void> {
    // One update at a time, so that each resolves only once everything is indexed.
    return this.#updates.queue(() => this.#updateIndex(end));
  }

  async #updateIndex(end: number): Promise<void> {
    const state = this.#state();
    const { path } = state;
    // After a branch switch, the new branch may have messages that aren't indexed.
    if (this.#indexed > path.length || path[this.#indexed - 1] !== this.#indexedPath) this.#indexed = 0;
    for (; this.#indexed < Math.min(end, path.length); this.#indexed++) {
      const id = path[this.#indexed]!;
      this.#indexedPath = id;
      if (!this.#index.has(messageKey(id)))
        await indexText(this.#index, searchableMessage(state, id), this.#clock.yielder);
    }
    await this.#indexDerived(state);
  }

  /** The best results on the active branch, best first. Call `updateIndex` before. */
  async search(
    query: string,
    limit: number,
    accepts: (position: number) => boolean = () => true,
    kinds?: readonly ResultKind[],
  ): Promise<readonly ScoredResult[]> {
    const state = this.#state();
    const hits = this.#index.search(query, {
      limit: limit * CANDIDATE_FACTOR,
      ...(kinds && { kinds }),
      accepts: (key) => {
        const position = positionOfKey(state, key);
        return position !== undefined && accepts(position);
      },
    });
    const found: ScoredResult[] = [];
    for (const { id, score } of hits) {
      const result = resultOf(state, id, query, EXCERPT_UNITS);
      if (result) found.push({ ...result, score });
      await yieldIfDue(this.#clock.yielder);
    }
    // Messages may have been undone in the meantime.
    const { path } = this.#state();
    return rankResults(
      found.filter(({ message, position }) => path[position] === message),
      limit,
    );
  }

  /** Excerpts of compressed history that match a text and fit in `budgetTokens`, oldest first. */
  async recall(text: string, budgetTokens: number, counter: TokenCounter): Promise<readonly RecalledExcerpt[]> {
    // Words of thanks or agreement would match every message that has them.
    if (!/[\p{L}\p{N}]/u.test(withoutCourtesies(text))) return [];
    const { frontier } = this.#state();
    // Don't index the new message: it changes the weights of its words, and the preview is computed without it.
    await this.updateIndex((frontier.at(-1)?.to ?? -1) + 1);
    const covered = createCoverageTest(frontier);
    const kept: RecalledExcerpt[] = [];
    const words = new Set<string>();
    let used = 0;
    // Summaries and key events are already in the request.
    for (const hit of await this.search(text, MAX_RECALL_CANDIDATES, covered, ['message'])) {
      const cost = counter.text(hit.text) + EXCERPT_FRAME_TOKENS;
      const own = [...wordsIn(hit.text)];
      const isRepetition =
        own.length >= MIN_REPEATED_WORDS && own.filter((word) => words.has(word)).length > REPEATED_SHARE * own.length;
      if (used + cost > budgetTokens || isRepetition) continue;
      used += cost;
      for (const word of own) words.add(word);
      kept.push({ position: hit.position, role: hit.role, text: hit.text });
    }
    return kept.sort((a, b) => a.position - b.position);
  }

  async #indexDerived(state: SessionState): Promise<void> {
    if (this.#derivedAt?.[0] === state && this.#derivedAt[1] === state.prefixRevision) return;
    this.#derivedAt = [state, state.prefixRevision];
    for (const event of state.events.values()) await this.#indexIfChanged(event, searchableEvent(event));
    for (const node of state.nodes.values()) await this.#indexIfChanged(node, searchableNode(node));
  }

  async #indexIfChanged(source: unknown, searchable: Searchable | undefined): Promise<void> {
    if (!searchable || this.#indexedAs.get(searchable.key) === source) return;
    this.#indexedAs.set(searchable.key, source);
    await indexText(this.#index, searchable, this.#clock.yielder);
  }
}
