import assert from 'node:assert/strict';
import { chooseLevels } from '../../../src/core/compress/choose-levels.ts';
import { tokensWith } from './summarize-fixtures.ts';
import { messageId, nodeId } from '../../../src/core/model/ids.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';

const node = (name: string): SummaryNode =>
  nodeWith({
    id: nodeId(name),
    first: messageId(name),
    last: messageId(name),
    messages: 1,
    tokens: { source: 1000, brief: 20, detailed: 100 },
  });

describe('levels of a frontier', () => {
  const frontier = ['a', 'b', 'c', 'd'].map(node);
  const detailed = (budget: number, near: readonly number[]): string[] =>
    chooseLevels(frontier, budget, near)
      .filter(({ level }) => level === 'detailed')
      .map((one) => one.node);

  it('are brief for old summaries and detailed for new ones', () => assert.deepEqual(detailed(300, []), ['c', 'd']));

  it('are detailed for summaries that match the task, before newer ones', () => {
    assert.deepEqual(detailed(300, [0]), ['a', 'd']);
    assert.deepEqual(detailed(220, [1]), ['b']);
  });

  it('fit the budget, whatever the task is about', () => {
    for (let budget = 128; budget < 500; budget += 20)
      assert.ok(tokensWith(frontier, chooseLevels(frontier, budget, [0, 1, 2])) <= budget);
  });

  it('stay unchanged while they fit, and then leave room for new summaries', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map(node);
    const before = new Map(many.map(({ id }) => [id, id === 'a' ? 'brief' : 'detailed'] as const));
    const finer = (of: readonly SummaryNode[], budget: number): string[] =>
      chooseLevels(of, budget, [], before)
        .filter(({ level }) => level === 'detailed')
        .map((one) => one.node);
    const whole = 32 + 5 * 112;
    assert.deepEqual(finer(many, whole), ['b', 'c', 'd', 'e', 'f']);
    assert.deepEqual(
      finer([...many, node('g')], whole + 112),
      ['b', 'c', 'd', 'e', 'f', 'g'],
      'new summaries are detailed',
    );
    assert.deepEqual(finer(many, whole - 1), ['e', 'f']);
  });

  it('are full where that level exists and fits', () => {
    const finer = { ...node('b'), full: 'whole', tokens: { source: 1000, brief: 20, detailed: 100, full: 300 } };
    const levels = chooseLevels([node('a'), finer], 1_000);
    const chosen = levels.map(({ level }) => level);
    assert.deepEqual(chosen, ['detailed', 'full']);
    assert.equal(tokensWith([node('a'), finer], levels), 100 + 300 + 24);
  });
});
