import { _iterSSEMessages as messagesOf } from 'openai/core/streaming';
import type { ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';
import { replyFault } from './fault-map.ts';
import { isRecord } from './json.ts';
import type { WatchedCall } from './watched-call.ts';

/** Marks of the prompt cache on the last blocks of the system prompt and on the newest user messages: four may be written. */
export const SYSTEM_MARKS = 2;
export const USER_MARKS = 2;

/** OpenAI and its kin count thinking and text against one limit. */
export const outputLimit = ({ maxOutputTokens, reasoningTokens = 0 }: ChatRequest): number =>
  maxOutputTokens + reasoningTokens;

/** An image as OpenAI and its kin take it. */
export function dataUrl(image: Extract<ContentBlock, { type: 'image' }>): string {
  return `data:${image.mediaType};base64,${image.base64}`;
}

/** The blocks of the system prompt as one text, for endpoints that cache by prefix and know no blocks. */
export function systemText(request: ChatRequest): string {
  return request.system.filter((block) => block.trim() !== '').join('\n\n');
}

/**
 * The events of a stream, parsed, up to the mark of its end. The SDK's own reader gives a stream up over what proxies
 * send to keep it alive: events without data, or with a comment in their place.
 */
export async function* eventsOf(response: Response, { controller }: WatchedCall): AsyncGenerator {
  for await (const { data } of messagesOf(response, controller)) {
    if (data.startsWith('[DONE]')) return;
    if (data === '' || data.startsWith(':')) continue;
    const event: unknown = JSON.parse(data);
    if (isRecord(event) && event['error']) throw replyFault(event['error']);
    yield event;
  }
}
