import { auditSummary } from '../audit/audit-summary.ts';
import { findQuotes } from '../audit/quotes.ts';
import type { NodeId } from '../model/ids.ts';
import type { DetectedEvent, Span } from '../model/key-event.ts';
import { VERBATIM, type AuditFault, type StructuredSummary, type SummaryNode } from '../model/summary.ts';
import { runYielding } from '../pace/steps.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { buildCorpus, passagesIn, rarityOfText, type Corpus, type TermUsage } from './corpus.ts';
import { extractPassages, renderPassages } from './extractive.ts';
import { fillLimit, longestPrefixThatFits, tokensWithFraming } from './fitting.ts';
import { fitSummary } from './render-summary.ts';
import type { MessageRange, SourceMessage } from './source-message.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { topicTitle, truncateTitle } from './topics.ts';

/** The content of a summary node, without its place in the tree. Token counts include each text's framing. */
export interface NodeContent extends Pick<
  SummaryNode,
  'title' | 'brief' | 'detailed' | 'structured' | 'rung' | 'model' | 'promptVersion' | 'audit'
> {
  readonly tokens: LevelLimits;
}

export interface LeafSource extends MessageRange {
  readonly corpus: Corpus;
  /** A weight for each passage of the corpus; by default, all are equal. */
  readonly factors?: Float64Array | undefined;
  /** The names and phrases that it mentions most often. */
  readonly topics: readonly string[];
  /** Tokens of its messages, including framing. */
  readonly tokens: number;
  /** Target sizes of its texts, including framing. */
  readonly limits: LevelLimits;
  /** Maximum tokens of the detailed text, including framing. */
  readonly ceiling: number;
  /** Spans that the ledger quotes, by message; the summary doesn't repeat them. */
  readonly kept?: ReadonlyMap<number, readonly Span[]> | undefined;
  readonly events?: ReadonlyMap<number, readonly DetectedEvent[]> | undefined;
}

export interface LevelLimits {
  readonly brief: number;
  readonly detailed: number;
}

/** Maximum share of the source's tokens for each level. */
export const MAX_SHARE = { brief: 0.1, detailed: 0.3, full: 0.7 } as const;

export const LOCAL_MODEL = 'local';
const MADE_BY_CODE = { model: LOCAL_MODEL, promptVersion: 'extractive-2', audit: VERBATIM } as const;

export interface LeafTools {
  readonly counter: TokenCounter;
  readonly pace: CancellableYielder;
}

export interface NodeTools extends LeafTools {
  readonly nextId: () => NodeId;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Term usage of the whole session; by default, that of the messages or summaries at hand. */
  readonly usage?: TermUsage;
}

/** Turns a model's summary into node content, or returns the faults for which it's rejected. */
export async function modelContent(
  answered: StructuredSummary,
  source: LeafSource,
  { counter, pace }: LeafTools,
  made: Pick<NodeContent, 'rung' | 'model' | 'promptVersion'>,
): Promise<NodeContent | readonly AuditFault[]> {
  const texts = source.corpus.texts.slice(source.from, source.to + 1);
  const summary = withoutUnknownQuotes(answered, texts);
  const rarity = (text: string): number => rarityOfText(source.corpus, text);
  const { text: detailed } = fitSummary(summary, Infinity, counter);
  const tokens = tokensWithFraming(detailed, counter);
  const { passes, ...audit } = await runYielding(
    auditSummary({ text: detailed, tokens }, { text: texts, tokens: source.tokens }),
    pace,
  );
  // Unknown identifiers alone don't reject a summary.
  if (!passes) return audit.faults.filter(({ kind }) => kind !== 'unknown_identifier');
  if (tokens > source.ceiling)
    return [{ kind: 'grew', text: `${tokens} tokens where there is room for ${source.limits.detailed}` }];
  const short = fitSummary(summary, source.limits.brief, counter, { rarity }).text;
  const brief = short || longestPrefixThatFits(detailed, Math.max(source.limits.brief, MIN_CUT), counter);
  return {
    title: topicTitle(summary.topics) || topicTitle(source.topics) || truncateTitle(detailed),
    brief,
    detailed,
    structured: summary,
    tokens: { brief: tokensWithFraming(brief, counter), detailed: tokens },
    ...made,
    audit,
  };
}

