import assert from 'node:assert/strict';
import { importTranscript, type Imported } from '../../support/import-transcript.ts';

const text = (words: string) => ({ type: 'text', text: words });
const png = (base64: string) => ({ type: 'image', mediaType: 'image/png', base64 });
const user = (...content: readonly unknown[]): object => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]): object => ({ role: 'assistant', content });

const read = (...messages: readonly unknown[]): Imported => importTranscript('messages', JSON.stringify(messages));

describe('importing messages with role and content', () => {
  it('maps every known role name to one of the four roles', () => {
    const names = ['system', 'Developer', 'user', 'Human', 'assistant', 'model', 'AI', 'tool', 'function'];
    const { said } = read(...names.map((role) => ({ role, content: role })));
    const expected =
      'system: system, system: Developer, user: user, user: Human, assistant: assistant, assistant: model, assistant: AI';
    assert.equal(said.join(', '), `${expected}, tool: tool, tool: function`);
  });

  it('reads text from every kind of part that can hold it', () => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a document' } };
    const input = [
      { type: 'input_text', text: 'in' },
      { type: 'output_text', text: 'out' },
    ] as const;
    const refusals = [{ type: 'refusal', refusal: 'No.' }, { type: 'refusal' }];
    const { said, skipped } = read(user('bare', { text: 'untyped' }, ...input, ...refusals, document));
    assert.deepEqual(said, ['user: bare\nuntyped\nin\nout\nNo.\n\na document']);
    assert.deepEqual(skipped, {});
    assert.deepEqual(read({ role: 'assistant', content: null, refusal: 'No.' }).said, ['assistant: No.']);
  });

  it('keeps embedded images, and counts linked images and non-text documents as skipped', () => {
    const { content, skipped } = read(
      user(
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QQ==' } },
        { type: 'image', mediaType: 'image/gif', base64: 'Qg==' },
        { type: 'image_url', image_url: { url: 'data:image/webp;base64,Qw==' } },
        { type: 'input_image', image_url: 'data:image/jpeg;base64,RA==' },
      ),
      user(
        text('And these?'),
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        { type: 'image_url', image_url: { url: 'https://example.org/b.png' } },
        { type: 'input_image', file_id: 'file-1' },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
        { type: 'document', title: 'lost' },
      ),
    );
    const images = content[0]?.map((block) => block.type === 'image' && `${block.mediaType} ${block.base64}`);
    assert.deepEqual(images, ['image/png QQ==', 'image/gif Qg==', 'image/webp Qw==', 'image/jpeg RA==']);
    assert.deepEqual(content[1], [text('And these?')]);
    assert.deepEqual(skipped, { 'linked image': 3, 'non-text document': 2 });
  });

  it('keeps the system prompt of a request, as a string or as a list of parts', () => {
    for (const system of ['Be brief.', [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }]]) {
      const request = { system, messages: [{ role: 'user', content: 'Hello' }] };
      assert.deepEqual(importTranscript('messages', JSON.stringify(request)).said, [
        'system: Be brief.',
        'user: Hello',
      ]);
    }
  });

  it('keeps images in Goose tool results', () => {
    const value = { content: [text('shot'), { type: 'image', data: 'QQ==', mimeType: 'image/png' }] };
    const { content } = read(user({ type: 'toolResponse', id: 'c', toolResult: { status: 'success', value } }));
    assert.deepEqual(content, [[{ type: 'tool_result', callId: 'c', text: 'shot', isError: false }, png('QQ==')]]);
  });

  it('counts reasoning, unknown parts and messages without readable content as skipped', () => {
    const { said, skipped } = read(
      assistant({ type: 'redacted_thinking', data: 'x' }),
      assistant({ type: 'reasoning', text: 'Hm.' }, text('Yes.')),
      user({ type: 'input_audio', input_audio: {} }, {}, 4, { type: 'text' }),
      { role: 'user', content: 5 },
    );
    assert.deepEqual(said, ['assistant: Yes.', 'user: ']);
    assert.deepEqual(skipped, {
      'model reasoning': 2,
      'message without readable content': 2,
      'content of type “input_audio”': 1,
      'content of type “”': 1,
      'invalid content part': 1,
    });
  });

  it('keeps an empty message so that positions match the file', () => {
    const { said } = read(
      { role: 'user', content: null },
      { role: 'assistant', content: [] },
      { role: 'user', content: { type: 'text', text: 'One part alone.' } },
    );
    assert.deepEqual(said, ['user: ', 'assistant: ', 'user: One part alone.']);
  });

  it('shows function calls, custom tool calls, legacy function_call and server tool calls', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } },
      { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
      { id: 'c', name: 'flat', arguments: { zone: 'UTC' } },
    ];
    const { said } = read(
      { role: 'assistant', content: '', tool_calls: [...calls, 'stray'] },
      { role: 'assistant', content: 'Looking.', function_call: { name: 'find', arguments: '{"q":1}' } },
      { role: 'assistant', tool_calls: [{ id: 'd', function: {} }] },
      assistant(
        { type: 'server_tool_use', id: 'e', name: 'web_search', input: { query: 'slots' } },
        { type: 'mcp_tool_use', id: 'f', name: 'clock' },
        { type: 'tool_call', callId: 'g', name: 'ls', json: '{"path":"."}' },
      ),
    );
    assert.deepEqual(said, [
      'assistant: now {}\npatch *** Begin\nflat {"zone":"UTC"}',
      'assistant: Looking.\nfind {"q":1}',
      'assistant: tool {}',
      'assistant: web_search {"query":"slots"}\nclock {}\nls {"path":"."}',
    ]);
  });

  it('shows tool output as a result, with its images and error status', () => {
    const result = (more: object): object => ({ type: 'tool_result', ...more });
    const { said, content } = read(
      { role: 'tool', tool_call_id: 'a', content: [text('one'), { text: 'two' }], is_error: true },
      { role: 'tool', content: 'of no call' },
      { role: 'tool', tool_call_id: 'b', content: [png('QQ==')] },
      { role: 'tool', tool_call_id: 'c', content: [text('shot'), png('Qg==')] },
      user(
        result({ content: [text('seen'), png('Qw==')] }),
        result({ callId: 'd', text: 'own', isError: true }),
        result({ callId: 'e' }),
        ...[text('Thanks.'), png('RA==')],
      ),
    );
    const tools = ['one\ntwo', 'of no call', '', 'shot', 'seen\nown\n'].map((words) => `tool: ${words}`);
    assert.deepEqual(said, [...tools, 'user: Thanks.']);
    assert.deepEqual(content[0], [{ type: 'tool_result', callId: 'a', text: 'one\ntwo', isError: true }]);
    assert.deepEqual(content[1], [text('of no call')]);
    const types = content.map((blocks) => blocks.map(({ type }) => type).join(' '));
    const mixed = ['tool_result image', 'tool_result image tool_result tool_result', 'text image'];
    assert.deepEqual(types, ['tool_result', 'text', 'image', ...mixed]);
  });

  it('counts invalid entries between messages as skipped', () => {
    const narrated = { role: 'narrator', content: 'c' };
    const { said, skipped } = read({ role: 'user', content: 'a' }, { role: 'user' }, 'b', narrated);
    assert.deepEqual(said, ['user: a']);
    assert.deepEqual(skipped, { 'record without a role or content': 2, 'message with role “narrator”': 1 });
  });
});
