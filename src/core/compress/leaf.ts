import { auditSummary } from '../audit/audit.ts';
import { findQuotes } from '../audit/quotes.ts';
import type { DetectedEvent, Span } from '../model/key-event.ts';
import { VERBATIM, type Audit, type AuditFault, type Rung, type StructuredSummary } from '../model/summary.ts';
import { resting } from '../pace/steps.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { buildCorpus, rarityOfText, type Corpus } from './corpus.ts';
import { framed } from './counting.ts';
import { extract, renderPassages, type ExtractOptions } from './extractive.ts';
import { firstThatFits } from './fitting.ts';
import { fitSummary } from './render-summary.ts';
import type { Pace, SourceMessage } from './source.ts';
import { titleOf, topicsOf } from './title.ts';

/** What a summary node says, apart from where it stands. Token figures include each text's framing as one message. */
export interface NodeContent {
  readonly title: string;
  readonly brief: string;
  readonly detailed: string;
  readonly structured?: StructuredSummary;
  readonly tokens: { readonly brief: number; readonly detailed: number };
  readonly rung: Rung;
  readonly model: string;
  readonly promptVersion: string;
  readonly audit: Audit;
}

/** A segment that is to be summarized. */
export interface LeafSource {
  readonly corpus: Corpus;
  /** What each passage of the corpus tells, as a factor; left out: all alike. */
  readonly factors?: Float64Array;
  /** Positions of its messages in the corpus, inclusive. */
  readonly from: number;
  readonly to: number;
  /** What it is about; '' where that cannot be told. */
  readonly title: string;
  /** Tokens of its messages, framing included. */
  readonly tokens: number;
  /** What its texts should take, framing included. */
  readonly limits: LevelLimits;
  /** Beyond this many tokens, framing included, the detailed text is not worth its place. */
  readonly ceiling: number;
  /** Quoted in the ledger, by message: not said again. */
  readonly kept?: ReadonlyMap<number, readonly Span[]>;
  /** Key events by message. */
  readonly events?: ReadonlyMap<number, readonly DetectedEvent[]>;
}

export interface LevelLimits {
  readonly brief: number;
  readonly detailed: number;
}

/** Levels by share of the source: brief at most 10 %, detailed at most 30 %, full at most 70 %. */
export const BRIEF_SHARE = 0.1;
export const DETAILED_SHARE = 0.3;
export const FULL_SHARE = 0.7;

export const EXTRACTIVE_VERSION = 'extractive-2';
export const LOCAL_MODEL = 'local';

export interface LeafTools {
  readonly counter: TokenCounter;
  readonly pace: Pace;
}

/** Content made from a model's summary: all that it says; or what is wrong with it. */
export async function modelContent(
  answered: StructuredSummary,
  source: LeafSource,
  { counter, pace }: LeafTools,
  made: { readonly rung: Rung; readonly model: string; readonly promptVersion: string },
): Promise<NodeContent | readonly AuditFault[]> {
  const texts = source.corpus.texts.slice(source.from, source.to + 1);
  const summary = withoutUnknownQuotes(answered, texts);
  const rarity = (text: string): number => rarityOfText(source.corpus, text);
  const { text: detailed } = fitSummary(summary, Infinity, counter);
  const tokens = framed(detailed, counter);
  const { passes, ...audit } = await resting(
    auditSummary({ text: detailed, tokens }, { text: texts, tokens: source.tokens }),
    pace,
  );
  if (!passes) return audit.faults.filter(({ kind }) => kind !== 'unknown_identifier');
  if (tokens > source.ceiling)
    return [{ kind: 'grew', text: `${tokens} tokens where there is room for ${source.limits.detailed}` }];
  const short = fitSummary(summary, source.limits.brief, counter, rarity).text;
  const brief = short === '' ? firstThatFits(detailed, Math.max(source.limits.brief, SMALLEST_CUT), counter) : short;
  return {
    title: titleOf(summary.topics?.slice(0, 3).join(', ') || source.title || detailed),
    brief,
    detailed,
    structured: summary,
    tokens: { brief: framed(brief, counter), detailed: tokens },
    ...made,
    audit,
  };
}

