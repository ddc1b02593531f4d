import { _iterSSEMessages as messagesOf } from 'openai/core/streaming';
import type { ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';
import { faultIn } from './provider-errors.ts';
import type { WatchedCall } from './watched-call.ts';

/** Numbers of cache breakpoints, on the last system blocks and the newest user messages. Servers allow four. */
export const SYSTEM_BREAKPOINTS = 2;
export const USER_BREAKPOINTS = 2;

/** OpenAI and compatible servers have one limit for thinking and text. */
export const outputLimit = ({ maxOutputTokens, reasoningTokens = 0 }: ChatRequest): number =>
  maxOutputTokens + reasoningTokens;

/** A reply's schema in the format of OpenAI and compatible servers. */
export const schemaFormat = ({ name, schema }: NonNullable<ChatRequest['jsonSchema']>) => ({
  name,
  schema: { ...schema },
  strict: true,
});

/** An image in the format of OpenAI and compatible servers. */
export const dataUrl = ({ mediaType, base64 }: Extract<ContentBlock, { type: 'image' }>): string =>
  `data:${mediaType};base64,${base64}`;

/** The blocks of the system prompt as one text, for endpoints that cache by prefix. */
export const systemText = ({ system }: Pick<ChatRequest, 'system'>): string =>
  system.filter((block) => block.trim() !== '').join('\n\n');

/**
 * Parses a stream's events until `[DONE]`, and then calls `onEndMark`. Skips keep-alive events of proxies (no data, or
 * only a comment), on which the SDK's own reader fails. Throws `ModelFault` for an error event.
 */
export async function* eventsOf(
  response: Response,
  { controller }: WatchedCall,
  onEndMark?: () => void,
): AsyncGenerator {
  for await (const { data } of messagesOf(response, controller)) {
    if (data.startsWith('[DONE]')) return onEndMark?.();
    if (data === '' || data.startsWith(':')) continue;
    const event: unknown = JSON.parse(data);
    const fault = faultIn(event);
    if (fault) throw fault;
    yield event;
  }
}
