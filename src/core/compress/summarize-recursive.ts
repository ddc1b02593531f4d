import type { RunSettings, RunTools } from './compress-run.ts';
import { countMessages, framed } from './counting.ts';
import { Pace, type SourceMessage, throwIfCancelled } from './source.ts';
import { CallLog } from './summary-model.ts';
import { tell, transcriptText, type Told } from './tell.ts';

export interface RecursiveSummary extends Told {
  /** Tokens of the messages, each one's framing included. */
  readonly sourceTokens: number;
  /** The messages were short enough: the text is all of them, word for word. */
  readonly unchanged: boolean;
  readonly calls: CallLog;
}

/**
 * Brings messages of any length under a target: segments are summarized, their summaries joined by code, level by
 * level. Short ones come back as they are, without a model call; none gives ''. Linear in the messages.
 *
 * @param targetTokens of the text, its framing as one message included; below 6 there is no room for a word
 * @throws what the model throws, {@link Cancelled} after a cancellation
 */
export async function summarizeRecursive(
  messages: readonly SourceMessage[],
  targetTokens: number,
  tools: RunTools,
  settings: Partial<RunSettings> = {},
): Promise<RecursiveSummary> {
  const { counter, cancel } = tools;
  const calls = tools.calls ?? new CallLog();
  throwIfCancelled(cancel);
  const pace = new Pace(tools.breather, cancel);
  const tokens = await countMessages(messages, counter, pace);
  const sourceTokens = tokens.reduce((sum, one) => sum + one, 0);
  if (sourceTokens <= targetTokens || messages.length === 0) {
    const text = transcriptText(messages);
    const size = messages.length === 0 ? 0 : framed(text, counter);
    if (size <= targetTokens) {
      return { text, tokens: size, sent: [], nodes: [], sourceTokens, unchanged: true, calls };
    }
  }
  const told = await tell(messages, tokens, targetTokens, settings, { ...tools, calls });
  return { ...told, sourceTokens, unchanged: false, calls };
}
