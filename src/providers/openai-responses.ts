import type {
  Response as Reply,
  ResponseCreateParams,
  ResponseInputContent,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import { checkReply, detectJson } from './http.ts';
import { streamFault } from './provider-errors.ts';
import { valueAt } from '../core/text/json-value.ts';
import {
  dataUrl,
  eventsOf,
  outputLimit,
  schemaFormat,
  SYSTEM_BREAKPOINTS,
  systemText,
  USER_BREAKPOINTS,
} from './openai-format.ts';
import type { OptionalPart } from './request-fallback.ts';
import { inputJson, systemParts, toTurns, usageFrom, type Turn } from './strict-turns.ts';
import type { WatchedCall } from './watched-call.ts';

/** The endpoint's minimum output limit, in tokens. */
const MIN_OUTPUT_TOKENS = 16;

const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } } as const;
const MAX_CACHE_KEY_CHARS = 64;

/**
 * The body of a Responses request. The provider stores nothing. `breakpoints`: the model's prompt cache is only
 * matched at breakpoints (GPT-5.6 and later). They are on the last two blocks of the system prompt and the last two
 * user messages, which the next request repeats. The automatic breakpoint at the end of the newest message is disabled,
 * because it would be after text that is only part of this request.
 */
export function responsesBody(
  model: string,
  request: ChatRequest,
  breakpoints: boolean,
  without: ReadonlySet<OptionalPart>,
): ResponseCreateParams {
  const { cache, jsonSchema, effort, temperature } = request;
  const turns = toTurns(request.messages);
  const marks = breakpoints && cache !== undefined;
  const marked = marks ? turns.filter(({ role }) => role === 'user').slice(-USER_BREAKPOINTS) : [];
  const instructions = marks ? '' : systemText(request);
  // `instructions` can't have a breakpoint, so the system prompt is a message then.
  const content = marks ? systemParts(request.system, 'input_text', BREAKPOINT, SYSTEM_BREAKPOINTS) : [];
  const system: ResponseInputItem[] = content.length > 0 ? [{ role: 'developer', content }] : [];
  const items = turns.flatMap((turn) => inputItems(turn, marked.includes(turn)));
  return {
    model,
    stream: !without.has('stream'),
    store: false,
    ...(instructions === '' ? {} : { instructions }),
    input: [...system, ...items],
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, outputLimit(request)),
    ...(cache === undefined ? {} : { prompt_cache_key: cache.key.slice(0, MAX_CACHE_KEY_CHARS) }),
    ...(breakpoints ? { prompt_cache_options: { mode: 'explicit' } } : {}),
    ...(effort === undefined || without.has('effort') ? {} : { reasoning: { effort } }),
    ...(temperature === undefined || without.has('temperature') ? {} : { temperature }),
    ...(jsonSchema === undefined || without.has('schema')
      ? {}
      : { text: { format: { type: 'json_schema', ...schemaFormat(jsonSchema) } } }),
  };
}

/** Reads a reply of the Responses endpoint, streamed or as JSON. Reasoning summaries are skipped. */
export async function* readResponses(answer: Response, call: WatchedCall): AsyncGenerator<ChatChunk> {
  const { isJson, response } = await detectJson(answer);
  if (isJson) {
    const reply = (await response.json()) as Reply;
    checkReply(reply, 'output');
    const texts = reply.output.flatMap((item) => (item.type === 'message' ? item.content : []));
    for (const part of texts) yield { type: 'text', text: part.type === 'output_text' ? part.text : part.refusal };
    yield* finish(reply);
    return;
  }
  for await (const event of eventsOf(response, call) as AsyncIterable<ResponseStreamEvent>) {
    if (event.type === 'response.output_item.added' && event.item.type === 'reasoning') yield { type: 'thinking' };
    else if (event.type === 'response.output_text.delta' || event.type === 'response.refusal.delta') {
      if (event.delta !== '') yield { type: 'text', text: event.delta };
    } else if (event.type === 'response.completed' || event.type === 'response.incomplete') {
      yield* finish(event.response);
      return;
    } else if (event.type === 'response.failed') {
      yield* usageOf(event.response);
      throw streamFault(event.response.error?.code, event.response.error?.message ?? 'the reply failed');
    } else if (event.type === 'error') {
      throw streamFault(event.code, event.message);
    }
  }
}

function* finish(reply: Reply): Generator<ChatChunk> {
  yield* usageOf(reply);
  const reason = reply.incomplete_details?.reason;
  if (reason === 'content_filter') throw new ModelFault('content_refused', 'the content filter ended the reply');
  // Servers that imitate the endpoint may report a failure only in the status.
  if (reply.status === 'failed') throw streamFault(reply.error?.code, reply.error?.message ?? 'the reply failed');
  yield { type: 'end', ending: reason === undefined && reply.status !== 'incomplete' ? 'complete' : 'length' };
}

function* usageOf({ usage }: Reply): Generator<ChatChunk> {
  // Servers that don't count tokens send zeros.
  if (usage == null || usage.input_tokens <= 0) return;
  // Some proxies omit the details.
  const cachedInput = valueAt(usage, 'input_tokens_details', 'cached_tokens');
  const cacheWrite = valueAt(usage, 'input_tokens_details', 'cache_write_tokens');
  const reasoning = valueAt(usage, 'output_tokens_details', 'reasoning_tokens');
  yield {
    type: 'usage',
    usage: usageFrom(usage.input_tokens, usage.output_tokens, { reasoning, cachedInput, cacheWrite }),
  };
}

function inputItems(turn: Turn, isMarked: boolean): ResponseInputItem[] {
  if (turn.role === 'assistant') {
    const calls = turn.calls.map((each): ResponseInputItem => ({
      type: 'function_call',
      call_id: each.callId,
      name: each.name,
      arguments: inputJson(each.json),
    }));
    return turn.text === '' ? calls : [{ role: 'assistant', content: turn.text }, ...calls];
  }
  const results = turn.results.map((result): ResponseInputItem => ({
    type: 'function_call_output',
    call_id: result.callId,
    output: result.isError ? `Error: ${result.text}` : result.text,
  }));
  const content: ResponseInputContent[] = turn.parts.map((part, at) => ({
    ...(part.type === 'text'
      ? { type: 'input_text' as const, text: part.text }
      : { type: 'input_image' as const, image_url: dataUrl(part), detail: 'auto' as const }),
    ...(isMarked && at === turn.parts.length - 1 && BREAKPOINT),
  }));
  if (turn.turnOnly !== undefined) content.push({ type: 'input_text', text: turn.turnOnly });
  return content.length === 0 ? results : [...results, { role: 'user', content }];
}
