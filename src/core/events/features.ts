import { fold } from '../text/fold.ts';
import { isCjkUnit } from '../text/cjk.ts';
import { beginsWith, findConcepts, hasConcept, type ConceptHits } from './concepts.ts';
import * as mark from './feature-patterns.ts';
import { CONCEPTS, type Concept } from './lexicon.ts';
import type { Segment } from './split-message.ts';
import { isSpoken, QUESTION_END, type MessageTraits } from './message-traits.ts';

/** A longer list is a table of contents, a review, or a complete plan. */
const MANY_ITEMS = 10;
/** A message with more segments is a document. */
const MANY_SEGMENTS = 25;
/** Length of a segment's beginning that is examined, in UTF-16 units. */
const MAX_READ = 320;
/** A lead-in to a list or to code with at most this many words is only a title. */
const TITLE_WORDS = 6;
/** Number of hash buckets for words, enough that frequent words rarely collide. */
const HASH_BUCKETS = 1024;
const MAX_HASHED_WORDS = 40;

export interface SegmentTraits {
  /** The segment's features: some twenty for form and meaning, and hashes of its words. */
  readonly features: readonly string[];
  readonly hits: ConceptHits;
  /** True if the segment can't be a key event: a mere question, an option, a “yes” without a question, or a title. */
  readonly ruledOut: boolean;
}

