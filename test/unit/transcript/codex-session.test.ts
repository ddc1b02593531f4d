import assert from 'node:assert/strict';
import { imported, type Imported } from '../../support/imported.ts';

/** What a person sees of a session with these lines. */
const read = (...records: readonly unknown[]): Imported =>
  imported('codex', records.map((one) => JSON.stringify(one)).join('\n'));

const line = (type: string, payload: object): object => ({ timestamp: '2026-03-02T09:30:00.000Z', type, payload });
const item = (payload: object): object => line('response_item', payload);
const META = line('session_meta', { id: 's1', cwd: '/repo', cli_version: '0.50.0' });
const said = (role: string, text: string): object =>
  item({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] });

describe('importing a Codex session', () => {
  it('takes what was said once, and counts the screen’s copy, turns, compactions and reasoning', () => {
    const { said: seen, skipped } = read(
      META,
      line('turn_context', { cwd: '/repo', model: 'gpt-5-codex' }),
      said('user', '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>'),
      said('user', '# AGENTS.md instructions for /repo\n\nBe brief.'),
      said('developer', 'Use the sandbox.'),
      said('user', 'List the rooms.'),
      line('event_msg', { type: 'user_message', message: 'List the rooms.' }),
      item({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
      said('assistant', 'Three rooms.'),
      line('event_msg', { type: 'agent_message', message: 'Three rooms.' }),
      line('compacted', { message: 'The rooms were listed.' }),
      { payload: { type: 'lost' } },
      item({ type: 'ghost_snapshot', ghost_commit: {} }),
      item({ payload: 1 }),
      17,
    );
    assert.deepEqual(seen, ['user: List the rooms.', 'assistant: Three rooms.']);
    assert.deepEqual(skipped, {
      'record of type “session_meta”': 1,
      'record of type “turn_context”': 1,
      'context that the tool added': 3,
      'record of type “event_msg”': 2,
      'reasoning of the model': 1,
      'record of type “unknown”': 1,
      'summary made by the tool': 1,
      'item of type “ghost_snapshot”': 1,
      'item of type “unknown”': 1,
      'line that is no record': 1,
    });
  });

  it('shows calls of every kind with what was asked of the tool', () => {
    const { said: seen } = read(
      META,
      item({ type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"command":["ls"]}' }),
      item({ type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: '*** Begin Patch' }),
      item({ type: 'local_shell_call', id: 'c3', action: { type: 'exec', command: ['pwd'] } }),
      item({ type: 'web_search_call', action: { type: 'search', query: 'slots' } }),
      item({ type: 'function_call', call_id: 'c4' }),
    );
    assert.deepEqual(seen, [
      'assistant: shell {"command":["ls"]}',
      'assistant: apply_patch *** Begin Patch',
      'assistant: local_shell {"type":"exec","command":["pwd"]}',
      'assistant: web_search {"type":"search","query":"slots"}',
      'assistant: tool {}',
    ]);
  });

  it('shows what tools answered in each form that Codex has written, and which of it failed', () => {
    const answer = (output: unknown, type = 'function_call_output'): object => item({ type, call_id: 'c', output });
    const { said: seen, content } = read(
      META,
      answer('plain text'),
      answer(JSON.stringify({ output: 'done', metadata: { exit_code: 0 } })),
      answer(JSON.stringify({ output: 'not found', metadata: { exit_code: 1 } }), 'custom_tool_call_output'),
      answer({ content: 'refused', success: false }),
      answer({ content: 'granted', success: true }),
      answer('{"rooms":3}'),
      answer('{ cut'),
      answer([{ type: 'input_text', text: 'one' }, { type: 'input_image' }, 'odd', { text: 'two' }]),
      answer({ rooms: 4 }),
      item({ type: 'function_call_output' }),
    );
    assert.deepEqual(seen, [
      'tool: plain text',
      'tool: done',
      'tool: not found',
      'tool: refused',
      'tool: granted',
      'tool: {"rooms":3}',
      'tool: { cut',
      'tool: one\n\ntwo',
      'tool: {"rooms":4}',
      'tool: ""',
    ]);
    const faults = content.flat().map((block) => block.type === 'tool_result' && block.isError);
    assert.deepEqual(faults, [false, false, true, true, false, false, false, false, false, false]);
  });

  it('reads an older session, whose lines have no envelope', () => {
    const { said: seen, skipped } = read(
      { id: 's0', timestamp: '2025-05-01T10:00:00Z', instructions: null },
      { record_type: 'state' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which port?' }] },
      { role: 'assistant', content: '8080.' },
      { role: 'assistant', content: [] },
      { note: 'odd' },
    );
    assert.deepEqual(seen, ['user: Which port?', 'assistant: 8080.']);
    assert.deepEqual(skipped, { 'record of type “session_meta”': 2, 'item of type “unknown”': 1 });
  });
});
