import { messageId } from '../model/ids.ts';
import type { SummaryNode } from '../model/summary.ts';
import { askModel, maxAnswerText, type AskSettings, type AskTools } from './ask-model.ts';
import { buildCorpus } from './corpus.ts';
import { shortened, type LeafSource, type LevelLimits, type NodeContent } from './node-content.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import type { SourceMessage } from './source-message.ts';
import type { SummaryModel } from './summary-model.ts';
import type { ParentTools } from './tree.ts';

/**
 * Has a model merge summaries, until a request fails (`fault`). The prompt in `settings` must say that the record
 * consists of summaries. Without a model, nothing is merged.
 */
export function modelMerger(
  model: SummaryModel | undefined,
  settings: AskSettings,
  tools: AskTools,
): { readonly rewrite: NonNullable<ParentTools['rewrite']>; readonly fault: unknown } {
  let fault: unknown;
  return {
    get fault() {
      return fault;
    },
    /**
     * Merges summaries, oldest first, into one within `limits`. If they were merged before, into a longer one, that one
     * is shortened. Undefined if an answer can't be that long, or the model's only answer is unusable.
     *
     * @throws {Cancelled} soon after a cancellation
     */
    async rewrite(summaries, limits, merged) {
      if (!model || fault !== undefined || limits.detailed > maxAnswerText(settings)) return undefined;
      try {
        if (merged?.model === model.id && merged.tokens.detailed > limits.detailed)
          return fitted(contentOf(merged), await sourceOf([merged], limits, tools.pace), tools);
        const source = await sourceOf(summaries, limits, tools.pace);
        const record = summaries.map(({ detailed }, at) => `summary ${at + 1}: ${detailed}`).join('\n\n');
        const piece = { ...source, allowance: Infinity, part: '', record };
        const { answer } = await askModel(piece, model, settings, tools, true);
        return answer && fitted(answer.content, source, tools);
      } catch (error) {
        tools.pace.throwIfCancelled();
        // The summaries were paid for, so they are merged without the model instead of being discarded.
        fault = error;
        return undefined;
      }
    },
  };
}

/** The content within its limits; undefined if it can't be shortened enough. */
function fitted(content: NodeContent, source: LeafSource, tools: AskTools): NodeContent | undefined {
  const { detailed } = source.limits;
  const short = content.tokens.detailed <= detailed ? content : shortened(content, detailed, source, tools);
  return short.tokens.detailed <= detailed ? short : undefined;
}

async function sourceOf(
  summaries: readonly SummaryNode[],
  limits: LevelLimits,
  pace: CancellableYielder,
): Promise<LeafSource> {
  const messages = summaries.map(({ id, detailed }): SourceMessage => {
    return { id: messageId(id), role: 'assistant', content: [{ type: 'text', text: detailed }] };
  });
  const corpus = await buildCorpus(messages, pace);
  const tokens = summaries.reduce((sum, node) => sum + node.tokens.detailed, 0);
  return { corpus, from: 0, to: summaries.length - 1, topics: [], tokens, limits, ceiling: tokens };
}

function contentOf(node: SummaryNode): NodeContent {
  const { id, depth, first, last, messages, children, replaces, full, sourceHash, at, ...content } = node;
  return content;
}
