import type { DetectedEvent } from '../model/key-event.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { FUNCTION_WORDS } from '../events/subject.ts';
import { EAST_ASIAN } from '../text/cjk.ts';
import { fold } from '../text/fold.ts';
import { withoutCourtesies } from '../text/small-talk.ts';
import { isStopWord } from '../text/stop-words.ts';
import { isNameTerm, type Corpus, type Term } from './corpus.ts';

/**
 * A statement in a short chat with less content than this isn't extracted, even if there is room. Content is counted
 * in letters, because longer words carry more information. Chosen on 20 chats: 26 loses facts, 18 keeps more noise.
 */
const MIN_CONTENT = 22;
/** An answer with less content, or without a name or number from the question, is only clear with the question. */
const CLEAR_ANSWER = 40;
/** Content added to a statement that contains a key event. */
const EVENT_CONTENT = 5;
/** Content per bit of information that a capital within a sentence carries: few bits in German, with its nouns. */
const CAPITAL_BIT = 4;
/** The share of names in a short chat is unreliable, so a prior is added: one name in this many terms. */
const TERMS_PER_NAME = 10;
/** Content of an East Asian character, except Hiragana, which is mostly used for inflection. */
const CHARACTER = 8;
const MIN_WORD = 3;

const QUESTION = /[?？]["”』」)\s\p{Extended_Pictographic}]*$/u;

/** Number of patterns tested per passage, to estimate the time. */
const PATTERNS = 10;

/**
 * Sets the factors of uninformative sentences in a short chat to 0: questions that a clear answer has settled, and
 * statements with little content besides courtesies, unless they answer a question or contain a number, an identifier,
 * a URL, a lasting key event, or a user's key event, which may be short ("My sister is vegan").
 */
export async function excludeUninformative(
  corpus: Corpus,
  factors: Float64Array,
  events: ReadonlyMap<number, readonly DetectedEvent[]>,
  pace: CancellableYielder,
): Promise<void> {
  const { texts, roles, passages, firstOf, terms } = corpus;
  const content = new Float64Array(passages.length);
  const names = terms.filter(isNameTerm).length;
  const nameContent = CAPITAL_BIT * Math.log2((terms.length + TERMS_PER_NAME) / (names + 1));
  for (const [at, { text }] of passages.entries()) {
    if (pace.isDue(text.length * PATTERNS)) await pace.yield();
    content[at] = contentAmount(text, corpus, nameContent);
  }
  for (const [at, { message, start, end, text, kind, terms: own }] of passages.entries()) {
    if (kind !== 'prose') continue;
    if (pace.isDue(text.length)) await pace.yield();
    const isFollowed = message + 1 < texts.length && roles[message + 1] !== roles[message];
    if (isFollowed && QUESTION.test(text)) {
      const [from, to] = [firstOf[message + 1]!, firstOf[message + 2]!];
      const answer = content.subarray(from, to).reduce((sum, one) => sum + one, 0);
      const told = new Set(passages.slice(from, to).flatMap((one) => one.terms));
      const namesMore = own.some((term) => !told.has(term) && isSpecific(terms[term]!));
      if (answer >= CLEAR_ANSWER && !namesMore) factors[at] = 0;
      // If the reply only agrees, the question is judged as a statement, because it says what was agreed.
      if (answer > 0) continue;
    }
    const isAnswer = content[at]! > 0 && message > 0 && at === firstOf[message] && QUESTION.test(texts[message - 1]!);
    if (isAnswer || own.some((term) => TELLING.has(terms[term]!.kind))) continue;
    const found = events.get(message)?.filter((one) => one.start < end && start < one.end) ?? [];
    const isStatement = roles[message] === 'user' && withoutCourtesies(text) === text;
    if (found.some(({ importance }) => importance === 3 || isStatement)) continue;
    if (content[at]! + (found.length > 0 ? EVENT_CONTENT : 0) < MIN_CONTENT) factors[at] = 0;
  }
}

const TELLING: ReadonlySet<string> = new Set(['number', 'identifier', 'url']);

const isSpecific = (term: Term): boolean => isNameTerm(term) || TELLING.has(term.kind);

/** The number of letters in a text's words, except courtesies and function words, plus `nameContent` per name. */
function contentAmount(text: string, { terms, vocabulary }: Corpus, nameContent: number): number {
  let content = 0;
  for (const [word] of withoutCourtesies(text).matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (EAST_ASIAN.test(word)) {
      content += CHARACTER * word.replace(/\p{Script=Hiragana}/gu, '').length;
      continue;
    }
    const key = fold(word);
    if (!/\d/.test(key) && (key.length < MIN_WORD || isStopWord(key) || FUNCTION_WORDS.has(key))) continue;
    const term = terms[vocabulary.get(word.toLowerCase()) ?? -1];
    content += key.length + (term && isNameTerm(term) ? nameContent : 0);
  }
  return content;
}