/** `headingHits` are the concepts of the segment's heading, `opening` those of the message's first segment. */
export function describeSegment(
  text: string,
  segment: Segment,
  message: MessageTraits,
  headingHits: ConceptHits | undefined,
  opening: ConceptHits | undefined,
): SegmentTraits {
  const quote = text.slice(segment.start, Math.min(segment.end, segment.start + MAX_READ));
  const bare = quote.replace(/^[*_`#\s]+/, '');
  const lead = mark.LEAD_IN.exec(bare)?.[0] ?? '';
  const leading = lead === '' || lead.length === bare.length ? undefined : findConcepts(lead);
  const skipsLeadIn =
    leading !== undefined && (['assent', 'refuse', 'chatter'] as const).some((one) => hasConcept(leading, one));
  const hits = findConcepts(skipsLeadIn ? bare.slice(lead.length) : quote);
  const has = (concept: Concept): boolean => hasConcept(hits, concept);
  const opens = (concept: Concept, lastWord?: number): boolean => beginsWith(hits, concept, lastWord);
  const ends = (concept: Concept): boolean => hits.tail[CONCEPTS.indexOf(concept)]! === 1;
  const words = hits.length;
  const { kind, thinking } = segment.line;
  const item = kind === 'bullet' || kind === 'numbered';
  const asked = message.before.asked;
  const question = mark.QUESTION_OPEN.test(quote) || QUESTION_END.test(quote);
  const code = (quote.match(/`[^`]+`/g) ?? []).length;
  const path = /[\\/.]/.test(quote) && mark.PATH.test(quote);
  const { plain, coded } = countWords(quote);

  const features: string[] = ['bias', `line:${kind}`];
  const addIf = (name: string, holds: boolean): void => {
    if (holds) features.push(name);
  };
  addIf('lead-in assent', skipsLeadIn && hasConcept(leading, 'assent'));
  addIf('lead-in refusal', skipsLeadIn && hasConcept(leading, 'refuse'));
  addIf('lead-in chatter', skipsLeadIn && hasConcept(leading, 'chatter'));
  addIf(`words:${[2, 5, 12, 25].find((most) => words <= most) ?? 'more'}`, true);
  addIf('thinking', thinking);
  addIf('first of message', segment.order === 0);
  addIf('last of message', segment.order === message.segments - 1);
  addIf('only of message', message.segments === 1);
  addIf('of few', message.segments <= 4);
  addIf('of a document', message.segments > MANY_SEGMENTS);
  addIf('long in document', words > 12 && message.segments > MANY_SEGMENTS);
  addIf('later of line', segment.index > 0);
  addIf('question mark', question);
  addIf('exclamation', /[!！]\W*$/.test(quote));
  addIf('colon at end', /[:：]\*{0,2}$/.test(quote));
  addIf('ellipsis', /(?:\.{2,}|…)$/.test(quote));
  addIf('ends with stop', /[.。．]["'”)*]*$/.test(quote));
  addIf('bold label', mark.BOLD_LABEL.test(quote));
  addIf('bold', quote.startsWith('**'));
  addIf('status good', mark.GOOD.test(bare));
  addIf('status warning', mark.WARNING.test(bare));
  addIf('status bad', mark.BAD.test(bare));
  addIf('status open', mark.OPEN.test(bare));
  addIf('emoji', mark.EMOJI.test(quote));
  addIf('code words:1', code === 1);
  addIf('code words:2+', code > 1);
  addIf('path', path);
  addIf('url', mark.URL.test(quote));
  addIf('number', /\d/.test(quote));
  addIf('measure', mark.MEASURE.test(quote));
  addIf('assignment', mark.ASSIGNMENT.test(quote));
  addIf('version', mark.VERSION.test(quote));
  addIf('option name', mark.OPTION.test(bare));
  addIf('option after asked', mark.OPTION.test(bare) && asked);
  addIf('arrow', mark.ARROW.test(quote));
  addIf('change of numbers', /\d[^\n]{0,12}(?:->|→|=>|➜|から|到|降到)[^\n]{0,8}\d/.test(quote));
  addIf('in brackets', /^[([（【]/.test(bare));
  addIf('in brackets only', /^[([（【][^)\]）】]*[)\]）】][.。]?$/.test(bare));
  addIf('quotation', mark.QUOTATION.test(quote));
  addIf('identifier', mark.IDENTIFIER.test(quote));
  addIf('all lower', !/[A-Z]/.test(quote) && /[a-z]/.test(quote));
  addIf('few plain words', plain < 3);
  addIf('mostly code', coded > plain);
  addIf('message with code', message.code);
  addIf('after code', segment.afterCode);
  addIf('named speaker', message.speech.named);
  addIf('spoken aloud', message.speech.spoken || isSpoken(quote));
  addIf('item of many', item && message.items > MANY_ITEMS);
  addIf('asking message', message.trailingQuestion !== undefined);
  addIf('item of an asking message', message.trailingQuestion !== undefined && item);

  addIf('question opening', opens('ask') && question);
  addIf('ask without mark', opens('ask') && !question);
  addIf('question without request', question && !has('request'));
  addIf('imperative ending', ends('act') || ends('request'));
  addIf('act early', opens('act', 4) && !opens('act') && !opens('i', 1) && !opens('we', 1) && !opens('narrate', 1));
  addIf('forbid with act', has('forbid') && has('act'));
  addIf('we decide', has('decide') && (has('we') || has('i')));
  addIf('i want', opens('i', 1) && has('request'));
  addIf('fault denied', has('faultless') && !has('fault'));
  addIf('done ending', ends('done'));
  addIf('chatter only', has('chatter') && words <= 4);
  addIf('depicts this', has('depict') && has('explain'));
  addIf('before asked', asked);
  addIf('before asked, short', asked && words <= 8 && segment.order === 0);
  addIf('decide after asked', (has('decide') || opens('assent') || opens('refuse')) && asked);
  addIf('before failed', message.before.failed);
  addIf('item, no heading', item && headingHits === undefined);
  if (headingHits !== undefined) {
    features.push('after heading');
    for (const concept of HEADING_CONCEPTS) {
      if (!hasConcept(headingHits, concept)) continue;
      features.push(`heading:${concept}`);
      addIf(`item under ${concept}`, item);
    }
  }
  addIf(
    'no concept',
    hits.count.every((count) => count === 0),
  );
  for (const [index, concept] of CONCEPTS.entries()) {
    const seen = hits.count[index]!;
    if (seen === 0) continue;
    features.push(`has ${concept}`);
    addIf(`starts with ${concept}`, hits.first[index] === 0);
    addIf(`repeats ${concept}`, seen > 1);
  }
  for (const concept of OPENING_CONCEPTS) {
    addIf(`message opens with ${concept}`, opening !== undefined && beginsWith(opening, concept, 1));
  }
  addIf('clock or date', mark.CLOCK_OR_DATE.test(quote));
  addIf('contact', mark.CONTACT.test(quote));
  addIf('standing', mark.STANDING.test(bare));
  addIf('segments:5', message.segments > 4 && message.segments <= 10);
  addIf('segments:11', message.segments > 10 && message.segments <= MANY_SEGMENTS);
  addIf('second half', segment.order * 2 >= message.segments && message.segments > 4);
  addIf('last tenth', segment.order * 10 >= message.segments * 9 && message.segments > 10);
  features.push(...hashedWords(quote));
  const bareAnswer =
    words <= 2 &&
    !mark.YES.test(bare) &&
    !asked &&
    message.role === 'user' &&
    (opens('assent') || opens('refuse') || opens('chatter'));
  const option = item && message.trailingQuestion === 'choice' && message.role === 'assistant';
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
const OPENING_CONCEPTS: readonly Concept[] = [
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
const HEADING_CONCEPTS: readonly Concept[] = [
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
  let previous = '^';
  for (const each of words.slice(0, MAX_HASHED_WORDS)) {
    const word = /\p{N}/u.test(each) ? '0' : each;
    found.add(`#${hash(word)}`).add(`#${hash(`${previous} ${word}`)}`);
    previous = word;
  }
  return found;
}

/** FNV-1a. */
function hash(word: string): number {
  let sum = 2166136261;
  for (let i = 0; i < word.length; i++) sum = Math.imul(sum ^ word.charCodeAt(i), 16777619);
  return (sum >>> 8) % HASH_BUCKETS;
}

/** Counts plain words, and words that look like code, paths, or numbers. Two ideographs count as one word. */
function countWords(quote: string): { readonly plain: number; readonly coded: number } {
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
