import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { Ending, Usage } from '../core/model/message.ts';
import type { ReasoningPlan } from '../core/tokens/models.ts';
import { emptyReply } from './fault.ts';
import type { ChatChunk, ChatModel } from './ports.ts';

/**
 * Concurrent requests to a server that doesn't state a limit. It may be the user's own, where more would only queue and
 * time out.
 */
const FEW = 3;

/** Tokens for thinking of unknown models, and of any model's retry. */
const DEFAULT_REASONING: ReasoningPlan = { tokens: 2_048 };
const SECOND_TRY_TOKENS = 16_384;

/**
 * Uses a chat model as a summarizer: one prompt, one complete answer. If it reaches the limit by thinking without
 * writing, it's asked again with a higher limit. Its errors are thrown unchanged, and `highest_output_limit` if neither
 * attempt returns text. `onUsage` is called for each attempt.
 */
export function summaryModel(
  model: ChatModel,
  maxInputTokens: number,
  signal: AbortSignal,
  onUsage: (usage: Usage) => void,
  reasoning = DEFAULT_REASONING,
  { contextWindow = Infinity, maxOutputTokens = Infinity }: OutputLimits = {},
): SummaryModel {
  return {
    id: model.id,
    maxInputTokens,
    atOnce: model.atOnce ?? FEW,
    async complete({ system, prompt, maxTokens, temperature, jsonSchema, purpose = 'summary' }) {
      const ask = (reasoningTokens: number): Promise<Collected> => {
        const stream = model.stream(
          {
            purpose,
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
        return collect(stream, onUsage);
      };
      const first = await ask(reasoning.tokens);
      const thoughtOnly = first.ending === 'length' && first.text.trim() === '';
      if (!thoughtOnly) return { text: first.text, ending: first.ending, ...usageOf(first) };
      // Some servers don't report usage. A token has at least two characters, except in CJK.
      const input = first.usage?.input ?? Math.ceil((system.length + prompt.length) / 2);
      const most = Math.min(maxOutputTokens, contextWindow - input) - maxTokens;
      const more = Math.min(most, Math.max(SECOND_TRY_TOKENS, 4 * reasoning.tokens));
      if (more <= reasoning.tokens) throw emptyReply('length', first.usage, true);
      const second = await ask(more);
      if (second.ending === 'length' && second.text.trim() === '') throw emptyReply('length', second.usage, true);
      return { text: second.text, ending: second.ending, calls: 2, ...usageOf(first, second) };
    },
  };
}

/** Token limits of a model's output and its context window, including thinking; undefined if unknown. */
interface OutputLimits {
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

interface Collected {
  readonly text: string;
  readonly ending: 'complete' | 'length';
  readonly usage: Usage | undefined;
}

function usageOf(...replies: readonly Collected[]): {
  readonly usage?: { readonly input: number; readonly output: number };
} {
  const usages = replies.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return {};
  const sum = (of: (usage: Usage) => number): number => usages.reduce((all, usage) => all + of(usage), 0);
  return { usage: { input: sum(({ input }) => input), output: sum(({ output }) => output) } };
}

async function collect(stream: AsyncIterable<ChatChunk>, onUsage: (usage: Usage) => void): Promise<Collected> {
  const parts: string[] = [];
  let usage: Usage | undefined;
  let ending: Ending = 'complete';
  try {
    for await (const chunk of stream) {
      if (chunk.type === 'text') parts.push(chunk.text);
      else if (chunk.type === 'thinking' && chunk.retracts) {
        parts.length = 0;
        if (usage) onUsage(usage);
        usage = undefined;
      } else if (chunk.type === 'usage') usage = chunk.usage;
      else if (chunk.type === 'end') ending = chunk.ending;
    }
  } finally {
    // Refusals and truncated replies cost money, too.
    if (usage) onUsage(usage);
  }
  return { text: parts.join(''), ending: ending === 'length' ? 'length' : 'complete', usage };
}
