import type { Steps } from '../pace/steps.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { PassageIndex } from './passage-index.ts';
import type { SourceSentence } from './sentence-index.ts';
import type { StatementTerm } from './statement-terms.ts';

/** Sentences beside a passage's middle that are shown with it. */
const BESIDE = 2;
/** A longer line is shown in part. UTF-16 units. */
const LONGEST_SHOWN = 1_500;
/** Tokens of a message's heading, and of a mark that something is left out. */
const HEADING_TOKENS = 6;
const GAP = '…';

/**
 * What messages say of statements, in order and in at most `roomTokens`: all of it where it fits, else the passages that
 * tell most of each statement, as many of one as of another. Each message is headed by its number (from 1) and speaker.
 */
export function* excerptSteps(
  index: PassageIndex,
  statements: readonly (readonly StatementTerm[])[],
  roomTokens: number,
  counter: TokenCounter,
): Steps<string> {
  const excerpt = new Excerpt(index, roomTokens, counter);
  if (!(yield* excerpt.takeAll())) {
    excerpt.clear();
    yield* excerpt.takePassages(statements);
  }
  return excerpt.text();
}

class Excerpt {
  readonly #index: PassageIndex;
  readonly #room: number;
  readonly #counter: TokenCounter;
  readonly #taken = new Set<number>();
  readonly #costs = new Map<number, number>();
  readonly #messages = new Set<number>();
  #tokens = 0;

  constructor(index: PassageIndex, room: number, counter: TokenCounter) {
    this.#index = index;
    this.#room = room;
    this.#counter = counter;
  }

  clear(): void {
    this.#taken.clear();
    this.#messages.clear();
    this.#tokens = 0;
  }

  /** False when not all has room. */
  *takeAll(): Steps<boolean> {
    for (const at of this.#index.sentences.keys()) {
      if (!this.#take(at)) return false;
      yield;
    }
    return true;
  }

  *takePassages(statements: readonly (readonly StatementTerm[])[]): Steps<void> {
    const ranked: (readonly number[])[] = [];
    for (const terms of statements) {
      ranked.push(this.#index.passages(terms).map(({ at }) => at));
      yield;
    }
    const most = ranked.reduce((longest, one) => Math.max(longest, one.length), 0);
    for (let place = 0; place < most; place++) {
      for (const passages of ranked) {
        const middle = passages[place];
        if (middle === undefined) continue;
        for (let far = 0; far <= BESIDE; far++)
          for (const at of [middle - far, middle + far]) if (!this.#take(at)) return;
        yield;
      }
    }
  }

  /** False when there is no room for it. */
  #take(at: number): boolean {
    const sentence = this.#index.sentences[at];
    if (sentence === undefined || this.#taken.has(at)) return true;
    let cost = this.#costs.get(at);
    if (cost === undefined) {
      cost = this.#counter.text(shown(sentence)) + 1;
      this.#costs.set(at, cost);
    }
    const heading = this.#messages.has(sentence.message) ? 0 : HEADING_TOKENS;
    if (this.#tokens + cost + heading > this.#room) return false;
    this.#tokens += cost + heading;
    this.#taken.add(at);
    this.#messages.add(sentence.message);
    return true;
  }

  text(): string {
    const lines: string[] = [];
    let before = -1;
    let message = -1;
    for (const at of [...this.#taken].sort((a, b) => a - b)) {
      const sentence = this.#index.sentences[at]!;
      if (at !== before + 1) lines.push(GAP);
      if (sentence.message !== message) lines.push(`[${sentence.message + 1}] ${sentence.role}:`);
      lines.push(shown(sentence));
      before = at;
      message = sentence.message;
    }
    if (before < this.#index.sentences.length - 1) lines.push(GAP);
    return lines.join('\n');
  }
}

const shown = ({ text }: SourceSentence): string =>
  text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}${GAP}` : text;
