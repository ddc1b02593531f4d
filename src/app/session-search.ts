import type { Recalled } from '../core/context/render.ts';
import { messageId, type MessageId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import { breathe } from '../core/pace/breather.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { Clock } from './ports.ts';

/** A place in the session that answers a query. Offsets are UTF-16 units into the message's text. */
export interface SessionHit {
  readonly message: MessageId;
  readonly position: number;
  readonly role: string;
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly score: number;
}

/** UTF-16 units of an excerpt. */
const EXCERPT = 600;
/** How the journal names the provider that answers from the session itself. */
const LOCAL_MODEL = 'local';
/** What a tool printed answers fewer questions than what people said. */
const TOOL_WEIGHT = 0.6;

/** The ranked search over one session's messages, grown as they come; the index is built at its first use. */
export class SessionSearch {
  readonly #index = new TextIndex();
  readonly #state: () => SessionState;
  readonly #clock: Clock;
  #indexed = 0;
  #indexedPath: MessageId | undefined;

  constructor(state: () => SessionState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Takes in the messages of the active branch, up to a position, that are not yet in the index. */
  async grow(stop = Infinity): Promise<void> {
    const { path, messages } = this.#state();
    // After a change of branch what is known is kept, and the new branch is gone through once.
    if (this.#indexed > path.length || path[this.#indexed - 1] !== this.#indexedPath) this.#indexed = 0;
    for (; this.#indexed < Math.min(stop, path.length); this.#indexed++) {
      const id = path[this.#indexed]!;
      this.#indexedPath = id;
      const message = messages.get(id);
      // The local provider's replies are quotes of what is indexed already.
      if (!message || message.model === LOCAL_MODEL || this.#index.has(id)) continue;
      const as = { kind: 'message', weight: message.role === 'tool' ? TOOL_WEIGHT : 1 };
      await this.#index.addResting(id, messageText(message), as, this.#clock.breather);
      await breathe(this.#clock.breather);
    }
  }

  /** The best places for a query on the active branch, best first; call `grow` before. */
  search(query: string, limit: number, accepts: (position: number) => boolean = () => true): SessionHit[] {
    const state = this.#state();
    const found = this.#index.search(query, {
      limit,
      accepts: (id) => {
        const position = state.positionOf(messageId(id));
        return position !== undefined && accepts(position);
      },
    });
    return found.flatMap(({ id, score }) => {
      const message = state.messages.get(messageId(id));
      const position = message && state.positionOf(message.id);
      if (!message || position === undefined) return [];
      const whole = messageText(message);
      const { start, end } = bestExcerpt(whole, query, EXCERPT);
      const { role, at } = message;
      return [{ message: message.id, position, role, at, start, end, text: whole.slice(start, end), score }];
    });
  }

  /** Excerpts of compressed history that match a text and fit into a number of tokens, oldest first. */
  async recall(text: string, budgetTokens: number, counter: TokenCounter): Promise<readonly Recalled[]> {
    const { frontier } = this.#state();
    // What is sent word for word weighs nothing here, so that a preview finds what the turn will find.
    await this.grow((frontier.at(-1)?.to ?? -1) + 1);
    const covered = (position: number): boolean =>
      frontier.some((item) => item.from <= position && position <= item.to);
    const kept: Recalled[] = [];
    let used = 0;
    for (const hit of this.search(text, 8, covered)) {
      const cost = counter.text(hit.text) + 12;
      if (used + cost > budgetTokens) continue;
      used += cost;
      kept.push({ position: hit.position, role: hit.role, text: hit.text });
    }
    return kept.sort((a, b) => a.position - b.position);
  }
}
