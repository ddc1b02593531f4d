import type { Role } from '../model/message.ts';
import { fold } from '../text/fold.ts';
import { isCjkUnit } from '../text/script.ts';
import { findConcepts, type ConceptHits } from './concepts.ts';
import * as mark from './feature-patterns.ts';
import { CONCEPTS, type Concept } from './lexicon/lexicon.ts';
import type { Segment } from './segments.ts';
import { isSpoken, QUESTION_END, type Asks, type BeforeTraits, type Speech } from './surroundings.ts';

/** A longer list is a table of contents, a review, or a complete plan. */
const MANY_ITEMS = 10;
const HEAD = 320;
/** A lead-in to a list or to code with at most this many words is only a title. */
const TITLE_WORDS = 6;
/** Number of hash buckets for words, enough that frequent words rarely collide. */
const HASHES = 1024;
const HASHED_WORDS = 40;

export interface SegmentTraits {
  /** Names of the features that it has: some twenty for form and meaning, and hashes of its words. */
  readonly features: readonly string[];
  readonly hits: ConceptHits;
  /** Never a key event: a mere question, an option to choose from, a “yes” without a question, or a title. */
  readonly ruledOut: boolean;
}

export interface MessageTraits {
  readonly role: Role;
  /** Whether the message ends with a question, and which kind. */
  readonly asks: Asks;
  /** The message contains code or machine output besides prose. */
  readonly code: boolean;
  readonly segments: number;
  /** Number of segments that are list items. */
  readonly items: number;
  readonly speech: Speech;
  readonly before: BeforeTraits;
}

const PLACES = Object.fromEntries(CONCEPTS.map((concept, place) => [concept, place])) as Record<Concept, number>;
const at = (concept: Concept): number => PLACES[concept];

/** Feature names are built once, because concatenating them for each segment would double the time. */
const named = (before: string): readonly string[] => CONCEPTS.map((concept) => `${before} ${concept}`);
const HAS = named('has');
const STARTS_WITH = named('starts with');
const REPEATS = named('repeats');
const OPENS_WITH = named('message opens with');
const WORDS = Array.from({ length: HASHES }, (_, word) => `#${word}`);
const within = (hits: ConceptHits, concept: Concept): boolean => hits.count[at(concept)]! > 0;

