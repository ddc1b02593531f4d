import { auditSummary, type AuditSource } from '../audit/audit.ts';
import { locateModelEvents, type ClaimedEvent, type LocatedEvents } from '../events/model-events.ts';
import { messageId } from '../model/ids.ts';
import type { DetectedEvent, Span } from '../model/key-event.ts';
import type { Audit, AuditFault, Rung, StructuredSummary } from '../model/summary.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import { rarityOfText, type Corpus } from './corpus.ts';
import { framed } from './counting.ts';
import { firstThatFits } from './fitting.ts';
import { extract, renderPassages, type ExtractOptions } from './extractive.ts';
import { renderSummary } from './render-summary.ts';
import { resting } from '../pace/steps.ts';
import type { Pace } from './source.ts';
import { missingSections } from './structured.ts';
import { tellingWords, titleOf } from './title.ts';

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
  /** Key events that the model named and the source holds; `at` counts the segment's messages from 0. */
  readonly named?: readonly NamedEvent[];
}

export interface NamedEvent {
  readonly at: number;
  readonly event: DetectedEvent;
}

/** A segment that is to be summarized. */
export interface LeafSource {
  readonly corpus: Corpus;
  /** Positions of its messages in the corpus, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Tokens of its messages, framing included. */
  readonly tokens: number;
  /** What its texts may take, framing included. */
  readonly limits: LevelLimits;
  /** Spans of key events, by message: what holds one comes first. */
  readonly wanted?: ReadonlyMap<number, readonly Span[]>;
}

export interface LevelLimits {
  readonly brief: number;
  readonly detailed: number;
}

/** The design's levels: brief at most 10 %, detailed at most 30 % of the source. */
export const BRIEF_SHARE = 0.1;
export const DETAILED_SHARE = 0.3;
export const FULL_SHARE = 0.7;

/** Limits by share of the source, with ceilings in tokens so that no summary's text grows without end. */
export function levelLimits(sourceTokens: number, ceilings: LevelLimits): LevelLimits {
  return {
    brief: Math.min(Math.floor(sourceTokens * BRIEF_SHARE), ceilings.brief),
    detailed: Math.min(Math.floor(sourceTokens * DETAILED_SHARE), ceilings.detailed),
  };
}

export const EXTRACTIVE_VERSION = 'extractive-1';
export const LOCAL_MODEL = 'local';

export interface LeafTools {
  readonly counter: TokenCounter;
  readonly pace: Pace;
}

export function auditSourceOf({ corpus, from, to, tokens }: LeafSource): AuditSource {
  return { texts: corpus.texts.slice(from, to + 1), tokens };
}

/** What a model answered: its summary, and the key events that it claims to quote. */
export interface ModelAnswer {
  readonly summary: StructuredSummary;
  readonly events: readonly ClaimedEvent[];
}

/** Content made from a structured summary, what it left out filled in from the source; with the audit of both. */
export async function structuredContent(
  { summary, events }: ModelAnswer,
  source: LeafSource,
  tools: LeafTools,
  made: { readonly rung: Rung; readonly model: string; readonly promptVersion: string },
): Promise<{ readonly content: NodeContent; readonly faults: readonly AuditFault[] }> {
  const { counter } = tools;
  const { limits } = source;
  const whole = renderSummary(summary, Infinity, counter);
  const rarity = (text: string): number => rarityOfText(source.corpus, text);
  const rendered = renderSummary(summary, limits.detailed - MESSAGE_FRAMING_TOKENS, counter, rarity);
  const brief = renderSummary(summary, limits.brief - MESSAGE_FRAMING_TOKENS, counter, rarity);
  // The whole answer is judged, not only the part that fits.
  const audit = await resting(
    auditSummary(
      { texts: [whole], tokens: framed(whole, counter), missingSections: missingSections(summary) },
      auditSourceOf(source),
    ),
    tools.pace,
  );
  const { passes, ...kept } = audit;
  const located = locateModelEvents(
    events,
    source.corpus.texts.slice(source.from, source.to + 1).map((text, at) => ({ id: messageId(String(at)), text })),
  );
  const detailed = passes ? await supplement(rendered, source, limits.detailed, tools) : rendered;
  const least = Math.max(limits.brief, SMALLEST_CUT);
  const own = brief === '' ? firstThatFits(rendered, least, counter) : brief;
  const short = passes && brief !== '' ? await supplement(own, source, limits.brief, tools) : own;
  const content: NodeContent = {
    title: titleOf(summary.topics[0] ?? summary.narrative),
    brief: short,
    detailed,
    structured: summary,
    tokens: { brief: framed(short, counter), detailed: framed(detailed, counter) },
    ...made,
    audit: withEvents(kept, located),
    named: located.events.map(({ message, event }) => ({ at: Number(message), event })),
  };
  return {
    content,
    faults: passes ? [] : kept.faults.filter((fault) => fault.kind !== 'unknown_identifier'),
  };
}

/** At most so many invented events are listed; the counts are whole. */
const MOST_LISTED_EVENTS = 20;

