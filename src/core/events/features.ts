import type { Role } from '../model/message.ts';
import { findConcepts } from './concepts.ts';
import type { ConceptHits } from './concepts.ts';
import { CONCEPT_AT, FEATURES, HAS, OPENS, REPEATS, place } from './feature-names.ts';
import type { StructureName } from './feature-names.ts';
import {
  ALTERNATIVE,
  ARROW,
  ASSIGNMENT,
  BAD,
  BOLD_LABEL,
  EMOJI,
  GOOD,
  IDENTIFIER,
  LEAD_IN,
  MEASURE,
  NAMES_LINES,
  OPEN,
  OPTION,
  PATH,
  QUESTION_OPEN,
  QUOTATION,
  URL,
  VERSION,
  WARNING,
  YES,
} from './feature-patterns.ts';
import { CONCEPTS } from './lexicon/lexicon.ts';
import type { Concept } from './lexicon/lexicon.ts';
import { plainness } from './plainness.ts';
import type { Segment } from './segments.ts';
import { isSpoken } from './speech.ts';
import type { Speech } from './speech.ts';
import { QUESTION_END, saidBefore } from './surroundings.ts';
import type { Asks, BeforeTraits } from './surroundings.ts';

/** A list of more items is a table of contents, a review or a plan in full. */
const MANY_ITEMS = 10;
const HEAD = 320;

/** What holds of the segment at hand; all zero between two segments. */
const MARKED = new Uint8Array(FEATURES.length);

function takeMarked(): number[] {
  const features: number[] = [];
  for (let at = 0; at < MARKED.length; at++) {
    if (MARKED[at] === 0) continue;
    features.push(at);
    MARKED[at] = 0;
  }
  return features;
}

export interface SegmentTraits {
  /** Places in `FEATURES` of what holds of it, ascending: some twenty of more than two hundred. */
  readonly features: readonly number[];
  readonly hits: ConceptHits;
  /** Asks for an answer and for nothing to be done, is an option to choose from, or a yes that answers nothing: no key event, whatever its words. */
  readonly asking: boolean;
}

export interface MessageTraits {
  readonly role: Role;
  /** The message ends with a question to the reader: any, or which of several. */
  readonly asks: Asks;
  /** The message holds code or a machine's output beside its prose. */
  readonly code: boolean;
  readonly segments: number;
  /** How many of its segments are items of lists. */
  readonly items: number;
  readonly speech: Speech;
  readonly before: BeforeTraits;
}

