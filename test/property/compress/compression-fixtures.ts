import assert from 'node:assert/strict';
import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { counter, scriptedModel, type ScriptedModel } from '../../unit/compress/summarize-fixtures.ts';

export { counter, goodAnswer, grow, scriptedModel, tools } from '../../unit/compress/summarize-fixtures.ts';

/** Small, so that a few dozen messages make several segments and parents. */
export const SMALL_SETTINGS = { segment: { tokens: 150, messages: 40 }, frontierTokens: 600, roomTokens: 600 };

/** A model that returns its answers in turn. */
export const modelWith = (answers: readonly string[]): ScriptedModel =>
  scriptedModel((_, call) => answers[(call - 1) % answers.length]!);

export const totalTokens = (messages: readonly SourceMessage[]): number =>
  messages.reduce((sum, message) => sum + counter.message(message), 0);

/**
 * The number of messages that a frontier covers. Fails unless they are covered once and in order, starting with the
 * first.
 */
export function countCovered(frontier: readonly SummaryNode[], messages: readonly SourceMessage[]): number {
  let next = 0;
  for (const node of frontier) {
    assert.equal(node.first, messages[next]?.id);
    next += node.messages;
    assert.equal(node.last, messages[next - 1]?.id);
  }
  return next;
}
