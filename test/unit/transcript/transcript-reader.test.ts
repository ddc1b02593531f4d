import assert from 'node:assert/strict';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import { TranscriptReader } from '../../../src/core/transcript/transcript-reader.ts';
import { readTranscript } from '../../support/read-transcript.ts';

describe('recognizing a transcript', () => {
  it('reads a single message, and a request that spans several lines', () => {
    const one = readTranscript('{\n  "role": "user",\n  "content": "Alone."\n}');
    assert.deepEqual(one.transcript, [{ role: 'user', text: 'Alone.' }]);
    const request = readTranscript('{\n"model": "m",\n"messages": [{"role": "user", "content": "Within."}]\n}');
    assert.deepEqual(request.transcript, [{ role: 'user', text: 'Within.' }]);
  });

  it('reads the title of a chat from GitHub.com and other tools, or of the only conversation', () => {
    const titleOf = (chat: object): string | undefined => readTranscript(JSON.stringify(chat)).title;
    const messages = [{ id: 'a', role: 'user', content: 'Which port?', createdAt: '2026-03-02T09:00:00Z' }];
    assert.equal(titleOf({ threadName: 'Ports', messages }), 'Ports');
    assert.equal(titleOf({ customTitle: 'Ports', requests: [{ message: { text: 'Which port?' } }] }), 'Ports');
    const message = { author: { role: 'user' }, content: { parts: ['Which port?'] } };
    assert.equal(titleOf({ title: 'Ports', mapping: { a: { message, children: [] } } }), 'Ports');
    assert.equal(titleOf({ messages }), undefined);
  });

  it('reads lines with Windows line endings and empty lines in between', () => {
    const line = JSON.stringify({ role: 'user', content: 'a' });
    const { messages, skipped } = readTranscript(`${line}\r\n\r\n\n${line}\r\n`);
    assert.deepEqual([messages, skipped], [2, []]);
  });

  it('keeps reading past the head of a file whose first lines are inconclusive', () => {
    const reader = new TranscriptReader();
    const noise = `${JSON.stringify({ kind: 'noise', text: 'x'.repeat(1 << 16) })}\n`;
    assert.deepEqual(reader.push(noise), []);
    assert.throws(() => reader.totals(), /wasn’t read completely/);
    reader.push(noise);
    const found = [...reader.push(`${JSON.stringify({ role: 'user', content: 'At last.' })}\n`), ...reader.end()];
    assert.deepEqual(found, [{ role: 'user', text: 'At last.' }]);
    assert.equal(reader.totals().format, 'messages');
    const reasons = reader.totals().skipped.map(({ reason, count }) => [inEnglish(reason), count]);
    assert.deepEqual(reasons, [['record without a role or content', 2]]);
  });

  it('waits for the end of a first line that is longer than the head', () => {
    const reader = new TranscriptReader();
    const line = JSON.stringify({ role: 'user', content: 'x'.repeat(1 << 17) });
    assert.deepEqual(reader.push(line.slice(0, 1 << 16)), []);
    assert.deepEqual(reader.push(line.slice(1 << 16)), []);
    assert.throws(() => reader.totals(), /wasn’t read completely/);
    const lengths = reader.end().map(({ text }) => text.length);
    assert.deepEqual(lengths, [1 << 17]);
    assert.equal(reader.totals().format, 'messages');
  });

  it('rejects a prose file after reading enough of it', () => {
    const reader = new TranscriptReader();
    const page = 'It was a dark and stormy night. '.repeat(1 << 12);
    assert.deepEqual(reader.push(page), []);
    assert.throws(() => {
      for (let pages = 1; pages < 20; pages++) reader.push(page);
    }, /format isn’t supported/);
  });
});
