import type { Steps } from '../pace/steps.ts';
import { bestExcerpt } from '../search/excerpt.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { PassageIndex } from './passage-index.ts';
import type { SourceSentence } from './sentence-index.ts';
import { termsOf } from './statement-terms.ts';

/** Sentences on both sides of one that speaks of a statement that are shown with it. */
const BESIDE = 2;
/** Of a longer line the part is shown that tells most of a statement. UTF-16 units. */
const LONGEST_SHOWN = 1_500;
/** Less room holds no sentence. Tokens. */
const LEAST_ROOM = 6;
/** Marks what is left out. */
const GAP = '…';
/** Tokens of such a mark on its line, and of a line's end. */
const GAP_TOKENS = 3;
const LINE_END_TOKENS = 1;

/** Passages of messages as a model is shown them. */
export interface Excerpted {
  readonly text: string;
  /** The messages of which something is shown, in order: their indices. */
  readonly messages: readonly number[];
  /** Statements, by their place, of which messages speak but for which there was no room. */
  readonly unshown: ReadonlySet<number>;
}

/**
 * What messages say of statements, in order and in at most `roomTokens`: all of it where it fits, else the passages that
 * tell most of each statement, the best of each first, then what stands around them, then the next best. Each message is
 * headed by its number (from 1) and speaker.
 */
export function* excerptSteps(
  index: PassageIndex,
  statements: readonly string[],
  roomTokens: number,
  counter: TokenCounter,
): Steps<Excerpted> {
  const whole = new Excerpt(index, roomTokens, counter);
  if ((yield* whole.takeAll()) && whole.fits()) return whole.shown(new Set());
  const excerpt = new Excerpt(index, roomTokens, counter);
  const ranked: (readonly number[])[] = [];
  for (const statement of statements) {
    ranked.push(index.passages(termsOf(statement)).map(({ at }) => at));
    yield;
  }
  yield* excerpt.takePassages(statements, ranked);
  yield;
  excerpt.trim();
  const unshown = ranked.flatMap(([best], at) => (best === undefined || excerpt.has(best) ? [] : [at]));
  return excerpt.shown(new Set(unshown));
}

class Excerpt {
  readonly #index: PassageIndex;
  readonly #room: number;
  readonly #counter: TokenCounter;
  /** The sentences that are shown, in the order in which they were taken. */
  readonly #taken = new Map<number, { readonly text: string; readonly cost: number }>();
  readonly #headed = new Set<number>();
  #tokens = 0;

  constructor(index: PassageIndex, room: number, counter: TokenCounter) {
    this.#index = index;
    this.#room = room;
    this.#counter = counter;
  }

  has(at: number): boolean {
    return this.#taken.has(at);
  }

  /** False when not all has room. */
  *takeAll(): Steps<boolean> {
    for (const at of this.#index.sentences.keys()) {
      if (!this.#take(at, ({ text }) => text)) return false;
      yield;
    }
    return true;
  }

  /** Takes the sentences that speak of each statement, by their rank; what does not fit is passed over. */
  *takePassages(statements: readonly string[], ranked: readonly (readonly number[])[]): Steps<void> {
    const most = ranked.reduce((longest, one) => Math.max(longest, one.length), 0);
    for (let place = 0; place < most; place++) {
      for (let far = 0; far <= BESIDE; far++) {
        for (const [statement, passages] of ranked.entries()) {
          if (this.#room - this.#tokens < LEAST_ROOM) return;
          const middle = passages[place];
          if (middle === undefined) continue;
          const part = ({ text }: SourceSentence): string => partOf(text, statements[statement]!);
          this.#take(middle - far, part);
          if (far > 0) this.#take(middle + far, part);
          yield;
        }
      }
    }
  }

  /** False when there is no room for it. */
  #take(at: number, show: (sentence: SourceSentence) => string): boolean {
    const sentence = this.#index.sentences[at];
    if (sentence === undefined || this.#taken.has(at)) return true;
    const heading = this.#headed.has(sentence.message) ? 0 : this.#count(headingOf(sentence));
    const gap = this.#taken.has(at - 1) || this.#taken.has(at + 1) ? 0 : GAP_TOKENS;
    const text = show(sentence);
    const cost = this.#count(text) + heading + gap;
    if (this.#tokens + cost > this.#room) return false;
    this.#tokens += cost;
    this.#taken.set(at, { text, cost });
    this.#headed.add(sentence.message);
    return true;
  }

  #count(line: string): number {
    return this.#counter.text(line) + LINE_END_TOKENS;
  }

  fits(): boolean {
    return this.#counter.text(this.#text()) <= this.#room;
  }

  /** Lines that are joined may count otherwise than one by one: what was taken last goes until all fits. */
  trim(): void {
    const last = [...this.#taken];
    for (let over = this.#over(); over > 0; over = this.#over()) {
      for (let freed = 0; freed < over;) {
        const next = last.pop();
        if (!next) return;
        this.#taken.delete(next[0]);
        freed += next[1].cost;
      }
    }
  }

  #over(): number {
    return this.#taken.size === 0 ? 0 : this.#counter.text(this.#text()) - this.#room;
  }

  shown(unshown: ReadonlySet<number>): Excerpted {
    const messages = new Set(this.#inOrder().map((at) => this.#index.sentences[at]!.message));
    return { text: this.#text(), messages: [...messages], unshown };
  }

  #inOrder(): number[] {
    return [...this.#taken.keys()].sort((a, b) => a - b);
  }

  #text(): string {
    const lines: string[] = [];
    let before = -1;
    let message = -1;
    for (const at of this.#inOrder()) {
      const sentence = this.#index.sentences[at]!;
      if (at !== before + 1) lines.push(GAP);
      if (sentence.message !== message) lines.push(headingOf(sentence));
      lines.push(this.#taken.get(at)!.text);
      before = at;
      message = sentence.message;
    }
    if (before < this.#index.sentences.length - 1) lines.push(GAP);
    return lines.join('\n');
  }
}

const headingOf = ({ message, role }: SourceSentence): string => `[${message + 1}] ${role}:`;

function partOf(text: string, statement: string): string {
  const { start, end } = bestExcerpt(text, statement, LONGEST_SHOWN);
  return `${start > 0 ? GAP : ''}${text.slice(start, end)}${end < text.length ? GAP : ''}`;
}
