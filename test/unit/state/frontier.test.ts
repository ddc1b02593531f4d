import assert from 'node:assert/strict';
import { messageId, nodeId } from '../../../src/core/model/ids.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';
import { chooseFrontier } from '../../../src/core/state/frontier.ts';

const node = (id: string, from: number, to: number): SummaryNode =>
  nodeWith({ id: nodeId(id), first: messageId(String(from)), last: messageId(String(to)), messages: to - from + 1 });

const chosen = (...nodes: readonly SummaryNode[]): string[] =>
  chooseFrontier(nodes, () => false, Number).map(({ node: { id } }) => id);

describe('frontier', () => {
  it('has no two summaries of a message, whichever of their ends overlap', () => {
    assert.deepEqual(chosen(node('older', 0, 9), node('newer', 5, 14)), ['newer']);
    assert.deepEqual(chosen(node('older', 5, 14), node('newer', 0, 9)), ['newer']);
    assert.deepEqual(chosen(node('within', 3, 4), node('wide', 0, 9)), ['wide']);
    assert.deepEqual(chosen(node('second', 10, 19), node('first', 0, 9)), ['first', 'second']);
  });
});
