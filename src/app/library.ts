// The library: the editor's compression for programs, on a session in memory. `import … from 'threadkeeper'`.
import { chooseLevels } from '../core/compress/levels.ts';
import { BRIEF_SHARE, DETAILED_SHARE, extractAll, FULL_SHARE } from '../core/compress/leaf.ts';
import { countMessages, framed } from '../core/compress/counting.ts';
import { firstThatFits } from '../core/compress/fitting.ts';
import { Pace, type SourceMessage } from '../core/compress/source.ts';
import { joinOld } from '../core/compress/tree.ts';
import { nodeText } from '../core/context/render.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { ContextMessage } from '../core/context/assemble.ts';
import { messageId, nodeId } from '../core/model/ids.ts';
import { messageText, ROLES, type ContentBlock, type Role } from '../core/model/message.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import type { Breather } from '../core/pace/breather.ts';
import { POLICY_NAMES, resolvePolicy, STRATEGIES, type PolicyName, type Strategy } from '../core/policy/policy.ts';
import { PRESETS, type PresetName } from '../core/prompts/render.ts';
import { loadEncoding, type MessageTokens, type TokenCounter } from '../core/tokens/token-counter.ts';
import { PARENT_CEILINGS } from './compress-session.ts';
import { addCalls, MemorySession, NO_CALLS } from './memory-session.ts';
import type { JobModel, PriceOf } from './paid-model.ts';
import type { ChatModel } from './ports.ts';

/** A message of a conversation. */
export interface LibraryMessage {
  readonly role: Role;
  readonly content: string | readonly ContentBlock[];
}

/** Answers a prompt with a summary: JSON as the prompt asks for, or plain prose. Its errors are thrown on. */
export type Summarizer = (request: {
  readonly system: string;
  readonly prompt: string;
  /** Of the answer, at most. */
  readonly maxTokens: number;
  readonly temperature: number | undefined;
  readonly signal: AbortSignal;
}) => Promise<string>;

export interface LibraryOptions {
  /** Writes the summaries; without one they are extracted from the messages. */
  readonly summarizer?: Summarizer;
  /** What the summarizer can read at once, in tokens; default 100,000. */
  readonly maxInputTokens?: number;
  /** What a summary keeps, by the kind of conversation; default `developer`. */
  readonly preset?: PresetName;
  /** Default `balanced`. */
  readonly policy?: PolicyName;
  readonly strategy?: Strategy;
  /** A model of the editor's in place of `summarizer`. */
  readonly model?: JobModel;
  readonly price?: PriceOf;
  readonly counter?: TokenCounter;
  readonly breather?: Breather;
}

/** Model calls and their tokens; `costUsd` is 0 where the price is not known. */
export type LibraryCalls = CompressionRecord['calls'];

export interface RecursiveSummary {
  readonly text: string;
  /** Of the text, framing included. */
  readonly tokens: number;
  readonly sourceTokens: number;
  /** The messages were short enough: the text is all of them. */
  readonly unchanged: boolean;
  readonly calls: LibraryCalls;
}

export interface HierarchicalSummary {
  readonly brief: string;
  readonly detailed: string;
  readonly full: string;
  readonly tokens: {
    readonly source: number;
    readonly brief: number;
    readonly detailed: number;
    readonly full: number;
  };
  /** The conversation was short: all three are it. */
  readonly unchanged: boolean;
  readonly calls: LibraryCalls;
}

export interface CompressedMessages {
  /** Exactly what would be sent: ledger and summaries as a system message, then the recent messages. */
  readonly messages: readonly LibraryMessage[];
  readonly events: readonly KeyEvent[];
  readonly nodes: readonly { readonly node: SummaryNode; readonly from: number; readonly to: number }[];
  readonly tokens: { readonly before: number; readonly after: number; readonly target: number | null };
  readonly calls: LibraryCalls;
  /** The summarizer gave no usable answer, and what it was to summarize was extracted. */
  readonly isExtracted: boolean;
}

/** A tenth of anything shorter is too little to say what it was about. */
const SHORT_CONVERSATION_TOKENS = 200;
/** A conversation of so many tokens is its own full level. */
const FULL_AS_IS_TOKENS = 5_000;

/**
 * Brings messages of any length under a target, as one text. Short ones come back as they are, without a call; none gives ''.
 *
 * @param targetTokens of the text, its framing as one message included
 * @throws `RangeError` for values that make no sense, and what the summarizer throws
 */