/** A model's content within `limit` tokens, framing included: the last lines of all its lists leave, the usual ones first. */
export function shortened(
  content: NodeContent,
  limit: number,
  { corpus }: LeafSource,
  { counter }: LeafTools,
): NodeContent {
  if (!content.structured) return content;
  const rarity = (text: string): number => rarityOfText(corpus, text);
  const { text, summary } = fitSummary(content.structured, limit - framed('', counter), counter, rarity, 'lists');
  if (text === '') return content;
  const detailed = framed(text, counter);
  const brief = content.tokens.brief <= detailed ? content.brief : text;
  const tokens = { brief: Math.min(content.tokens.brief, detailed), detailed };
  return { ...content, brief, detailed: text, structured: summary, tokens };
}

/** Quotation marks stay only around what the source says verbatim; the words inside are the model's to choose. */
function withoutUnknownQuotes<Value>(value: Value, texts: readonly string[]): Value {
  if (typeof value === 'string') {
    let text: string = value;
    // Without its marks, those beside it may pair in another way.
    for (let before; before !== text;) {
      before = text;
      for (const { quote, start, end } of findQuotes(before).reverse())
        if (!texts.some((whole) => whole.includes(quote)))
          text = text.slice(0, start - 1) + quote + text.slice(end + 1);
    }
    return text.replace(MARKS, (marked) => (marked === '"' ? '' : marked)) as Value;
  }
  if (Array.isArray(value)) return value.map((one: unknown) => withoutUnknownQuotes(one, texts)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withoutUnknownQuotes(one, texts)]),
  ) as Value;
}