/** Shortens a model's content to `limit` tokens, including framing, by removing list entries, common ones first. */
export function shortened(
  content: NodeContent,
  limit: number,
  { corpus }: LeafSource,
  { counter }: LeafTools,
): NodeContent {
  if (!content.structured) return content;
  const rarity = (text: string): number => rarityOfText(corpus, text);
  const room = limit - tokensWithFraming('', counter);
  const { text, summary } = fitSummary(content.structured, room, counter, { rarity, ignoresSections: true });
  if (text === '') return content;
  const detailed = tokensWithFraming(text, counter);
  const brief = content.tokens.brief <= detailed ? content.brief : text;
  const tokens = { brief: Math.min(content.tokens.brief, detailed), detailed };
  return { ...content, brief, detailed: text, structured: summary, tokens };
}

/** Removes quotation marks from text that isn't verbatim in the source. The text itself stays. */
function withoutUnknownQuotes<Value>(value: Value, texts: readonly string[]): Value {
  if (typeof value === 'string') {
    let text: string = value;
    // Removing a pair of marks may change which of the others are pairs.
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
  const entries = Object.entries(value).map(([key, one]) => [key, withoutUnknownQuotes(one, texts)] as const);
  return Object.fromEntries(entries) as Value;
}

/** Code, quotations, and single quotation marks, which would pair up with one in the next entry. */
const MARKS = /`[^`\n]*`|"[^"\n]*"|"/g;

/** Extracts at most `limit` tokens, including framing, from a range of messages; '' if nothing fits. */
function extractText(
  source: MessageRange & Pick<LeafSource, 'corpus' | 'kept' | 'factors'>,
  limit: number,
  { counter, pace }: LeafTools,
  novelty?: number,
): Promise<string> {
  const { corpus, kept, factors } = source;
  return fillLimit(limit, counter, async (budgetTokens) => {
    const options = { budgetTokens, counter, pace, range: source, kept, factors, novelty };
    return renderPassages(corpus, (await extractPassages(corpus, options)).passages);
  });
}

/** Extracts the level `full` of messages with `sourceTokens`, including lines of listings; '' if nothing fits. */
export async function extractFull(
  messages: readonly SourceMessage[],
  sourceTokens: number,
  tools: LeafTools,
): Promise<{ readonly text: string; readonly tokens: number }> {
  const corpus = await buildCorpus(messages, tools.pace, undefined, true);
  const source = { corpus, from: 0, to: messages.length - 1 };
  const text = await extractText(source, Math.floor(sourceTokens * MAX_SHARE.full), tools);
  return { text, tokens: tokensWithFraming(text, tools.counter) };
}

/**
 * Content without a model: extracted, or else truncated. Undefined if the source is too small to be shortened. `chosen`
 * is a text that was already extracted, including its heading.
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
  const detailed = tokensWithFraming(headed, counter) <= source.limits.detailed ? headed : said;
  const limit = Math.min(source.limits.brief, tokensWithFraming(detailed, counter));
  const short = await extractText(source, limit, tools, BRIEF_NOVELTY);
  await pace.yield();
  const least = Math.min(MIN_CUT, tokensWithFraming(detailed, counter));
  const brief = short || longestPrefixThatFits(said, Math.max(source.limits.brief, least), counter);
  await pace.yield();
  const made = finish(source, tools, { brief, detailed, rung: 'extractive', structured });
  return made ?? truncatedContent(source, tools);
}

/** The heading of an extracted text: the topics that are names; '' if there are none. */
export function topicsLine({ topics }: LeafSource): string {
  const names = topics.filter((topic) => /[\p{Lu}_/.]/u.test(topic));
  return names.length > 0 ? `Topics: ${names.join(', ')}\n` : '';
}

/** In the small space of a brief text, prefer unusual passages. */
const BRIEF_NOVELTY = 2;

/** A structured summary without a model: topics, key events, and the assistant's advice. */
function outline(source: LeafSource): StructuredSummary {
  const { corpus, topics, events, from, to } = source;
  const found = Array.from(events ?? []).flatMap(([at, list]) => (at >= from && at <= to ? list : []));
  const quotes = (kind: DetectedEvent['kind']): string[] =>
    found.filter((event) => event.kind === kind).map(({ quote }) => quote);
  const guidance = passagesIn(corpus, from, to)
    .filter(({ message, kind, running }) => kind === 'prose' && running && corpus.roles[message] === 'assistant')
    .map(({ message, start, end }) => corpus.texts[message]!.slice(start, end))
    .filter((text) => ADVICE.test(text))
    .slice(0, MAX_GUIDANCE);
  const lists = {
    topics,
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

const ADVICE =
  /\b(?:you (?:should|must|need to|could|can)|I (?:recommend|suggest|advise)|make sure|le recomiendo|te recomiendo|recomiendo|conviene|debe(?:s|r[ií]a)?|aconsejo|recomendo|sugiro|deve(?:ria)?|convém|sollten? Sie|empfehle|müssen Sie|rate Ihnen|je (?:vous |te )?(?:recommande|conseille)|vous (?:devez|devriez|pouvez)|consiglio|dovresti|dovrebbe)\b|おすすめ|べきです|建议|应该/iu;

/** Uses the whole source as its summary, if it can't be shortened. */
export function wholeContent({ corpus, from, to, topics }: LeafSource, { counter }: LeafTools): NodeContent {
  const lines = corpus.texts.slice(from, to + 1).map((text, at) => `${corpus.roles[from + at]!}: ${text.trim()}`);
  const text = lines.join('\n');
  const tokens = tokensWithFraming(text, counter);
  return {
    title: topicTitle(topics) || truncateTitle(text) || '…',
    brief: text,
    detailed: text,
    // Neither a model nor extraction made it.
    rung: 'cut',
    tokens: { brief: tokens, detailed: tokens },
    ...MADE_BY_CODE,
  };
}

/** The last fallback: as much of the source's beginning as fits. */
function truncatedContent(source: LeafSource, tools: LeafTools): NodeContent | undefined {
  const { counter } = tools;
  const { corpus, from, to } = source;
  let text = '';
  for (let at = from; at <= to && text.length < MAX_CUT_LENGTH; at++) {
    text += `${text === '' ? '' : '\n'}${corpus.texts[at]!.slice(0, MAX_CUT_LENGTH).trim()}`;
  }
  const least = Math.min(MIN_CUT, source.tokens - 1);
  const detailed =
    longestPrefixThatFits(text, Math.max(Math.min(source.limits.detailed, source.ceiling), least), counter) || '…';
  const brief = longestPrefixThatFits(detailed, Math.max(source.limits.brief, least), counter) || '…';
  return finish(source, tools, { brief, detailed, rung: 'cut' });
}

/** Minimum size of a truncated text in tokens, including framing, but always less than the source. */
const MIN_CUT = 8;
const MAX_CUT_LENGTH = 20_000;

function finish(
  source: LeafSource,
  { counter }: LeafTools,
  texts: Pick<NodeContent, 'brief' | 'detailed' | 'rung' | 'structured'>,
): NodeContent | undefined {
  const brief = tokensWithFraming(texts.brief, counter);
  const tokens = { brief, detailed: tokensWithFraming(texts.detailed, counter) };
  if (texts.brief === '' || Math.max(tokens.brief, tokens.detailed) >= source.tokens) return undefined;
  const title = topicTitle(source.topics) || truncateTitle(texts.detailed) || '…';
  return { title, ...texts, tokens, ...MADE_BY_CODE };
}
