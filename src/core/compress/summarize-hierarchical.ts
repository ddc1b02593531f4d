import type { RunSettings, RunTools, SummaryCache } from './compress-run.ts';
import { countMessages, framed } from './counting.ts';
import { BRIEF_SHARE, DETAILED_SHARE, FULL_SHARE, type NodeContent } from './leaf.ts';
import { Pace, type SourceMessage, throwIfCancelled } from './source.ts';
import { CallLog } from './summary-model.ts';
import { tell, transcriptText } from './tell.ts';

export interface HierarchicalSummary {
  readonly brief: string;
  readonly detailed: string;
  readonly full: string;
  /** Each text's framing as one message included; of `source` each message's. */
  readonly tokens: {
    readonly source: number;
    readonly brief: number;
    readonly detailed: number;
    readonly full: number;
  };
  /** The conversation was short: all three are it, word for word. */
  readonly unchanged: boolean;
  readonly calls: CallLog;
}

/** A tenth of anything shorter is too little to say what it was about. */
const SHORT_CONVERSATION_TOKENS = 200;

/**
 * Three levels of detail: brief at most 10 %, detailed at most 30 %, full at most 70 % of the source's tokens, each
 * from the source itself; full holds listings too, as far as they go. A segment is read by a model once, whatever the number of levels. A short conversation comes
 * back as it is.
 *
 * @throws what the model throws, {@link Cancelled} after a cancellation
 */
export async function summarizeHierarchical(
  messages: readonly SourceMessage[],
  tools: RunTools,
  settings: Partial<RunSettings> = {},
): Promise<HierarchicalSummary> {
  const { counter, cancel } = tools;
  const calls = tools.calls ?? new CallLog();
  throwIfCancelled(cancel);
  const pace = new Pace(tools.breather, cancel);
  const tokens = await countMessages(messages, counter, pace);
  const source = tokens.reduce((sum, one) => sum + one, 0);
  if (source <= SHORT_CONVERSATION_TOKENS) {
    const text = transcriptText(messages);
    const size = messages.length === 0 ? 0 : framed(text, counter);
    const sizes = { source, brief: size, detailed: size, full: size };
    return { brief: text, detailed: text, full: text, tokens: sizes, unchanged: true, calls };
  }
  const once: RunTools = { ...tools, calls, cache: tools.cache ?? contentCache() };
  const brief = await tell(messages, tokens, Math.floor(source * BRIEF_SHARE), settings, once);
  const detailed = await tell(messages, tokens, Math.floor(source * DETAILED_SHARE), settings, once);
  const full = await tell(messages, tokens, Math.floor(source * FULL_SHARE), settings, once, true);
  const sizes = { source, brief: brief.tokens, detailed: detailed.tokens, full: full.tokens };
  return { brief: brief.text, detailed: detailed.text, full: full.text, tokens: sizes, unchanged: false, calls };
}

function contentCache(): SummaryCache {
  return new Map<string, NodeContent>();
}
