import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ContentBlock } from '../../../src/core/model/message.ts';
import { inputObject, toTurns } from '../../../src/providers/strict-turns.ts';
import { assistant, tool, toolCall, toolResult, user } from '../../support/chat-messages.ts';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });

describe('request turns', () => {
  it('merge adjacent messages of the same role but keep their texts separate', () => {
    const turns = toTurns([user('one'), user('two'), assistant('three'), user('four')]);
    const roles = turns.map((turn) => turn.role);
    assert.deepEqual(roles, ['user', 'assistant', 'user']);
    assert.deepEqual(turns[0], { role: 'user', results: [], parts: [text('one'), text('two')] });
  });

  it('put the result of a tool call right after it', () => {
    const turns = toTurns([
      user('go'),
      assistant('reading', toolCall('c1')),
      tool(toolResult('c1', 'done')),
      user('and?'),
    ]);
    const [, asked, answered] = turns;
    assert.ok(asked?.role === 'assistant' && answered?.role === 'user');
    const callIds = asked.calls.map((each) => each.callId);
    assert.deepEqual(callIds, ['c1']);
    const results = answered.results.map((each) => [each.callId, each.text]);
    assert.deepEqual(results, [['c1', 'done']]);
    assert.deepEqual(answered.parts, [text('and?')]);
  });

  it('convert a call without a result, and a result without a call, to text', () => {
    const turns = toTurns([tool(toolResult('lost', 'orphan output')), assistant(toolCall('c1', 'grep')), user('next')]);
    const words = JSON.stringify(turns);
    assert.ok(words.includes('orphan output') && words.includes('grep'));
    assert.ok(turns.every((turn) => (turn.role === 'user' ? turn.results : turn.calls).length === 0));
  });

  it('rewrite duplicate and invalid call IDs into a form that every provider accepts', () => {
    const turns = toTurns([
      user('go'),
      assistant(toolCall('a b', 'read file!')),
      tool(toolResult('a b', 'done')),
      assistant(toolCall('a b')),
      tool(toolResult('a b', 'done')),
    ]);
    const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
    const callIds = calls.map((each) => each.callId);
    assert.deepEqual(callIds, ['a_b', 'a_b_2']);
    assert.equal(calls[0]?.name, 'read_file_');
  });

  it('wrap tool input that is not an object', () => {
    assert.deepEqual(inputObject('{"a":1}'), { a: 1 });
    assert.deepEqual(inputObject('[1]'), { input: [1] });
    assert.deepEqual(inputObject('{"cut": '), { input: '{"cut": ' });
  });

  const block = fc.oneof(
    fc.string().map(text),
    fc.constantFrom('c1', 'c2', 'c3').map((id) => toolCall(id)),
    fc.constantFrom('c1', 'c2', 'c3').map((id) => toolResult(id, 'done')),
  );
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
    content: fc.array(block, { maxLength: 4 }),
  });

  it('alternate roles, start and end with the user, pair calls with results, and keep all text for any history', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const turns = toTurns(messages);
        assert.equal(turns[0]?.role, 'user');
        assert.equal(turns.at(-1)?.role, 'user');
        for (const [index, turn] of turns.entries()) {
          if (turn.role === 'user') continue;
          const next = turns[index + 1];
          assert.ok(next?.role === 'user' && turns[index - 1]?.role === 'user');
          const callIds = turn.calls.map((each) => each.callId);
          const expected = next.results.map((each) => each.callId);
          assert.deepEqual(callIds, expected);
        }
        const words = turns.map((turn) =>
          turn.role === 'assistant'
            ? turn.text
            : turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' '),
        );
        const all = words.join(' ');
        for (const each of messages.flatMap((one) => one.content)) {
          if (each.type === 'text' && each.text.trim() !== '') assert.ok(all.includes(each.text));
        }
      }),
    );
  });
});
