import assert from 'node:assert/strict';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import type { Skipped } from '../../../src/core/transcript/skipped-content.ts';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TranscriptReader } from '../../../src/core/transcript/transcript-reader.ts';
import { readTranscript } from '../../support/read-transcript.ts';
import { TranscriptError, type TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { matchesGolden } from '../../support/golden.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/transcripts');
const fixture = (name: string): string => readFileSync(path.join(FIXTURES, name), 'utf8');
const reasons = (skipped: readonly Skipped[]): Record<string, number> =>
  Object.fromEntries(skipped.map(({ reason, count }) => [inEnglish(reason), count]));

describe('transcript import', () => {
  for (const name of readdirSync(FIXTURES)) {
    it(`reads ${name} as recorded in its reviewed golden file`, () => {
      const { format, transcript, skipped } = readTranscript(fixture(name));
      const left = Object.entries(reasons(skipped)).map(([reason, count]) => `${count} × ${reason}`);
      const messages = transcript.map((message) => JSON.stringify(message, null, 1));
      matchesGolden(import.meta.url, `imported/${name}`, [format, ...messages, ...left, ''].join('\n'));
    });
  }

  it('reads the same messages in small chunks as in one piece', () => {
    for (const name of ['openai.jsonl', 'aider.chat.history.md', 'codex.jsonl', 'specstory.md', 'anthropic.json']) {
      const text = `\uFEFF${fixture(name)}`;
      const reader = new TranscriptReader();
      const found: TranscriptMessage[] = [];
      for (let at = 0; at < text.length; at += 7) found.push(...reader.push(text.slice(at, at + 7)));
      found.push(...reader.end());
      assert.deepEqual(found, readTranscript(fixture(name)).transcript, name);
    }
  });

  it('counts the thoughts of Gemini CLI as output, of which they are a part', () => {
    const tokens = { input: 100, output: 20, cached: 0, thoughts: 300, tool: 0, total: 420 };
    const reply = { id: '1', type: 'gemini', content: 'Hi', model: 'gemini-3-pro', tokens };
    const session = { sessionId: 's', projectHash: 'p', startTime: '2026-01-01T00:00:00Z', messages: [reply] };
    const [message] = readTranscript(JSON.stringify(session)).transcript;
    assert.deepEqual(message?.usage, { input: 100, output: 320, cachedInput: 0, reasoning: 300 });
  });

  it('returns messages of a long JSONL file before its end', () => {
    const reader = new TranscriptReader();
    const line = `${JSON.stringify({ role: 'user', content: 'x'.repeat(1000) })}\n`;
    let early = 0;
    for (let index = 0; index < 100; index++) early += reader.push(line).length;
    assert.ok(early > 90, `${early} of 100`);
    assert.equal(early + reader.end().length, 100);
  });

  it('skips damaged lines, including the first, and keeps reading', () => {
    const readable = JSON.stringify({ role: 'user', content: 'still here' });
    const read = readTranscript(`{"role":"user","cont\n${readable}\n${readable}\n{"role":"us`);
    assert.equal(read.messages, 2);
    assert.deepEqual(reasons(read.skipped), { 'invalid JSON line': 2 });
  });

  for (const [what, text, message] of [
    ['an empty file', ' \n', /is empty/],
    ['an empty list of messages', '[]', /contains no messages/],
    ['prose', 'Dear diary,\n# today\n', /format isn’t supported/],
    ['JSON that is not a conversation', '{"name":"booking","version":"1.0.0"}', /supported chat format/],
    ['a JSON list of numbers', '[{"a":1},2]', /supported chat format/],
    ['broken JSON', '{\n  "messages": [', /isn’t valid JSON/],
    ['a Codex session without a message', '{"type":"session_meta","payload":{}}\n', /messages\. Skipped: 1 × record/],
    [
      'records without a message',
      '[{"role":"narrator","content":"a"},{"role":"user"}]',
      /contains no readable messages. Skipped: 1 × message with role “narrator”, 1 × record without a role or content/,
    ],
  ] as const) {
    it(`explains on one line why ${what} cannot be read`, () => {
      assert.throws(
        () => readTranscript(text),
        (error: unknown) => TranscriptError.is(error) && message.test(error.message) && !error.message.includes('\n'),
      );
    });
  }
});
