import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { messageId } from '../../../src/core/model/ids.ts';
import type { Message } from '../../../src/core/model/message.ts';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { sessionFromJsonl, sessionToJsonl } from '../../../src/core/transcript/session-jsonl.ts';
import { readTranscript } from '../../support/read-transcript.ts';
import { TranscriptError } from '../../../src/core/transcript/transcript-message.ts';
import { sessionMessage, textMessage } from '../../support/session-messages.ts';

const text = fc.string({ unit: 'binary', maxLength: 60 });
const name = fc.string({ minLength: 1, maxLength: 20 });
const amount = fc.nat(1_000_000);
const plain = { noNullPrototype: true } as const;
const block = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }, plain),
  fc.record({ type: fc.constant('image' as const), mediaType: name, base64: fc.base64String() }, plain),
  fc.record({ type: fc.constant('tool_call' as const), callId: name, name, json: text }, plain),
  fc.record({ type: fc.constant('tool_result' as const), callId: name, text, isError: fc.boolean() }, plain),
);
const message: fc.Arbitrary<Message> = fc.record(
  {
    id: name.map(messageId),
    parent: fc.option(name.map(messageId)),
    role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
    content: fc.array(block, { maxLength: 4 }),
    at: fc.nat(2_000_000_000_000),
    model: name,
    ending: fc.constantFrom('complete' as const, 'length' as const, 'stopped' as const, 'interrupted' as const),
    usage: fc.record(
      { input: amount, output: amount, cachedInput: amount, cacheWrite: amount },
      { requiredKeys: ['input', 'output'], noNullPrototype: true },
    ),
    attachments: fc.array(
      fc.record(
        {
          kind: fc.constantFrom('file' as const, 'paste' as const),
          name,
          text,
          uri: name,
          lines: fc.tuple(amount, amount),
        },
        { requiredKeys: ['kind', 'name', 'text'], noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['id', 'parent', 'role', 'content', 'at'], noNullPrototype: true },
);

describe('session export as JSONL', () => {
  it('restores every message exactly, and exports it again to the same bytes', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const jsonl = [...sessionToJsonl(messages)].join('');
        const back = sessionFromJsonl(jsonl);
        assert.deepEqual(back, messages);
        assert.equal([...sessionToJsonl(back)].join(''), jsonl);
      }),
    );
  });

  it('is imported as the active branch, with other branches and damaged lines counted as skipped', () => {
    const messages = [
      sessionMessage('a', 'one'),
      sessionMessage('b', 'left', { parent: 'a' }),
      sessionMessage('c', 'right', { parent: 'a' }),
      sessionMessage('d', 'last', { parent: 'c' }),
    ];
    const jsonl = [...sessionToJsonl(messages)].join('');
    const read = readTranscript(`${jsonl}{"role":"user"}\n${[...sessionToJsonl(messages.slice(3))].join('')}`);
    assert.equal(read.format, 'threadkeeper');
    assert.equal(read.transcript[0]?.at, messages[0]?.at);
    const texts = read.transcript.map((one) => one.text);
    assert.deepEqual(texts, ['one', 'right', 'last']);
    const reasons = read.skipped.map(({ reason, count }) => `${count} × ${inEnglish(reason)}`);
    assert.deepEqual(reasons, [
      '1 × invalid line in an exported session',
      '1 × duplicate message',
      '1 × message on another branch',
    ]);
    const loop = [
      ...sessionToJsonl([sessionMessage('a', 'one', { parent: 'b' }), sessionMessage('b', 'two', { parent: 'a' })]),
    ].join('');
    assert.equal(readTranscript(loop).messages, 2);
  });

  it('is imported with models and usage despite a damaged line, and with attachments counted as skipped', () => {
    const usage = { input: 10, output: 5 };
    const attachments = [{ kind: 'file', name: 'log.txt', text: 'Started.' }] as const;
    const asked = sessionMessage('a', 'What happened?', { attachments });
    const replied = {
      ...textMessage('assistant', 'It started.'),
      id: messageId('b'),
      parent: asked.id,
      model: 'm',
      usage,
    };
    const { transcript, skipped } = readTranscript([...sessionToJsonl([asked, replied]), '{"role":"user"}\n'].join(''));
    assert.deepEqual(transcript, [
      { role: 'user', text: 'What happened?', at: asked.at },
      { role: 'assistant', text: 'It started.', at: replied.at, model: 'm', usage },
    ]);
    const reasons = skipped.map(({ reason, count }) => `${count} × ${inEnglish(reason)}`);
    assert.deepEqual(reasons, ['1 × attachment of type “file”', '1 × invalid line in an exported session']);
  });

  it('reports the first line that is not a message', () => {
    const jsonl = [...sessionToJsonl([textMessage('user', 'one')])].join('');
    assert.throws(
      () => sessionFromJsonl(`${jsonl}{"role":"user"}\n`),
      (error: unknown) => TranscriptError.is(error) && error.message.startsWith('Line 2 '),
    );
  });
});
