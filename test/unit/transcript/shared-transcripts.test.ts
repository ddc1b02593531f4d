import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readTranscript } from '../../../src/core/transcript/transcript-reader.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const DATA = path.resolve(ROOT, process.env['THREADKEEPER_DATA'] ?? '../shared/data');

describe('importing real transcripts', () => {
  before(function () {
    if (existsSync(DATA)) return;
    console.log(`      skipped: no transcripts at ${DATA}`);
    this.skip();
  });

  it('reads a developer’s aider history, all 6,150 messages as its JSONL has them', () => {
    const read = readTranscript(readFileSync(path.join(DATA, 'raw/aider.chat.history.md'), 'utf8'));
    const converted = readTranscript(readFileSync(path.join(DATA, 'dev/aider-fixture__chat.jsonl'), 'utf8'));
    assert.equal(read.messages, 6150);
    assert.equal(read.messages, converted.messages);
    for (const [index, message] of converted.transcript.entries()) {
      assert.equal(read.transcript[index]?.role, message.role, `role of message ${index}`);
      assert.equal(read.transcript[index].text, message.text, `text of message ${index}`);
    }
  });

  it('reads a SpecStory history: every header its message, tools and people told apart', () => {
    const text = readFileSync(path.join(DATA, 'raw/specstory.md'), 'utf8');
    const read = readTranscript(text);
    assert.equal(read.format, 'specstory');
    const users = text.match(/^_\*\*User/gm)?.length;
    assert.equal(read.transcript.filter(({ role }) => role === 'user').length, users);
    assert.ok(
      read.transcript.filter(({ role }) => role === 'tool').every(({ text: body }) => body.startsWith('<tool-use')),
    );
    assert.ok(read.transcript.every(({ at }) => at !== undefined));
  });
});
