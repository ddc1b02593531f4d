import assert from 'node:assert/strict';
import { importTranscript, type Imported } from '../../support/import-transcript.ts';

/** The visible content of a list of messages. */
const read = (...messages: readonly unknown[]): Imported => importTranscript('messages', JSON.stringify(messages));

describe('importing messages with role and content', () => {
  it('maps every known role name to one of the four roles', () => {
    const names = ['system', 'Developer', 'user', 'Human', 'assistant', 'model', 'AI', 'tool', 'function'];
    const { said } = read(...names.map((role) => ({ role, content: role })));
    assert.deepEqual(said, [
      'system: system',
      'system: Developer',
      'user: user',
      'user: Human',
      'assistant: assistant',
      'assistant: model',
      'assistant: AI',
      'tool: tool',
      'tool: function',
    ]);
  });

  it('reads text from every kind of part that can hold it', () => {
    const { said, skipped } = read({
      role: 'user',
      content: [
        'bare',
        { text: 'untyped' },
        { type: 'input_text', text: 'in' },
        { type: 'output_text', text: 'out' },
        { type: 'refusal', refusal: 'No.' },
        { type: 'refusal' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a document' } },
      ],
    });
    assert.deepEqual(said, ['user: bare\nuntyped\nin\nout\nNo.\n\na document']);
    assert.deepEqual(skipped, {});
    assert.deepEqual(read({ role: 'assistant', content: null, refusal: 'No.' }).said, ['assistant: No.']);
  });

  it('keeps embedded images, and counts linked images and non-text documents as skipped', () => {
    const { content, skipped } = read(
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QQ==' } },
          { type: 'image', mediaType: 'image/gif', base64: 'Qg==' },
          { type: 'image_url', image_url: { url: 'data:image/webp;base64,Qw==' } },
          { type: 'input_image', image_url: 'data:image/jpeg;base64,RA==' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And these?' },
          { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
          { type: 'image_url', image_url: { url: 'https://example.org/b.png' } },
          { type: 'input_image', file_id: 'file-1' },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
          { type: 'document', title: 'lost' },
        ],
      },
    );
    const images = content[0]?.map((block) => block.type === 'image' && `${block.mediaType} ${block.base64}`);
    assert.deepEqual(images, ['image/png QQ==', 'image/gif Qg==', 'image/webp Qw==', 'image/jpeg RA==']);
    assert.deepEqual(content[1], [{ type: 'text', text: 'And these?' }]);
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
    const { content } = read({
      role: 'user',
      content: [
        {
          type: 'toolResponse',
          id: 'c',
          toolResult: {
            status: 'success',
            value: {
              content: [
                { type: 'text', text: 'shot' },
                { type: 'image', data: 'QQ==', mimeType: 'image/png' },
              ],
            },
          },
        },
      ],
    });
    assert.deepEqual(content, [
      [
        { type: 'tool_result', callId: 'c', text: 'shot', isError: false },
        { type: 'image', mediaType: 'image/png', base64: 'QQ==' },
      ],
    ]);
  });

  it('counts reasoning, unknown parts and messages without readable content as skipped', () => {
    const { said, skipped } = read(
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Yes.' },
        ],
      },
      { role: 'user', content: [{ type: 'input_audio', input_audio: {} }, {}, 4, { type: 'text' }] },
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
    const { said } = read(
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } },
          { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
          { id: 'c', name: 'flat', arguments: { zone: 'UTC' } },
          'stray',
        ],
      },
      { role: 'assistant', content: 'Looking.', function_call: { name: 'find', arguments: '{"q":1}' } },
      { role: 'assistant', tool_calls: [{ id: 'd', function: {} }] },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'e', name: 'web_search', input: { query: 'slots' } },
          { type: 'mcp_tool_use', id: 'f', name: 'clock' },
          { type: 'tool_call', callId: 'g', name: 'ls', json: '{"path":"."}' },
        ],
      },
    );
    assert.deepEqual(said, [
      'assistant: now {}\npatch *** Begin\nflat {"zone":"UTC"}',
      'assistant: Looking.\nfind {"q":1}',
      'assistant: tool {}',
      'assistant: web_search {"query":"slots"}\nclock {}\nls {"path":"."}',
    ]);
  });

  it('shows tool output as a result, with its images and error status', () => {
    const { said, content } = read(
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'one' }, { text: 'two' }], is_error: true },
      { role: 'tool', content: 'of no call' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'image', mediaType: 'image/png', base64: 'QQ==' }] },
      {
        role: 'tool',
        tool_call_id: 'c',
        content: [
          { type: 'text', text: 'shot' },
          { type: 'image', mediaType: 'image/png', base64: 'Qg==' },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            content: [
              { type: 'text', text: 'seen' },
              { type: 'image', mediaType: 'image/png', base64: 'Qw==' },
            ],
          },
          { type: 'tool_result', callId: 'd', text: 'own', isError: true },
          { type: 'tool_result', callId: 'e' },
          { type: 'text', text: 'Thanks.' },
          { type: 'image', mediaType: 'image/png', base64: 'RA==' },
        ],
      },
    );
    assert.deepEqual(said, [
      'tool: one\ntwo',
      'tool: of no call',
      'tool: ',
      'tool: shot',
      'tool: seen\nown\n',
      'user: Thanks.',
    ]);
    assert.deepEqual(content[0], [{ type: 'tool_result', callId: 'a', text: 'one\ntwo', isError: true }]);
    assert.deepEqual(content[1], [{ type: 'text', text: 'of no call' }]);
    const types = content.map((blocks) => blocks.map(({ type }) => type));
    assert.deepEqual(types, [
      ['tool_result'],
      ['text'],
      ['image'],
      ['tool_result', 'image'],
      ['tool_result', 'image', 'tool_result', 'tool_result'],
      ['text', 'image'],
    ]);
  });

  it('counts invalid entries between messages as skipped', () => {
    const { said, skipped } = read({ role: 'user', content: 'a' }, { role: 'user' }, 'b', {
      role: 'narrator',
      content: 'c',
    });
    assert.deepEqual(said, ['user: a']);
    assert.deepEqual(skipped, { 'record without a role or content': 2, 'message with role “narrator”': 1 });
  });
});
