import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../../../src/app/ports.ts';
import type { Ending, Usage } from '../../../src/core/model/message.ts';
import type { ListedModel } from '../../../src/providers/listed-model.ts';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';

export const KEY = 'sk-planted-key-0123456789';

export interface Protocol {
  readonly name: string;
  readonly path: string;
  make(
    url: string,
    timeoutMs?: number,
    apiKey?: string,
  ): ChatModel & { listModels(signal: AbortSignal): Promise<readonly ListedModel[]> };
}

const timeouts = (ms: number) => ({ firstTokenMs: ms, silenceMs: ms });
export const PROTOCOLS: readonly Protocol[] = [
  {
    ...{ name: 'OpenAI (Responses)', path: '/v1/responses' },
    make: (url, ms = 20_000, apiKey = KEY) =>
      createOpenAiModel({ apiKey, baseUrl: `${url}/v1`, api: 'responses', model: 'gpt-4o', ...timeouts(ms) }),
  },
  {
    ...{ name: 'a compatible server (Chat Completions)', path: '/v1/chat/completions' },
    make: (url, ms = 20_000, apiKey = KEY) =>
      createOpenAiModel({ apiKey, baseUrl: url, model: 'llama3', provider: 'compatible', ...timeouts(ms) }),
  },
  {
    ...{ name: 'Anthropic (Messages)', path: '/v1/messages' },
    make: (url, ms = 20_000, apiKey = KEY) =>
      createAnthropicModel({ apiKey, baseUrl: url, model: 'claude-haiku-4-5', ...timeouts(ms) }),
  },
];

export function ask(text: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    system: ['You help developers.'],
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    maxOutputTokens: 200,
    ...more,
  };
}

/** A turn's result: its text, last usage, and ending, or the fault with which it failed. */
export interface Outcome {
  readonly text: string;
  readonly pieces: number;
  readonly usage: Usage | undefined;
  readonly ending: Ending | undefined;
  readonly fault: ModelFault | undefined;
}

/** Runs a turn to its end. Any error except `ModelFault` fails the test. */
export async function turn(
  model: ChatModel,
  request: ChatRequest,
  signal = new AbortController().signal,
  onChunk: (chunk: ChatChunk) => void = () => undefined,
): Promise<Outcome> {
  let text = '';
  let pieces = 0;
  let usage: Usage | undefined;
  let ending: Ending | undefined;
  try {
    for await (const chunk of model.stream(request, signal)) {
      if (chunk.type === 'text') [text, pieces] = [text + chunk.text, pieces + 1];
      else if (chunk.type === 'usage') usage = chunk.usage;
      else if (chunk.type === 'end') ending = chunk.ending;
      onChunk(chunk);
    }
  } catch (error) {
    assert.ok(ModelFault.is(error), `not a ModelFault: ${String(error)}`);
    return { text, pieces, usage, ending, fault: error };
  }
  return { text, pieces, usage, ending, fault: undefined };
}
