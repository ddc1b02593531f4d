import type { ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';

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
