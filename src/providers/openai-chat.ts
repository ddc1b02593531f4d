import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import type { Ending, Usage } from '../core/model/message.ts';
import { isObject, objectsAt, textAt, valueAt, type JsonObject } from '../core/text/json-value.ts';
import { anthropicBreakpoint } from './anthropic-request.ts';
import { checkReply, detectJson } from './http.ts';
import {
  dataUrl,
  eventsOf,
  outputLimit,
  schemaFormat,
  SYSTEM_BREAKPOINTS,
  systemText,
  USER_BREAKPOINTS,
} from './openai-format.ts';
import type { ThinkFilter } from './think-filter.ts';
import type { OptionalPart } from './request-fallback.ts';
import {
  inputJson,
  PAST_TOOL,
  systemParts,
  userTurnText,
  toolNames,
  toTurns,
  usageFrom,
  type Turn,
  type UserTurn,
} from './strict-turns.ts';
import type { WatchedCall } from './watched-call.ts';

export interface ChatDialect {
  /** Whether it's OpenAI's own address, where the token limit has its newer name. */
  readonly official: boolean;
  /** Whether the prompt cache is only matched at breakpoints (GPT-5.6 and later, at any address). */
  readonly breakpoints: boolean;
  /** Whether it's Claude via OpenRouter, which forwards breakpoints to Anthropic. */
  readonly forwardsBreakpoints: boolean;
}

/** The body of a Chat Completions request. If one name of the token limit is rejected, the other is used. */
export function chatBody(
  model: string,
  request: ChatRequest,
  dialect: ChatDialect,
  without: ReadonlySet<OptionalPart>,
): ChatCompletionCreateParams {
  const usesNewerName = dialect.official !== without.has('token_limit_name');
  const { cache, jsonSchema, effort, temperature } = request;
  const turns = toTurns(request.messages, without.has('calls'));
  return {
    model,
    stream: !without.has('stream'),
    messages: chatMessages(turns, request, markOf(request, dialect, without)),
    ...(usesNewerName ? { max_completion_tokens: outputLimit(request) } : olderLimit(outputLimit(request))),
    ...(effort === undefined || without.has('effort') ? {} : { reasoning_effort: effort }),
    ...(without.has('cache') ? {} : cacheFields(dialect, cache)),
    ...(without.has('tools') ? toolsOf(turns) : {}),
    ...(without.has('usage') || without.has('stream') ? {} : { stream_options: { include_usage: true } }),
    ...(temperature === undefined || without.has('temperature') ? {} : { temperature }),
    ...(jsonSchema === undefined || without.has('schema')
      ? {}
      : { response_format: { type: 'json_schema', json_schema: schemaFormat(jsonSchema) } }),
  };
}

/** Declares the tools in the history, because gateways for Claude otherwise reject a history with tool calls. */
function toolsOf(turns: readonly Turn[]): Pick<ChatCompletionCreateParams, 'tools' | 'tool_choice'> {
  const tools = toolNames(turns).map((name) => ({
    type: 'function' as const,
    function: { name, description: PAST_TOOL, parameters: { type: 'object', properties: {} } },
  }));
  return tools.length === 0 ? {} : { tools, tool_choice: 'none' };
}

/** The token limit under the name that compatible servers know. OpenAI has deprecated it for its own models. */
const olderLimit = (tokens: number): { readonly max_tokens: number } => ({ max_tokens: tokens });

/** Reads a Chat Completions reply: a stream, or a single object from a server that can't stream. */
export async function* readChat(answer: Response, call: WatchedCall, filter: ThinkFilter): AsyncGenerator<ChatChunk> {
  const { isJson, response } = await detectJson(answer);
  if (isJson) {
    yield* readWhole(await response.json(), filter);
    return;
  }
  let finish: string | undefined;
  try {
    // Servers that send no finish reason still mark the end. Without either, the reply was cut off.
    for await (const chunk of eventsOf(response, call, () => (finish ??= 'stop'))) {
      const part = readChunk(chunk);
      yield* chunksOf(part, filter);
      finish = part.finish ?? finish;
      if (finish !== undefined) call.replyCompleted();
    }
  } catch (error) {
    // After the finish reason, `replyCompleted` has closed the connection, because the server didn't end the stream.
    if (finish === undefined || !call.controller.signal.aborted) throw error;
  }
  yield* filter.end(isCut(finish));
  if (finish !== undefined) yield { type: 'end', ending: ending(finish) };
}

