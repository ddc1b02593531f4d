import type { NodeId } from '../model/ids.ts';
import type { DetectedEvent, Span } from '../model/key-event.ts';
import { unansweredBy, type CostTier, type SummaryNode } from '../model/summary.ts';
import { affordableAnswer, answerCost, askModel, maxAnswerText, messageAllowance, MAX_ATTEMPTS } from './ask-model.ts';
import type { SegmentToSummarize, AskSettings, AskTools } from './ask-model.ts';
import { buildCorpus, passagesIn, type Corpus } from './corpus.ts';
import { tokensWithFraming } from './fitting.ts';
import { basePassageScore, extractPassages, renderPassages } from './extractive.ts';
import {
  MAX_SHARE,
  extractiveContent,
  topicsLine,
  shortened,
  wholeContent,
  type LeafSource,
  type LeafTools,
  type NodeTools,
  type NodeContent,
} from './node-content.ts';
import { NODE_HEADING_TOKENS } from './choose-levels.ts';
import { mapLimited } from './map-limited.ts';
import { cutSegments, type Segment, type SegmentSize } from './cut-segments.ts';
import { sourceHash, type SourceMessage } from './source-message.ts';
import { buildSummarizerInput } from './summarizer-input.ts';
import { PromptsTooLong, UnusableAnswers, type SummaryModel } from './summary-model.ts';
import { usefulnessFactors } from './passage-weights.ts';
import { topicsOf, topicTitle } from './topics.ts';

/** Consecutive messages to summarize. Maps are keyed by the index in `messages`. */
export interface Run {
  readonly messages: readonly SourceMessage[];
  /** Tokens of each message, including framing and attachments. */
  readonly tokens: readonly number[];
  /** Spans that the ledger quotes. */
  readonly kept?: ReadonlyMap<number, readonly Span[]>;
  readonly events?: ReadonlyMap<number, readonly DetectedEvent[]>;
  /** Spans that aren't read, because after the ledger's newer version they would seem to be the latest one. */
  readonly superseded?: ReadonlyMap<number, readonly Span[]>;
  /** Whether it lies between two summaries, which can be merged only if this run is covered, too. */
  readonly isBetween?: boolean;
  /** Whether the model summarizes it later, together with other messages; until then, a short text is extracted. */
  readonly waits?: boolean;
}

export interface SummarizeSettings extends AskSettings {
  /** Whether `roomTokens` is a hard limit: longer answers lose their last lines. */
  readonly isBounded?: boolean;
  /** Target size of all summaries together, including headings. */
  readonly roomTokens: number;
  /** Above this size, including headings, the summaries don't save enough. */
  readonly ceilingTokens: number;
  /** Segment size. By default small enough for one topic, or larger if there is little room. */
  readonly segment?: SegmentSize;
  readonly effort: CostTier;
  /** Allowance that earlier requests didn't use, in input tokens. It at most doubles that of these requests. */
  readonly unspent?: number;
  /** Maximum number of concurrent requests; the model's own limit may be lower. */
  readonly concurrency: number;
  /** Whether to fall back to extraction if the provider fails, instead of throwing. */
  readonly extractiveOnFault: boolean;
}

/** A model's summaries by source, prompt, and model, so that an unchanged segment is never summarized twice. */
export type SummaryCache = Map<string, NodeContent>;

