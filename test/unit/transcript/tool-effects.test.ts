import assert from 'node:assert/strict';
import type { ContentBlock } from '../../../src/core/model/message.ts';
import { toolEffectsOf } from '../../../src/core/transcript/tool-effects.ts';

const call = (name: string, args: unknown): ContentBlock => ({
  type: 'tool_call',
  callId: 'c',
  name,
  json: typeof args === 'string' ? args : JSON.stringify(args),
});
const effects = (name: string, args: unknown): string[] =>
  toolEffectsOf([call(name, args)]).effects.map(({ kind, what }) => `${kind} ${what}`);
const ended = (text: string, isError = false): boolean | undefined =>
  toolEffectsOf([{ type: 'tool_result', callId: 'c', text, isError }]).results.get('c');

describe('tool call effects', () => {
  it('are recognized for the tools of every vendor', () => {
    const told: readonly (readonly [string, unknown, string])[] = [
      ['Read', { file_path: '/home/sam/a.ts' }, 'read /home/sam/a.ts'],
      ['MultiEdit', { file_path: '/home/sam/a.ts', edits: [] }, 'edit /home/sam/a.ts'],
      ['NotebookEdit', { notebook_path: '/home/sam/a.ipynb' }, 'edit /home/sam/a.ipynb'],
      ['Bash', { command: 'npm test', description: 'runs tests' }, 'run npm test'],
      ['shell', { command: ['bash', '-lc', 'npm test'], workdir: '/home/sam' }, 'run npm test'],
      ['exec_command', { cmd: 'ls -la' }, 'run ls -la'],
      ['apply_patch', { input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** End Patch' }, 'edit src/a.ts'],
      ['apply_patch', '*** Begin Patch\n*** Add File: b.ts\n+1\n*** End Patch', 'edit b.ts'],
      ['replace_string_in_file', { filePath: '/home/sam/a.ts', oldString: '1', newString: '2' }, 'edit /home/sam/a.ts'],
      ['run_in_terminal', { command: 'npm test', isBackground: false }, 'run npm test'],
      ['write_to_file', { path: 'src/a.ts', content: '' }, 'edit src/a.ts'],
      ['execute_command', { command: 'npm test' }, 'run npm test'],
      ['read_file', { absolute_path: '/home/sam/a.ts' }, 'read /home/sam/a.ts'],
      ['run_shell_command', { command: 'npm test' }, 'run npm test'],
      ['developer__text_editor', { command: 'str_replace', path: '/home/sam/a.ts' }, 'edit /home/sam/a.ts'],
      ['developer__text_editor', { command: 'view', path: '/home/sam/a.ts' }, 'read /home/sam/a.ts'],
      ['edit_file', { target_file: 'src/a.ts', code_edit: '' }, 'edit src/a.ts'],
      ['run_terminal_cmd', { command: 'npm test' }, 'run npm test'],
    ];
    for (const [name, args, effect] of told) assert.deepEqual(effects(name, args), [effect], name);
  });

  it('include every file of a call that has several', () => {
    assert.deepEqual(effects('read_file', { files: [{ path: 'a.ts' }, { path: 'b.ts' }] }), ['read a.ts', 'read b.ts']);
    const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Delete File: b.ts\n*** End Patch';
    assert.deepEqual(effects('apply_patch', { input: patch }), ['edit a.ts', 'edit b.ts']);
  });

  it('include the files of a patch run as a shell command', () => {
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** End Patch';
    for (const command of [
      ['apply_patch', patch],
      ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`],
    ])
      assert.deepEqual(effects('shell', { command }), ['edit src/a.ts']);
    assert.deepEqual(effects('exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }), ['edit src/a.ts']);
  });

  it('include both the old and the new path of a patch that moves a file', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n*** End Patch';
    assert.deepEqual(effects('apply_patch', { input: patch }), ['edit a.ts', 'edit b.ts']);
  });

  it('are empty for other tools and for arguments that are not valid JSON', () => {
    assert.deepEqual(effects('web_search', { query: 'ports' }), []);
    assert.deepEqual(effects('Bash', '{"command": "npm te'), []);
  });

  it('count as successful unless the result reports a failure', () => {
    assert.equal(ended('12 passing'), true);
    assert.equal(ended('12 passing', true), false);
    assert.equal(ended('Exit code: 1\nnpm error'), false);
    assert.equal(ended('{"output":"","metadata":{"exit_code":0}}'), true);
    assert.equal(ended('{"output":"no","metadata":{"exit_code":127}}'), false);
    assert.equal(ended('Command exited with code 2'), false);
  });

  it('have unknown success if the call has no ID', () => {
    const { results } = toolEffectsOf([{ type: 'tool_result', callId: '', text: '12 passing', isError: false }]);
    assert.deepEqual([...results], []);
  });
});