/** Code, quotations, and marks that have no other on their line: in the summary's text those would pair with another entry's. */
const MARKS = /`[^`\n]*`|"[^"\n]*"|"/g;

/** A text in the source's own words, within `limit` tokens, framing included; '' when nothing fits. */
export async function extractText(
  source: LeafSource,
  limit: number,
  { counter, pace }: LeafTools,
  weights: Pick<ExtractOptions, 'novelty' | 'evenUsers' | 'takes'> = {},
): Promise<string> {
  const { kept, factors } = source;
  let room = limit - framed('', counter);
  while (room > 0) {
    const { passages } = await extract(source.corpus, {
      budgetTokens: room,
      counter,
      pace,
      range: source,
      ...weights,
      ...(kept && { kept }),
      ...(factors && { factors }),
    });
    if (passages.length === 0) return '';
    const text = renderPassages(source.corpus, passages);
    const over = framed(text, counter) - limit;
    if (over <= 0) return text;
    room -= over + 1;
  }
  return '';
}

/** All that there is room for, listings too, line by line, in the messages' own words; '' when nothing fits. */
export async function extractAll(
  messages: readonly SourceMessage[],
  tokens: number,
  limit: number,
  tools: LeafTools,
): Promise<{ readonly text: string; readonly tokens: number }> {
  const corpus = await buildCorpus(messages, tools.pace, undefined, true);
  const limits = { brief: limit, detailed: limit };
  const source = { corpus, from: 0, to: messages.length - 1, title: '', tokens, limits, ceiling: limit };
  const text = await extractText(source, limit, tools);
  return { text, tokens: framed(text, tools.counter) };
}

/**
 * Content without a model: extracted, or else truncated. Undefined when the source is too small for anything shorter than
 * itself. `chosen` is a text that was extracted for it already, its heading included.
 */
export async function extractiveContent(
  source: LeafSource,
  tools: LeafTools,
  chosen?: string,
): Promise<NodeContent | undefined> {
  const { counter, pace } = tools;
  const said = chosen ?? (await extractText(source, source.limits.detailed, tools));
  if (said === '') return truncatedContent(source, tools);
  const structured = outline(source);
  const headed = chosen ?? topicsLine(source) + said;
  const detailed = framed(headed, counter) <= source.limits.detailed ? headed : said;
  const limit = Math.min(source.limits.brief, framed(detailed, counter));
  const short = await extractText(source, limit, tools, { novelty: BRIEF_NOVELTY });
  await pace.rest();
  const least = Math.min(SMALLEST_CUT, framed(detailed, counter));
  const brief = short === '' ? firstThatFits(said, Math.max(source.limits.brief, least), counter) : short;
  await pace.rest();
  const made = finish(source, tools, { brief, detailed, rung: 'extractive', structured });
  return made ?? truncatedContent(source, tools);
}

/** Stands before what is extracted of a segment; '' where it has none. */
export function topicsLine(source: LeafSource): string {
  const topics = topicsOf(source);
  return topics.length > 0 ? `Topics: ${topics.join(', ')}\n` : '';
}

/** Nobody reads what is extracted before it is sent: in the little room of a brief text the unusual counts for more. */
const BRIEF_NOVELTY = 2;

/** What can be told of a segment without a model: its topics, and what its key events and its advice say. */
function outline(source: LeafSource): StructuredSummary {
  const { corpus, events, from, to } = source;
  const found = Array.from(events ?? []).flatMap(([at, list]) => (at >= from && at <= to ? list : []));
  const quotes = (kind: DetectedEvent['kind']): string[] =>
    found.filter((event) => event.kind === kind).map(({ quote }) => quote);
  const first = corpus.firstOf[from] ?? 0;
  const beyond = corpus.firstOf[to + 1] ?? corpus.passages.length;
  const guidance: string[] = [];
  for (let index = first; index < beyond && guidance.length < MAX_GUIDANCE; index++) {
    const { message, start, end, kind, running } = corpus.passages[index]!;
    if (kind !== 'said' || !running || corpus.roles[message] !== 'assistant') continue;
    const text = corpus.texts[message]!.slice(start, end);
    if (ADVICE.test(text)) guidance.push(text);
  }
  const lists = {
    topics: topicsOf(source),
    preferences: quotes('preference'),
    constraints: quotes('constraint'),
    openSteps: quotes('todo'),
    guidance,
  };
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, entries]) => entries.length > 0)),
    decisions: quotes('decision').map((what) => ({ what })),
    errors: quotes('error').map((what) => ({ what })),
    narrative: '',
  };
}

const MAX_GUIDANCE = 5;

/** How advice is given, in the languages that the texts come in. */
const ADVICE =
  /\b(?:you (?:should|must|need to|could|can)|I (?:recommend|suggest|advise)|make sure|le recomiendo|te recomiendo|recomiendo|conviene|debe(?:s|r[ií]a)?|aconsejo|recomendo|sugiro|deve(?:ria)?|convém|sollten? Sie|empfehle|müssen Sie|rate Ihnen|je (?:vous |te )?(?:recommande|conseille)|vous (?:devez|devriez|pouvez)|consiglio|dovresti|dovrebbe)\b|おすすめ|べきです|建议|应该/iu;

/** All that the source says: for what nothing shorter can stand for. */
export function wholeContent({ corpus, from, to, title }: LeafSource, { counter }: LeafTools): NodeContent {
  const lines = corpus.texts.slice(from, to + 1).map((text, at) => `${corpus.roles[from + at]!}: ${text.trim()}`);
  const text = lines.join('\n');
  const tokens = framed(text, counter);
  return {
    title: title || titleOf(text) || '…',
    brief: text,
    detailed: text,
    rung: 'cut',
    tokens: { brief: tokens, detailed: tokens },
    model: LOCAL_MODEL,
    promptVersion: EXTRACTIVE_VERSION,
    audit: VERBATIM,
  };
}

/** The last fallback: the start of the source's text, as much as fits. */
function truncatedContent(source: LeafSource, tools: LeafTools): NodeContent | undefined {
  const { counter } = tools;
  const { corpus, from, to } = source;
  let text = '';
  for (let at = from; at <= to && text.length < LONGEST_CUT; at++) {
    text += `${text === '' ? '' : '\n'}${corpus.texts[at]!.slice(0, LONGEST_CUT).trim()}`;
  }
  const least = Math.min(SMALLEST_CUT, source.tokens - 1);
  const detailed =
    firstThatFits(text, Math.max(Math.min(source.limits.detailed, source.ceiling), least), counter) || '…';
  const brief = firstThatFits(detailed, Math.max(source.limits.brief, least), counter) || '…';
  return finish(source, tools, { brief, detailed, rung: 'cut' });
}

/** Where everything else fails, a cut may take this many tokens, framing included, if that is less than the source. */
const SMALLEST_CUT = 8;
const LONGEST_CUT = 20_000;

function finish(
  source: LeafSource,
  { counter }: LeafTools,
  texts: Pick<NodeContent, 'brief' | 'detailed' | 'rung' | 'structured'>,
): NodeContent | undefined {
  const tokens = { brief: framed(texts.brief, counter), detailed: framed(texts.detailed, counter) };
  if (texts.brief === '' || Math.max(tokens.brief, tokens.detailed) >= source.tokens) return undefined;
  const title = source.title || titleOf(texts.detailed) || '…';
  return { title, ...texts, tokens, model: LOCAL_MODEL, promptVersion: EXTRACTIVE_VERSION, audit: VERBATIM };
}