/** The features of one segment; cost linear in its length, of which at most `HEAD` characters are looked at. */
export function describe(
  text: string,
  segment: Segment,
  message: MessageTraits,
  headingHits: ConceptHits | undefined,
): SegmentTraits {
  const marked = MARKED;
  const quote = text.slice(segment.start, Math.min(segment.end, segment.start + HEAD));
  const bare = quote.replace(/^[*_`#\s]+/, '');
  const lead = LEAD_IN.exec(bare)?.[0] ?? '';
  const leading = lead === '' || lead.length === bare.length ? undefined : findConcepts(lead).count;
  const led =
    leading !== undefined &&
    leading[CONCEPT_AT.assent]! + leading[CONCEPT_AT.refuse]! + leading[CONCEPT_AT.chatter]! > 0;
  const hits = findConcepts(led ? bare.slice(lead.length) : quote);
  const set = (name: StructureName): void => {
    marked[place(name)] = 1;
  };
  const has = (concept: Concept): boolean => hits.count[CONCEPT_AT[concept]]! > 0;
  const opens = (concept: Concept, within = 0): boolean => hits.first[CONCEPT_AT[concept]]! <= within;
  const ends = (concept: Concept): boolean => hits.tail[CONCEPT_AT[concept]]! === 1;

  set('bias');
  if (led && leading[CONCEPT_AT.assent]! > 0) set('lead-in assent');
  if (led && leading[CONCEPT_AT.refuse]! > 0) set('lead-in refusal');
  if (led && leading[CONCEPT_AT.chatter]! > 0) set('lead-in chatter');
  const words = hits.length;
  set(
    words <= 2
      ? 'words:1-2'
      : words <= 5
        ? 'words:3-5'
        : words <= 12
          ? 'words:6-12'
          : words <= 25
            ? 'words:13-25'
            : 'words:26+',
  );
  switch (segment.line.kind) {
    case 'heading':
      set('line:heading');
      break;
    case 'bullet':
      set('line:bullet');
      break;
    case 'numbered':
      set('line:numbered');
      break;
    case 'table':
      set('line:table');
      break;
    case 'prose':
    case 'blank':
    case 'quoted':
    case 'code':
    case 'output':
    case 'diff':
    case 'markup':
      set('line:prose');
  }
  if (segment.line.thinking) set('thinking');
  if (segment.order === 0) set('first of message');
  if (segment.order === message.segments - 1) set('last of message');
  if (message.segments === 1) set('only of message');
  if (message.segments <= 4) set('of few');
  if (message.segments > 25) set('of a document');
  set(segment.index === 0 ? 'first of line' : 'later of line');
  const mark = QUESTION_END.test(quote) || QUESTION_OPEN.test(quote);
  if (mark) set('question mark');
  if (/[!！]\W*$/.test(quote)) set('exclamation');
  if (/[:：]\*{0,2}$/.test(quote)) set('colon at end');
  if (/(?:\.{2,}|…)$/.test(quote)) set('ellipsis');
  if (/[.。．]["'”)*]*$/.test(quote)) set('ends with stop');
  if (BOLD_LABEL.test(quote)) set('bold label');
  if (quote.startsWith('**')) set('bold');
  if (GOOD.test(bare)) set('status mark good');
  if (WARNING.test(bare)) set('status mark warning');
  if (BAD.test(bare)) set('status mark bad');
  if (OPEN.test(bare)) set('status mark open');
  if (EMOJI.test(quote)) set('emoji');
  const code = (quote.match(/`[^`]+`/g) ?? []).length;
  if (code === 1) set('code words:1');
  if (code > 1) set('code words:2+');
  const path = /[\\/.]/.test(quote) && PATH.test(quote);
  if (path) set('path');
  if (URL.test(quote)) set('url');
  if (/\d/.test(quote)) set('number');
  if (MEASURE.test(quote)) set('measure');
  if (ASSIGNMENT.test(quote)) set('assignment');
  if (VERSION.test(quote)) set('version');
  if (OPTION.test(bare)) set('option name');
  if (ARROW.test(quote)) set('arrow');
  if (/^[([（【]/.test(bare)) set('in brackets');
  if (QUOTATION.test(quote)) set('quotation');
  const identifier = IDENTIFIER.test(quote);
  if (identifier) set('identifier');
  if (!/[A-Z]/.test(quote) && /[a-z]/.test(quote)) set('all lower');

  const question = mark || opens('ask');
  if (opens('ask') && mark) set('question opening');
  if (opens('ask') && !mark) set('ask without mark');
  if (opens('act')) set('imperative opening');
  else if (opens('act', 4) && !opens('i', 1) && !opens('we', 1) && !opens('narrate', 1)) set('act early after lead-in');
  if (ends('act') || ends('request')) set('imperative ending');
  if (has('request') && has('act')) set('request and act');
  if (opens('assent')) set('assent opening');
  if (opens('refuse')) set('refuse opening');
  if (has('oblige') && has('act')) set('oblige with act');
  if (has('forbid') && has('act')) set('forbid with act');
  if (has('decide') && (has('we') || has('i'))) set('we decide');
  if (opens('i', 1) && has('request')) set('i want');
  if (has('faultless') && !has('fault')) set('fault denied');
  if (has('fault') && has('state')) set('fault and state');
  if (has('not') && has('state')) set('not and state');
  if (has('state') && (code > 0 || identifier || path)) set('state and code');
  if (has('cause') && has('fault')) set('cause and fault');
  if (has('done') && (code > 0 || identifier || path)) set('done and code');
  if (opens('done', 1)) set('done opening');
  if (ends('done')) set('done ending');
  if (opens('narrate', 1)) set('narrate opening');
  if (opens('explain', 1)) set('explain opening');
  if (opens('suggest', 1)) set('suggest opening');
  if (opens('maybe', 1)) set('maybe opening');
  if (opens('chatter')) set('chatter opening');
  if (has('chatter') && words <= 4) set('chatter only');
  if (message.before.asked) set('before asked');
  if (message.before.asked && words <= 8 && segment.order === 0) set('before asked, short');
  if (message.before.failed) set('before failed');

  if (headingHits !== undefined) {
    const under = (concept: Concept): boolean => headingHits.count[CONCEPT_AT[concept]]! > 0;
    set('after heading');
    if (under('open')) set('heading:open');
    if (under('done')) set('heading:done');
    if (under('fault')) set('heading:fault');
    if (under('cause')) set('heading:cause');
    if (under('suggest')) set('heading:suggest');
    if (under('forbid') || under('oblige')) set('heading:forbid');
    if (under('decide')) set('heading:decide');
    if (under('config')) set('heading:config');
    if (under('explain')) set('heading:explain');
    if (under('ask')) set('heading:question');
  }
  const item = segment.line.kind === 'bullet' || segment.line.kind === 'numbered';
  if (item && headingHits === undefined) set('item, no heading');
  if (item && headingHits !== undefined) {
    const under = (concept: Concept): boolean => headingHits.count[CONCEPT_AT[concept]]! > 0;
    if (under('open')) set('item under open');
    if (under('done')) set('item under done');
    if (under('fault')) set('item under fault');
    if (under('explain')) set('item under explain');
    if (under('suggest') || under('decide')) set('item under suggest');
    if (under('ask')) set('item under question');
  }
  if (message.asks !== undefined) set(item ? 'item of an asking message' : 'asking message');
  const status = GOOD.test(bare) || WARNING.test(bare) || BAD.test(bare);
  const measured = MEASURE.test(quote);
  const { plain, coded } = plainness(quote);
  if (plain < 3) set('few plain words');
  if (coded > plain) set('mostly code');
  if (message.code) set('message with code');
  if (segment.afterCode) set('after code');
  if (/\d[^\n]{0,12}(?:->|→|=>|➜|から|到|降到)[^\n]{0,8}\d/.test(quote)) set('change of numbers');
  if (segment.line.thinking && (has('narrate') || has('i'))) set('thinking and narrating');
  if (has('act') && path) set('act and path');
  if (OPTION.test(bare) && message.before.asked) set('option after asked');
  if (message.role === 'user' && segment.order < 4 && words > 1 && saidBefore(quote, message.before.end)) {
    set('said before');
    if (message.before.asked) set('said before, asked');
  }
  if ((has('decide') || opens('assent') || opens('refuse')) && message.before.asked) set('decide after asked');
  if (status && /\d/.test(quote)) set('status and number');
  if (BOLD_LABEL.test(quote) && measured) set('label and number');
  if (question && has('act')) set('question and act');
  if (mark && !has('request')) set('question without request');
  if (question && has('fault')) set('question and fault');
  if (/^[([（【][^)\]）】]*[)\]）】][.。]?$/.test(bare)) set('in brackets only');
  if (has('prefer') && has('act')) set('prefer and act');
  if (has('suggest') && !has('request')) set('suggest and no request');
  if (words > 12 && message.segments > 25) set('long in document');
  if (NAMES_LINES.test(quote)) set('names lines');
  if (item && message.items > MANY_ITEMS) set('item of many');
  if (message.speech.named) set('named speaker');
  if (message.speech.spoken || isSpoken(quote)) set('spoken aloud');
  if (has('depict') && has('explain')) set('depicts this');
  if (opens('depict', 1)) set('depict opening');
  let any = false;
  for (let i = 0; i < CONCEPTS.length; i++) {
    const seen = hits.count[i]!;
    if (seen === 0) continue;
    any = true;
    marked[HAS + i] = 1;
    if (hits.first[i]! <= 1) marked[OPENS + i] = 1;
    if (seen > 1) marked[REPEATS + i] = 1;
  }
  if (!any) set('no concept');
  const bareAnswer =
    words <= 2 &&
    !YES.test(bare) &&
    !message.before.asked &&
    message.role === 'user' &&
    (opens('assent') || opens('refuse') || opens('chatter'));
  const option = item && message.asks === 'choice' && message.role === 'assistant';
  const asking =
    bareAnswer ||
    option ||
    (mark && (opens('ask') || message.role === 'assistant' || (!has('request') && ALTERNATIVE.test(quote))));
  return { features: takeMarked(), hits, asking };
}
