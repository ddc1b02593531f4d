import type { ChatMessage, ChatModel, ChatRequest } from '../app/ports.ts';

/** A model that reads text alone: images of the conversation are named in their place, not sent. */
export function withoutImages(model: ChatModel): ChatModel {
  return {
    id: model.id,
    provider: model.provider,
    model: model.model,
    ...(model.atOnce !== undefined && { atOnce: model.atOnce }),
    stream: (request, signal) => model.stream(namedImages(request), signal),
    ...(model.wireBody && { wireBody: (request: ChatRequest) => model.wireBody!(namedImages(request)) }),
    ...(model.countTokens && {
      countTokens: (request: ChatRequest, signal: AbortSignal) => model.countTokens!(namedImages(request), signal),
    }),
  };
}

/** The request with its images named in their place. */
export const namedImages = (request: ChatRequest): ChatRequest => ({
  ...request,
  messages: request.messages.map(named),
});

function named(message: ChatMessage): ChatMessage {
  if (message.content.every(({ type }) => type !== 'image')) return message;
  const content = message.content.map((block) =>
    block.type === 'image' ? ({ type: 'text', text: `[image of type ${block.mediaType}]` } as const) : block,
  );
  return { ...message, content };
}
