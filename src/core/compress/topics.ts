import { passagesIn, type Corpus, type IndexedPassage } from './corpus.ts';
import type { MessageRange } from './source-message.ts';
import { truncate } from '../text/truncate.ts';
import type { Passage } from './passages.ts';
import { fold } from '../text/fold.ts';
import { isStopWord } from '../text/stop-words.ts';

/**
 * A segment's topics: up to five names or phrases that recur in it but rarely elsewhere (tf-idf), best first. Passages
 * whose factor is 0 are ignored.
 */
export function topicsOf({ corpus, from, to, factors }: Segment & { readonly factors?: Float64Array }): string[] {
  const phrases = new Map<string, Phrase>();
  const first = corpus.firstOf[from]!;
  const running = passagesIn(corpus, from, to).filter(({ running }, at) => running && factors?.[first + at] !== 0);
  const proseOnly = running.filter(({ kind }) => kind === 'prose');
  const prose = proseOnly.length > 0 ? proseOnly : running;
  const weightOf = ({ message }: Passage): number => (corpus.roles[message] === 'user' ? USER_WEIGHT : 1);
  // In long segments, read only passages that contain the most distinctive terms, and of those only every n-th.
  const topTerms = charsOf(prose) > MAX_CHARS ? distinctiveTerms(corpus, prose, weightOf) : undefined;
  const passages = topTerms ? prose.filter(({ terms }) => terms.some((term) => topTerms.has(term))) : prose;
  const step = Math.ceil(charsOf(passages) / MAX_CHARS);
  for (const [index, passage] of passages.entries()) {
    const { message, start, end } = passage;
    const weight = weightOf(passage);
    if (index % Math.ceil(step / weight) > 0) continue;
    for (const words of wordRuns(corpus.texts[message]!.slice(start, end)))
      for (let at = 0; at < words.length; at++)
        for (let length = 1; length <= MAX_PHRASE_WORDS && at + length <= words.length; length++)
          addPhrase(phrases, words.slice(at, at + length), message, weight);
  }
  const chosen: Phrase[] = [];
  const all = [...phrases.values()];
  const nouns = isEnglish(prose) ? all.filter(isEnglishName) : all;
  const recurring = nouns.filter(({ mentions }) => mentions > 1);
  const candidates = recurring.length > 0 ? recurring : nouns;
  const names = candidates.filter(({ isProper, words, text }) => isProper || words.length > 1 || UNSPACED.test(text));
  const scored = (names.length > 0 ? names : candidates).map((phrase) => ({ phrase, score: scoreOf(phrase, corpus) }));
  for (const { phrase } of scored.sort((a, b) => b.score - a.score)) {
    if (chosen.some(({ words }) => words.some((word) => phrase.words.includes(word)))) continue;
    // A common word is a topic only if there's no other.
    if (chosen.push(phrase) === (names.length > 0 ? MAX_TOPICS : 1)) break;
  }
  return chosen.map(({ text }) => text);
}

const charsOf = (passages: readonly Passage[]): number =>
  passages.reduce((sum, { start, end }) => sum + end - start, 0);

function distinctiveTerms(
  { rarity }: Corpus,
  prose: readonly IndexedPassage[],
  weightOf: (passage: Passage) => number,
): ReadonlySet<number> {
  const weights = new Map<number, number>();
  for (const passage of prose)
    for (const term of passage.terms) weights.set(term, (weights.get(term) ?? 0) + weightOf(passage));
  const scored = Array.from(weights, ([term, weight]) => ({ term, score: weight ** 0.7 * rarity[term]! ** 2 }));
  const top = scored.sort((a, b) => b.score - a.score).slice(0, TOP_TERMS);
  return new Set(top.map(({ term }) => term));
}

interface Segment extends MessageRange {
  readonly corpus: Corpus;
}

interface Word {
  readonly text: string;
  readonly key: string;
  readonly isProper: boolean;
  readonly isCommon: boolean;
  /** Whether the words before or after it show that it's a verb here, if the text is English. */
  isVerb: boolean;
}