export async function summarizeRecursive(
  messages: readonly LibraryMessage[],
  targetTokens: number,
  options: LibraryOptions = {},
): Promise<RecursiveSummary> {
  checkTarget(targetTokens);
  const { source, sizes, counter, tokens } = await prepared(messages, options);
  const whole = renderTranscript(source);
  if (source.length === 0 || (tokens <= targetTokens && framed(whole, counter) <= targetTokens)) {
    const size = source.length === 0 ? 0 : framed(whole, counter);
    return { text: whole, tokens: size, sourceTokens: tokens, unchanged: true, calls: NO_CALLS };
  }
  const session = await summarized({ source, sizes }, targetTokens, counter, options);
  const text = firstThatFits(await textWithin(session, targetTokens, counter, options), targetTokens, counter);
  const size = text === '' ? 0 : framed(text, counter);
  return { text, tokens: size, sourceTokens: tokens, unchanged: false, calls: session.calls };
}

/**
 * Three levels of detail: brief at most 10 %, detailed at most 30 %, full at most 70 % of the messages' tokens; full is all
 * of them up to 5,000 tokens. The summarizer reads each message once, whatever the levels.
 *
 * @throws `RangeError` for values that make no sense, and what the summarizer throws
 */
export async function summarizeHierarchical(
  messages: readonly LibraryMessage[],
  options: LibraryOptions = {},
): Promise<HierarchicalSummary> {
  const { source, sizes: counted, counter, tokens } = await prepared(messages, options);
  const whole = renderTranscript(source);
  const wholeTokens = source.length === 0 ? 0 : framed(whole, counter);
  if (tokens <= SHORT_CONVERSATION_TOKENS) {
    const sizes = { source: tokens, brief: wholeTokens, detailed: wholeTokens, full: wholeTokens };
    return { brief: whole, detailed: whole, full: whole, tokens: sizes, unchanged: true, calls: NO_CALLS };
  }
  const limits = { brief: Math.floor(tokens * BRIEF_SHARE), detailed: Math.floor(tokens * DETAILED_SHARE) };
  const session = await summarized({ source, sizes: counted }, limits.detailed, counter, options);
  const level = async (limit: number): Promise<string> =>
    firstThatFits(await textWithin(session, limit, counter, options), limit, counter);
  const [brief, detailed] = [await level(limits.brief), await level(limits.detailed)];
  const pace = new Pace(options.breather);
  const full =
    tokens <= FULL_AS_IS_TOKENS
      ? { text: whole, tokens: wholeTokens }
      : await extractAll(source, tokens, Math.floor(tokens * FULL_SHARE), { counter, pace });
  const sizes = {
    source: tokens,
    brief: framed(brief, counter),
    detailed: framed(detailed, counter),
    full: full.tokens,
  };
  return { brief, detailed, full: full.text, tokens: sizes, unchanged: false, calls: session.calls };
}

/**
 * Messages within a target: key events verbatim, the rest summarized, the newest messages as they are. Short conversations
 * come back as they are; where all is key events no call is made; where there is no room for anything else all is summarized.
 *
 * @param targetTokens binds all that is returned, framing included
 * @throws `RangeError` for values that make no sense, and what the summarizer throws
 */
