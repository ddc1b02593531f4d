import assert from 'node:assert/strict';
import { importGemini } from '../../../src/core/transcript/gemini.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { TranscriptSink } from '../../../src/core/transcript/transcript-message.ts';

const start = { sessionId: 's', projectHash: 'p', startTime: '2026-03-02T09:00:00Z' };
const user = (id: string, text: string): object => ({ id, type: 'user', content: [{ text }] });
const reply = (id: string, text: string, more: object = {}): object => ({ id, type: 'gemini', content: text, ...more });
const CALL = { functionCall: { id: 'c1', name: 'read', args: { path: 'a.ts' } } };
const answer = (output: string): object => ({ functionResponse: { id: 'c1', name: 'read', response: { output } } });
const CALLING = reply('2', 'I look.', {
  toolCalls: [{ id: 'c1', name: 'read', args: { path: 'a.ts' }, result: [answer('port = 8080')] }],
});

function read(...records: readonly object[]): { said: string[]; skipped: string[] } {
  const sink = new TranscriptSink();
  importGemini([start, ...records].map((one) => JSON.stringify(one)).join('\n'), sink);
  const { messages, compactions } = sink.take();
  const said = messages.map(({ role, text }) => `${role}: ${text}`);
  for (const { summary, before } of compactions.toReversed()) said.splice(before, 0, `(${summary})`);
  return { said, skipped: sink.skipped.map(({ reason }) => inEnglish(reason)) };
}

const set = (...messages: readonly object[]): object => ({ $set: { messages } });
/** A message in the new history, which has no type of its own for calls and results. */
const copy = (id: string, type: 'user' | 'gemini', ...content: readonly object[]): object => ({ id, type, content });

const CONVERSATION = [user('1', 'Which port?'), CALLING, reply('3', '8080.')];
const LOOKS = 'assistant: I look.\nread {"path":"a.ts"}';
const CONVERSATION_TEXTS = ['user: Which port?', LOOKS, 'tool: port = 8080', 'assistant: 8080.'];
const CONTEXT = user('n0', '<session_context>Today is Monday.</session_context>');

describe('importing a Gemini CLI session whose history was replaced', () => {
  it('keeps what a compression removed, and imports its summary as a compaction', () => {
    const summary = '<state_snapshot>The port is 8080.</state_snapshot>';
    const kept = [user('n3', 'And the host?'), copy('n4', 'gemini', { text: 'localhost.' })];
    const { said } = read(
      ...[...CONVERSATION, user('4', 'And the host?'), reply('5', 'localhost.')],
      set(CONTEXT, user('n1', summary), copy('n2', 'gemini', { text: 'Got it.' }), ...kept),
      user('6', 'Thanks.'),
    );
    const rest = ['user: And the host?', 'assistant: localhost.', 'user: Thanks.'];
    assert.deepEqual(said, [...CONVERSATION_TEXTS, `(${summary})`, ...rest]);
  });

  it('imports calls and results once, and completely after their outputs were masked', () => {
    const masked = [
      user('m1', 'Which port?'),
      copy('m2', 'gemini', { text: 'I look.' }, CALL),
      copy('m3', 'user', answer('[masked]')),
      copy('m4', 'gemini', { text: '8080.' }),
    ];
    // The tool stores the copies as messages first.
    const { said } = read(...CONVERSATION, ...masked, set(...masked), user('6', 'Thanks.'));
    assert.deepEqual(said, [...CONVERSATION_TEXTS, 'user: Thanks.']);
  });

  it('keeps the same messages when the history is stored with more details under the same IDs', () => {
    const detailed = {
      ...CALLING,
      content: [{ text: 'hm', thought: true }, { text: 'I look.' }, CALL],
    };
    const history = set(user('1', 'Which port?'), detailed, copy('x', 'user', answer('port = 8080')));
    assert.deepEqual(read(...CONVERSATION.slice(0, 2), history, reply('3', '8080.')).said, CONVERSATION_TEXTS);
  });

  it('removes messages that were undone after an error', () => {
    const { said } = read(...CONVERSATION, user('4', 'And the host?'), set(...CONVERSATION));
    assert.deepEqual(said, CONVERSATION_TEXTS);
  });

  it('imports a session that only has the new history', () => {
    const calls = copy('2', 'gemini', { text: 'I look.' }, CALL);
    const results = copy('x', 'user', answer('port = 8080'));
    const { said, skipped } = read(
      set(CONTEXT, user('1', 'Which port?'), calls, results, copy('3', 'gemini', { text: '8080.' })),
    );
    assert.deepEqual(said, CONVERSATION_TEXTS);
    assert.deepEqual(skipped, ['context added by the tool']);
  });
});

describe('reading the user’s words in a Gemini CLI session', () => {
  it('omits what the IDE appends', () => {
    const file = '\nCurrent File Path:\n```typescript\n/repo/a.ts\n```\n\n';
    const files = '\n\nUser Selected Files:\n- /repo/a.ts\n- /repo/b.ts\n';
    const earlier = '\n\n\n\n PRIOR CHAT HISTORY: Never use port 80.\n\nUser Selected Files:\n- /repo/c.ts\n\nHi\n';
    const texts = ['', file, files, file + files, files + earlier, earlier].map((added) => `Which port?${added}`);
    const { said } = read(...texts.map((text, index) => user(String(index), text)));
    assert.deepEqual(
      said,
      Array.from(texts, () => 'user: Which port?'),
    );
    const quoted = 'Why does it append\n\nUser Selected Files:\n- /repo/a.ts\n\nto my messages?';
    const log = 'The log says\n PRIOR CHAT HISTORY: twice. Why?';
    for (const one of [quoted, log]) assert.deepEqual(read(user('1', one)).said, [`user: ${one}`]);
  });

  it('takes a hint during a turn without the instruction around it', () => {
    const hint =
      'User hints:\n<user_input>\n- Use port 8080.\n</user_input>\n\nInternal instruction: Re-evaluate the plan.';
    assert.deepEqual(read(user('1', hint)).said, ['user: - Use port 8080.']);
  });

  it('skips requests to continue and the context of a subagent', () => {
    const { said, skipped } = read(
      user('1', 'System: Please continue.'),
      user('2', '\n# Initial Context\n\n--- Global ---\nNever use port 80.'),
      user('3', '# Initial Context\nWe build a gateway. Which port?'),
    );
    assert.deepEqual(said, ['user: # Initial Context\nWe build a gateway. Which port?']);
    assert.deepEqual(skipped, ['context added by the tool']);
  });
});
