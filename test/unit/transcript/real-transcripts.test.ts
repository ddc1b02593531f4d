import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readTranscript } from '../../support/read-transcript.ts';
import { SHARED_DATA } from '../../support/test-data.ts';

describe('importing real transcripts', () => {
  before(function () {
    if (existsSync(SHARED_DATA)) return;
    console.log(`      skipped: no transcripts at ${SHARED_DATA}`);
    this.skip();
  });

  it('reads whole messages from a developer’s aider history', () => {
    const text = readFileSync(path.join(SHARED_DATA, 'raw/aider.chat.history.md'), 'utf8');
    const { transcript } = readTranscript(text);
    const replies = transcript.filter(({ role }) => role === 'assistant').map(({ text: reply }) => reply);
    const count = (of: string, marker: RegExp): number => of.match(marker)?.length ?? 0;
    const [opened, closed] = [/^<{5,9} SEARCH/gm, /^>{5,9} REPLACE/gm];
    // Every edit block that the file closes is closed in the reply that opened it.
    for (const marker of [opened, closed]) {
      const total = replies.reduce((sum, reply) => sum + count(reply, marker), 0);
      assert.equal(total, count(text, marker));
    }
    for (const reply of replies) assert.ok(count(reply, closed) <= count(reply, opened), reply.slice(0, 200));
    // Almost all typed lines, which aider ends with a hard line break, are in user messages; some inputs are repeated.
    const typed = text.match(/^#### .* {2}$/gm)?.length ?? 0;
    const lines = transcript.filter(({ role }) => role === 'user').flatMap(({ text: words }) => words.split('\n'));
    assert.ok(lines.length >= typed * 0.99, `${lines.length} of ${typed} lines`);
  });

  it('reads each user header of a SpecStory history as a message, and only tool blocks as tools', () => {
    const text = readFileSync(path.join(SHARED_DATA, 'raw/specstory.md'), 'utf8');
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
