import type { ChatModel, ChatRequest } from '../../../src/app/ports.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';

/** The summarizer's answer. If it's undefined, the call fails like a provider's. */
export type Answer = (prompt: string, maxTokens: number) => string | undefined;

/** A simulated summarizer that records the cost of each call. */
export interface MeteredModel {
  readonly model: ChatModel;
  readonly spent: { calls: number; input: number; output: number };
}

/** Creates a metered model. It also counts failed calls, because their input was sent. */
export function metered(id: string, counter: TokenCounter, answer: Answer, fault: () => Error): MeteredModel {
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
      if (text === undefined) throw fault();
      const output = counter.text(text);
      spent.output += output;
      if (text !== '') yield { type: 'text', text };
      yield { type: 'usage', usage: { input, output } };
      yield { type: 'end', ending: 'complete' };
    },
  };
  return { model, spent };
}
