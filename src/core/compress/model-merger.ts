import { messageId } from '../model/ids.ts';
import type { SummaryNode } from '../model/summary.ts';
import { askModel, maxAnswerText, type AskSettings, type AskTools } from './ask-model.ts';
import { buildCorpus } from './corpus.ts';
import { shortened, type LeafSource, type LevelLimits, type NodeContent } from './node-content.ts';
import type { SummaryModel } from './summary-model.ts';
import type { ParentTools } from './tree.ts';

/** Has a model merge summaries, until a request fails. */
export class ModelMerger {
  /** Why a request failed. */
  fault: unknown;
  readonly #model: SummaryModel | undefined;
  readonly #settings: AskSettings;
  readonly #tools: AskTools;

  /** The prompt in `settings` must say that the record consists of summaries. Without a model, nothing is merged. */
  constructor(model: SummaryModel | undefined, settings: AskSettings, tools: AskTools) {
    this.#model = model;
    this.#settings = settings;
    this.#tools = tools;
  }

  /**
   * Merges summaries, oldest first, into one within `limits`. Undefined if an answer can't be that long, or the model's
   * only answer is unusable.
   *
   * @throws {Cancelled} soon after a cancellation
   */
  readonly rewrite: NonNullable<ParentTools['rewrite']> = async (summaries, limits) => {
    if (!this.#model || this.fault !== undefined || limits.detailed > maxAnswerText(this.#settings)) return undefined;
    try {
      return await this.#ask(this.#model, summaries, limits);
    } catch (error) {
      this.#tools.pace.throwIfCancelled();
      // The summaries were paid for, so they are merged without the model instead of being discarded.
      this.fault = error;
      return undefined;
    }
  };

  async #ask(
    model: SummaryModel,
    summaries: readonly SummaryNode[],
    limits: LevelLimits,
  ): Promise<NodeContent | undefined> {
    const corpus = await buildCorpus(
      summaries.map(({ id, detailed }) => ({
        id: messageId(id),
        role: 'assistant',
        content: [{ type: 'text', text: detailed }],
      })),
      this.#tools.pace,
    );
    const tokens = summaries.reduce((sum, node) => sum + node.tokens.detailed, 0);
    const range = { from: 0, to: summaries.length - 1 };
    const source: LeafSource = { corpus, ...range, title: '', topics: [], tokens, limits, ceiling: tokens };
    const record = summaries.map(({ detailed }, at) => `summary ${at + 1}: ${detailed}`).join('\n\n');
    const piece = { source, allowance: Infinity, part: '', record };
    const content = await askModel(piece, model, this.#settings, this.#tools, true);
    if (!content || content.tokens.detailed <= limits.detailed) return content;
    const fitted = shortened(content, limits.detailed, source, this.#tools);
    return fitted.tokens.detailed <= limits.detailed ? fitted : undefined;
  }
}
