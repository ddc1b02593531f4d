import assert from 'node:assert/strict';
import { inEnglish } from '../../../src/core/text/phrase.ts';
import type { Skipped } from '../../../src/core/transcript/transcript-message.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readTranscript, TranscriptReader } from '../../../src/core/transcript/transcript-reader.ts';
import { TranscriptError, type TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { messageText } from '../../../src/core/model/message.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/transcripts');
const fixture = (name: string): string => readFileSync(path.join(FIXTURES, name), 'utf8');
const lines = (messages: readonly TranscriptMessage[]): string[] =>
  messages.map(({ role, text }) => `${role}: ${text}`);
const reasons = (skipped: readonly Skipped[]): Record<string, number> =>
  Object.fromEntries(skipped.map(({ reason, count }) => [inEnglish(reason), count]));

describe('importing a transcript', () => {
  it('reads OpenAI messages as JSONL, with calls, results and images, and counts lines that are none', () => {
    const read = readTranscript(fixture('openai.jsonl'));
    assert.equal(read.format, 'messages');
    assert.deepEqual(lines(read.transcript), [
      'system: You help with a booking service.',
      'user: What is in this picture?',
      'assistant: read_file {"path": "src/slots.ts"}',
      'tool: export const SLOT_MINUTES = 30;',
      'assistant: Slots are 30 minutes long.',
      'user: ',
    ]);
    assert.deepEqual(read.transcript[1]?.blocks?.[1], {
      type: 'image',
      mediaType: 'image/png',
      base64: 'iVBORw0KGgo=',
    });
    assert.deepEqual(read.transcript[2]?.blocks, [
      { type: 'tool_call', callId: 'call_1', name: 'read_file', json: '{"path": "src/slots.ts"}' },
    ]);
    assert.deepEqual(read.transcript[3]?.blocks?.[0]?.type, 'tool_result');
    assert.equal(read.transcript[4]?.at, Date.UTC(2026, 2, 2, 9, 15));
    assert.deepEqual(reasons(read.skipped), { 'invalid JSON line': 1, 'message with role “narrator”': 1 });
  });

  it('reads an OpenAI request as JSON, joining its content parts', () => {
    const read = readTranscript(fixture('openai.json'));
    assert.deepEqual(lines(read.transcript), [
      'system: Answer briefly.',
      'user: Which port does the service use?',
      'assistant: 8080, from \n`src/config.ts`.',
    ]);
  });

  it('reads an Anthropic request: results apart from what the user says with them, reasoning left out', () => {
    const read = readTranscript(fixture('anthropic.json'));
    assert.deepEqual(lines(read.transcript), [
      'system: You review code.',
      'user: Run the tests.',
      'assistant: Running them now.\nbash {"command":"npm test"}',
      'tool: 1 failing',
      'user: Fix that one first, please.',
      'assistant: Fixed: the clock was not injected.',
    ]);
    assert.deepEqual(
      read.transcript[3]?.blocks?.map((block) => block.type),
      ['tool_result', 'image'],
    );
    assert.deepEqual(reasons(read.skipped), {
      'model reasoning': 2,
      'message without readable content': 1,
    });
  });

  it('reads VS Code’s chat export with tool results, references and edits', () => {
    const read = readTranscript(fixture('vscode-chat.json'));
    assert.equal(read.format, 'vscode-chat');
    assert.deepEqual(lines(read.transcript).slice(0, 4), [
      'user: Where is the overlap check?',
      'assistant: I will search for it.\ncopilot_findTextInFiles {"query":"overlaps"}',
      'tool: src/domain/booking.ts:21',
      'assistant: It is in `booking.ts`, function `overlaps`.',
    ]);
    assert.equal(read.transcript[4]?.text, 'Make the end exclusive.');
    assert.match(read.transcript[5]?.text ?? '', /^edit_file .*booking\.ts.*a\.start < b\.end/);
    assert.match(read.transcript[6]?.text ?? '', /no longer collide\.\n\nSorry, the response was cut/);
    assert.equal(read.transcript[4].at, 1772442120000);
    assert.equal(reasons(read.skipped)['model reasoning'], 1);
    assert.equal(reasons(read.skipped)['content of type “undoStop”'], 1);
  });

  it('reads an aider history: typed lines, printed lines and replies', () => {
    const read = readTranscript(fixture('aider.chat.history.md'));
    assert.equal(read.format, 'aider');
    assert.deepEqual(
      read.transcript.map(({ role }) => role),
      ['tool', 'user', 'assistant', 'tool', 'user', 'tool'],
    );
    assert.equal(read.transcript[1]?.text, 'Read the port from the environment,  \ndefault 8080.');
    assert.equal(read.transcript[1].at, Date.UTC(2026, 2, 2, 9));
    assert.match(read.transcript[2]?.text ?? '', /^Sure\. [^]*<<<<<<< SEARCH\n[^]*\n>>>>>>> REPLACE\n```$/);
    assert.equal(read.transcript[4]?.text, '/run npm test');
    assert.equal(read.transcript[5]?.at, Date.UTC(2026, 2, 3, 14, 30));
  });

  it('reads SpecStory markdown, a quoted history inside a tool’s output staying inside', () => {
    const read = readTranscript(fixture('specstory.md'));
    assert.equal(read.format, 'specstory');
    assert.deepEqual(
      read.transcript.map(({ role, text }) => [role, text.split('\n')[0]]),
      [
        ['user', 'Which history files are there?'],
        ['assistant', 'I will look.'],
        ['tool', '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>'],
        ['assistant', 'There is one, and it says hello.'],
        ['user', 'Good. Keep it.'],
      ],
    );
    assert.match(read.transcript[2]?.text ?? '', /Hello\.\n```\n<\/details><\/tool-use>$/);
    assert.equal(read.transcript[3]?.at, Date.UTC(2026, 2, 2, 9, 0, 5));
  });

  it('reads a Claude Code session, joining a reply’s records and leaving out what is no conversation', () => {
    const read = readTranscript(fixture('claude-code.jsonl'));
    assert.equal(read.format, 'claude-code');
    assert.deepEqual(lines(read.transcript), [
      'user: Why does the test for back-to-back bookings fail?',
      'assistant: Let me run it.\nBash {"command":"npm test -- overlap","description":"Run one test"}',
      'tool: AssertionError: expected false, got true',
      'assistant: The end of a slot counts as inside. It must be exclusive.',
      'user: Then make it exclusive.',
    ]);
    assert.deepEqual(reasons(read.skipped), {
      'record of type “file-history-snapshot”': 1,
      'tool instruction to the model': 1,
      'model reasoning': 1,
      'subagent message': 1,
      'record of type “system”': 1,
      'summary generated by the tool': 1,
    });
  });

  it('reads a Codex session, its calls with their results', () => {
    const read = readTranscript(fixture('codex.jsonl'));
    assert.equal(read.format, 'codex');
    assert.deepEqual(lines(read.transcript), [
      'user: List the migrations.',
      'assistant: shell {"command":["ls","migrations"]}',
      'tool: ls: migrations: No such file or directory\n',
      'assistant: apply_patch *** Begin Patch\n*** End Patch',
      'tool: Done',
      'assistant: There are no migrations yet.',
    ]);
    const failed = read.transcript[2]?.blocks?.[0];
    assert.ok(failed?.type === 'tool_result' && failed.isError && failed.callId === 'call_a');
    assert.equal(reasons(read.skipped)['context added by the tool'], 2);
  });

  it('reads ChatGPT’s conversations in order of time, each on its current branch', () => {
    const read = readTranscript(fixture('chatgpt-conversations.json'));
    assert.equal(read.format, 'chatgpt');
    assert.deepEqual(lines(read.transcript), [
      'user: Sum the hours in this sheet.',
      'assistant: python print(sum([2, 3.5]))',
      'tool: 5.5',
      'assistant: 5.5 hours in all.',
      'user: Danke, bis morgen.',
    ]);
    assert.deepEqual(reasons(read.skipped), {
      'message on another branch': 1,
      'hidden message': 1,
      'content of type “image_asset_pointer”': 1,
      'model reasoning': 1,
    });
  });

  it('gives text that equals the text of the blocks, in every format', () => {
    for (const name of ['openai.jsonl', 'anthropic.json', 'vscode-chat.json', 'claude-code.jsonl', 'codex.jsonl']) {
      for (const message of readTranscript(fixture(name)).transcript) {
        if (message.blocks) assert.equal(message.text, messageText({ content: message.blocks }));
      }
    }
  });

  it('reads the same from chunks of any size', () => {
    for (const name of ['openai.jsonl', 'aider.chat.history.md', 'codex.jsonl', 'specstory.md', 'anthropic.json']) {
      const text = `\uFEFF${fixture(name)}`;
      const reader = new TranscriptReader();
      const found: TranscriptMessage[] = [];
      for (let at = 0; at < text.length; at += 7) found.push(...reader.push(text.slice(at, at + 7)));
      found.push(...reader.end());
      assert.deepEqual(found, readTranscript(fixture(name)).transcript, name);
    }
  });

  it('hands out messages of a long JSONL before its end', () => {
    const reader = new TranscriptReader();
    const line = `${JSON.stringify({ role: 'user', content: 'x'.repeat(1000) })}\n`;
    let early = 0;
    for (let index = 0; index < 100; index++) early += reader.push(line).length;
    assert.ok(early > 90, `${early} of 100`);
    assert.equal(early + reader.end().length, 100);
  });

  it('keeps reading past damaged lines, the first one included', () => {
    const good = JSON.stringify({ role: 'user', content: 'still here' });
    const read = readTranscript(`{"role":"user","cont\n${good}\n${good}\n{"role":"us`);
    assert.equal(read.messages, 2);
    assert.deepEqual(reasons(read.skipped), { 'invalid JSON line': 2 });
  });

  for (const [what, text, message] of [
    ['an empty file', ' \n', /is empty/],
    ['an empty list of messages', '[]', /contains no messages/],
    ['prose', 'Dear diary,\n# today\n', /format isn’t supported/],
    ['JSON that is no conversation', '{"name":"booking","version":"1.0.0"}', /supported chat format/],
    ['a JSON list of numbers', '[{"a":1},2]', /supported chat format/],
    ['broken JSON', '{\n  "messages": [', /isn’t valid JSON/],
    [
      'records without a message',
      '{"type":"session_meta","payload":{}}\n',
      /contains no messages. Skipped: 1 × record/,
    ],
  ] as const) {
    it(`says in one sentence why ${what} cannot be read`, () => {
      assert.throws(
        () => readTranscript(text),
        (error: unknown) => TranscriptError.is(error) && message.test(error.message) && !error.message.includes('\n'),
      );
    });
  }
});
