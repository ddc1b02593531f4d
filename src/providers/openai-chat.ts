import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import type { ContentBlock, Ending, Usage } from '../core/model/message.ts';
import { anthropicMark } from './anthropic-request.ts';
import { DONE, eventsOf, typeOf, valueOf } from './http.ts';
import { heldTo, isRecord, listIn, objectIn } from './json.ts';
import type { ThinkFilter } from './think-filter.ts';
import type { Extra } from './tolerance.ts';
import {
  outputLimit,
  PAST_TOOL,
  plainText,
  resultText,
  systemBlocks,
  systemText,
  toolNames,
  toTurns,
  usageFrom,
  type Turn,
  type UserTurn,
} from './turns.ts';
import type { WatchedCall } from './watched-call.ts';

/** Marks of the prompt cache on the last blocks of the system prompt and on the newest user messages: four may be written. */
export const SYSTEM_MARKS = 2;
export const USER_MARKS = 2;
export const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } } as const;

/** How a server at an address speaks the protocol. */
export interface ChatDialect {
  /** OpenAI's own address: it knows the newer name of the token limit, others the older. */
  readonly official: boolean;
  /** The prompt cache is matched at marked places alone (GPT-5.6 and later, whichever way they are reached). */
  readonly breakpoints: boolean;
  /** Claude behind OpenRouter, which hands Anthropic's marks on. */
  readonly claudeMarks: boolean;
}

/** The body of a Chat Completions request. Whichever name of the token limit is refused, the other is used. */
export function chatBody(
  model: string,
  request: ChatRequest,
  { official, breakpoints, claudeMarks }: ChatDialect,
  without: ReadonlySet<Extra>,
): ChatCompletionCreateParams {
  const { jsonSchema, effort, temperature } = request;
  const cache = without.has('cache') ? undefined : request.cache;
  const turns = toTurns(request.messages);
  const limit = outputLimit(request);
  const mark = breakpoints ? BREAKPOINT : claudeMarks ? { cache_control: anthropicMark(request) } : undefined;
  return {
    model,
    stream: !without.has('stream'),
    messages: chatMessages(turns, request, cache && mark),
    // The older name is the one that compatible servers know.
    ...(official !== without.has('token_limit_name') ? { max_completion_tokens: limit } : olderLimit(limit)),
    ...(effort !== undefined && !without.has('effort') && { reasoning_effort: effort }),
    ...((official || breakpoints) && cache && { prompt_cache_key: cache.key }),
    // A gateway may drop the marks: OpenAI's own place for one is switched off only where they are sure to arrive.
    ...(official && breakpoints && !without.has('cache') && { prompt_cache_options: { mode: 'explicit' } }),
    ...(without.has('tools') && toolsOf(turns)),
    ...(!without.has('usage') && !without.has('stream') && { stream_options: { include_usage: true } }),
    ...(temperature !== undefined && !without.has('temperature') && { temperature }),
    ...(jsonSchema &&
      !without.has('schema') && { response_format: { type: 'json_schema', json_schema: heldTo(jsonSchema) } }),
  };
}

/** OpenAI has set the name aside for its own models. */
const olderLimit = (tokens: number): { readonly max_tokens: number } => ({ max_tokens: tokens });

/** The tools that the history speaks of, for gateways in front of Claude, which refuse a history without them. */
function toolsOf(turns: readonly Turn[]): Pick<ChatCompletionCreateParams, 'tools' | 'tool_choice'> {
  const tools = toolNames(turns).map((name) => ({
    type: 'function' as const,
    function: { name, description: PAST_TOOL, parameters: { type: 'object', properties: {} } },
  }));
  return tools.length === 0 ? {} : { tools, tool_choice: 'none' };
}

function chatMessages(
  turns: readonly Turn[],
  request: ChatRequest,
  mark: object | undefined,
): ChatCompletionMessageParam[] {
  const blocks = systemBlocks(request);
  const marked = blocks.map((text, at) => ({
    type: 'text' as const,
    text,
    ...(at >= blocks.length - SYSTEM_MARKS && mark),
  }));
  const newest = turns.filter(({ role }) => role === 'user').slice(-USER_MARKS);
  return [
    ...(blocks.length > 0 ? [{ role: 'system' as const, content: mark ? marked : systemText(request) }] : []),
    ...turns.flatMap((turn): ChatCompletionMessageParam[] => {
      if (turn.role === 'user') return userMessages(turn, newest.includes(turn) ? mark : undefined, mark !== undefined);
      const calls = turn.calls.map(({ callId, name, json }) => ({
        id: callId,
        type: 'function' as const,
        function: { name, arguments: json },
      }));
      return [{ role: 'assistant', content: turn.text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
    }),
  ];
}

function userMessages(turn: UserTurn, mark: object | undefined, inParts: boolean): ChatCompletionMessageParam[] {
  const results = turn.results.map((result): ChatCompletionMessageParam => ({
    role: 'tool',
    tool_call_id: result.callId,
    content: resultText(result),
  }));
  const text = plainText(turn);
  const images = turn.parts.some((part) => part.type === 'image');
  if (text === '' && !images) return results;
  // A list of parts only where an image or a mark needs it: several servers take nothing but a string. Where one message
  // is marked all are lists, since it must stay as it was when the mark has moved on.
  if (!images && !inParts) return [...results, { role: 'user', content: text }];
  const content = turn.parts.map((part, at): ChatCompletionContentPart => ({
    ...(part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: dataUrl(part) } }),
    ...(at === turn.parts.length - 1 && mark),
  }));
  if (turn.turnOnly !== undefined) content.push({ type: 'text', text: turn.turnOnly });
  return [...results, { role: 'user', content }];
}

