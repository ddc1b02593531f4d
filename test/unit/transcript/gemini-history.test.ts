import assert from 'node:assert/strict';
import { importGemini } from '../../../src/core/transcript/gemini.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { TranscriptSink } from '../../../src/core/transcript/transcript-message.ts';

const start = { sessionId: 's', projectHash: 'p', startTime: '2026-03-02T09:00:00Z' };
const user = (id: string, text: string): object => ({ id, type: 'user', content: [{ text }] });
const reply = (id: string, text: string, more: object = {}): object => ({ id, type: 'gemini', content: text, ...more });
const CALL = { functionCall: { id: 'c1', name: 'read', args: { path: 'a.ts' } } };
const answer = (output: string): object => ({ functionResponse: { id: 'c1', name: 'read', response: { output } } });
const calling = (id: string, output: string): object =>
  reply(id, 'I look.', { toolCalls: [{ id: 'c1', name: 'read', args: { path: 'a.ts' }, result: [answer(output)] }] });

function read(...records: readonly object[]): { said: string[]; skipped: string[] } {
  const sink = new TranscriptSink();
  importGemini([start, ...records].map((one) => JSON.stringify(one)).join('\n'), sink);
  const { messages, compactions } = sink.take();
  const said = messages.map(({ role, text }) => `${role}: ${text}`);
  for (const { summary, before } of compactions.toReversed()) said.splice(before, 0, `(${summary})`);
  return { said, skipped: sink.skipped.map(({ reason }) => inEnglish(reason)) };
}

const CONVERSATION = [user('1', 'Which port?'), calling('2', 'port = 8080'), reply('3', '8080.')];
const CONVERSATION_TEXTS = [
  'user: Which port?',
  'assistant: I look.\nread {"path":"a.ts"}',
  'tool: port = 8080',
  'assistant: 8080.',
];

describe('importing a Gemini CLI session whose history was replaced', () => {
  it('keeps what a compression removed, and imports its summary as a compaction', () => {
    const { said } = read(
      ...CONVERSATION,
      user('4', 'And the host?'),
      reply('5', 'localhost.'),
      {
        $set: {
          messages: [
            user('n0', '<session_context>Today is Monday.</session_context>'),
            user('n1', '<state_snapshot>The port is 8080.</state_snapshot>'),
            { id: 'n2', type: 'gemini', content: [{ text: 'Got it.' }] },
            user('n3', 'And the host?'),
            { id: 'n4', type: 'gemini', content: [{ text: 'localhost.' }] },
          ],
        },
      },
      user('6', 'Thanks.'),
    );
    assert.deepEqual(said, [
      ...CONVERSATION_TEXTS,
      '(<state_snapshot>The port is 8080.</state_snapshot>)',
      'user: And the host?',
      'assistant: localhost.',
      'user: Thanks.',
    ]);
  });

  it('imports calls and results once, and completely after their outputs were masked', () => {
    const masked = [
      user('m1', 'Which port?'),
      { id: 'm2', type: 'gemini', content: [{ text: 'I look.' }, CALL] },
      { id: 'm3', type: 'user', content: [answer('[masked]')] },
      { id: 'm4', type: 'gemini', content: [{ text: '8080.' }] },
    ];
    // The tool stores the copies as messages first.
    const { said } = read(...CONVERSATION, ...masked, { $set: { messages: masked } }, user('6', 'Thanks.'));
    assert.deepEqual(said, [...CONVERSATION_TEXTS, 'user: Thanks.']);
  });

  it('keeps the same messages when the history is stored with more details under the same IDs', () => {
    const { said } = read(
      ...CONVERSATION.slice(0, 2),
      {
        $set: {
          messages: [
            user('1', 'Which port?'),
            { ...calling('2', 'port = 8080'), content: [{ text: 'hm', thought: true }, { text: 'I look.' }, CALL] },
            { id: 'x', type: 'user', content: [answer('port = 8080')] },
          ],
        },
      },
      reply('3', '8080.'),
    );
    assert.deepEqual(said, CONVERSATION_TEXTS);
  });

  it('removes messages that were undone after an error', () => {
    const { said } = read(...CONVERSATION, user('4', 'And the host?'), { $set: { messages: CONVERSATION } });
    assert.deepEqual(said, CONVERSATION_TEXTS);
  });

  it('imports a session that only has the new history', () => {
    const { said, skipped } = read({
      $set: {
        messages: [
          user('0', '<session_context>Today is Monday.</session_context>'),
          user('1', 'Which port?'),
          { id: '2', type: 'gemini', content: [{ text: 'I look.' }, CALL] },
          { id: 'x', type: 'user', content: [answer('port = 8080')] },
          { id: '3', type: 'gemini', content: [{ text: '8080.' }] },
        ],
      },
    });
    assert.deepEqual(said, CONVERSATION_TEXTS);
    assert.deepEqual(skipped, ['context added by the tool']);
  });
});
