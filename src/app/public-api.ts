// The public API of the package: compression for other programs. `import … from 'threadkeeper'`.
import * as v from 'valibot';
import { chooseLevels } from '../core/compress/choose-levels.ts';
import { extractFull, MAX_SHARE } from '../core/compress/node-content.ts';
import { longestPrefixThatFits, tokensWithFraming } from '../core/compress/fitting.ts';
import type { SourceMessage } from '../core/compress/source-message.ts';
import { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { mergeOld } from '../core/compress/tree.ts';
import { nodeText } from '../core/context/render-context.ts';
import { messageId, nodeId } from '../core/model/ids.ts';
import { messageSchema, messageText, ROLES } from '../core/model/message.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { COST_TIERS, type CostTier, type Level, type SummaryNode } from '../core/model/summary.ts';
import { yieldIfDue, type Yielder } from '../core/pace/yielder.ts';
import {
  POLICIES,
  POLICY_NAMES,
  resolvePolicy,
  STRATEGIES,
  type PolicyName,
  type Strategy,
} from '../core/policy/policy.ts';
import { PRESETS, type PresetName } from '../core/prompts/render-prompts.ts';
import { loadEncoding, type MessageTokens, type TokenCounter } from '../core/tokens/token-counter.ts';
import { SUMMARIES_FRAME_TOKENS } from './compress-session.ts';
import {
  contentBlocks,
  extractionOf,
  NOT_EXTRACTED,
  type Extraction,
  requestWithSummaries,
  type CompressedMessages,
  type LibraryCalls,
  type LibraryMessage,
} from './compressed-messages.ts';
import { addCalls, InMemorySession, NO_CALLS } from './in-memory-session.ts';
import type { PriceOf } from './spend-limited-model.ts';
import type { SummarizerConfig } from './summarizer.ts';
import type { ChatModel } from './ports.ts';

export type { CompressedMessages, LibraryCalls, LibraryMessage };

/** Returns a summary for a prompt: the JSON that the prompt requests, or prose. Errors are passed to the caller. */
export type Summarizer = (request: {
  readonly system: string;
  readonly prompt: string;
  /** Maximum tokens of the response. */
  readonly maxTokens: number;
  readonly temperature: number | undefined;
  readonly signal: AbortSignal;
}) => Promise<string>;

export interface LibraryOptions {
  /** Generates the summaries. Without it, they are extracted from the messages. */
  readonly summarizer?: Summarizer;
  /** Maximum input tokens of the summarizer; default 100,000. */
  readonly maxInputTokens?: number;
  /** What summaries keep, depending on the kind of conversation; default `developer`. */
  readonly preset?: PresetName;
  /** Default `balanced`. */
  readonly policy?: PolicyName;
  readonly strategy?: Strategy;
  /** Default `default`. */
  readonly effort?: CostTier;
  /** A chat model instead of `summarizer`. */
  readonly model?: SummarizerConfig;
  readonly price?: PriceOf;
  readonly counter?: TokenCounter;
  readonly yielder?: Yielder;
}

export interface RecursiveSummary extends Extraction {
  readonly text: string;
  /** Tokens of the text, including framing. */
  readonly tokens: number;
  readonly sourceTokens: number;
  /** Whether the text contains all messages verbatim, because they fit in the target. */
  readonly unchanged: boolean;
  readonly calls: LibraryCalls;
}

export interface HierarchicalSummary extends Extraction {
  readonly brief: string;
  readonly detailed: string;
  readonly full: string;
  readonly tokens: {
    readonly source: number;
    readonly brief: number;
    readonly detailed: number;
    readonly full: number;
  };
  /** Whether all three texts contain all messages verbatim, because the conversation is short. */
  readonly unchanged: boolean;
  readonly calls: LibraryCalls;
}

/** Up to this size, all levels contain all messages verbatim, because a tenth of it is too short for a summary. */
const SHORT_CONVERSATION_TOKENS = 200;
/** Up to this size, the level `full` contains all messages verbatim. */
const FULL_AS_IS_TOKENS = 5_000;

/**
 * Summarizes messages of any length in one text of at most `targetTokens`. If they fit, they are returned verbatim,
 * without calling the summarizer.
 *
 * @param targetTokens maximum tokens of the text, including its framing as a message
 * @throws `RangeError` for invalid arguments, and the summarizer's errors
 */
export async function summarizeRecursive(
  messages: readonly LibraryMessage[],
  targetTokens: number,
  options: LibraryOptions = {},
): Promise<RecursiveSummary> {
  validateTarget(targetTokens);
  const input = await prepare(messages, options);
  const { tokens: sourceTokens } = input;
  const whole = sourceTokens <= targetTokens ? transcriptOf(input) : undefined;
  if (whole && whole.tokens <= targetTokens)
    return { ...whole, sourceTokens, unchanged: true, calls: NO_CALLS, ...NOT_EXTRACTED };
  const session = await summarizeAll(input, targetTokens);
  const summary = await summaryWithin(session, targetTokens, input);
  return { ...summary, sourceTokens, unchanged: false, calls: session.calls, ...extractionOf(session) };
}

/**
 * Summarizes messages at three levels of detail, in at most 10%, 30%, and 70% of their tokens. Up to 5,000 tokens, the
 * level `full` contains all messages verbatim. The summarizer reads each message only once.
 *
 * @throws `RangeError` for invalid arguments, and the summarizer's errors
 */
export async function summarizeHierarchical(
  messages: readonly LibraryMessage[],
  options: LibraryOptions = {},
): Promise<HierarchicalSummary> {
  const input = await prepare(messages, options);
  const { source, counter, tokens } = input;
  const whole = tokens <= FULL_AS_IS_TOKENS ? transcriptOf(input) : undefined;
  if (whole && tokens <= SHORT_CONVERSATION_TOKENS) {
    const levels = asLevels(tokens, whole, whole, whole);
    return { ...levels, unchanged: true, calls: NO_CALLS, ...NOT_EXTRACTED };
  }
  const limits = { brief: Math.floor(tokens * MAX_SHARE.brief), detailed: Math.floor(tokens * MAX_SHARE.detailed) };
  const session = await summarizeAll(input, limits.detailed);
  const brief = await summaryWithin(session, limits.brief, input);
  const detailed = await summaryWithin(session, limits.detailed, input);
  const tools = { counter, pace: new CancellableYielder(options.yielder) };
  const longest = whole ?? (await extractFull(source, tokens, tools));
  // If messages repeat each other, the extract can be shorter than the summary.
  const full = longest.tokens < detailed.tokens ? detailed : longest;
  const levels = asLevels(tokens, brief, detailed, full);
  return { ...levels, unchanged: false, calls: session.calls, ...extractionOf(session) };
}

const asLevels = (source: number, brief: SizedText, detailed: SizedText, full: SizedText) => ({
  brief: brief.text,
  detailed: detailed.text,
  full: full.text,
  tokens: { source, brief: brief.tokens, detailed: detailed.tokens, full: full.tokens },
});

/**
 * Compresses messages to at most `targetTokens`: key events and recent messages stay verbatim, and the other messages
 * are summarized. Messages that fit are returned unchanged. If key events quote everything, the summarizer isn't called.
 * If there is no room for recent messages and key events, everything is summarized.
 *
 * @param targetTokens maximum tokens of the returned messages, including framing
 * @throws `RangeError` for invalid arguments, and the summarizer's errors
 */
export async function compressPreserveEvents(
  messages: readonly LibraryMessage[],
  targetTokens: number,
  options: LibraryOptions & {
    /** Number of recent messages to keep; by default the policy's, up to 15% of the target. */
    readonly keepRecent?: number;
  } = {},
): Promise<CompressedMessages> {
  validateTarget(targetTokens);
  const input = await prepare(messages, options);
  const { source, counter, tokens } = input;
  const { keepRecent, strategy } = options;
  if (keepRecent !== undefined && !(Number.isInteger(keepRecent) && keepRecent >= 0))
    throw new RangeError(`keepRecent must be an integer of at least 0, not ${keepRecent}.`);
  const session = createSession(input, targetTokens, keepRecent);
  const isTooLong = tokens > targetTokens && strategy !== 'off';
  if (isTooLong) {
    const room = targetTokens - session.keptSystemTokens;
    const maxShare = recentShare(room / tokens);
    // `trim` keeps as many recent messages as fit.
    const share = strategy === 'trim' ? 1 : keepRecent === undefined ? maxShare : MAX_KEPT_SHARE;
    const keep =
      strategy === 'trim' ? source.length : (keepRecent ?? POLICIES[options.policy ?? 'balanced'].recentMessages);
    const recentTokens = Math.floor(Math.min(room * share, room - MIN_SUMMARIES_TOKENS));
    const outcome = await session.compress({ targetTokens: room, recentTokens, keep });
    if (outcome.kind === 'failed') throw outcome.error;
  }
  await options.yielder?.yield();
  const { tokensAfter, ...sent } = await requestWithSummaries(session, counter, options.yielder);
  if (!isTooLong || tokensAfter <= targetTokens)
    return { ...sent, tokens: { before: tokens, after: tokensAfter, target: targetTokens } };
  // Not even the newest user message fits, so everything is summarized.
  const all = await summarizeAll(input, targetTokens);
  const { text, tokens: after } = await summaryWithin(all, targetTokens, input);
  const events = sent.events.map((event): KeyEvent => {
    const isLost = event.status === 'active' && !text.includes(event.quote);
    return isLost ? { ...event, status: 'dropped' } : event;
  });
  return {
    messages: text === '' ? [] : [{ role: 'system', content: text }],
    events,
    nodes: [],
    tokens: { before: tokens, after, target: targetTokens },
    calls: addCalls(session.calls, all.calls),
    ...extractionOf(all),
  };
}

/** Maximum share of the target for recent messages if `keepRecent` is given. */
const MAX_KEPT_SHARE = 0.75;

/**
 * Maximum share of the target for recent messages if `keepRecent` isn't given. `ratio` is the target's size relative to
 * all messages. In a smaller target, summaries get a larger share.
 */
const recentShare = (ratio: number): number => Math.min(0.15, Math.max(0.06, ratio * 1.5));

/** Tokens reserved for ledger and summaries. */
const MIN_SUMMARIES_TOKENS = 180;

/** A session's summaries as one text of at most `limit` tokens, including its framing. */
async function summaryWithin(session: InMemorySession, limit: number, input: Input): Promise<SizedText> {
  return sized(longestPrefixThatFits(await textWithin(session, limit, input), limit, input.counter), input);
}

/** Creates a session in which all messages are summarized, by extraction with the strategy `trim`. */
async function summarizeAll(input: Input, targetTokens: number): Promise<InMemorySession> {
  const { model: _, summarizer: __, ...withoutModel } = input.options;
  const options = input.options.strategy === 'trim' ? withoutModel : input.options;
  const session = createSession({ ...input, options: { ...options, strategy: 'summarize' } }, targetTokens);
  // The text is returned without the tags of a request, so their tokens are available.
  const target = targetTokens + SUMMARIES_FRAME_TOKENS;
  const outcome = await session.compress({ targetTokens: target, recentTokens: 0, keep: 0, coversAll: true });
  if (outcome.kind === 'failed') throw outcome.error;
  return session;
}

/** A session's summaries as one text of about `limit` tokens. Older ones are merged and shortened if necessary. */
async function textWithin({ state }: InMemorySession, limit: number, { counter, options }: Input): Promise<string> {
  let made = 0;
  const render = (nodes: readonly SummaryNode[], levels: ReadonlyMap<SummaryNode['id'], Level>): string =>
    nodes.map((node) => nodeText(node, levels.get(node.id) ?? 'detailed')).join('\n\n');
  const all = state.frontier.map(({ node }) => node);
  // There are no summaries if the messages are too short to be shortened.
  if (all.length === 0) return Array.from(state.uncompressed(), ({ message }) => messageText(message)).join('\n');
  const asIs = render(all, state.levels);
  if (tokensWithFraming(asIs, counter) <= limit) return asIs;
  const tools = {
    counter,
    pace: new CancellableYielder(options.yielder),
    nextId: () => nodeId(`joined-${++made}`),
    now: () => 0,
  };
  const frontier = await mergeOld(all, limit, 1, state.nodes, tools);
  const levels = chooseLevels(frontier, limit);
  return render(frontier, new Map(levels.map(({ node, level }) => [node, level])));
}

/** Creates a session with the messages. `keep`: the number of recent messages to keep, instead of the policy's. */
function createSession({ source, sizes, counter, options }: Input, budget: number, keep?: number): InMemorySession {
  const { policy = 'balanced', strategy, effort = 'default', preset = 'developer', yielder, price } = options;
  const session = new InMemorySession({
    policy: resolvePolicy(policy, {
      ...(strategy && { strategy }),
      summary: { effort },
      ...(keep !== undefined && { recentMessages: Math.max(1, keep) }),
    }),
    budget,
    counter,
    preset,
    model: modelOf(options),
    price,
    ...(yielder && { yielder }),
  });
  for (const [at, message] of source.entries()) session.add(message, sizes[at]);
  return session;
}

const DEFAULT_MAX_INPUT = 100_000;

function modelOf({
  model,
  summarizer,
  maxInputTokens = DEFAULT_MAX_INPUT,
}: LibraryOptions): SummarizerConfig | undefined {
  if (model || !summarizer) return model;
  const chat: ChatModel = {
    id: 'library/summarizer',
    provider: 'library',
    model: 'summarizer',
    // The summarizer limits its own concurrency.
    maxConcurrency: 24,
    async *stream({ system, messages, maxOutputTokens, temperature }, signal) {
      const prompt = messages.map((message) => messageText(message)).join('\n');
      const request = { system: system.join('\n\n'), prompt, maxTokens: maxOutputTokens, temperature, signal };
      const text: unknown = await summarizer(request);
      if (typeof text !== 'string') throw new RangeError(`The summarizer must return a string, not ${typeOf(text)}.`);
      yield { type: 'text', text };
      yield { type: 'end', ending: 'complete' };
    },
  };
  return { model: chat, maxInputTokens };
}

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);

