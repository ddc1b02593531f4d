import type { Span } from '../model/key-event.ts';
import type { NodeId } from '../model/ids.ts';
import type { SummaryNode } from '../model/summary.ts';
import type { Breather } from '../pace/breather.ts';
import type { SummaryPrompt } from '../prompts/render.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { buildCorpus, type Corpus } from './corpus.ts';
import { countMessages } from './counting.ts';
import { climb } from './ladder.ts';
import { levelLimits, type LeafSource, type LevelLimits, type NamedEvent, type NodeContent } from './leaf.ts';
import { mapLimited } from './map-limited.ts';
import { chooseLevels, type LevelChoice } from './levels.ts';
import { cutSegments, type Segment } from './segments.ts';
import { Pace, sourceHash, throwIfCancelled, type Cancel, type SourceMessage } from './source.ts';
import { CallLog, ModelTrust, type SummaryModel } from './summary-model.ts';
import type { TermUsage } from './term-usage.ts';
import { condense } from './tree.ts';

/** Contents of leaves by source and prompt: an unchanged segment is never summarized twice. A `Map` is one. */
export interface SummaryCache {
  get(key: string): NodeContent | undefined;
  set(key: string, content: NodeContent): unknown;
}

/** Numbers of a run, each with its reason where it is set. */
export interface RunSettings {
  /** Tokens of a segment. */
  readonly segmentTokens: number;
  /** What the frontier may take in the context. */
  readonly frontierTokens: number;
  /** Of that, what the frontier at its briefest is taken down to once it exceeds it; 1 where it is left out. */
  readonly condenseTo?: number;
  /** Neighbours that a parent stands for. */
  readonly fanIn: number;
  /** Segments summarized at once, at most; a model may take fewer. */
  readonly concurrency: number;
  /** Ceilings of one node's texts. */
  readonly ceilings: LevelLimits;
  readonly prompt: SummaryPrompt;
  readonly temperature: number;
  readonly maxOutputTokens: number;
  readonly allowExtractiveOnFault: boolean;
}

/**
 * 24,000 tokens are some 60 developer messages: a request's fixed part is then a small share of it, and a segment fits
 * the input of any model once distilled. A fan-in of 6 keeps a million messages within 6 levels.
 */
export const DEFAULT_RUN_SETTINGS: Omit<RunSettings, 'prompt' | 'frontierTokens'> = {
  segmentTokens: 24_000,
  fanIn: 6,
  concurrency: 24,
  ceilings: { brief: 400, detailed: 1600 },
  temperature: 0.3,
  maxOutputTokens: 900,
  allowExtractiveOnFault: false,
};

export interface RunInput {
  /** Messages that leave the window now, oldest first, all of one branch and without a gap. */
  readonly messages: readonly SourceMessage[];
  /** Their tokens with framing and attachments, if they are known. */
  readonly tokens?: readonly number[];
  /** Nodes that stand for what came before, oldest first. */
  readonly frontier: readonly SummaryNode[];
  /** Spans of key events by position in `messages`: the passages that hold them come first in a summary. */
  readonly wanted?: ReadonlyMap<number, readonly Span[]>;
  /** A corpus that holds these messages from `offset` on, made with their `wanted` spans, if there is one already. */
  readonly indexed?: { readonly corpus: Corpus; readonly offset: number };
}

