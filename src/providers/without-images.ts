import { wrapModel, type ChatMessage, type ChatModel, type ChatRequest } from '../app/ports.ts';

/** Wraps a model without image support: images are mentioned instead of sent. */
export const withoutImages = (model: ChatModel): ChatModel =>
  wrapModel(model, (request, signal) => model.stream(request, signal), withImageMentions);

/** The request with its images replaced by a mention. */
export const withImageMentions = (request: ChatRequest): ChatRequest => ({
  ...request,
  messages: request.messages.map(withMentions),
});

function withMentions(message: ChatMessage): ChatMessage {
  if (message.content.every(({ type }) => type !== 'image')) return message;
  const content = message.content.map((block) =>
    block.type === 'image' ? ({ type: 'text', text: `[image of type ${block.mediaType}]` } as const) : block,
  );
  return { ...message, content };
}