export async function compressPreserveEvents(
  messages: readonly LibraryMessage[],
  targetTokens: number,
  options: LibraryOptions & {
    /** Newest messages to keep; default the policy's, as far as 15 % of the target go. */
    readonly keepRecent?: number;
  } = {},
): Promise<CompressedMessages> {
  checkTarget(targetTokens);
  const { source, sizes, counter, tokens } = await prepared(messages, options);
  const { keepRecent, strategy } = options;
  if (keepRecent !== undefined && !(Number.isInteger(keepRecent) && keepRecent >= 0))
    throw new RangeError(`keepRecent must be an integer of at least 0, not ${keepRecent}.`);
  const beside = shareBeside(targetTokens / Math.max(1, tokens));
  const session = sessionOf(targetTokens, counter, options, keepRecent, beside);
  for (const [at, message] of source.entries()) session.add(message, sizes[at]);
  if (tokens > targetTokens && strategy !== 'off') {
    // Trimming keeps as many of the newest messages as fit.
    const share = strategy === 'trim' ? 1 : keepRecent === undefined ? beside : ASKED_RECENT_SHARE;
    const keep =
      strategy === 'trim' ? source.length : (keepRecent ?? resolvePolicy(options.policy ?? 'balanced').window);
    const recentTokens = Math.floor(Math.min(targetTokens * share, targetTokens - LEAST_BESIDE_RECENT));
    const outcome = await session.compress({ targetTokens, recentTokens, keep });
    if (outcome.kind === 'failed') throw outcome.error;
    await options.breather?.rest();
    if (sentTokens(session, counter) > targetTokens) {
      // Not even the newest user message fits beside a line of summary: all is summarized.
      const { text, tokens: after, calls: further } = await summarizeRecursive(messages, targetTokens, options);
      const events = session.keyEvents().map((event): KeyEvent => {
        const isLost = event.status === 'active' && !text.includes(event.quote);
        return isLost ? { ...event, status: 'dropped' } : event;
      });
      const sent = text === '' ? [] : [{ role: 'system', content: text } as const];
      const { isExtracted, calls: first } = sentBy(session, counter);
      const calls = {
        count: first.count + further.count,
        inputTokens: first.inputTokens + further.inputTokens,
        outputTokens: first.outputTokens + further.outputTokens,
        costUsd: first.costUsd + further.costUsd,
      };
      const figures = { before: tokens, after, target: targetTokens };
      const all = addCalls(session.calls, calls);
      return { messages: sent, events, nodes: [], tokens: figures, calls: all, isExtracted };
    }
  }
  await options.breather?.rest();
  const { tokensAfter, ...sent } = sentBy(session, counter);
  return { ...sent, tokens: { before: tokens, after: tokensAfter, target: targetTokens } };
}

/** Recent messages that were asked for take no more of a target than this. */
const ASKED_RECENT_SHARE = 0.75;

/**
 * What recent messages that were not asked for, and the ledger, take at most of a target that is this share of the
 * messages: of a tenth the share that a ledger has of a budget. The smaller the target, the more a summary alone can hold.
 */
const shareBeside = (target: number): number => Math.min(0.15, Math.max(0.06, target * 1.5));
/** What a ledger and a summary of anything take. */
const LEAST_BESIDE_RECENT = 180;

/** What a session sends, as plain messages, with what it was made from. */
export function sentBy(
  session: MemorySession,
  counter: TokenCounter,
): Omit<CompressedMessages, 'tokens'> & { readonly tokensAfter: number } {
  const messages = sentMessages(session);
  return {
    messages,
    events: session.keyEvents(),
    nodes: session.state.frontier,
    calls: session.calls,
    isExtracted: session.attempts.some(({ fallback }) => fallback !== undefined),
    tokensAfter: sentTokens(session, counter),
  };
}

function sentMessages(session: MemorySession): LibraryMessage[] {
  const context = session.context();
  const system = context.system.join('\n');
  return [
    ...session.systemMessages().map(({ content }): LibraryMessage => ({ role: 'system', content: plain(content) })),
    ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
    ...context.messages.map(({ role, content }: ContextMessage): LibraryMessage => ({ role, content: plain(content) })),
  ];
}

function plain(content: readonly ContentBlock[]): string | readonly ContentBlock[] {
  const only = content.length === 1 ? content[0] : undefined;
  return only?.type === 'text' ? only.text : content;
}

const sentTokens = (session: MemorySession, counter: TokenCounter): number =>
  sentMessages(session).reduce((sum, { role, content }) => {
    return sum + counter.message({ role, content: blocks(content) });
  }, 0);

const blocks = (content: LibraryMessage['content']): readonly ContentBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** All messages summarized, none kept verbatim. */
async function summarized(
  { source, sizes }: Pick<Prepared, 'source' | 'sizes'>,
  targetTokens: number,
  counter: TokenCounter,
  options: LibraryOptions,
): Promise<MemorySession> {
  const session = sessionOf(targetTokens, counter, { ...options, strategy: 'summarize' });
  for (const [at, message] of source.entries()) session.add(message, sizes[at]);
  const outcome = await session.compress({ targetTokens, recentTokens: 0, keep: 0, coversAll: true });
  if (outcome.kind === 'failed') throw outcome.error;
  return session;
}

