import type { ChatChunk } from '../app/ports.ts';

/**
 * How servers without a field for it mark thinking in the text, by what begins and what ends it: Qwen, DeepSeek and
 * most others; Claude's imitators; Mistral (docs.mistral.ai/capabilities/reasoning); Seed; Kimi; and the two channels of
 * gpt-oss (cookbook.openai.com/articles/openai-harmony).
 */
const MARKS: readonly (readonly [begin: string, end: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
  ['<seed:think>', '</seed:think>'],
  ['◁think▷', '◁/think▷'],
  ['<|channel|>analysis', '<|channel|>final<|message|>'],
];
/** What harmony puts around the answer. */
const HARMONY = /^<\|channel\|>final<\|message\|>|<\|(?:return|end)\|>$/g;
const MAX_BEGIN = Math.max(...MARKS.map(([begin]) => begin.length), '<|channel|>final<|message|>'.length);
const MAX_END = Math.max(...MARKS.map(([, end]) => end.length));

/**
 * Models whose template writes the opening tag itself, so that a server that does not parse it sends the closing one
 * alone (vllm-project/vllm#31045, deepseek-ai/DeepSeek-R1#352).
 */
const UNOPENED = /deepseek-r1|deepseek-reasoner|qwq|qwen3.*thinking|-thinking\b/i;

/** What the replies of one model have shown of its ways. */
export interface ThinkingHabit {
  /** Its thinking comes without an opening tag: text is held back until the closing one. */
  unopened: boolean;
}

export const thinkingHabit = (model: string): ThinkingHabit => ({ unopened: UNOPENED.test(model) });

/**
 * Takes a model's thinking off the front of its reply; elsewhere in a reply a tag is what the answer says, and stays.
 * Where a closing tag shows that the text before it was thinking, that text is retracted, and from then on held back.
 */
export class ThinkFilter {
  readonly #habit: ThinkingHabit;
  #state: 'start' | 'thinking' | 'unopened' | 'answer' = 'start';
  #end: string | undefined;
  /** What is held back, in pieces: joined once, and not at each of them. */
  #held: string[] = [];
  /** The last characters that were handed out: a closing tag may be torn between two pieces. */
  #said = '';
  #mayRetract = true;
  /** Blanks between the thinking and the answer belong to neither. */
  #blank = false;

  constructor(habit: ThinkingHabit) {
    this.#habit = habit;
  }

  /** Thinking has come in a field of its own: what the server sends as text is the answer, and not held back. */
  *apart(): Generator<ChatChunk> {
    this.#habit.unopened = false;
    yield { type: 'thinking' };
  }

  /** What this piece of the reply comes to. */
  *take(text: string): Generator<ChatChunk> {
    if (text === '') return;
    if (this.#state === 'answer') {
      yield* this.#answer(text);
      return;
    }
    this.#held.push(text);
    if (this.#state === 'start') {
      const begin = this.#held.join('').trimStart();
      const mark = MARKS.find(([opening]) => begin.startsWith(opening));
      if (mark === undefined && begin.length < MAX_BEGIN && mayBegin(begin)) return;
      if (mark !== undefined) this.#end = mark[1];
      this.#state = mark !== undefined ? 'thinking' : this.#habit.unopened ? 'unopened' : 'answer';
      if (this.#state === 'answer') {
        yield* this.#answer(this.#release().replace(HARMONY, ''));
        return;
      }
      yield { type: 'thinking' };
    }
    // A closing tag may be torn between this piece and those before it.
    const seen = this.#lastHeld(text.length + MAX_END);
    const close = closing(seen, 0, this.#end);
    if (close !== undefined) {
      this.#mayRetract = false;
      this.#blank = true;
      this.#state = 'answer';
      this.#held = [];
      yield* this.#answer(seen.slice(close));
    } else if (this.#state === 'thinking') this.#held = [seen.slice(-MAX_END)];
  }

  /**
   * What was held back when the reply ended: text that only looked like thinking. `isCut`: at the output limit, which a
   * model that is known to think first had not yet thought its way to.
   */
  *end(isCut = false): Generator<ChatChunk> {
    if (this.#state === 'start' || (this.#state === 'unopened' && !isCut))
      yield* this.#answer(this.#release().replace(HARMONY, ''));
  }

  *#answer(piece: string): Generator<ChatChunk> {
    const seen = this.#said + piece;
    this.#said = seen.slice(-MAX_END - 1);
    let text = piece;
    const close = this.#mayRetract ? closing(seen, 0, undefined, '\n') : undefined;
    // An answer that opens a tag, or names one within a line, speaks of tags.
    if (MARKS.some(([begin]) => seen.slice(0, close).includes(begin))) this.#mayRetract = false;
    else if (close !== undefined) {
      this.#mayRetract = false;
      this.#habit.unopened = true;
      this.#blank = true;
      text = seen.slice(close);
      yield { type: 'thinking', retracts: true };
    }
    if (this.#blank) text = text.trimStart();
    if (text === '') return;
    this.#blank = false;
    yield { type: 'text', text };
  }

  /** The last so many characters of what is held back. */
  #lastHeld(count: number): string {
    let first = this.#held.length;
    for (let length = 0; length < count && first > 0;) length += this.#held[--first]!.length;
    return this.#held.slice(first).join('').slice(-count);
  }

  #release(): string {
    const held = this.#held.join('');
    this.#held = [];
    return held;
  }
}

const mayBegin = (text: string): boolean =>
  text === '' ||
  [...MARKS.map(([begin]) => begin), '<|channel|>final<|message|>'].some((begin) => begin.startsWith(text));

/** Where the text after a closing tag begins; undefined when there is none at or after `from`. */
function closing(text: string, from: number, end?: string, before = ''): number | undefined {
  for (const mark of end === undefined ? MARKS.map(([, each]) => each) : [end]) {
    const at = text.indexOf(before + mark, Math.max(0, from));
    if (at >= 0) return at + before.length + mark.length;
  }
  return undefined;
}