export interface SummarizeTools extends AskTools, NodeTools {
  readonly model?: SummaryModel;
  readonly cache?: SummaryCache;
  /** Called after each segment. */
  readonly report?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** About 60 developer messages: large compared with the prompt's fixed part, but small enough for one topic. */
const SEGMENT = { tokens: 24_000, messages: 120 } as const;

/** Segments grow until each summary has this many tokens, so that the model weighs more of the session at once. */
const MIN_ANSWER_TOKENS = 900;

/** Up to this average length of messages, a conversation is an ordinary chat. */
const CHAT_MESSAGE_TOKENS = 100;

/**
 * Longer summaries of an ordinary chat are split, so that they are written concurrently. Models write about 100 tokens
 * per second, and 1,000 messages are to be summarized within 5 seconds.
 */
const QUICK_ANSWER_TOKENS = 450;

/** Minimum size of a summary, including its heading: one sentence. With less room, no model is called. */
export const MIN_SUMMARY_TOKENS = 28 + NODE_HEADING_TOKENS;

/** Shorter sources can hardly be shortened by a model; they are extracted. */
const MIN_ASKED_TOKENS = 120;

/**
 * The cost of a prompt's fixed part, in input tokens. If there are other segments, one with a smaller allowance, such
 * as a single message, isn't worth a request and is extracted.
 */
const MIN_ASKED_ALLOWANCE = 600;

/** Longer sources limit `detailed` to its share of the source. In shorter ones, two sentences may need more. */
const LONG_SOURCE_TOKENS = 1_000;

const MAX_BRIEF_TOKENS = 400;

/** Maximum share of the source for the text of a run that waits. */
const WAITING_SHARE = 0.05;

const LINE = { brief: 16, detailed: 16 } as const;

/** A message up to this size between two summaries, such as "continue", may be kept whole as a summary. */
const MAX_BRIDGE_TOKENS = 40;

/** After this many unusable answers in a row, the model isn't called again during this compression. */
const MAX_BAD_ANSWERS = 2;

interface Piece extends SegmentToSummarize {
  readonly run: Run;
  readonly covered: readonly SourceMessage[];
  readonly hash: string;
}

/**
 * Summarizes runs of messages. The model reads each segment once, several segments concurrently. Without a model, the
 * most important passages of a run are extracted. Has no side effects; linear in the number of messages. Resolves to
 * the leaves of each run, which cover its messages from the first up to one that couldn't be shortened, and what the
 * model read for each leaf.
 *
 * @throws the model's errors, unless `extractiveOnFault`; {@link Cancelled} soon after a cancellation
 */
export async function summarizeRuns(
  runs: readonly Run[],
  given: SummarizeSettings,
  tools: SummarizeTools,
): Promise<{
  readonly leaves: readonly (readonly SummaryNode[])[];
  readonly read: ReadonlyMap<NodeId, string>;
  readonly fault?: unknown;
}> {
  const { model, pace } = tools;
  const settings = { ...given, maxTokens: Math.min(given.maxTokens, model?.maxOutputTokens ?? Infinity) };
  pace.throwIfCancelled();
  const pieces = await cutPieces(runs, settings, tools);
  const made = new Map<Piece, NodeContent | undefined>();
  const retries = tools.retries ?? new Map<SummaryModel['id'], Promise<boolean>>();
  const readBy = new Map<Piece, string>();
  /** Pieces for which no attempt gave a usable answer. This model isn't asked about their messages again. */
  const unanswered = new Set<Piece>();
  let refusal: unknown;
  let fault: unknown;
  /** Whether no answer has been usable since the last compression began, not even after a retry. */
  let isInVain = model !== undefined && (await retries.get(model.id)) === false;
  let badAnswers = isInVain ? 1 : 0;
  let answered = 0;
  /** Pieces with something to send, but nothing that fits in the model's context window. */
  let tooLong = 0;
  let done = 0;
  const report = (): void => tools.report?.({ done: ++done, total: pieces.length });
  const isWorthAsking = (piece: Piece): boolean =>
    piece.tokens >= MIN_ASKED_TOKENS && !isFullyQuoted(piece) && !piece.run.waits;
  const askable = model && settings.roomTokens >= MIN_SUMMARY_TOKENS ? pieces.filter(isWorthAsking) : [];
  const affordable = askable.filter(({ allowance }) => allowance >= MIN_ASKED_ALLOWANCE);
  const asked = affordable.length > 0 ? affordable : askable;
  if (model && asked.length > 0) {
    const concurrency = Math.min(settings.concurrency, model.maxConcurrency);
    // Start the longest segments first, so that they don't finish last.
    const order = concurrency > 1 ? asked.toSorted((a, b) => b.covered.length - a.covered.length) : asked;
    await mapLimited(order, concurrency, async (piece) => {
      const key = `${piece.hash}:${settings.prompt.version}:${model.id}`;
      const cached = tools.cache?.get(key);
      if (cached && cached.tokens.detailed <= piece.ceiling) made.set(piece, cached);
      else if (fault === undefined && badAnswers < MAX_BAD_ANSWERS) {
        try {
          const { answer, attempts } = await askModel(piece, model, settings, { ...tools, retries }, badAnswers > 0);
          // Nothing to send, or nothing that fits, says nothing about the model.
          if (attempts > 0) {
            badAnswers = answer ? 0 : badAnswers + 1;
            answered++;
          } else if ((await buildSummarizerInput(piece.corpus, piece, piece.tokens, tools.counter, pace)) !== '')
            tooLong++;
          if (!answer && attempts >= (isInVain ? 1 : MAX_ATTEMPTS)) unanswered.add(piece);
          if (answer) {
            retries.set(model.id, Promise.resolve(true));
            isInVain = false;
            made.set(piece, answer.content);
            // Not cached, because it's as long as the messages.
            readBy.set(piece, answer.read);
            const message = longestMessage(piece);
            const read = answer.read.length;
            if (message > read) tools.onMessageCut?.({ message, read });
            tools.cache?.set(key, answer.content);
          }
        } catch (error) {
          const isAnswer = settings.isUnusable?.(error) === true;
          pace.throwIfCancelled();
          if (!isAnswer && !settings.extractiveOnFault) throw error;
          if (isAnswer) {
            badAnswers++;
            unanswered.add(piece);
            refusal ??= error;
          } else fault ??= error;
        }
      }
      await pace.yield();
      report();
    });
  }
  if (model && readBy.size > 0) retries.delete(model.id);
  fault ??= refusal;
  if (made.size === 0 && answered > 0) fault ??= new UnusableAnswers();
  else if (made.size === 0 && tooLong > 0) fault ??= new PromptsTooLong();
  if (settings.isBounded) {
    const others = pieces.filter((piece) => !made.get(piece));
    const room = settings.roomTokens - sum(others.map(({ limits }) => limits.detailed + NODE_HEADING_TOKENS));
    await shortenAnswers(made, room, tools);
  }
  const rest = pieces.filter((piece) => !made.has(piece));
  for (const run of runs) {
    const ownPieces = rest.filter((piece) => piece.run === run);
    const texts = await extractTogether(ownPieces, tools);
    for (const [at, piece] of ownPieces.entries()) {
      // If the ledger quotes everything, or nothing is worth quoting, one line is enough.
      const source = isFullyQuoted(piece) || isUninformative(piece) ? { ...piece, limits: LINE } : piece;
      const content = await extractiveContent(source, tools, texts[at]);
      const isBridge = run.isBetween === true && piece.tokens <= MAX_BRIDGE_TOKENS;
      const extracted = content ?? (isBridge ? wholeContent(source, tools) : undefined);
      made.set(
        piece,
        extracted && model && unanswered.has(piece) ? { ...extracted, audit: unansweredBy(model.id) } : extracted,
      );
      if (!asked.includes(piece)) report();
      await pace.yield();
    }
  }
  const read = new Map<NodeId, string>();
  const leaves = runs.map((run) => {
    const ownPieces = pieces.filter((piece) => piece.run === run);
    // Covered messages must not have gaps: what follows is left to the next compression.
    const gap = ownPieces.findIndex((piece) => !made.get(piece));
    return ownPieces.slice(0, gap === -1 ? undefined : gap).map((piece) => {
      const leaf = leafOf(made.get(piece)!, piece, tools);
      const text = readBy.get(piece);
      if (text !== undefined) read.set(leaf.id, text);
      return leaf;
    });
  });
  pace.throwIfCancelled();
  return { leaves, read, ...(fault !== undefined && { fault }) };
}

/** If the answers exceed the room, shortens each in proportion to how much it exceeds its limit. */
async function shortenAnswers(
  made: Map<Piece, NodeContent | undefined>,
  room: number,
  tools: LeafTools,
): Promise<void> {
  const answers = [...made].flatMap(([piece, content]) =>
    content ? [{ piece, content, excess: content.tokens.detailed - piece.limits.detailed }] : [],
  );
  const overrun = sum(answers.map(({ content }) => content.tokens.detailed + NODE_HEADING_TOKENS)) - room;
  const totalExcess = sum(answers.map(({ excess }) => Math.max(0, excess)));
  for (const { piece, content, excess } of answers) {
    if (overrun <= 0 || excess <= 0) continue;
    const limit = content.tokens.detailed - Math.ceil((overrun * excess) / totalExcess);
    made.set(piece, shortened(content, limit, piece, tools));
    await tools.pace.yield();
  }
}

/** Cuts runs into segments and divides the room and the reading allowance among them by their readable tokens. */
async function cutPieces(
  runs: readonly Run[],
  settings: SummarizeSettings,
  { model, usage, pace }: SummarizeTools,
): Promise<Piece[]> {
  const { roomTokens, ceilingTokens } = settings;
  const totalTokens = sum(runs.flatMap(({ tokens }) => tokens));
  const messageCount = sum(runs.map(({ messages }) => messages.length));
  const read: { readonly run: Run; corpus: Corpus; factors: Float64Array; readable: number[] }[] = [];
  for (const run of runs) {
    const { messages, events, superseded } = run;
    await pace.yield();
    const ofRun = await buildCorpus(messages, pace, events, false, superseded);
    await usage?.add(ofRun, messages, pace);
    const corpus = (await usage?.withSessionRarity(ofRun, pace)) ?? ofRun;
    // A run that waits gets little space, whatever the room.
    const factors = await usefulnessFactors(corpus, run.waits ? 0 : roomTokens / totalTokens, pace, events);
    read.push({ run, corpus, factors, readable: messages.map((_, at) => readableTokens(corpus, at)) });
  }
  const readableByMessage = read.flatMap((one) => one.readable);
  const parts = settings.segment ? undefined : segmentCount(readableByMessage, totalTokens, settings, model);
  const cut: (Segment & Omit<(typeof read)[number], 'readable'> & { topics: readonly string[]; readable: number })[] =
    [];
  for (const { readable, ...ofRun } of read) {
    const { messages, tokens } = ofRun.run;
    const segments =
      parts === undefined
        ? cutSegments(messages, tokens, settings.segment ?? SEGMENT)
        : evenSegments(messages, tokens, readable, sum(readableByMessage) / parts);
    for (const segment of segments) {
      const topics = topicsOf({ ...ofRun, ...segment });
      cut.push({ ...ofRun, ...segment, topics, readable: sum(readable.slice(segment.from, segment.to + 1)) });
      await pace.yield();
    }
  }
  const readable = cut.map((one) => one.readable);
  const titles = cut.map(({ topics }) => topicTitle(topics));
  const allowance = allowanceFor(messageCount, totalTokens, settings, model);
  const shares = sharesOf(readable, roomTokens, settings.isBounded ? MIN_SHARE_TOKENS : 0);
  const pieces: Piece[] = [];
  for (const [at, { readable: ownReadable, ...segment }] of cut.entries()) {
    const { run, from, to, tokens } = segment;
    const share = Math.floor(shares[at]!) - NODE_HEADING_TOKENS;
    const maxWorthwhile = Math.floor((ceilingTokens * tokens) / totalTokens) - NODE_HEADING_TOKENS;
    const ceiling = Math.min(maxWorthwhile, Math.floor(tokens * MAX_SHARE.full));
    const min = Math.min(MIN_SUMMARY_TOKENS - NODE_HEADING_TOKENS, ceiling);
    const isLong = tokens >= LONG_SOURCE_TOKENS;
    const levelLimit = isLong ? Math.floor(tokens * MAX_SHARE.detailed) : ceiling;
    const ownAllowance = (allowance * ownReadable) / sum(readable);
    const answerLimit = model
      ? Math.min(maxAnswerText(settings), Math.max(MIN_ANSWER_TOKENS / 3, affordableAnswer(ownAllowance, model.price)))
      : Infinity;
    const waitingLimit = run.waits ? tokens * WAITING_SHARE : Infinity;
    const detailed = Math.max(min, Math.floor(Math.min(share, levelLimit, answerLimit, waitingLimit)));
    const briefLimit = Math.floor(tokens * MAX_SHARE.brief);
    const brief = Math.max(Math.min(min, detailed), Math.min(briefLimit, MAX_BRIEF_TOKENS));
    const covered = run.messages.slice(from, to + 1);
    const hash = sourceHash(covered);
    // Hashing takes long enough to yield here.
    await pace.yield();
    pieces.push({
      ...segment,
      limits: { brief: isLong ? Math.min(brief, briefLimit) : brief, detailed },
      // Longer answers are rejected, because they save too little or aren't summaries.
      ceiling: Math.max(detailed, Math.min(ceiling, Math.max(detailed * OVERLONG_FACTOR, SHORT_ANSWER_TOKENS))),
      kept: run.kept,
      events: run.events,
      covered,
      hash,
      allowance: ownAllowance,
      part: settings.isBounded ? partName(at, titles) : '',
    });
  }
  return pieces;
}

/** Maximum cost of summarizing messages, in input tokens. */
function allowanceFor(
  messages: number,
  tokens: number,
  { effort, unspent = 0 }: Pick<SummarizeSettings, 'effort' | 'unspent'>,
  model: SummaryModel | undefined,
): number {
  const own = messages * messageAllowance(tokens / messages, effort, model?.price);
  return own + Math.min(own, unspent);
}

/** Divides the room in proportion to the readable tokens, but gives each part at least `min`: the last may be short. */
function sharesOf(readable: readonly number[], room: number, min: number): number[] {
  const all = sum(readable);
  const wanted = readable.map((tokens) => Math.max((room * tokens) / all, Math.min(min, room / readable.length)));
  return wanted.map((share) => (share * room) / sum(wanted));
}

const MIN_SHARE_TOKENS = 100;

/** Tells the model which part it reads and what nearby parts are about, so that it doesn't repeat them. */
function partName(at: number, titles: readonly string[]): string {
  if (titles.length < 2) return '';
  const near = titles.flatMap((title, other) =>
    other !== at && title !== '' && Math.abs(other - at) <= NEAR_PARTS ? [`part ${other + 1}: ${title}`] : [],
  );
  const part = `Part ${at + 1} of ${titles.length} of the conversation; the others are summarized as well`;
  return [part, ...near].join('; ');
}

const NEAR_PARTS = 2;

/**
 * The number of segments, or undefined for segments of the default size. It's lower if the summaries would be too
 * short, and higher if a segment would be too long to read or write. With a hard limit, there are as few segments as
 * possible, so that the model can weigh their content and doesn't repeat itself.
 */
function segmentCount(
  readable: readonly number[],
  sourceTokens: number,
  settings: SummarizeSettings,
  model: SummaryModel | undefined,
): number | undefined {
  const { roomTokens, isBounded } = settings;
  const messageCount = readable.length;
  const defaultCount = Math.ceil(Math.max(sourceTokens / SEGMENT.tokens, messageCount / SEGMENT.messages));
  const isSplit = model && model.maxConcurrency > 1 && sourceTokens / messageCount <= CHAT_MESSAGE_TOKENS;
  let max = isSplit
    ? Math.ceil(roomTokens / QUICK_ANSWER_TOKENS)
    : Math.max(1, Math.floor(roomTokens / (MIN_ANSWER_TOKENS + NODE_HEADING_TOKENS)));
  let min = 1;
  if (model) {
    const allowance = allowanceFor(messageCount, sourceTokens, settings, model);
    max = Math.max(1, Math.min(max, Math.floor(allowance / MIN_REQUEST_COST)));
    const answers = Math.min(roomTokens, affordableAnswer(allowance, model.price));
    const input = Math.min(sum(readable), allowance - answerCost(answers, model.price));
    const maxInput = Math.min(MAX_INPUT, Math.max(MIN_INPUT, model.maxInputTokens - settings.maxTokens));
    const answersNeeded = isBounded
      ? Math.min(roomTokens, sourceTokens * MAX_SHARE.detailed) / maxAnswerText(settings)
      : 0;
    const needed = Math.max(input / maxInput, answersNeeded);
    const maxCount = Math.max(1, Math.floor(roomTokens / (SHORT_ANSWER_TOKENS + NODE_HEADING_TOKENS)));
    // Segments differ in size, and the largest must fit, too.
    min = needed <= 1 ? 1 : Math.min(maxCount, Math.ceil(needed * UNEVEN_FACTOR));
  }
  const count = model && isBounded ? min : Math.max(min, Math.min(defaultCount, max));
  return count === defaultCount ? undefined : count;
}

/** Cost of a minimal request, in input tokens: the prompt's fixed part, a little to read, and a short answer. */
const MIN_REQUEST_COST = 4_000;

/** Maximum input in tokens. In longer inputs, models overlook what is in the middle. */
const MAX_INPUT = 60_000;
const UNEVEN_FACTOR = 1.2;
/** Minimum input in tokens, even for models with a smaller limit. */
const MIN_INPUT = 2_000;

/** Segments with about the same number of readable tokens, regardless of tool output between them. */
function evenSegments(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  readable: readonly number[],
  target: number,
): Segment[] {
  const size = { tokens: target, messages: Infinity };
  const segments = cutSegments(messages, readable, size, target * SMALL_LAST_SHARE);
  return segments.map(({ from, to }) => ({ from, to, tokens: sum(tokens.slice(from, to + 1)) }));
}

/** A last segment smaller than this share of the target is merged into the previous one. */
const SMALL_LAST_SHARE = 0.4;

/** Answers may exceed their room by this factor or have this many tokens, because models are bad at counting words. */
const OVERLONG_FACTOR = 2;
const SHORT_ANSWER_TOKENS = 150;

/** Approximate number of tokens of a message that are worth reading. Tool output counts less than prose. */
function readableTokens(corpus: Corpus, at: number): number {
  let chars = 1;
  for (const { text, running } of passagesIn(corpus, at)) chars += text.length * (running ? 1 : 0.25);
  return chars / CHARS_PER_TOKEN;
}

const CHARS_PER_TOKEN = 3.6;

/** Whether the ledger quotes everything in a segment. */
const isFullyQuoted = ({ corpus, from, to, kept }: LeafSource): boolean =>
  kept !== undefined &&
  passagesIn(corpus, from, to).every(({ message, start, end }) =>
    kept.get(message)?.some((span) => span.start <= start && end <= span.end),
  );

/** Whether a segment of a short chat has only courtesies and the like. */
const isUninformative = ({ corpus, factors, from, to }: LeafSource): boolean =>
  corpus.isShortChat &&
  factors?.subarray(corpus.firstOf[from], corpus.firstOf[to + 1]).every((one) => one === 0) === true;

/** Attempts to fill the room. The size isn't exact at first, because the budget excludes speakers' names. */
const MAX_ROUNDS = 5;

/** If the room is between these shares of the source, unusual content is preferred. */
const SCARCE = { from: 0.03, below: 0.06 } as const;
const SCARCE_NOVELTY = 2;
/** Reduction for repeated questions and answers. */
const REPEAT_REDUCTION = 0.8;

/** Extracts a text for each segment of a run, choosing passages from all segments at once. */
async function extractTogether(
  pieces: readonly Piece[],
  { counter, pace }: LeafTools,
): Promise<(string | undefined)[]> {
  const first = pieces[0];
  if (!first || pieces.length < 2) return [];
  const { corpus, kept, factors } = first;
  const limit = sum(pieces.map(({ limits }) => limits.detailed));
  const sourceTokens = sum(pieces.map(({ tokens }) => tokens));
  const isScarce = limit >= SCARCE.from * sourceTokens && limit < SCARCE.below * sourceTokens;
  const weights = pieces.map(segmentWeight);
  const totalWeight = sum(weights);
  // Half by the segment's limit, half by the scores of its passages.
  const shares = pieces.map((piece, at) => (piece.limits.detailed / limit + weights[at]! / totalWeight) / 2);
  const headings = pieces.map((piece) => (limit < SCARCE.below * sourceTokens ? '' : topicsLine(piece)));
  let room = limit - sum(headings.map((heading) => tokensWithFraming(heading, counter)));
  let best: (string | undefined)[] = [];
  for (let round = 0; round < MAX_ROUNDS && room > 0; round++) {
    const parts = pieces.map(({ to }, at) => ({
      to,
      left: room * (MAX_SHARE_FACTOR + round * SHARE_FACTOR_STEP) * shares[at]!,
    }));
    const { passages } = await extractPassages(corpus, {
      budgetTokens: room,
      partOf: ({ message }) => parts.find(({ to }) => message <= to)!,
      counter,
      pace,
      range: { from: first.from, to: pieces.at(-1)!.to },
      kept,
      factors,
      repetitionPenalty: REPEAT_REDUCTION,
      novelty: isScarce ? SCARCE_NOVELTY : undefined,
    });
    const texts: string[] = [];
    const sizes: number[] = [];
    for (const [at, { from, to }] of pieces.entries()) {
      const chosen = passages.filter(({ message }) => from <= message && message <= to);
      texts.push(chosen.length === 0 ? '' : headings[at]! + renderPassages(corpus, chosen));
      sizes.push(tokensWithFraming(texts[at]!, counter));
      await pace.yield();
    }
    const spare = limit - sum(sizes);
    if (spare >= 0 || passages.length === 0) {
      best = texts.map((text, at) => {
        const { tokens, limits } = pieces[at]!;
        // Segments with no passages or too many are extracted separately.
        const max = Math.max(limits.detailed, tokens * MAX_SHARE.detailed);
        return text === '' || sizes[at]! > max ? undefined : text;
      });
      // Adjacent passages are joined and take fewer tokens than estimated, so another round may add some.
      if (spare < limit * SLACK_SHARE) break;
      room += Math.floor(spare * 0.9);
    } else room = Math.floor((room * limit) / (limit - spare)) - 4;
  }
  return best;
}

/** Length of the longest message of a person or an assistant, in UTF-16 units. Tool output is shortened anyway. */
function longestMessage({ corpus, from, to }: LeafSource): number {
  let longest = 0;
  for (let at = from; at <= to; at++)
    if (corpus.roles[at] !== 'tool') longest = Math.max(longest, corpus.texts[at]!.length);
  return longest;
}

/** A segment's weight: its length, weighted by the scores of its passages. */
function segmentWeight({ corpus, factors, from, to }: LeafSource): number {
  let weight = 1;
  for (let index = corpus.firstOf[from]!; index < corpus.firstOf[to + 1]!; index++) {
    const passage = corpus.passages[index]!;
    weight += passage.text.length * basePassageScore(corpus, passage) * (factors?.[index] ?? 1);
  }
  return weight;
}

/** A segment may take its share of the room times this factor. */
const MAX_SHARE_FACTOR = 1.3;
/** Increase of that factor per round, in case other segments don't use their share. */
const SHARE_FACTOR_STEP = 0.3;
/** Share of unused room that justifies another round. */
const SLACK_SHARE = 0.02;

const leafOf = (
  content: NodeContent,
  { tokens: source, covered, hash }: Piece,
  { nextId, now }: NodeTools,
): SummaryNode => ({
  id: nextId(),
  depth: 0,
  first: covered[0]!.id,
  last: covered.at(-1)!.id,
  messages: covered.length,
  children: [],
  ...content,
  tokens: { source, ...content.tokens },
  sourceHash: hash,
  at: now(),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