/** The features of one segment. Only its first `HEAD` characters are examined. */
export function describe(
  text: string,
  segment: Segment,
  message: MessageTraits,
  headingHits: ConceptHits | undefined,
  opening: ConceptHits | undefined,
): SegmentTraits {
  const quote = text.slice(segment.start, Math.min(segment.end, segment.start + HEAD));
  const bare = quote.replace(/^[*_`#\s]+/, '');
  const lead = mark.LEAD_IN.exec(bare)?.[0] ?? '';
  const leading = lead === '' || lead.length === bare.length ? undefined : findConcepts(lead);
  const led = leading !== undefined && (['assent', 'refuse', 'chatter'] as const).some((one) => within(leading, one));
  const hits = findConcepts(led ? bare.slice(lead.length) : quote);
  const has = (concept: Concept): boolean => within(hits, concept);
  const opens = (concept: Concept, by = 0): boolean => hits.first[at(concept)]! <= by;
  const ends = (concept: Concept): boolean => hits.tail[at(concept)]! === 1;
  const words = hits.length;
  const { kind, thinking } = segment.line;
  const item = kind === 'bullet' || kind === 'numbered';
  const asked = message.before.asked;
  const question = mark.QUESTION_OPEN.test(quote) || QUESTION_END.test(quote);
  const code = (quote.match(/`[^`]+`/g) ?? []).length;
  const path = /[\\/.]/.test(quote) && mark.PATH.test(quote);
  const { plain, coded } = plainness(quote);

  const features: string[] = ['bias', `line:${kind}`];
  const set = (name: string, holds: boolean): void => {
    if (holds) features.push(name);
  };
  set('lead-in assent', led && within(leading, 'assent'));
  set('lead-in refusal', led && within(leading, 'refuse'));
  set('lead-in chatter', led && within(leading, 'chatter'));
  set(`words:${[2, 5, 12, 25].find((most) => words <= most) ?? 'more'}`, true);
  set('thinking', thinking);
  set('first of message', segment.order === 0);
  set('last of message', segment.order === message.segments - 1);
  set('only of message', message.segments === 1);
  set('of few', message.segments <= 4);
  set('of a document', message.segments > 25);
  set('long in document', words > 12 && message.segments > 25);
  set('later of line', segment.index > 0);
  set('question mark', question);
  set('exclamation', /[!！]\W*$/.test(quote));
  set('colon at end', /[:：]\*{0,2}$/.test(quote));
  set('ellipsis', /(?:\.{2,}|…)$/.test(quote));
  set('ends with stop', /[.。．]["'”)*]*$/.test(quote));
  set('bold label', mark.BOLD_LABEL.test(quote));
  set('bold', quote.startsWith('**'));
  set('status good', mark.GOOD.test(bare));
  set('status warning', mark.WARNING.test(bare));
  set('status bad', mark.BAD.test(bare));
  set('status open', mark.OPEN.test(bare));
  set('emoji', mark.EMOJI.test(quote));
  set('code words:1', code === 1);
  set('code words:2+', code > 1);
  set('path', path);
  set('url', mark.URL.test(quote));
  set('number', /\d/.test(quote));
  set('measure', mark.MEASURE.test(quote));
  set('assignment', mark.ASSIGNMENT.test(quote));
  set('version', mark.VERSION.test(quote));
  set('option name', mark.OPTION.test(bare));
  set('option after asked', mark.OPTION.test(bare) && asked);
  set('arrow', mark.ARROW.test(quote));
  set('change of numbers', /\d[^\n]{0,12}(?:->|→|=>|➜|から|到|降到)[^\n]{0,8}\d/.test(quote));
  set('in brackets', /^[([（【]/.test(bare));
  set('in brackets only', /^[([（【][^)\]）】]*[)\]）】][.。]?$/.test(bare));
  set('quotation', mark.QUOTATION.test(quote));
  set('identifier', mark.IDENTIFIER.test(quote));
  set('all lower', !/[A-Z]/.test(quote) && /[a-z]/.test(quote));
  set('few plain words', plain < 3);
  set('mostly code', coded > plain);
  set('message with code', message.code);
  set('after code', segment.afterCode);
  set('named speaker', message.speech.named);
  set('spoken aloud', message.speech.spoken || isSpoken(quote));
  set('item of many', item && message.items > MANY_ITEMS);
  set('asking message', message.asks !== undefined);
  set('item of an asking message', message.asks !== undefined && item);

  set('question opening', opens('ask') && question);
  set('ask without mark', opens('ask') && !question);
  set('question without request', question && !has('request'));
  set('imperative ending', ends('act') || ends('request'));
  set('act early', opens('act', 4) && !opens('act') && !opens('i', 1) && !opens('we', 1) && !opens('narrate', 1));
  set('forbid with act', has('forbid') && has('act'));
  set('we decide', has('decide') && (has('we') || has('i')));
  set('i want', opens('i', 1) && has('request'));
  set('fault denied', has('faultless') && !has('fault'));
  set('done ending', ends('done'));
  set('chatter only', has('chatter') && words <= 4);
  set('depicts this', has('depict') && has('explain'));
  set('before asked', asked);
  set('before asked, short', asked && words <= 8 && segment.order === 0);
  set('decide after asked', (has('decide') || opens('assent') || opens('refuse')) && asked);
  set('before failed', message.before.failed);
  set('item, no heading', item && headingHits === undefined);
  if (headingHits !== undefined) {
    features.push('after heading');
    for (const concept of UNDER) {
      if (!within(headingHits, concept)) continue;
      features.push(`heading:${concept}`);
      set(`item under ${concept}`, item);
    }
  }
  set(
    'no concept',
    hits.count.every((count) => count === 0),
  );
  for (let index = 0; index < CONCEPTS.length; index++) {
    const seen = hits.count[index]!;
    if (seen === 0) continue;
    features.push(HAS[index]!);
    set(STARTS_WITH[index]!, hits.first[index] === 0);
    set(REPEATS[index]!, seen > 1);
  }
  for (const concept of SETS_THE_TONE) {
    set(OPENS_WITH[at(concept)]!, opening !== undefined && opening.first[at(concept)]! <= 1);
  }
  set('clock or date', mark.CLOCK_OR_DATE.test(quote));
  set('contact', mark.CONTACT.test(quote));
  set('standing', mark.STANDING.test(bare));
  set('segments:5', message.segments > 4 && message.segments <= 10);
  set('segments:11', message.segments > 10 && message.segments <= 25);
  set('second half', segment.order * 2 >= message.segments && message.segments > 4);
  set('last tenth', segment.order * 10 >= message.segments * 9 && message.segments > 10);
  features.push(...hashedWords(quote));
  const bareAnswer =
    words <= 2 &&
    !mark.YES.test(bare) &&
    !asked &&
    message.role === 'user' &&
    (opens('assent') || opens('refuse') || opens('chatter'));
  const option = item && message.asks === 'choice' && message.role === 'assistant';
  const title =
    message.segments > 1 &&
    (kind === 'heading' || (/[:：]\*{0,2}$/.test(quote) && (words <= TITLE_WORDS || opens('narrate'))));
  const ruledOut =
    bareAnswer ||
    option ||
    title ||
    mark.CLOSING.test(quote) ||
    (mark.ASKS.test(bare) && !has('request')) ||
    (question && (opens('ask') || message.role === 'assistant' || (!has('request') && mark.ALTERNATIVE.test(quote))));
  return { features, hits, ruledOut };
}

/** Concepts in a message's first sentence that hint at the rest. */
const SETS_THE_TONE: readonly Concept[] = [
  'act',
  'request',
  'narrate',
  'chatter',
  'explain',
  'done',
  'fault',
  'decide',
  'cause',
  'depict',
  'maybe',
];

/** Concepts that a heading or lead-in may announce. */
const UNDER: readonly Concept[] = [
  'open',
  'done',
  'fault',
  'cause',
  'suggest',
  'forbid',
  'oblige',
  'decide',
  'config',
  'explain',
  'ask',
];

/** Hashes of a quote's words and word pairs; all numbers count as the same word. */
function hashedWords(quote: string): Set<string> {
  const words = fold(quote).match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}']+|\p{N}+|[?!:]/gu) ?? [];
  const found = new Set<string>();
  let last = '^';
  for (const each of words.slice(0, HASHED_WORDS)) {
    const word = /\p{N}/u.test(each) ? '0' : each;
    found.add(WORDS[hash(word)]!).add(WORDS[hash(`${last} ${word}`)]!);
    last = word;
  }
  return found;
}

/** FNV-1a. */
function hash(word: string): number {
  let sum = 2166136261;
  for (let i = 0; i < word.length; i++) sum = Math.imul(sum ^ word.charCodeAt(i), 16777619);
  return (sum >>> 8) % HASHES;
}

/** Counts plain words, and words that look like code, paths, or numbers. Two ideographs count as one word. */
function plainness(quote: string): { readonly plain: number; readonly coded: number } {
  let plain = 0;
  let coded = 0;
  for (const word of quote.split(/\s+/)) {
    if (word === '') continue;
    if (isCjkUnit(word.charCodeAt(0)) || isCjkUnit(word.charCodeAt(word.length - 1)))
      plain += Math.ceil(word.length / 2);
    else if (/^["'(*_]{0,3}\p{L}[\p{L}'’-]*["')*_.,:;!?…]{0,4}$/u.test(word)) plain++;
    else if (/[\p{L}\p{N}]/u.test(word)) coded++;
  }
  return { plain, coded };
}
