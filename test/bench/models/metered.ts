import type { ChatModel, ChatRequest } from '../../../src/app/ports.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';

/** The summarizer's answer. */
export type Answer = (prompt: string, maxTokens: number) => string;

/** A simulated summarizer that records the cost of each call. */
export interface MeteredModel {
  readonly model: ChatModel;
  readonly spent: { calls: number; input: number; output: number };
}

export function metered(id: string, counter: TokenCounter, answer: Answer): MeteredModel {
  const spent = { calls: 0, input: 0, output: 0 };
  const model: ChatModel = {
    id: `test/${id}`,
    provider: 'test',
    model: id,
    async *stream(request: ChatRequest) {
      await Promise.resolve();
      const prompt = request.messages.map((message) => messageText(message)).join('\n');
      const input = counter.text(request.system.join('\n')) + counter.text(prompt) + 8;
      spent.calls++;
      spent.input += input;
      const text = answer(prompt, request.maxOutputTokens);
      const output = counter.text(text);
      spent.output += output;
      yield { type: 'text', text };
      yield { type: 'usage', usage: { input, output } };
      yield { type: 'end', ending: 'complete' };
    },
  };
  return { model, spent };
}
