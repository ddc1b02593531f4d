import {
  compressTranscript,
  TargetTooSmall,
  type CompressedTranscript,
  type TranscriptOptions,
  type TranscriptTools,
} from './compress-transcript.ts';
import type { SourceMessage } from './source.ts';
import { summarizeRecursive } from './summarize-recursive.ts';

/**
 * Messages within a target, key events word for word and in order, the rest summarized. Messages that are short
 * enough come back as they are; where all is key events no model is called; where there are none all is summarized;
 * where not even the newest user message has room, everything is summarized and its events say `dropped`.
 *
 * @throws what the model throws, {@link Cancelled} after a cancellation
 */
export async function compressPreserveEvents(
  messages: readonly SourceMessage[],
  targetTokens: number,
  tools: TranscriptTools,
  options: Omit<TranscriptOptions, 'targetTokens'> = {},
): Promise<CompressedTranscript> {
  try {
    return await compressTranscript(messages, { ...options, targetTokens }, tools);
  } catch (error) {
    if (!(error instanceof TargetTooSmall)) throw error;
    const { text, tokens, sourceTokens, sent, nodes, calls } = await summarizeRecursive(messages, targetTokens, tools);
    return {
      messages: tokens <= targetTokens && sent.length > 0 ? [{ role: 'system', content: text }] : [],
      events: error.events.map((event) =>
        event.status === 'active' && !text.includes(event.quote) ? { ...event, status: 'dropped' } : event,
      ),
      nodes,
      tokens: { before: sourceTokens, after: tokens <= targetTokens ? tokens : 0, target: targetTokens },
      calls,
    };
  }
}
