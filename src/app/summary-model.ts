import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { ChatChunk, ChatModel } from './ports.ts';
import type { Usage } from '../core/model/message.ts';

/** Providers that serve many at once. A server of one's own would only queue the requests until they time out. */
const SERVES_MANY: ReadonlySet<string> = new Set(['openai', 'anthropic']);
const MANY = 24;
const FEW = 3;

/** A chat model as the compression uses it: one prompt, one whole answer. Its faults are thrown as they are. */
export function summaryModel(
  model: ChatModel,
  maxInputTokens: number,
  signal: AbortSignal,
  onUsage: (usage: Usage) => void,
): SummaryModel {
  return {
    id: model.id,
    maxInputTokens,
    atOnce: SERVES_MANY.has(model.provider) ? MANY : FEW,
    async complete({ system, prompt, maxTokens, temperature, jsonSchema }) {
      const stream = model.stream(
        {
          system: [system],
          messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
          maxOutputTokens: maxTokens,
          temperature,
          ...(jsonSchema && { jsonSchema }),
        },
        signal,
      );
      const { text, usage } = await collect(stream);
      if (usage) onUsage(usage);
      return { text, ...(usage && { usage: { input: usage.input, output: usage.output } }) };
    },
  };
}

async function collect(stream: AsyncIterable<ChatChunk>): Promise<{ text: string; usage: Usage | undefined }> {
  const parts: string[] = [];
  let usage: Usage | undefined;
  for await (const chunk of stream) {
    if (chunk.type === 'text') parts.push(chunk.text);
    else if (chunk.type === 'usage') usage = chunk.usage;
  }
  return { text: parts.join(''), usage };
}
