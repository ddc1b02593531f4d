import type OpenAI from 'openai';
import { Stream } from 'openai/core/streaming';
import type {
  Response as Reply,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import type { Usage } from '../core/model/message.ts';
import { streamFault } from './fault-map.ts';
import { isRecord } from './json.ts';
import { dataUrl, outputLimit, systemText } from './openai-shared.ts';
import { isStrictSchema } from './strict-schema.ts';
import type { Extra } from './tolerance.ts';
import { toTurns } from './turns.ts';
import type { Turn } from './turns.ts';
import type { WatchedCall } from './watched-call.ts';

/** The least that the endpoint takes as a limit of output tokens. */
const LEAST_OUTPUT_TOKENS = 16;

/** The parts of a Responses request that some models refuse. */
export function responsesExtras(request: ChatRequest): readonly Extra[] {
  return [
    ...(request.temperature === undefined ? [] : (['temperature'] as const)),
    ...(request.effort === undefined ? [] : (['effort'] as const)),
    ...(request.jsonSchema === undefined ? [] : (['schema'] as const)),
  ];
}

/** The body of a Responses request. Nothing is stored at the provider: the session is kept here alone. */
export function responsesBody(
  model: string,
  request: ChatRequest,
  without: ReadonlySet<Extra>,
): ResponseCreateParamsStreaming {
  const { jsonSchema } = request;
  const instructions = systemText(request);
  return {
    model,
    stream: true,
    store: false,
    ...(instructions === '' ? {} : { instructions }),
    input: toTurns(request.messages).flatMap(inputItems),
    max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, outputLimit(request)),
    ...(request.effort === undefined || without.has('effort') ? {} : { reasoning: { effort: request.effort } }),
    ...(request.temperature === undefined || without.has('temperature') ? {} : { temperature: request.temperature }),
    ...(jsonSchema === undefined || without.has('schema')
      ? {}
      : {
          text: {
            format: {
              type: 'json_schema',
              name: jsonSchema.name,
              schema: { ...jsonSchema.schema },
              strict: isStrictSchema(jsonSchema.schema),
            },
          },
        }),
  };
}

/** Reads a streamed reply of the Responses endpoint. Reasoning summaries are not part of the answer and are left out. */
export async function* readResponses(response: Response, call: WatchedCall, client: OpenAI): AsyncGenerator<ChatChunk> {
  for await (const event of Stream.fromSSEResponse<ResponseStreamEvent>(response, call.controller, client)) {
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
  // Servers that imitate the endpoint may say so in the status alone.
  if (reply.status === 'failed') throw streamFault(reply.error?.code, reply.error?.message ?? 'the reply failed');
  yield { type: 'end', ending: reason === undefined && reply.status !== 'incomplete' ? 'complete' : 'length' };
}

function* usageOf(reply: Reply): Generator<ChatChunk> {
  // No request takes no tokens: servers that do not count send zeros.
  if (reply.usage != null && reply.usage.input_tokens > 0) yield { type: 'usage', usage: toUsage(reply.usage) };
}

function toUsage(usage: ResponseUsage): Usage {
  // Proxies in front of the endpoint leave the details out.
  const details: unknown = usage.input_tokens_details;
  const cached = isRecord(details) ? details['cached_tokens'] : undefined;
  const written = isRecord(details) ? details['cache_write_tokens'] : undefined;
  const thought: unknown = usage.output_tokens_details;
  const reasoning = isRecord(thought) ? thought['reasoning_tokens'] : undefined;
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    ...(typeof reasoning === 'number' && reasoning > 0 ? { reasoning } : {}),
    ...(typeof cached === 'number' && cached > 0 ? { cachedInput: cached } : {}),
    ...(typeof written === 'number' && written > 0 ? { cacheWrite: written } : {}),
  };
}

function inputItems(turn: Turn): ResponseInputItem[] {
  if (turn.role === 'assistant') {
    const calls = turn.calls.map((each): ResponseInputItem => ({
      type: 'function_call',
      call_id: each.callId,
      name: each.name,
      arguments: each.json,
    }));
    return turn.text === '' ? calls : [{ role: 'assistant', content: turn.text }, ...calls];
  }
  const results = turn.results.map((result): ResponseInputItem => ({
    type: 'function_call_output',
    call_id: result.callId,
    output: result.isError ? `Error: ${result.text}` : result.text,
  }));
  if (turn.parts.length === 0) return results;
  const content = turn.parts.map((part) =>
    part.type === 'text'
      ? { type: 'input_text' as const, text: part.text }
      : { type: 'input_image' as const, image_url: dataUrl(part), detail: 'auto' as const },
  );
  return [...results, { role: 'user', content }];
}