/** An audit that says how many of the key events that the model named its source holds, and which ones it lacks. */
function withEvents(audit: Audit, { events, dropped }: LocatedEvents): Audit {
  const unknown = dropped.filter(({ why }) => why !== 'repeated');
  const total = events.length + unknown.length;
  if (total === 0) return audit;
  const faults = unknown
    .slice(0, MOST_LISTED_EVENTS)
    .map(({ quote }): AuditFault => ({ kind: 'unknown_event', text: quote }));
  return { ...audit, events: { known: events.length, total }, faults: [...audit.faults, ...faults] };
}

/** Fills the room that is left with what the summary does not mention, word for word. */
async function supplement(text: string, source: LeafSource, limit: number, tools: LeafTools): Promise<string> {
  const { counter, pace } = tools;
  let room = limit - framed(text, counter) - SEPARATOR_TOKENS;
  while (room >= SMALLEST_SUPPLEMENT) {
    const { passages } = await extract(source.corpus, {
      budgetTokens: room,
      counter,
      pace,
      range: source,
      beside: [text],
      ...(source.wanted && { wanted: source.wanted }),
    });
    if (passages.length === 0) return text;
    const joined = `${text}\n\n${renderPassages(source.corpus, passages)}`;
    const over = framed(joined, counter) - limit;
    if (over <= 0) return joined;
    room -= over + 4;
  }
  return text;
}

const SEPARATOR_TOKENS = 2;
const SMALLEST_SUPPLEMENT = 12;

/** A text made by code from the source's own words, within `limit` tokens, framing included; '' when nothing fits. */
export async function extractText(
  source: LeafSource,
  limit: number,
  tools: LeafTools,
  weights: Pick<ExtractOptions, 'novelty' | 'evenUsers'> = {},
): Promise<string> {
  const { counter, pace } = tools;
  let room = limit - MESSAGE_FRAMING_TOKENS;
  while (room > 0) {
    const { passages } = await extract(source.corpus, {
      budgetTokens: room,
      counter,
      pace,
      range: source,
      ...weights,
      ...(source.wanted && { wanted: source.wanted }),
    });
    if (passages.length === 0) return '';
    const text = renderPassages(source.corpus, passages);
    const over = framed(text, counter) - limit;
    if (over <= 0) return text;
    room -= over + 1;
  }
  return '';
}

/** Content by code, then by a plain cut; undefined when the source is too small for anything shorter than itself. */
export async function localContent(
  source: LeafSource,
  tools: LeafTools,
  chosen?: { readonly detailed: string },
): Promise<NodeContent | undefined> {
  const { counter } = tools;
  const detailed = chosen?.detailed ?? (await extractText(source, source.limits.detailed, tools));
  if (detailed !== '') {
    const short = await briefText(source, Math.min(source.limits.brief, framed(detailed, counter)), tools);
    await tools.pace.rest();
    const least = Math.min(SMALLEST_CUT, framed(detailed, counter));
    const brief = short === '' ? firstThatFits(detailed, Math.max(source.limits.brief, least), counter) : short;
    await tools.pace.rest();
    const made = await finish(source, tools, { brief, detailed, rung: 'extractive' });
    if (made) return made;
  }
  return cutContent(source, tools);
}

/** Nobody reads what is extracted before it is sent: in the little room of a brief text the unusual counts for more. */
const BRIEF_NOVELTY = 2;

/** A brief text by code. What key events say stands in the ledger: it tells of the rest first. */
const briefText = ({ wanted: _, ...source }: LeafSource, limit: number, tools: LeafTools): Promise<string> =>
  extractText(source, limit, tools, { novelty: BRIEF_NOVELTY });

/** The ladder's last step: the start of the source's text, as much as fits. */
function cutContent(source: LeafSource, tools: LeafTools): Promise<NodeContent | undefined> {
  const { counter } = tools;
  const { corpus, from, to } = source;
  let text = '';
  for (let at = from; at <= to && text.length < LONGEST_CUT; at++) {
    text += `${text === '' ? '' : '\n'}${corpus.texts[at]!.slice(0, LONGEST_CUT).trim()}`;
  }
  const least = Math.min(SMALLEST_CUT, source.tokens - 1);
  const detailed = firstThatFits(text, Math.max(source.limits.detailed, least), counter) || '…';
  const brief = firstThatFits(detailed, Math.max(source.limits.brief, least), counter) || '…';
  return finish(source, tools, { brief, detailed, rung: 'cut' });
}

/** Where everything else fails, a cut may take this many tokens, framing included, if that is less than the source. */
const SMALLEST_CUT = MESSAGE_FRAMING_TOKENS + 4;
const LONGEST_CUT = 20_000;

async function finish(
  source: LeafSource,
  { counter, pace }: LeafTools,
  texts: { readonly brief: string; readonly detailed: string; readonly rung: Rung },
): Promise<NodeContent | undefined> {
  const tokens = { brief: framed(texts.brief, counter), detailed: framed(texts.detailed, counter) };
  const longest = Math.max(tokens.brief, tokens.detailed);
  const { passes, ...audit } = await resting(
    auditSummary({ texts: [texts.detailed], tokens: longest, missingSections: [] }, auditSourceOf(source)),
    pace,
  );
  const title = titleOf(tellingWords(source) ?? texts.detailed) || '…';
  const grew = texts.brief === '' || audit.faults.some(({ kind }) => kind === 'grew' || kind === 'empty');
  if (!passes && grew) return undefined;
  return { title, ...texts, tokens, model: LOCAL_MODEL, promptVersion: EXTRACTIVE_VERSION, audit };
}
