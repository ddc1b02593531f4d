import assert from 'node:assert/strict';
import { plannedSteps } from '../../../src/core/transcript/planned-steps.ts';

const call = (name: string, args: object) => ({
  content: [{ type: 'tool_call' as const, callId: 'c', name, json: JSON.stringify(args) }],
});
const plan = (...texts: string[]) => ({ todos: texts.map((content) => ({ content, status: 'pending' })) });

describe('steps planned with tool calls', () => {
  it('are those of the last call that writes the list', () => {
    const texts = plannedSteps([call('TodoWrite', plan('Add', 'Test')), call('TodoWrite', plan('Test'))])?.steps;
    assert.deepEqual(
      texts?.map(({ text }) => text),
      ['Test'],
    );
  });

  it('end when the tool that wrote them clears the list', () => {
    const planned = call('TodoWrite', plan('Add'));
    assert.deepEqual(plannedSteps([planned, call('TodoWrite', { todos: [] })]), { steps: [], message: 1 });
    assert.equal(plannedSteps([planned, call('Search', { filters: [] })])?.steps.length, 1);
    assert.equal(plannedSteps([call('TodoWrite', { todos: [] })]), undefined);
  });

  it('remain when that tool has another list that is empty, or only reads them', () => {
    const item = { id: 1, title: 'Add', status: 'not-started' };
    const planned = call('manage_todo_list', { operation: 'write', todoList: [item] });
    for (const later of [
      { operation: 'read', todoList: [] },
      { removed: [], todoList: [item] },
    ])
      assert.equal(plannedSteps([planned, call('manage_todo_list', later)])?.steps.length, 1);
  });
});
