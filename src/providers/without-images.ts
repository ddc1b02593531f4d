import { wrapModel, type ChatModel, type ChatRequest } from '../app/ports.ts';
import type { ContentBlock } from '../core/model/message.ts';

/** Wraps a model without image support: images are mentioned instead of sent. */
export const withoutImages = (model: ChatModel): ChatModel =>
  wrapModel(model, (request, signal) => model.stream(request, signal), withImageMentions);

export const withImageMentions = (request: ChatRequest): ChatRequest => ({
  ...request,
  messages: request.messages.map((message) => ({ ...message, content: message.content.map(withoutImage) })),
});

const withoutImage = (block: ContentBlock): ContentBlock =>
  block.type === 'image' ? { type: 'text', text: `[image of type ${block.mediaType}]` } : block;
