import assert from 'node:assert/strict';
import { DEFAULT_RUN_SETTINGS, type RunSettings, type RunTools } from '../../../src/core/compress/compress-run.ts';
import type { SourceMessage } from '../../../src/core/compress/source.ts';
import { nodeId } from '../../../src/core/model/ids.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { summaryPrompt } from '../../../src/core/prompts/render.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';

export const counter = await loadEncoding('o200k_base');

/** Small enough that a few dozen messages make several segments and parents. */
export const settings: RunSettings = {
  ...DEFAULT_RUN_SETTINGS,
  prompt: summaryPrompt('developer'),
  segmentTokens: 150,
  fanIn: 3,
  frontierTokens: 600,
};

/** What a run needs beside a model; its nodes are n1, n2 and so on. */
export const tools = (): RunTools => {
  let made = 0;
  return { counter, nextId: () => nodeId(`n${++made}`), now: () => 0 };
};

export const total = (messages: readonly SourceMessage[]): number =>
  messages.reduce((sum, message) => sum + counter.message(message), 0);

/** How many messages a frontier stands for: from the first on, once each and in order, or a failure. */
export function covered(frontier: readonly SummaryNode[], messages: readonly SourceMessage[]): number {
  let next = 0;
  for (const node of frontier) {
    assert.equal(node.first, messages[next]?.id);
    next += node.messages;
    assert.equal(node.last, messages[next - 1]?.id);
  }
  return next;
}
