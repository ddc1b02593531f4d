import assert from 'node:assert/strict';
import { readTranscript } from '../../support/read-transcript.ts';
import { importTranscript, type Imported } from '../../support/import-transcript.ts';

function read(...requests: readonly unknown[]): Imported {
  const chat = { responderUsername: 'GitHub Copilot', initialLocation: 'panel', requests };
  return importTranscript('vscode-chat', JSON.stringify(chat));
}

const ask = (text: string, response: unknown, more: object = {}): object => ({ message: { text }, response, ...more });
const uri = (path: string): object => ({ $mid: 1, fsPath: path, external: `file://${path}`, path, scheme: 'file' });

describe('importing a VS Code chat export', () => {
  it('recognizes an export without a responder name by its requests', () => {
    const text = JSON.stringify({ requests: [null, { message: 'Hello?', response: ['Hello.'] }] });
    const { format, transcript } = readTranscript(text);
    assert.equal(format, 'vscode-chat');
    const said = transcript.map((one) => `${one.role}: ${one.text}`);
    assert.deepEqual(said, ['user: Hello?', 'assistant: Hello.']);
    assert.throws(() => readTranscript('{"requests": [{"url": "/slots"}]}'), /supported chat format/);
  });

  it('reads a prompt given as a string, as text, or as the parts of a slash command', () => {
    const agent = { kind: 'agent', agent: { id: 'workspace' }, text: '@workspace ' };
    const slash = { kind: 'slash', slashCommand: { command: 'fix' } };
    const { said, skipped } = read(
      { message: 'Where is the clock?', response: [] },
      ask('@workspace /explain the clock', [], { slashCommand: { name: 'explain' } }),
      { message: { parts: [agent, slash, { kind: 'text', text: 'the clock' }, 'stray'] } },
    );
    const prompts = ['Where is the clock?', '@workspace /explain the clock', '@workspace the clock'];
    assert.deepEqual(
      said,
      prompts.map((text) => `user: ${text}`),
    );
    assert.deepEqual(skipped, {});
  });

  it('does not take a request that VS Code made itself as the user’s', () => {
    const { said } = read(
      ask('Start the build', 'Started.'),
      ask('The command has ended.', 'It failed.', { isSystemInitiated: true, systemInitiatedLabel: 'Terminal' }),
    );
    assert.deepEqual(said, [
      'user: Start the build',
      'assistant: Started.',
      'tool: The command has ended.',
      'assistant: It failed.',
    ]);
  });

  it('counts requests without a message as skipped and keeps their replies', () => {
    const { said, skipped } = read(
      'lost',
      { response: [{ value: 'An orphan reply.' }] },
      { message: 7 },
      { message: {}, response: [] },
    );
    assert.deepEqual(said, ['assistant: An orphan reply.']);
    assert.deepEqual(skipped, { 'invalid request': 1, 'request without a message': 3 });
  });

  it('skips requests that the user went back before, except those that are only partly undone', () => {
    const { said, skipped } = read(
      ask('Which port?', ['8080.']),
      ask('Use 80.', ['Done.'], { shouldBeRemovedOnSend: { requestId: 'r2', afterUndoStop: 's1' } }),
      ask('Use 81.', ['Changed.'], { shouldBeRemovedOnSend: { requestId: 'r3' } }),
    );
    assert.deepEqual(said, ['user: Which port?', 'assistant: 8080.', 'user: Use 80.', 'assistant: Done.']);
    assert.deepEqual(skipped, { 'hidden message': 1 });
  });

  it('reads questions as the response’s, and their answers as the user’s', () => {
    const options = ['http', 'https'].map((value) => ({ id: value, label: value.toUpperCase(), value }));
    const port = { id: 'q1', type: 'text', title: 'Port', message: { value: 'Which port?' } };
    const protocol = { id: 'q2', type: 'singleSelect', title: 'Protocol', options };
    const hosts = { id: 'q3', type: 'multiSelect', title: 'Hosts' };
    const carousel = (questions: readonly object[], data?: object): object => ({
      kind: 'questionCarousel',
      questions,
      data,
      isUsed: true,
    });
    const { said, skipped } = read(
      ask('Start it.', ['First, ', carousel([port], { q1: '8080' }), 'Started.']),
      ask('Again.', [
        carousel([port, protocol, hosts], {
          q2: { selectedValue: 'https', freeformValue: 'with a key' },
          q3: { selectedValues: ['alpha', 'beta'] },
        }),
      ]),
      ask('Once more.', [carousel([hosts], { q3: ['alpha', 'beta'] }), carousel([port])]),
    );
    assert.deepEqual(said, [
      ...['user: Start it.', 'assistant: First, \n\nWhich port?', 'user: 8080', 'assistant: Started.'],
      ...['user: Again.', 'assistant: Which port?\n\nProtocol\n\nHosts'],
      'user: Protocol: HTTPS, with a key\nHosts: alpha, beta',
      ...['user: Once more.', 'assistant: Hosts', 'user: alpha, beta', 'assistant: Which port?'],
    ]);
    assert.deepEqual(skipped, {});
  });

  it('reads reviews of plans and requests for input as the response’s, and their answers as the user’s', () => {
    const review = (content: string, data: object): object => ({ kind: 'planReview', title: 'Plan', content, data });
    const asked = { kind: 'elicitationSerialized', title: 'Name', message: 'Your name?' };
    const { said, skipped } = read(
      ask('Plan it.', [
        review('Stop it.', { rejected: true, feedback: 'Wait for it.' }),
        review('Wait.', { rejected: false, action: 'Approve' }),
      ]),
      ask('Sign in.', [
        { ...asked, acceptedResult: { name: 'sam', tags: ['a', 'b'] } },
        { kind: 'elicitationSerialized', title: 'Go on?', message: '', state: 'accepted' },
      ]),
    );
    assert.deepEqual(said, [
      ...['user: Plan it.', 'assistant: Plan\n\nStop it.', 'user: Wait for it.', 'assistant: Plan\n\nWait.'],
      ...['user: Approve', 'user: Sign in.', 'assistant: Name\n\nYour name?', 'user: name: sam\ntags: a, b'],
    ]);
    assert.deepEqual(skipped, { 'content of type “elicitationSerialized”': 1 });
  });

  it('joins every form of Markdown into one reply', () => {
    const { said } = read(
      ask('Go on.', [
        'One, ',
        { value: 'two, ', supportThemeIcons: false },
        { kind: 'markdownContent', content: { value: 'three, ' } },
        { kind: 'markdownContent', content: 'four, ' },
        { kind: 'markdownVuln', content: { value: 'five' }, vulnerabilities: [] },
        { kind: 'markdownContent', value: '.' },
        { supportHtml: true },
        { kind: 'markdownContent', content: 6 },
        null,
      ]),
      ask('And alone?', { value: 'A reply that is no list.' }),
    );
    assert.deepEqual(said, [
      'user: Go on.',
      'assistant: One, two, three, four, five.',
      'user: And alone?',
      'assistant: A reply that is no list.',
    ]);
  });

  it('names a reference by its label, symbol or file, and omits an empty one', () => {
    const clock = uri('/repo/src/clock.ts');
    const references = [
      { inlineReference: clock },
      { inlineReference: { uri: uri('/repo/src/slots.ts'), range: { startLineNumber: 3 } } },
      { inlineReference: { name: 'overlaps', kind: 11, location: { uri: uri('/repo/src/booking.ts') } } },
      { inlineReference: { location: { uri: uri('/repo/src/room.ts') } } },
      { inlineReference: { name: 'Clock', location: { uri: clock } }, name: 'the clock' },
      { inlineReference: { location: '/repo/src/user.ts' } },
      { inlineReference: { $mid: 1, path: '/repo/src/web.ts', scheme: 'vscode-vfs' } },
      ...[{ inlineReference: 'gone' }, { inlineReference: { location: 4 } }],
    ];
    const parts = references.flatMap((one) => [{ kind: 'inlineReference', ...one }, { value: ', ' }]);
    const names = '`clock.ts`, `slots.ts`, `overlaps`, `room.ts`, `the clock`, `user.ts`, `web.ts`, , ,';
    assert.equal(read(ask('Where?', parts)).said[1], `assistant: ${names}`);
  });

  it('shows each tool’s input, wherever the export keeps it, and its output', () => {
    const tool = (toolCallId: string, toolId: string, more: object): object => ({
      ...{ kind: 'toolInvocationSerialized', isComplete: true, toolCallId, toolId, ...more },
    });
    const terminal = (data: object): object => ({ toolSpecificData: { kind: 'terminal', ...data } });
    const output = [{ type: 'embed', isText: true, value: '09:30' }, { text: 'UTC' }, { uri: 'x' }, 4];
    const { said, content, skipped } = read(
      ask(
        'Check it.',
        [
          { value: 'First the tests.' },
          tool('c1', 'run_in_terminal', {
            ...{ invocationMessage: 'Running', ...terminal({ commandLine: { original: 'npm test' }, language: 'sh' }) },
          }),
          tool('c2', 'run_in_terminal', terminal({ command: 'ls' })),
          tool('c3', 'mcp_clock_now', {
            toolSpecificData: { kind: 'input', rawInput: { zone: 'UTC' } },
            resultDetails: { input: '{"zone":"UTC"}', output, isError: false },
          }),
          tool('c4', 'mcp_clock_set', { resultDetails: { input: '{}', output: 'not allowed', isError: true } }),
          tool('c5', 'copilot_readFile', {
            invocationMessage: { value: 'Reading clock.ts' },
            pastTenseMessage: { value: 'Read clock.ts, lines 1 to 9' },
            resultDetails: [uri('/repo/clock.ts')],
          }),
          { kind: 'toolInvocation', invocationMessage: 'Searching' },
          { kind: 'toolInvocation', toolSpecificData: { kind: 'input', rawInput: { query: 'slot' } } },
        ],
        {
          result: {
            metadata: {
              toolCallResults: {
                c1: { $mid: 20, content: [{ $mid: 21, value: '12 passing' }] },
                c2: { $mid: 20, content: [{ $mid: 21, value: { type: 1, node: {} } }] },
                c3: 'odd',
              },
            },
          },
        },
      ),
    );
    assert.deepEqual(said, [
      ...[
        'user: Check it.',
        'assistant: First the tests.\nrun_in_terminal {"original":"npm test"}',
        'tool: 12 passing',
      ],
      ...['assistant: run_in_terminal ls', 'assistant: mcp_clock_now {"zone":"UTC"}', 'tool: 09:30\nUTC\n\n'],
      ...['assistant: mcp_clock_set {}', 'tool: not allowed'],
      'assistant: copilot_readFile {"message":"Read clock.ts, lines 1 to 9"}',
      'tool: Read clock.ts, lines 1 to 9',
      ...['assistant: tool {"message":"Searching"}', 'tool: Searching', 'assistant: tool {"query":"slot"}'],
    ]);
    assert.deepEqual(content[7], [{ type: 'tool_result', callId: 'c4', text: 'not allowed', isError: true }]);
    assert.deepEqual(skipped, {});
  });

  it('shows file and notebook edits as tool calls, wherever the file’s URI is stored', () => {
    const { said } = read(
      ask('Change them.', [
        { kind: 'textEditGroup', uri: uri('/repo/a.ts'), edits: [[{ text: 'x' }]], done: true },
        { kind: 'notebookEditGroup', uri: { uri: uri('/repo/b.ipynb'), kind: 'cell' } },
        { kind: 'textEditGroup' },
      ]),
    );
    assert.deepEqual(said.slice(1), [
      'assistant: edit_file {"path":"/repo/a.ts","edits":[[{"text":"x"}]]}',
      'assistant: edit_file {"path":"/repo/b.ipynb","edits":[]}',
      'assistant: edit_file {"path":"","edits":[]}',
    ]);
  });

  it('counts reasoning and UI-only parts as skipped, by kind', () => {
    const { said, skipped } = read(
      ask(
        'Go.',
        [
          { kind: 'thinking', value: 'Hm.', id: 't1' },
          { kind: 'progressMessage', content: { value: 'Searching…' } },
          { kind: 'progressTaskSerialized', content: { value: 'Indexing' }, progress: [] },
          { kind: 'codeblockUri', uri: uri('/repo/a.ts'), isEdit: true },
          { kind: 'undoStop', id: 'u1' },
          { kind: 'codeblockUri', uri: uri('/repo/b.ts') },
          { kind: 'prepareToolInvocation', toolName: 'x' },
          { kind: 'confirmation', title: 'Continue?', message: 'Continue to iterate?' },
        ],
        { followups: [{ kind: 'reply', message: 'And then?' }] },
      ),
    );
    assert.deepEqual(said, ['user: Go.']);
    assert.deepEqual(skipped, {
      'model reasoning': 1,
      'content of type “progressMessage”': 1,
      'content of type “progressTaskSerialized”': 1,
      'content of type “codeblockUri”': 2,
      'content of type “undoStop”': 1,
      'content of type “prepareToolInvocation”': 1,
      'content of type “confirmation”': 1,
    });
  });

  it('counts a request’s attachments as skipped, because the export has only their URIs', () => {
    const { said, skipped } = read(
      ask('Compare these.', [{ value: 'They differ.' }], {
        variableData: {
          variables: [
            { kind: 'file', id: 'a', name: 'file:a.ts', value: uri('/repo/a.ts') },
            { kind: 'file', id: 'b', name: 'file:b.ts', value: uri('/repo/b.ts') },
            { kind: 'promptFile', id: 'c', name: 'prompt:rules', value: uri('/repo/rules.md') },
            { id: 'd', name: 'selection', value: uri('/repo/d.ts') },
            null,
          ],
        },
      }),
      ask('And now?', [], { variableData: {} }),
    );
    assert.deepEqual(said, ['user: Compare these.', 'assistant: They differ.', 'user: And now?']);
    assert.deepEqual(skipped, {
      'attachment of type “file”': 2,
      'attachment of type “promptFile”': 1,
      'attachment of type “unknown”': 1,
    });
  });

  it('shows the error of a failed reply, after the partial reply or in its place', () => {
    const failed = { errorDetails: { message: 'Rate limit exceeded.', responseIsFiltered: false } };
    const { said } = read(
      ask('Again?', [], { result: failed }),
      ask('And now?', [{ value: 'Half a' }], { result: failed }),
      ask('At last?', [{ value: 'Yes.' }], { result: { errorDetails: { code: 3 }, metadata: {} } }),
    );
    assert.deepEqual(said, [
      'user: Again?',
      'assistant: Rate limit exceeded.',
      'user: And now?',
      'assistant: Half a\n\nRate limit exceeded.',
      'user: At last?',
      'assistant: Yes.',
    ]);
  });
});

describe('replaying a chat’s change log', () => {
  const first = '{"kind":0,"v":{"requests":[{"message":{"text":"Hello?"},"response":[]}]}}';

  it('appends an entry at the end of a list', () => {
    const text = `${first}\n{"kind":1,"k":["requests",1],"v":{"message":{"text":"Hello again?"}}}\n`;
    const texts = readTranscript(text).transcript.map((one) => one.text);
    assert.deepEqual(texts, ['Hello?', 'Hello again?']);
  });

  for (const index of [2, 60_000_000, -1, 0.5]) {
    it(`rejects the invalid list position ${index} and names its line`, () => {
      const text = `${first}\n\n{"kind":1,"k":["requests",${index}],"v":1}\n{"kind":1,"k":["requests",0,"x"],"v":1}\n`;
      assert.throws(() => readTranscript(text), /line 3 of the file is damaged/);
    });
  }
});
