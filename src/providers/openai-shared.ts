import { _iterSSEMessages as messagesOf } from 'openai/core/streaming';
import { ModelFault } from '../app/fault.ts';
import type { ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';
import { replyFault } from './provider-errors.ts';
import { isObject } from '../core/text/json-value.ts';
import { isStrictSchema } from './strict-schema.ts';
import type { WatchedCall } from './watched-call.ts';

/** Numbers of cache breakpoints, on the last system blocks and the newest user messages. Four are allowed in total. */
export const SYSTEM_BREAKPOINTS = 2;
export const USER_BREAKPOINTS = 2;

/** OpenAI and compatible servers have one limit for thinking and text. */
export const outputLimit = ({ maxOutputTokens, reasoningTokens = 0 }: ChatRequest): number =>
  maxOutputTokens + reasoningTokens;

/** A reply's schema in the format of OpenAI and compatible servers. */
export function schemaFormat({ name, schema }: NonNullable<ChatRequest['jsonSchema']>): {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
} {
  return { name, schema: { ...schema }, strict: isStrictSchema(schema) };
}

/** An image in the format of OpenAI and compatible servers. */
export function dataUrl(image: Extract<ContentBlock, { type: 'image' }>): string {
  return `data:${image.mediaType};base64,${image.base64}`;
}

/** The blocks of the system prompt as one text, for endpoints that cache by prefix. */
export function systemText(request: ChatRequest): string {
  return request.system.filter((block) => block.trim() !== '').join('\n\n');
}

export const contentType = (response: Response): string => response.headers.get('content-type') ?? '';

/**
 * Whether a response is a single JSON object, and the response, of which nothing has been read. Told by its beginning,
 * because gateways label both kinds as the other one (openclaw/openclaw#96497).
 */
export async function detectJson(response: Response): Promise<{ isJson: boolean; response: Response }> {
  const { body, headers, status } = response;
  const [peeked, rest] = body?.tee() ?? [];
  const begin = peeked === undefined ? '' : await beginningOf(peeked);
  const isJson = begin.startsWith('{') || (contentType(response).includes('application/json') && !FIELD.test(begin));
  return { isJson, response: new Response(rest ?? null, { headers, status }) };
}

/** The beginning of an event stream: the name of a field, or a comment. */
const FIELD = /^(data|event|id|retry)?:/;

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const texts: AsyncIterable<string> = body.pipeThrough(new TextDecoderStream());
  let begin = '';
  for await (const text of texts) {
    begin = (begin + text).trimStart();
    if (begin.length >= 'event:'.length) break;
  }
  return begin;
}

/**
 * The parsed events of a stream, up to its end mark, for which `onEndMark` is called. The SDK's own reader fails on what
 * proxies send as keep-alive: events without data, or with a comment instead.
 */
export async function* eventsOf(
  response: Response,
  { controller }: WatchedCall,
  onEndMark?: () => void,
): AsyncGenerator {
  if (contentType(response).includes('text/html')) {
    throw new ModelFault('malformed', 'the server answered with a web page', { status: response.status });
  }
  for await (const { data } of messagesOf(response, controller)) {
    if (data.startsWith('[DONE]')) return onEndMark?.();
    if (data === '' || data.startsWith(':')) continue;
    const event: unknown = JSON.parse(data);
    if (isObject(event) && event['error']) throw replyFault(event['error']);
    yield event;
  }
}