interface Part {
  readonly text: string;
  /** Whether it contains thinking, in any of the fields that servers use. */
  readonly thinks: boolean;
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
}

function* chunksOf({ usage, thinks, text }: Part, filter: ThinkFilter): Generator<ChatChunk> {
  if (usage !== undefined) yield { type: 'usage', usage };
  if (thinks) yield* filter.separateThinking();
  yield* filter.take(text);
}

/** Reads a chunk as unknown data, because compatible servers omit fields that the SDK's type requires. */
function readChunk(chunk: unknown): Part {
  if (!isObject(chunk)) throw new ModelFault('malformed', 'a part of the stream is not an object');
  const [choice] = objectsAt(chunk, 'choices');
  const delta = valueAt(choice, 'delta');
  const message = isObject(delta) ? delta : valueAt(choice, 'message');
  return {
    text: textOf(message, 'content') + textOf(message, 'refusal'),
    thinks: hasThinking(message),
    finish: textAt(choice, 'finish_reason') || undefined,
    // Kimi sends the usage in the choice of the last chunk (platform.kimi.ai/docs/api/chat).
    usage: readUsage(chunk['usage']) ?? readUsage(valueAt(choice, 'usage')),
  };
}

/** Fields for thinking: a text or a list of details. */
const THINKING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text', 'reasoning_details'];

function hasThinking(message: unknown): boolean {
  const thoughts = THINKING_FIELDS.map((name) => valueAt(message, name));
  return (
    thoughts.some((each) => (typeof each === 'string' || Array.isArray(each)) && each.length > 0) ||
    // Mistral sends thinking among the content parts.
    objectsAt(message, 'content').some(({ type }) => type === 'thinking')
  );
}

/** The text of a message's field: a string, or a list of parts. */
function textOf(message: unknown, field: string): string {
  const texts = objectsAt(message, field).map((part) => (part['type'] === 'text' ? textAt(part, 'text') : undefined));
  return textAt(message, field) ?? texts.join('');
}

function* readWhole(reply: unknown, filter: ThinkFilter): Generator<ChatChunk> {
  checkReply(reply, 'choices');
  const part = readChunk(reply);
  yield* chunksOf(part, filter);
  yield* filter.end(isCut(part.finish));
  yield { type: 'end', ending: ending(part.finish) };
}

const LENGTH_LIMIT = /^(length|max_tokens|model_length|model_context_window_exceeded)$/i;
/** Finish reasons with which OpenAI, Gemini, and GLM report filtered content. */
const CONTENT_FILTERED = /content_filter|safety|recitation|blocklist|prohibited_content|spii|sensitive/i;
/** Finish reasons with which Mistral, OpenRouter, DeepSeek, and GLM report failures. */
const FAILED = /^(error|insufficient_system_resource|network_error)$/i;
const isCut = (finish = ''): boolean => LENGTH_LIMIT.test(finish);

function ending(finish = ''): Ending {
  if (CONTENT_FILTERED.test(finish)) throw new ModelFault('content_refused', 'the content filter ended the reply');
  if (FAILED.test(finish)) throw new ModelFault('overloaded', `the server ended the reply: ${finish}`);
  return isCut(finish) ? 'length' : 'complete';
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  // Servers that don't count tokens send zeros.
  if (typeof input !== 'number' || input <= 0) return undefined;
  // Grok and Gemini only include thinking in the total.
  const billed = typeof output === 'number' && typeof total === 'number' ? Math.max(output, total - input) : output;
  // DeepSeek and Kimi report cached input under other names.
  const own = usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'];
  const cachedInput = valueAt(usage, 'prompt_tokens_details', 'cached_tokens') ?? own;
  const cacheWrite = valueAt(usage, 'prompt_tokens_details', 'cache_write_tokens');
  const reasoning = valueAt(usage, 'completion_tokens_details', 'reasoning_tokens');
  const costUsd = reportedCost(usage);
  const tokens = usageFrom(input, billed, { reasoning, cachedInput, cacheWrite });
  return costUsd === undefined ? tokens : { ...tokens, costUsd };
}

