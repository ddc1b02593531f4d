import type { RenderedPrompt } from '../prompts/render-prompts.ts';

export interface SummaryRequest extends RenderedPrompt {
  readonly maxTokens: number;
  readonly temperature: number;
  /** Asks for structured output, if the model supports it. */
  readonly jsonSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export interface SummaryReply {
  readonly text: string;
  /** `length`: the answer was cut off at the token limit. Default: complete. */
  readonly ending?: 'complete' | 'length';
  /** Tokens as reported by the provider, for all requests that the answer took. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** Number of requests that the answer took: two if the first one spent its limit on thinking. Default: one. */
  readonly calls?: number;
}

/** A model that summarizes. Throws only on provider errors (key, network, limit); the caller judges the output. */
export interface SummaryModel {
  /** `provider/model`. */
  readonly id: string;
  /** Maximum input tokens, including the system prompt. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens?: number;
  readonly maxConcurrency: number;
  /** US dollars per million tokens as counted here; absent if unknown. */
  readonly price?: { readonly input: number; readonly output: number };
  complete(request: SummaryRequest): Promise<SummaryReply>;
}

/** Adds up model calls. The caller creates it, so that the calls are known even if a run fails. */
export class CallLog {
  count = 0;
  inputTokens = 0;
  outputTokens = 0;

  add(input: number, output: number, calls = 1): void {
    this.count += calls;
    this.inputTokens += input;
    this.outputTokens += output;
  }
}

/** None of the model's answers was usable, so the summaries were extracted. */
export class UnusableAnswers extends Error {
  override readonly name = 'UnusableAnswers';

  constructor() {
    super('The summarizer gave no usable answer.');
  }
}

/** Not even a part of the messages fits in the model's context window, so it wasn't asked and summaries were extracted. */
export class PromptsTooLong extends Error {
  override readonly name = 'PromptsTooLong';

  constructor() {
    super('No part of the messages fits in the context window of the summarizer.');
  }
}