interface Input {
  readonly source: readonly SourceMessage[];
  readonly sizes: readonly MessageTokens[];
  readonly tokens: number;
  readonly counter: TokenCounter;
  readonly options: LibraryOptions;
}

/** A text with its tokens as a message; 0 if it's empty. */
type SizedText = Pick<RecursiveSummary, 'text' | 'tokens'>;

const sized = (text: string, { counter }: Input): SizedText => ({
  text,
  tokens: text === '' ? 0 : tokensWithFraming(text, counter),
});

function validateTarget(targetTokens: number): void {
  if (!(Number.isFinite(targetTokens) && targetTokens > 0))
    throw new RangeError(`targetTokens must be a number greater than 0, not ${targetTokens}.`);
}

/** Validates arguments for JavaScript callers. Throws `RangeError`. */
function validate(messages: readonly LibraryMessage[], options: LibraryOptions): void {
  const { policy, strategy, preset, effort } = options;
  const choices: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    ['policy', policy, POLICY_NAMES],
    ['strategy', strategy, STRATEGIES],
    ['preset', preset, PRESETS],
    ['effort', effort, COST_TIERS],
  ];
  for (const [name, value, words] of choices)
    if (value !== undefined && !words.includes(value))
      throw new RangeError(`${name} must be one of ${words.join(', ')}, not “${value}”.`);
  const { summarizer, maxInputTokens = DEFAULT_MAX_INPUT } = options;
  if (summarizer !== undefined && typeof summarizer !== 'function')
    throw new RangeError(`summarizer must be a function, not ${typeOf(summarizer)}.`);
  if (!(maxInputTokens > 0)) throw new RangeError(`maxInputTokens must be greater than 0, not ${maxInputTokens}.`);
  const given: unknown = messages;
  if (!Array.isArray(given) || given.some((one: unknown) => !(one instanceof Object)))
    throw new RangeError('messages must be an array of { role, content }.');
  const roles: readonly string[] = ROLES;
  for (const [at, { role, content }] of messages.entries()) {
    if (!roles.includes(role))
      throw new RangeError(`The role of message ${at} must be one of ${roles.join(', ')}, not “${role}”.`);
    if (typeof content !== 'string' && !v.is(messageSchema.entries.content, content))
      throw new RangeError(`The content of message ${at} must be a string or an array of content blocks.`);
  }
}

async function prepare(messages: readonly LibraryMessage[], options: LibraryOptions): Promise<Input> {
  validate(messages, options);
  const { counter: given, yielder } = options;
  const counter = given ?? (await loadEncoding('o200k_base', yielder));
  const source = messages.map(({ role, content, model }, at) => ({
    id: messageId(String(at)),
    role,
    content: contentBlocks(content),
    ...(model !== undefined && { model }),
  }));
  const pace = new CancellableYielder(yielder);
  const sizes: MessageTokens[] = [];
  for (const message of source) {
    sizes.push(await counter.messageYielding(message, pace));
    await yieldIfDue(pace);
  }
  const tokens = sizes.reduce((sum, { body, attachments }) => sum + body + attachments, 0);
  return { source, sizes, tokens, counter, options };
}

const transcriptOf = (input: Input): SizedText =>
  sized(input.source.map((message) => `${message.role}: ${messageText(message)}`).join('\n'), input);
