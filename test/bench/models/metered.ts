import type { ChatModel, ChatRequest } from '../../../src/app/ports.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';

/** What a summarizer answers; undefined makes the call fail as a provider would. */
export type Answer = (prompt: string, maxTokens: number) => string | undefined;

/** A summarizer at the network's edge that notes what each call costs. */
export interface MeteredModel {
  readonly model: ChatModel;
  readonly spent: { calls: number; input: number; output: number };
}

/** Every call is counted, also those that fail: the input was sent. */
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
