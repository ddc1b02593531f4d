import type {
  Response as Reply,
  ResponseCreateParams,
  ResponseInputContent,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatRequest } from '../app/ports.ts';
import { streamFault } from './fault-map.ts';
import { eventsOf, typeOf, valueOf } from './http.ts';
import { heldTo } from './json.ts';
import { BREAKPOINT, dataUrl, readUsage, SYSTEM_MARKS, USER_MARKS } from './openai-chat.ts';
import type { Extra } from './tolerance.ts';
import { outputLimit, resultText, systemBlocks, systemText, toTurns, type Turn } from './turns.ts';
import type { WatchedCall } from './watched-call.ts';

/** The least that the endpoint takes as a limit of output tokens. */
const MIN_OUTPUT_TOKENS = 16;
const MAX_KEY_CHARS = 64;

/**
 * The body of a Responses request. Nothing is stored at the provider: the session is kept here alone.
 *
 * `breakpoints`: the model's prompt cache is matched at marked places alone (GPT-5.6 and later). Those are the last two
 * blocks of the system prompt and the last two user messages, which the next request repeats; the vendor's own, at the
 * end of the newest message, would stand after what is sent once only, and is switched off.
 */
export function responsesBody(
  model: string,
  request: ChatRequest,
  breakpoints: boolean,
  without: ReadonlySet<Extra>,
): ResponseCreateParams {
  const { cache, jsonSchema, effort, temperature } = request;
  const turns = toTurns(request.messages);
  const marks = breakpoints && cache !== undefined;
  const marked = marks ? turns.filter(({ role }) => role === 'user').slice(-USER_MARKS) : [];
  const instructions = systemText(request);
  const items = turns.flatMap((turn) => inputItems(turn, marked.includes(turn)));
  return {
    model,
    stream: !without.has('stream'),
    store: false,
    ...(instructions !== '' && !marks && { instructions }),
    input: marks ? [...systemItem(request), ...items] : items,
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, outputLimit(request)),
    ...(cache && { prompt_cache_key: cache.key.slice(0, MAX_KEY_CHARS) }),
    ...(breakpoints && { prompt_cache_options: { mode: 'explicit' } }),
    ...(effort !== undefined && !without.has('effort') && { reasoning: { effort } }),
    ...(temperature !== undefined && !without.has('temperature') && { temperature }),
    ...(jsonSchema && !without.has('schema') && { text: { format: { type: 'json_schema', ...heldTo(jsonSchema) } } }),
  };
}

/** The system prompt as a message, since `instructions` take no breakpoint. */
function systemItem(request: ChatRequest): ResponseInputItem[] {
  const blocks = systemBlocks(request);
  if (blocks.length === 0) return [];
  const content = blocks.map((text, at) => ({
    type: 'input_text' as const,
    text,
    ...(at >= blocks.length - SYSTEM_MARKS && BREAKPOINT),
  }));
  return [{ role: 'developer', content }];
}

function inputItems(turn: Turn, isMarked: boolean): ResponseInputItem[] {
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
    output: resultText(result),
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

/** Reads a reply of the Responses endpoint. Reasoning summaries are not part of the answer and are left out. */
export async function* readResponses(response: Response, call: WatchedCall): AsyncGenerator<ChatChunk> {
  if (typeOf(response).includes('application/json')) {
    const reply = (await valueOf(response, call)) as Reply;
    const texts = reply.output.flatMap((item) => (item.type === 'message' ? item.content : []));
    for (const part of texts) yield { type: 'text', text: part.type === 'output_text' ? part.text : part.refusal };
    yield* finish(reply);
    return;
  }
  for await (const event of eventsOf(response, call) as AsyncIterable<ResponseStreamEvent>) {
    if (event.type === 'response.output_item.added' && event.item.type === 'reasoning') yield { type: 'thinking' };
    else if (event.type === 'response.output_text.delta' || event.type === 'response.refusal.delta') {
      if (event.delta !== '') yield { type: 'text', text: event.delta };
    } else if (event.type === 'error') throw streamFault(event.code, event.message);
    else if (/^response\.(completed|incomplete|failed)$/.test(event.type) && 'response' in event) {
      // Servers that imitate the endpoint may say so in one of the two alone.
      yield* finish(event.response, event.type === 'response.failed' || event.response.status === 'failed');
      return;
    }
  }
}

function* finish(reply: Reply, isFailed = reply.status === 'failed'): Generator<ChatChunk> {
  const { usage: reported, status, error, incomplete_details: cut } = reply;
  const usage = readUsage(reported);
  if (usage) yield { type: 'usage', usage };
  if (cut?.reason === 'content_filter') throw new ModelFault('content_refused', 'the content filter ended the reply');
  if (isFailed) throw streamFault(error?.code, error?.message ?? 'the reply failed');
  yield { type: 'end', ending: cut?.reason === undefined && status !== 'incomplete' ? 'complete' : 'length' };
}
