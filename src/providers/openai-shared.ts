import type { ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';

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