interface Phrase {
  text: string;
  readonly words: readonly string[];
  /** Whether each mention has a word in lower case. */
  hasLowerCase: boolean;
  mentions: number;
  /** The mentions in which a word is a verb, if the text is English. */
  verbal: number;
  weight: number;
  lastMessage: number;
  isProper: boolean;
}

/** Runs of words without stop words or punctuation between them: candidates for names. */
function* wordRuns(text: string): Generator<readonly Word[]> {
  let run: Word[] = [];
  let previous = '';
  let end = 0;
  for (const { 0: found, index } of text.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_'’./&‑-]*[\p{L}\p{N}\p{M}])?/gu)) {
    const word = found.replace(/['’]s$/, '');
    const key = fold(word);
    const between = text.slice(end, index);
    // A capital at the start of a sentence is no evidence of a name; elsewhere it is, as in "New York and Los Angeles".
    const isFirst = !WITHIN_SENTENCE.test(text.slice(Math.max(0, index - 5), index));
    const isIdentifier = /^[!-~]+$/.test(word) && /[_/.\d]/.test(word);
    const isProper = isIdentifier || (!isFirst && /\p{Lu}|[_/.\d]/u.test(word));
    const isCommon = isCommonWord(key);
    const isBreak = !/\p{L}{3}|\p{L}&\p{L}/u.test(word) || CONTRACTION.test(word) || (isCommon && !isProper);
    const last = run.at(-1);
    if (last && !isFirst && BEFORE_OBJECT.has(key)) last.isVerb ||= !last.isProper;
    if (isBreak || between.trim() !== '' || word !== found) {
      if (run.length > 0) yield run;
      run = [];
    }
    end = index + found.length;
    const isVerb = !isProper && !isFirst && (BEFORE_VERB.has(previous) || CONTRACTION.test(previous));
    previous = key;
    // Skip speaker names, such as "Ana:".
    if (!isBreak && !(isFirst && text[end] === ':')) run.push({ text: word, key, isProper, isCommon, isVerb });
  }
  if (run.length > 0) yield run;
}

function addPhrase(phrases: Map<string, Phrase>, words: readonly Word[], message: number, weight: number): void {
  if (words.some((word) => word.isCommon) && (words.length === 1 || !words.every((word) => word.isProper))) return;
  const key = words.map((word) => word.key).join(' ');
  if (key.length > MAX_TOPIC_LENGTH || (words.length > 1 && UNSPACED.test(key))) return;
  const hasLowerCase = words.length > 1 && words.some((word) => !word.isProper && /^\p{Ll}/u.test(word.text));
  let phrase = phrases.get(key);
  if (!phrase) {
    const text = words.map((word) => word.text).join(' ');
    const keys = words.map((word) => word.key);
    phrase = { text, words: keys, hasLowerCase, mentions: 0, verbal: 0, weight: 0, lastMessage: -1, isProper: false };
    phrases.set(key, phrase);
  }
  phrase.hasLowerCase &&= hasLowerCase;
  if (!phrase.isProper && words.some((word) => word.isProper)) {
    phrase.isProper = true;
    // As a name is written, such as "HTTP" instead of "http".
    phrase.text = words.map((word) => word.text).join(' ');
  }
  if (phrase.lastMessage === message) return;
  phrase.lastMessage = message;
  phrase.mentions++;
  if (words.some((word) => word.isVerb)) phrase.verbal++;
  phrase.weight += weight;
}

/** English names don't include words in lower case ("K'varn" in "K'varn waits"), unlike "Pays basque". */
const isEnglishName = ({ isProper, hasLowerCase, mentions, verbal }: Phrase): boolean =>
  verbal * 2 < mentions && !(isProper && hasLowerCase);

function scoreOf({ words, weight, isProper }: Phrase, corpus: Corpus): number {
  let rarity = 0;
  for (const word of words) {
    const term = corpus.vocabulary.get(word);
    rarity += term === undefined ? 0.5 : corpus.rarity[term]!;
  }
  // A single word is a weaker topic than a name, an identifier, or a recurring pair of words.
  const shape = isProper ? PROPER_FACTOR : words.length > 1 ? 1 : SINGLE_WORD_FACTOR;
  return weight ** 0.7 * (rarity / words.length) ** 2 * words.length ** 0.4 * shape;
}

const TOP_TERMS = 24;
/** Maximum number of characters to read per segment, to keep a title at a few milliseconds. */
const MAX_CHARS = 10_000;
const MAX_PHRASE_WORDS = 3;
/** In these scripts without spaces, a run of characters is a clause, not a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const MAX_TOPICS = 5;
const MAX_TOPIC_LENGTH = 40;
/** Users name the topic more reliably than assistants. */
const USER_WEIGHT = 3;
const PROPER_FACTOR = 1.3;
const SINGLE_WORD_FACTOR = 0.4;

/** English adverbs, but not "nightly", "weekly", or "family". */
const ADVERB = /(?:al|ent|it|ick|ough|ous|ful|ive|ed|ear|ect|act)ly$/;

/** Words that occur in any conversation and never name a topic. */
const COMMON_WORDS = new Set(
  `yes yeah yep okay sure right thanks thank good great nice fine well now need needs want wants like use used uses using
  make makes made making get gets got getting goes going come comes see look looks looking lets think sounds seems work works
  working way thing things one two three first second last next new old still also only even ever never always already
  more most much many other another every each all both same sure really actually maybe perhaps currently add added adding
  change changed changes update updated check checked run running runs try tried trying start started done ready help fix
  fixed keep keeps put set take takes give find found show shows left back before after while because without instead
  through over under until since between per beyond upon toward towards within above below around against among along
  across except via upon somebody everybody nobody anybody whoever everyone person people said says saying asked asks told
  tells means meant exactly perfect excellent correct agreed anyway however once hello hey sorry anything something everything nothing someone anyone itself very too file files code line lines full complete monday tuesday
  wednesday thursday friday saturday sunday today tomorrow`.split(/\s+/),
);

const isCommonWord = (key: string): boolean => isStopWord(key) || COMMON_WORDS.has(key) || ADVERB.test(key);

const CONTRACTION = /['’](?:s|t|re|ve|ll|d|m)$/;

/** Frequent English words that hardly any other language has. */
const ENGLISH = /\b(?:the|and|with|you|this)\b/i;

/** Whether a quarter of the passages are recognizably English; short ones often aren't. */
const isEnglish = (passages: readonly Passage[]): boolean =>
  passages.filter(({ text }) => ENGLISH.test(text)).length * 4 > passages.length;

/** After these words, an English word in lower case is a verb. "i" and "a" are articles in other languages. */
const BEFORE_VERB = new Set(
  `i you he she we they who will would can could should shall must may might cannot let lets please not never somebody
  someone everybody everyone nobody anybody anyone`.split(/\s+/),
);

/** Before these words, an English word in lower case is a verb or a preposition. */
const BEFORE_OBJECT = new Set('the a an it them him her us me this that these those my your his our their'.split(' '));

/** The end of the text before a word that doesn't begin a sentence, with up to three opening marks. */
const WITHIN_SENTENCE = /[\p{L}\p{N},;] ["'“„«‘([*_`]{0,3}$/u;

const MAX_TITLE_LENGTH = 72;

/** A summary's title: its first three topics. */
export const topicTitle = (topics: readonly string[] = []): string => truncateTitle(topics.slice(0, 3).join(', '));

/** Shortens a text to one line of at most 72 characters, cut between words. */
export function truncateTitle(text: string): string {
  // Collapse leaders, rules, and rows of symbols.
  const line = text
    .replace(/([^\p{L}\p{N}\s])\1{3,}/gu, '$1$1$1')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= MAX_TITLE_LENGTH) return line;
  const cut = truncate(line, MAX_TITLE_LENGTH - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > MAX_TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
