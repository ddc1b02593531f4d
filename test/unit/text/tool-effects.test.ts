import assert from 'node:assert/strict';
import type { ContentBlock } from '../../../src/core/model/message.ts';
import { toolEffectsOf } from '../../../src/core/text/tool-effects.ts';

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

  const PATCH = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n*** Delete File: c.ts\n*** End Patch';
  const EDITED = ['edit a.ts', 'edit b.ts', 'edit c.ts'];
  const IN_SHELL = `apply_patch <<'EOF'\n${PATCH}\nEOF`;
  for (const [what, name, args, expected] of [
    [
      'include every file of a call',
      'read_file',
      { files: [{ path: 'a.ts' }, { path: 'b.ts' }] },
      ['read a.ts', 'read b.ts'],
    ],
    ['include all files of a patch, and both paths of a moved one', 'apply_patch', { input: PATCH }, EDITED],
    ['include the files of a patch as a command', 'shell', { command: ['apply_patch', PATCH] }, EDITED],
    ['include the files of a patch in a shell', 'shell', { command: ['bash', '-lc', IN_SHELL] }, EDITED],
    ['include the files of a patch in a command line', 'exec_command', { cmd: IN_SHELL }, EDITED],
    ['are empty for other tools', 'web_search', { query: 'ports' }, []],
    ['are empty for arguments that are not valid JSON', 'Bash', '{"command": "npm te', []],
  ] as const)
    it(what, () => assert.deepEqual(effects(name, args), expected));

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
