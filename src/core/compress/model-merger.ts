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
   * Merges summaries, oldest first, into one within `limits`. If they were merged before, into a longer one, that one is
   * shortened. Undefined if an answer can't be that long, or the model's only answer is unusable.
   *
   * @throws {Cancelled} soon after a cancellation
   */
  readonly rewrite: NonNullable<ParentTools['rewrite']> = async (summaries, limits, merged) => {
    if (!this.#model || this.fault !== undefined || limits.detailed > maxAnswerText(this.#settings)) return undefined;
    try {
      if (merged?.model === this.#model.id && merged.tokens.detailed > limits.detailed)
        return this.#shorten(contentOf(merged), await this.#sourceOf([merged], limits));
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
    const source = await this.#sourceOf(summaries, limits);
    const record = summaries.map(({ detailed }, at) => `summary ${at + 1}: ${detailed}`).join('\n\n');
    const piece = { source, allowance: Infinity, part: '', record };
    const content = await askModel(piece, model, this.#settings, this.#tools, true);
    return content && this.#shorten(content, source);
  }

  /** The content within its limits; undefined if it can't be shortened enough. */
  #shorten(content: NodeContent, source: LeafSource): NodeContent | undefined {
    const { detailed } = source.limits;
    if (content.tokens.detailed <= detailed) return content;
    const fitted = shortened(content, detailed, source, this.#tools);
    return fitted.tokens.detailed <= detailed ? fitted : undefined;
  }

  async #sourceOf(summaries: readonly SummaryNode[], limits: LevelLimits): Promise<LeafSource> {
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
    return { corpus, ...range, title: '', topics: [], tokens, limits, ceiling: tokens };
  }
}

const contentOf = ({
  title,
  brief,
  detailed,
  structured,
  tokens,
  rung,
  model,
  promptVersion,
  audit,
}: SummaryNode): NodeContent => ({
  ...{ title, brief, detailed, tokens, rung, model, promptVersion, audit },
  ...(structured && { structured }),
});