/** An image as OpenAI and its kin take it. */
export const dataUrl = ({ mediaType, base64 }: Extract<ContentBlock, { type: 'image' }>): string =>
  `data:${mediaType};base64,${base64}`;

/** Reads a Chat Completions reply: a stream, or the whole at once from a server that cannot stream. */
export async function* readChat(response: Response, call: WatchedCall, filter: ThinkFilter): AsyncGenerator<ChatChunk> {
  const type = typeOf(response);
  if (type.includes('text/html'))
    throw new ModelFault('malformed', 'the server answered with a web page', { status: response.status });
  const isWhole = type.includes('application/json');
  // Servers that name no reason still close with the mark of the end; one that does neither was cut off.
  let finish: string | undefined = isWhole ? '' : undefined;
  for await (const event of isWhole ? [wholeOf(await valueOf(response, call))] : eventsOf(response, call)) {
    if (event === DONE) finish ??= '';
    else {
      const part = readPart(event);
      if (part.usage) yield { type: 'usage', usage: part.usage };
      if (part.thinks) yield* filter.apart();
      yield* filter.take(part.text);
      finish = part.finish ?? finish;
    }
  }
  yield* filter.end(CUT.test(finish ?? ''));
  if (finish !== undefined) yield { type: 'end', ending: ending(finish) };
}

function wholeOf(body: unknown): unknown {
  if (isRecord(body) && Array.isArray(body['choices'])) return body;
  throw new ModelFault('malformed', 'the server answered with JSON that is no reply');
}

interface Part {
  readonly text: string;
  /** It carries thinking, under one of the names that servers have for it. */
  readonly thinks: boolean;
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
}

/** Reads what compatible servers really send, which is less than OpenAI's types promise. */
function readPart(event: unknown): Part {
  if (!isRecord(event)) throw new ModelFault('malformed', 'a part of the stream is not an object');
  const [choice] = listIn(event, 'choices');
  const { finish_reason: finish, delta, message } = isRecord(choice) ? choice : {};
  const said = isRecord(delta) ? delta : isRecord(message) ? message : {};
  return {
    text: contentText(said['content']) + contentText(said['refusal']),
    thinks: holdsThinking(said),
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
    usage: readUsage(event['usage']),
  };
}

/** Fields in which servers send thinking: as text, or as a list of details. */
const THOUGHTS = ['reasoning_content', 'reasoning', 'reasoning_text', 'reasoning_details'];

function holdsThinking(said: Readonly<Record<string, unknown>>): boolean {
  const thoughts = THOUGHTS.map((name) => said[name]);
  return (
    thoughts.some((each) => (typeof each === 'string' || Array.isArray(each)) && each.length > 0) ||
    // Mistral's is among the parts of the content.
    listIn(said, 'content').some((part) => isRecord(part) && part['type'] === 'thinking')
  );
}

/** Content as a string, or as a list of parts, of which the text counts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) => (isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

const CUT = /^(length|max_tokens|model_length|model_context_window_exceeded)$/i;
/** Of OpenAI; Gemini, which hands its own names on; and GLM. */
const FILTERED = /content_filter|safety|recitation|blocklist|prohibited_content|spii|sensitive/i;
/** Of Mistral and OpenRouter, DeepSeek, and GLM. */
const FAILED = /^(error|insufficient_system_resource|network_error)$/i;

function ending(finish: string): Ending {
  if (FILTERED.test(finish)) throw new ModelFault('content_refused', 'the content filter ended the reply');
  if (FAILED.test(finish)) throw new ModelFault('overloaded', `the server ended the reply: ${finish}`);
  return CUT.test(finish) ? 'length' : 'complete';
}

/** The usage of a reply, under the names of Chat Completions or of Responses; proxies leave details out. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens, input_tokens = prompt_tokens, completion_tokens, output_tokens = completion_tokens } = usage;
  const total = usage['total_tokens'];
  const input = { ...objectIn(usage, 'prompt_tokens_details'), ...objectIn(usage, 'input_tokens_details') };
  const output = { ...objectIn(usage, 'completion_tokens_details'), ...objectIn(usage, 'output_tokens_details') };
  const isCounted = typeof input_tokens === 'number' && typeof output_tokens === 'number' && typeof total === 'number';
  // Grok and Gemini count thinking in the total alone.
  const paid = isCounted ? Math.max(output_tokens, total - input_tokens) : output_tokens;
  return usageFrom(input_tokens, paid, {
    reasoning: output['reasoning_tokens'],
    // DeepSeek has a name of its own.
    cachedInput: input['cached_tokens'] ?? usage['prompt_cache_hit_tokens'],
    cacheWrite: input['cache_write_tokens'],
  });
}