/** The session's summaries as one text of at most about so many tokens, older parts joined and told more briefly. */
async function textWithin(
  { state }: MemorySession,
  limit: number,
  counter: TokenCounter,
  { breather }: LibraryOptions,
): Promise<string> {
  let made = 0;
  const render = (nodes: readonly SummaryNode[], levels: ReadonlyMap<SummaryNode['id'], Level>): string =>
    nodes.map((node) => nodeText(node, levels.get(node.id) ?? 'detailed')).join('\n\n');
  const all = state.frontier.map(({ node }) => node);
  // A session too short for anything shorter than itself has no summary.
  if (all.length === 0) return Array.from(state.uncovered(), ({ message }) => messageText(message)).join('\n');
  const asIs = render(all, state.levels);
  if (framed(asIs, counter) <= limit) return asIs;
  const tools = {
    counter,
    pace: new Pace(breather),
    ceilings: PARENT_CEILINGS,
    nextId: () => nodeId(`joined-${++made}`),
    now: () => 0,
  };
  const { frontier } = await joinOld(all, limit, 1, state.nodes, tools);
  const { levels } = chooseLevels(frontier, limit);
  return render(frontier, new Map(levels.map(({ node, level }) => [node, level])));
}

function sessionOf(
  budget: number,
  counter: TokenCounter,
  options: LibraryOptions,
  keep?: number,
  ledgerShare?: number,
): MemorySession {
  const { policy = 'balanced', strategy, preset = 'developer', breather, price = () => null } = options;
  const resolved = resolvePolicy(policy, {
    ...(strategy && { strategy }),
    ...(keep !== undefined && { window: Math.max(1, keep) }),
    ...(ledgerShare !== undefined && { ledgerShare }),
  });
  return new MemorySession({
    policy: resolved,
    budget,
    counter,
    preset,
    model: modelOf(options),
    price,
    ...(breather && { breather }),
  });
}

const DEFAULT_MAX_INPUT = 100_000;

function modelOf({ model, summarizer, maxInputTokens = DEFAULT_MAX_INPUT }: LibraryOptions): JobModel | undefined {
  if (model || !summarizer) return model;
  const chat: ChatModel = {
    id: 'library/summarizer',
    provider: 'library',
    model: 'summarizer',
    // How many run at once is the summarizer's to bound.
    atOnce: 24,
    async *stream({ system, messages, maxOutputTokens, temperature }, signal) {
      const prompt = messages.map((message) => messageText(message)).join('\n');
      const request = { system: system.join('\n\n'), prompt, maxTokens: maxOutputTokens, temperature, signal };
      yield { type: 'text', text: await summarizer(request) };
      yield { type: 'end', ending: 'complete' };
    },
  };
  return { model: chat, maxInputTokens };
}

interface Prepared {
  readonly source: readonly SourceMessage[];
  readonly counter: TokenCounter;
  /** Of each message. */
  readonly sizes: readonly MessageTokens[];
  readonly tokens: number;
}

function checkTarget(targetTokens: number): void {
  if (!(Number.isFinite(targetTokens) && targetTokens > 0))
    throw new RangeError(`targetTokens must be a number greater than 0, not ${targetTokens}.`);
}

const isList = (value: unknown): boolean => Array.isArray(value);

/** A program without types gets a sentence, and no empty summary. Throws `RangeError`. */
function check(messages: readonly LibraryMessage[], options: LibraryOptions): void {
  const { policy, strategy, preset } = options;
  const choices: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    ['policy', policy, POLICY_NAMES],
    ['strategy', strategy, STRATEGIES],
    ['preset', preset, PRESETS],
  ];
  for (const [name, value, words] of choices)
    if (value !== undefined && !words.includes(value))
      throw new RangeError(`${name} must be one of ${words.join(', ')}, not “${value}”.`);
  if (!isList(messages)) throw new RangeError('messages must be an array of { role, content }.');
  const roles: readonly string[] = ROLES;
  for (const [at, { role, content }] of messages.entries()) {
    if (!roles.includes(role))
      throw new RangeError(`The role of message ${at} must be one of ${roles.join(', ')}, not “${role}”.`);
    if (typeof content !== 'string' && !isList(content))
      throw new RangeError(`The content of message ${at} must be a string or an array of content blocks.`);
  }
}

async function prepared(messages: readonly LibraryMessage[], options: LibraryOptions): Promise<Prepared> {
  check(messages, options);
  const { counter: given, breather } = options;
  const counter = given ?? (await loadEncoding('o200k_base'));
  const source = messages.map(({ role, content }, at) => ({
    id: messageId(String(at)),
    role,
    content: blocks(content),
  }));
  const sizes = await countMessages(source, counter, new Pace(breather));
  return { source, sizes, counter, tokens: sizes.reduce((sum, { body, attachments }) => sum + body + attachments, 0) };
}

/** Messages as one text, each under its speaker. */
const renderTranscript = (messages: readonly SourceMessage[]): string =>
  messages.map((message) => `${message.role}: ${messageText(message)}`).join('\n');