/**
 * The charge that OpenRouter reports, plus the upstream provider's if the user's own key was used
 * (openrouter.ai/docs/use-cases/usage-accounting). The `cost` of other services may be in another currency.
 */
function reportedCost({ cost, cost_details: details, is_byok: isOwnKey }: JsonObject): number | undefined {
  if (typeof cost !== 'number' || !isObject(details)) return undefined;
  const upstream = isOwnKey === true ? details['upstream_inference_cost'] : undefined;
  return cost + (typeof upstream === 'number' ? upstream : 0);
}

/** Only disables the automatic breakpoint at OpenAI's own address, because a gateway may drop ours. */
function cacheFields({ official, breakpoints }: ChatDialect, cache: ChatRequest['cache']): object {
  return {
    ...((official || breakpoints) && cache !== undefined ? { prompt_cache_key: cache.key } : {}),
    ...(official && breakpoints ? { prompt_cache_options: { mode: 'explicit' } } : {}),
  };
}

/** The cache breakpoint of a block, in the form of the server's vendor. */
function markOf(
  request: ChatRequest,
  { breakpoints, forwardsBreakpoints }: ChatDialect,
  without: ReadonlySet<OptionalPart>,
): object | undefined {
  if (request.cache === undefined || without.has('cache')) return undefined;
  if (breakpoints) return { prompt_cache_breakpoint: { mode: 'explicit' } };
  return forwardsBreakpoints ? { cache_control: anthropicBreakpoint(request, without) } : undefined;
}

function chatMessages(
  turns: readonly Turn[],
  request: ChatRequest,
  mark: object | undefined,
): ChatCompletionMessageParam[] {
  const system = mark ? systemParts(request.system, 'text', mark, SYSTEM_BREAKPOINTS) : systemText(request);
  const users = turns.filter(({ role }) => role === 'user');
  const marked = mark ? users.slice(-USER_BREAKPOINTS) : [];
  return [
    ...(system.length > 0 ? [{ role: 'system' as const, content: system }] : []),
    ...turns.flatMap((turn) => chatTurn(turn, marked.includes(turn) ? mark : undefined, mark !== undefined)),
  ];
}

function chatTurn(turn: Turn, mark: object | undefined, inParts: boolean): ChatCompletionMessageParam[] {
  if (turn.role === 'user') return userMessages(turn, mark, inParts);
  const calls = turn.calls.map(({ callId, name, json }) => ({
    id: callId,
    type: 'function' as const,
    function: { name, arguments: inputJson(json) },
  }));
  const content = turn.text === '' ? null : turn.text;
  return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function userMessages(turn: UserTurn, mark: object | undefined, inParts: boolean): ChatCompletionMessageParam[] {
  const messages: ChatCompletionMessageParam[] = turn.results.map((result) => ({
    role: 'tool',
    tool_call_id: result.callId,
    content: result.isError ? `Error: ${result.text}` : result.text,
  }));
  const text = userTurnText(turn);
  const images = turn.parts.some((part) => part.type === 'image');
  if (text === '' && !images) return messages;
  // Use a list of parts only if an image or a breakpoint needs it, because several servers only accept strings. If one
  // message has a breakpoint, all are lists, because a message must stay the same when the breakpoint moves on.
  if (!images && !inParts) return [...messages, { role: 'user', content: text }];
  const content = turn.parts.map((part, at): ChatCompletionContentPart => ({
    ...(part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: dataUrl(part) } }),
    ...(at === turn.parts.length - 1 && mark),
  }));
  if (turn.turnOnly !== undefined) content.push({ type: 'text', text: turn.turnOnly });
  return [...messages, { role: 'user', content }];
}
