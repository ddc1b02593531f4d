import type { ChatChunk } from '../app/ports.ts';

const HARMONY_ANSWER = '<|channel|>final<|message|>';
/**
 * Tags around thinking within the text, used by servers without a field for it: Qwen, DeepSeek, and most others;
 * imitations of Claude; Mistral (docs.mistral.ai/capabilities/reasoning); Seed; Kimi; and the two channels of gpt-oss
 * (cookbook.openai.com/articles/openai-harmony).
 */
const TAGS: readonly (readonly [begin: string, end: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
  ['<seed:think>', '</seed:think>'],
  ['◁think▷', '◁/think▷'],
  ['<|channel|>analysis', HARMONY_ANSWER],
];
const OPENING_TAGS = [...TAGS.map(([begin]) => begin), HARMONY_ANSWER];
/** The marks of gpt-oss around the answer. */
const HARMONY_MARKS = /^<\|channel\|>final<\|message\|>|<\|(?:return|end)\|>$/g;
const MAX_OPENING_LENGTH = Math.max(...OPENING_TAGS.map(({ length }) => length));
const MAX_CLOSING_LENGTH = Math.max(...TAGS.map(([, end]) => end.length));

/**
 * Models whose template contains the opening tag, so that a server that doesn't parse it only sends the closing one
 * (vllm-project/vllm#31045, deepseek-ai/DeepSeek-R1#352).
 */
const UNOPENED = /deepseek-r1|deepseek-reasoner|qwq|qwen3.*thinking|-thinking\b/i;

/** How a model marks its thinking, as learned from its earlier replies. */
export interface ThinkingHabit {
  /** Its thinking has no opening tag, so text is held back until the closing one. */
  unopened: boolean;
}

export const thinkingHabit = (model: string): ThinkingHabit => ({ unopened: UNOPENED.test(model) });

/**
 * Removes thinking from the beginning of a reply. Tags elsewhere are part of the answer. If a closing tag reveals that
 * the text before it was thinking, that text is retracted, and held back in later replies.
 */
export class ThinkFilter {
  readonly #habit: ThinkingHabit;
  #state: 'start' | 'thinking' | 'unopened' | 'answer' = 'start';
  #closingTag: string | undefined;
  /** The held text in pieces, which are only joined once. */
  #held: string[] = [];
  /** The end of the text that was passed on, because a closing tag may be split between two pieces. */
  #passedOn = '';
  #mayRetract = true;
  /** Whether the next text is the beginning of the answer after thinking, whose white space is removed. */
  #isAnswerStart = false;

  constructor(habit: ThinkingHabit) {
    this.#habit = habit;
  }

  /** Thinking was received in a separate field, so all text is the answer and nothing is held back. */
  *separateThinking(): Generator<ChatChunk> {
    this.#habit.unopened = false;
    yield { type: 'thinking' };
  }

  *take(text: string): Generator<ChatChunk> {
    if (text === '') return;
    if (this.#state === 'answer') {
      yield* this.#answer(text);
      return;
    }
    this.#held.push(text);
    if (this.#state === 'start') {
      const begin = this.#held.join('').trimStart();
      const mark = TAGS.find(([opening]) => begin.startsWith(opening));
      if (mark === undefined && begin.length < MAX_OPENING_LENGTH && mayBegin(begin)) return;
      if (mark !== undefined) this.#closingTag = mark[1];
      this.#state = mark !== undefined ? 'thinking' : this.#habit.unopened ? 'unopened' : 'answer';
      if (this.#state === 'answer') {
        yield* this.#answerHeld();
        return;
      }
      yield { type: 'thinking' };
    }
    // A closing tag may be split between this piece and earlier ones.
    const seen = this.#lastHeld(text.length + MAX_CLOSING_LENGTH);
    const close = endOfClosingTag(seen, this.#closingTag);
    if (close !== undefined) {
      this.#mayRetract = false;
      this.#isAnswerStart = true;
      this.#state = 'answer';
      this.#held = [];
      yield* this.#answer(seen.slice(close));
    } else if (this.#state === 'thinking') this.#held = [seen.slice(-MAX_CLOSING_LENGTH)];
  }

  /**
   * Ends the reply, and yields text that was held back but isn't thinking. `isCut`: the output limit was reached, so
   * held text of a model without an opening tag is thinking that never ended.
   */
  *end(isCut = false): Generator<ChatChunk> {
    if (this.#state === 'start' || (this.#state === 'unopened' && !isCut)) yield* this.#answerHeld();
  }

  *#answer(piece: string): Generator<ChatChunk> {
    const seen = this.#passedOn + piece;
    this.#passedOn = seen.slice(-MAX_CLOSING_LENGTH - 1);
    let text = piece;
    const close = this.#mayRetract ? endOfClosingTag(seen, undefined, '\n') : undefined;
    // An answer that opens a tag, or mentions one within a line, is about tags and isn't retracted.
    if (TAGS.some(([begin]) => seen.slice(0, close).includes(begin))) this.#mayRetract = false;
    else if (close !== undefined) {
      this.#mayRetract = false;
      this.#habit.unopened = true;
      this.#isAnswerStart = true;
      text = seen.slice(close);
      yield { type: 'thinking', retracts: true };
    }
    if (this.#isAnswerStart) text = text.trimStart();
    if (text === '') return;
    this.#isAnswerStart = false;
    yield { type: 'text', text };
  }

  /** The last `count` characters of the held text. */
  #lastHeld(count: number): string {
    let first = this.#held.length;
    for (let length = 0; length < count && first > 0;) length += this.#held[--first]!.length;
    return this.#held.slice(first).join('').slice(-count);
  }

  *#answerHeld(): Generator<ChatChunk> {
    const held = this.#held.join('');
    this.#held = [];
    yield* this.#answer(held.replace(HARMONY_MARKS, ''));
  }
}

const mayBegin = (text: string): boolean => OPENING_TAGS.some((begin) => begin.startsWith(text));

/** Where the text after a closing tag begins; undefined if there is no closing tag. */
function endOfClosingTag(text: string, end?: string, before = ''): number | undefined {
  for (const mark of end === undefined ? TAGS.map(([, each]) => each) : [end]) {
    const at = text.indexOf(before + mark);
    if (at >= 0) return at + before.length + mark.length;
  }
  return undefined;
}
