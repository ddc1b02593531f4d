/** A request to a summarizer. Tokens; `jsonSchema` asks for an answer that fits it, where the model can. */
export interface SummaryRequest {
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly jsonSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  /** Left out: a summary. */
  readonly purpose?: 'summary' | 'check';
}

export interface SummaryReply {
  readonly text: string;
  /** `length`: the answer was cut at the limit of its tokens. Left out: it is complete. */
  readonly ending?: 'complete' | 'length';
  /** Tokens as the provider reports them, of all requests that the answer took. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** Requests that the answer took: two where the first thought until its limit. Left out: one. */
  readonly calls?: number;
}

/**
 * A model that summarizes. It throws on a provider's fault (key, network, limit) alone; bad output is returned and
 * judged by the caller.
 */
export interface SummaryModel {
  /** `provider/model`. */
  readonly id: string;
  /** What a request may hold, prompt and system together. */
  readonly maxInputTokens: number;
  /** What it may answer at once, where that is known. */
  readonly maxOutputTokens?: number;
  /** Requests that it takes at once. */
  readonly atOnce: number;
  complete(request: SummaryRequest): Promise<SummaryReply>;
}

/** Model calls as they add up; kept by the caller, so that they are known even when a run fails. */
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
