import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { Ending, Usage } from '../core/model/message.ts';
import type { ReasoningPlan } from '../core/tokens/model-info.ts';
import { emptyReply } from './fault.ts';
import type { ChatChunk, ChatModel } from './ports.ts';

/** Concurrent requests if the limit is unknown. On a user's own server, more would wait in a queue and time out. */
const DEFAULT_CONCURRENCY = 3;

/** Thinking tokens of unknown models. */
const DEFAULT_REASONING: ReasoningPlan = { tokens: 2_048 };
/** Minimum thinking tokens of a retry, if the model allows that many. */
const MIN_RETRY_REASONING_TOKENS = 16_384;
/**
 * By model, the thinking tokens of requests that needed more than planned, so that later ones don't fail first; 0 if
 * more were in vain, so that later ones aren't retried.
 */
export type NeededReasoning = Map<ChatModel['id'], number>;

/** A chat model that is used as a summarizer, and its limits in tokens. */
export interface SummarizerConfig {
  readonly model: ChatModel;
  readonly maxInputTokens: number;
  /** Maximum output tokens, including thinking; absent if unknown. */
  readonly maxOutputTokens?: number | undefined;
  /** Maximum tokens of input and output together; absent if unknown. */
  readonly contextWindow?: number;
  /** Absent: `DEFAULT_REASONING`. */
  readonly reasoning?: ReasoningPlan;
  /** Limits how much is read and written. US dollars per million tokens as counted here; absent if unknown. */
  readonly price?: SummaryModel['price'];
}

/**
 * Uses a chat model as a summarizer: one prompt, one complete response. If thinking uses up the output limit, the
 * request is retried once with a higher limit, unless that was in vain before. Rejects with the model's errors, and
 * with `highest_output_limit` if there's still no text, or no higher limit. `onUsage` is called for each attempt.
 */
export function summarizerOf(
  {
    model,
    maxInputTokens,
    maxOutputTokens = Infinity,
    contextWindow = Infinity,
    reasoning = DEFAULT_REASONING,
    price,
  }: SummarizerConfig,
  signal: AbortSignal,
  onUsage: (usage: Usage) => void,
  neededReasoning: NeededReasoning = new Map(),
): SummaryModel {
  const { id } = model;
  return {
    id,
    maxInputTokens,
    maxConcurrency: model.maxConcurrency ?? DEFAULT_CONCURRENCY,
    price,
    async complete({ system, prompt, maxTokens, temperature, jsonSchema }) {
      const ask = (reasoningTokens: number): Promise<Collected> => {
        const stream = model.stream(
          {
            system: [system],
            messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
            maxOutputTokens: maxTokens,
            reasoningTokens,
            ...(reasoning.effort !== undefined && { effort: reasoning.effort }),
            temperature,
            ...(jsonSchema && { jsonSchema }),
          },
          signal,
        );
        return collect(reportingUsage(stream, system.length + prompt.length, onUsage));
      };
      // Without a usage report, assume two characters per token. Only CJK text has fewer.
      const estimatedInput = Math.ceil((system.length + prompt.length) / 2);
      const limited = (reasoningTokens: number, input: number): number =>
        Math.min(reasoningTokens, Math.min(maxOutputTokens, contextWindow - input) - maxTokens);
      const firstReasoning = Math.max(reasoning.tokens, limited(neededReasoning.get(id) ?? 0, estimatedInput));
      const first = await ask(firstReasoning);
      const wasInVain = neededReasoning.get(id) === 0;
      if (!hasNoText(first)) {
        if (wasInVain) neededReasoning.delete(id);
        return { text: first.text, ending: first.ending, ...usageOf(first) };
      }
      const higher = Math.max(MIN_RETRY_REASONING_TOKENS, 4 * reasoning.tokens);
      const retryReasoning = limited(higher, first.usage?.input ?? estimatedInput);
      if (wasInVain || retryReasoning <= firstReasoning) throw emptyReply('length', first.usage, true);
      const second = await ask(retryReasoning);
      if (hasNoText(second)) {
        // Another request of the same compression may have been retried with success.
        if (!neededReasoning.has(id)) neededReasoning.set(id, 0);
        throw emptyReply('length', second.usage, true);
      }
      neededReasoning.set(id, retryReasoning);
      return { text: second.text, ending: second.ending, calls: 2, ...usageOf(first, second) };
    },
  };
}

/** Logs that a summary is in another language than its messages. */
export const languageWarnings =
  (warn: (message: string) => void) =>
  (language: string, failure?: string): void => {
    warn(`The summarizer wrote in ${language}, unlike the conversation.`);
    if (failure !== undefined) warn(`Asking for the conversation's language failed: ${failure}`);
  };

interface Collected {
  readonly text: string;
  readonly ending: 'complete' | 'length';
  readonly usage: Usage | undefined;
}

const hasNoText = ({ ending, text }: Collected): boolean => ending === 'length' && text.trim() === '';

function usageOf(...replies: readonly Collected[]): {
  readonly usage?: { readonly input: number; readonly output: number };
} {
  const usages = replies.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return {};
  const sum = (of: (usage: Usage) => number): number => usages.reduce((all, usage) => all + of(usage), 0);
  return { usage: { input: sum(({ input }) => input), output: sum(({ output }) => output) } };
}

/** Approximate number of characters per token, for replies that broke off before their usage was reported. */
const CHARS_PER_TOKEN = 4;

/**
 * Passes on a reply, and calls `onUsage` for each attempt. Failed and interrupted attempts cost money, too, but their
 * output is reported only at the end, or not at all, so it's estimated.
 */
export async function* reportingUsage(
  stream: AsyncIterable<ChatChunk>,
  promptChars: number,
  onUsage: (usage: Usage) => void,
): AsyncGenerator<ChatChunk> {
  let usage: Usage | undefined;
  let receivedChars = 0;
  const reportBroken = (): void => {
    if (!usage && receivedChars === 0) return;
    const output = Math.max(usage?.output ?? 0, Math.ceil(receivedChars / CHARS_PER_TOKEN));
    onUsage({ input: Math.ceil(promptChars / CHARS_PER_TOKEN), ...usage, output });
  };
  try {
    for await (const chunk of stream) {
      if (chunk.type === 'text') receivedChars += chunk.text.length;
      else if (chunk.type === 'usage') usage = chunk.usage;
      else if (chunk.type === 'retried') {
        reportBroken();
        usage = undefined;
        receivedChars = 0;
      }
      yield chunk;
    }
  } catch (error) {
    reportBroken();
    throw error;
  }
  if (usage) onUsage(usage);
}

async function collect(stream: AsyncIterable<ChatChunk>): Promise<Collected> {
  const parts: string[] = [];
  let usage: Usage | undefined;
  let ending: Ending = 'complete';
  for await (const chunk of stream) {
    if (chunk.type === 'text') parts.push(chunk.text);
    else if (chunk.type === 'thinking' && chunk.retracts) parts.length = 0;
    else if (chunk.type === 'retried') {
      parts.length = 0;
      usage = undefined;
    } else if (chunk.type === 'usage') usage = chunk.usage;
    else if (chunk.type === 'end') ending = chunk.ending;
  }
  return { text: parts.join(''), ending: ending === 'length' ? 'length' : 'complete', usage };
}
