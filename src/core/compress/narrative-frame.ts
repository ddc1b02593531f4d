import { renderSummaries } from '../context/render.ts';
import type { Level, SummaryNode } from '../model/summary.ts';
import { MESSAGE_FRAMING_TOKENS } from '../tokens/token-counter.ts';
import { NODE_HEADING_TOKENS } from './levels.ts';

/** How the summaries of a run of messages are rendered, and what that adds to their texts, in tokens, from above. */
export interface NarrativeFrame {
  readonly render: (nodes: readonly SentNode[]) => string;
  readonly aroundTokens: number;
  readonly headingTokens: number;
}

/** As a context shows them: fenced off as data, each node under its range. */
export const CONTEXT_FRAME: NarrativeFrame = {
  render: renderSummaries,
  aroundTokens: 40,
  headingTokens: NODE_HEADING_TOKENS,
};

/** The bare texts, for a summary that stands by itself. */
export const BARE_FRAME: NarrativeFrame = {
  render: (nodes) => nodes.map(({ node }) => node.full ?? node.detailed).join('\n\n'),
  aroundTokens: MESSAGE_FRAMING_TOKENS,
  headingTokens: 1,
};

/** A node as it is sent; its text is its `full` level where it has one. */
export interface SentNode {
  readonly node: SummaryNode;
  readonly from: number;
  readonly to: number;
  readonly level: Level;
}
