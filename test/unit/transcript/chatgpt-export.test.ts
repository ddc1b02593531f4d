import assert from 'node:assert/strict';
import { phrase } from '../../../src/core/text/phrase.ts';
import { readTranscript } from '../../support/read-transcript.ts';
import { importTranscript, type Imported } from '../../support/import-transcript.ts';

const read = (document: unknown): Imported => importTranscript('chatgpt', JSON.stringify(document));

const message = (role: string, content: unknown, more: object = {}): object => ({ author: { role }, content, ...more });
const words = (...parts: readonly unknown[]): object => ({ content_type: 'text', parts });

/** A conversation in which each message is a reply to the previous one. */
function chain(messages: readonly unknown[], more: object = {}): object {
  const nodes = messages.map((one, index) => [
    `n${index}`,
    {
      id: `n${index}`,
      parent: index === 0 ? null : `n${index - 1}`,
      children: index === messages.length - 1 ? [] : [`n${index + 1}`],
      message: one,
    },
  ]);
  return { title: 'A talk', mapping: Object.fromEntries(nodes), ...more };
}

describe('importing ChatGPT conversations', () => {
  it('reads the newest branch of a single conversation that names no current node, or one that is missing', () => {
    const conversation = {
      mapping: {
        root: { parent: null, children: ['a'], message: null },
        a: { parent: 'root', children: ['old', 'new'], message: message('user', words('Which day?')) },
        old: { parent: 'a', children: [], message: message('assistant', words('Monday.')) },
        new: { parent: 'a', children: [], message: message('assistant', words('Tuesday.')) },
        broken: 'no node',
      },
    };
    for (const current of [{}, { current_node: 'gone' }]) {
      const { said, skipped } = read({ ...conversation, ...current });
      assert.deepEqual(said, ['user: Which day?', 'assistant: Tuesday.']);
      assert.deepEqual(skipped, { 'message on another branch': 1 });
    }
  });

  it('lists the conversations with their titles, last changes, and skipped messages', () => {
    const { conversations } = readTranscript(
      JSON.stringify([
        chain([message('user', words('Second.')), message('assistant', words(''))], {
          create_time: 20,
          update_time: 90,
        }),
        chain([message('user', words('First.'))], { title: 'Ports', create_time: 10 }),
      ]),
    );
    assert.deepEqual(conversations, [
      { title: 'Ports', at: 10_000, messages: 1, skipped: [] },
      { title: 'A talk', at: 90_000, messages: 1, skipped: [{ reason: phrase('empty message'), count: 1 }] },
    ]);
  });

  it('stops at a missing parent and at a cycle of parents', () => {
    const node = (parent: string, text: string): object => ({ parent, message: message('user', words(text)) });
    const { said } = read([
      { create_time: 2, current_node: 'b', mapping: { a: node('b', 'Second.'), b: node('a', 'Third.') } },
      { create_time: 1, current_node: 'c', mapping: { c: node('gone', 'First.') } },
    ]);
    assert.deepEqual(said, ['user: First.', 'user: Second.', 'user: Third.']);
  });

  it('counts entries without a conversation as skipped, and puts conversations without a time first', () => {
    const { said, skipped } = read([
      chain([message('user', words('Later.'))], { create_time: 1772442120 }),
      { title: 'lost' },
      chain([message('user', words('Sooner.'))]),
      { title: 'lost too' },
    ]);
    assert.deepEqual(said, ['user: Sooner.', 'user: Later.']);
    assert.deepEqual(skipped, { 'entry without a conversation': 2 });
  });

  it('reads code, its output, quoted pages, errors, and the text of messages with images', () => {
    const { said, skipped } = read(
      chain([
        message('user', {
          content_type: 'multimodal_text',
          parts: [
            { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-1' },
            { content_type: 'audio_transcription', text: 'What is on it?' },
            { asset_pointer: 'sediment://file_2' },
            'Look closely.',
            null,
          ],
        }),
        message('assistant', { content_type: 'code', language: 'python', text: 'print(2)' }, { recipient: 'python' }),
        message('tool', { content_type: 'execution_output', text: '2' }),
        message('tool', { content_type: 'tether_quote', url: 'https://example.org', text: 'A quoted page.' }),
        message('tool', { content_type: 'tether_browsing_display', result: 'Two results.' }),
        message('tool', { content_type: 'system_error', name: 'Timeout', text: 'It took too long.' }),
        message('assistant', { parts: ['A chart with two bars.'] }, { recipient: 'all' }),
      ]),
    );
    assert.deepEqual(said, [
      'user: What is on it?\nLook closely.',
      'assistant: python print(2)',
      'tool: 2',
      'tool: A quoted page.',
      'tool: Two results.',
      'tool: It took too long.',
      'assistant: A chart with two bars.',
    ]);
    assert.deepEqual(skipped, { 'content of type “image_asset_pointer”': 1, 'content of type “unknown”': 1 });
  });

  it('counts hidden, empty, authorless and non-conversational messages as skipped', () => {
    const { said, skipped } = read(
      chain([
        message('system', words('')),
        message('user', words('Secret instructions.'), { metadata: { is_visually_hidden_from_conversation: true } }),
        message('user', words('Hello.'), { metadata: { is_visually_hidden_from_conversation: false } }),
        { content: words('Who wrote this?') },
        message('critic', words('Nobody asked.')),
        message('assistant', null),
        message('assistant', { content_type: 'text' }),
        message('tool', { content_type: 'code' }),
        message('tool', { content_type: 'tether_browsing_display' }),
        message('assistant', { content_type: 'thoughts', thoughts: [{ summary: 'Hm.' }] }),
        message('assistant', { content_type: 'reasoning_recap', content: 'Thought for 3 seconds' }),
        message('user', { content_type: 'user_editable_context', user_profile: 'A teacher.' }),
        message('assistant', words('Hello, you.')),
      ]),
    );
    assert.deepEqual(said, ['user: Hello.', 'assistant: Hello, you.']);
    assert.deepEqual(skipped, {
      'empty system message': 1,
      'hidden message': 1,
      'message without author or content': 3,
      'empty message': 3,
      'model reasoning': 2,
      'content of type “user_editable_context”': 1,
    });
  });
});