export interface RunTools {
  readonly counter: TokenCounter;
  readonly model?: SummaryModel;
  readonly nextId: () => NodeId;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nobody else needs the thread where it is left out. */
  readonly breather?: Breather;
  readonly cancel?: Cancel;
  readonly calls?: CallLog;
  /** Kept between runs, so that a model that answers badly is not asked for each segment anew. */
  readonly trust?: ModelTrust;
  readonly cache?: SummaryCache;
  /** How the whole session uses its terms, where these messages are a part of one. */
  readonly usage?: TermUsage;
  /** Told after each segment. */
  readonly report?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface RunResult {
  /** New nodes: leaves, then parents, each after its children. */
  readonly nodes: readonly SummaryNode[];
  /** All nodes that stand now for what is covered, oldest first. */
  readonly frontier: readonly SummaryNode[];
  readonly levels: readonly LevelChoice[];
  /** `source`: of the messages that were covered; `frontier`: of all nodes at their levels, headings included. */
  readonly tokens: { readonly source: number; readonly frontier: number };
  /** How many of `messages` are covered, from the first; the rest was too small to be shortened. */
  readonly covered: number;
  readonly calls: CallLog;
  /** Key events that a model named in what is covered and its source holds, by position in `messages`. */
  readonly named: readonly NamedEvent[];
  /** What the provider threw where the extractive rung stood in. */
  readonly fault?: unknown;
}

/**
 * Covers messages with new leaves, several at once, and joins old nodes where the frontier outgrows its share.
 * Changes nothing: what it returns is committed by the caller or dropped. Linear in the messages.
 *
 * @throws what the model throws, unless the settings let the extractive rung stand in
 * @throws {Cancelled} soon after a cancellation
 */
export async function compressRun(input: RunInput, settings: RunSettings, tools: RunTools): Promise<RunResult> {
  const { counter, cancel } = tools;
  const calls = tools.calls ?? new CallLog();
  const pace = new Pace(tools.breather, cancel);
  throwIfCancelled(cancel);
  const { messages } = input;
  const tokens = input.tokens ?? (await countMessages(messages, counter, pace));
  await pace.rest();
  const segments = cutSegments(messages, tokens, settings.segmentTokens);
  const { corpus: read, offset } = input.indexed ?? {
    corpus: await buildCorpus(messages, pace, input.wanted),
    offset: 0,
  };
  await tools.usage?.add(read, messages, offset, pace);
  const corpus = (await tools.usage?.over(read, pace)) ?? read;
  const wanted = input.wanted && shifted(input.wanted, offset);
  await pace.rest();
  const trust = tools.trust ?? new ModelTrust();
  let fault: unknown;
  let done = 0;

  // Code alone is no faster at several segments at once.
  const atOnce = tools.model ? Math.min(settings.concurrency, tools.model.atOnce) : 1;
  const made = new Map<Segment, Leaf>();
  await mapLimited(atOnce > 1 ? longestFirst(segments) : segments, atOnce, async (segment): Promise<void> => {
    const source: LeafSource = {
      corpus,
      from: offset + segment.from,
      to: offset + segment.to,
      tokens: segment.tokens,
      limits: levelLimits(segment.tokens, segments.length > 1 ? shareOf(segment, settings) : settings.ceilings),
      ...(wanted && { wanted }),
    };
    const covered = messages.slice(segment.from, segment.to + 1);
    const hash = sourceHash(covered);
    // Hashing a segment is a step by itself; so is auditing it, below.
    await pace.rest();
    const key = `${hash}:${settings.prompt.version}:${tools.model?.id ?? 'local'}`;
    let content = tools.cache?.get(key);
    if (!content) {
      const climbed = await climb(source, {
        counter,
        pace,
        prompt: settings.prompt,
        temperature: settings.temperature,
        maxOutputTokens: settings.maxOutputTokens,
        calls,
        trust,
        allowExtractiveOnFault: settings.allowExtractiveOnFault,
        // A provider that has failed in this run is not asked again in it.
        ...(tools.model && fault === undefined && { model: tools.model }),
        ...(cancel && { cancel }),
      });
      fault ??= climbed.fault;
      content = climbed.content;
      if (content && climbed.fault === undefined) tools.cache?.set(key, content);
    }
    await pace.rest();
    tools.report?.({ done: ++done, total: segments.length });
    if (content) made.set(segment, leafOf(content, segment, covered, hash, tools));
  });

  const leaves: SummaryNode[] = [];
  const named: NamedEvent[] = [];
  let covered = 0;
  for (const segment of segments) {
    const leaf = made.get(segment);
    // A gap would leave messages uncovered between covered ones; what follows it waits for the next run.
    if (!leaf) break;
    leaves.push(leaf.node);
    named.push(...leaf.named.map(({ at, event }) => ({ at: segment.from + at, event })));
    covered = segment.to + 1;
  }
  const parentTools = {
    counter,
    pace,
    ceilings: settings.ceilings,
    nextId: tools.nextId,
    now: tools.now,
    ...(tools.usage && { usage: tools.usage }),
  };
  const condensed = await condense(
    [...input.frontier, ...leaves],
    settings.frontierTokens,
    settings.fanIn,
    parentTools,
    settings.condenseTo,
  );
  const chosen = chooseLevels(condensed.frontier, settings.frontierTokens);
  throwIfCancelled(cancel);
  return {
    nodes: [...leaves, ...condensed.parents],
    frontier: condensed.frontier,
    levels: chosen.levels,
    tokens: { source: sum(tokens.slice(0, covered)), frontier: chosen.tokens },
    covered,
    calls,
    named,
    ...(fault !== undefined && { fault }),
  };
}

/** Where a node says less than this, in tokens, its heading takes more than it says. */
const LEAST_CEILINGS: LevelLimits = { brief: 60, detailed: 240 };

/** Short segments side by side say together what one of the same messages would: each has its share of the ceilings. */
function shareOf({ tokens }: Segment, { ceilings, segmentTokens }: RunSettings): LevelLimits {
  const share = (level: keyof LevelLimits): number =>
    Math.min(ceilings[level], Math.max(LEAST_CEILINGS[level], Math.ceil((ceilings[level] * tokens) / segmentTokens)));
  return { brief: share('brief'), detailed: share('detailed') };
}

/** An answer is as long as its segment has messages: the longest is begun first, so that nobody waits for it alone. */
const longestFirst = (segments: readonly Segment[]): readonly Segment[] =>
  segments.toSorted((a, b) => b.to - b.from - (a.to - a.from));

interface Leaf {
  readonly node: SummaryNode;
  readonly named: readonly NamedEvent[];
}

function leafOf(
  { named = [], ...content }: NodeContent,
  segment: Segment,
  covered: readonly SourceMessage[],
  hash: string,
  tools: Pick<RunTools, 'nextId' | 'now'>,
): Leaf {
  const node = {
    id: tools.nextId(),
    depth: 0,
    first: covered[0]!.id,
    last: covered.at(-1)!.id,
    messages: covered.length,
    children: [],
    ...content,
    tokens: { source: segment.tokens, ...content.tokens },
    sourceHash: hash,
    at: tools.now(),
  };
  return { node, named };
}

function shifted<Value>(byPosition: ReadonlyMap<number, Value>, by: number): ReadonlyMap<number, Value> {
  return by === 0 ? byPosition : new Map(Array.from(byPosition, ([at, value]) => [at + by, value]));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
