import assert from 'node:assert/strict';
import { ExternalChatJournal, externalChatSessionId } from '../../../src/app/library/external-chat-journal.ts';
import type { CopiedSession } from '../../../src/app/library/library.ts';
import type { LibraryEntry } from '../../../src/app/library/read-session.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import { undoCompressions } from '../../../src/app/summary-changes.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { knownCost } from '../../../src/core/state/counters.ts';
import { inEnglish, phrase } from '../../../src/core/text/phrase.ts';

const entry: LibraryEntry = {
  ...({ id: 's', tool: 'claude-code', path: '/home/me/.claude/projects/p/s.jsonl', title: 'The port' } as const),
  ...{ messages: 4, compactions: 1, updatedAt: 1_770_000_000_000 },
};
const copy: CopiedSession = {
  messages: [
    { role: 'user', text: 'Which port?', at: 1_769_000_000_000 },
    { role: 'assistant', text: '8080.', model: 'claude', usage: { input: 10, output: 2 } },
    { role: 'user', text: 'And the host?' },
    { role: 'assistant', text: 'localhost.' },
  ],
  compactions: [{ summary: 'The port is 8080.', before: 2, at: 1_769_500_000_000 }],
  lost: [],
};
const open = (changes: Partial<CopiedSession> = {}): ExternalChatJournal =>
  new ExternalChatJournal(externalChatSessionId('claude-code-1', entry), entry, { ...copy, ...changes }, (error) => {
    throw error;
  });

describe('a chat from another tool, opened for reading', () => {
  it('is another session when turns were undone and replaced by as many new ones', () => {
    const id = externalChatSessionId('k', entry);
    assert.notEqual(externalChatSessionId('k', { ...entry, updatedAt: entry.updatedAt + 1 }), id);
    assert.equal(externalChatSessionId('k', { ...entry }), id);
  });

  it('shows each message with its role, time, model, and usage', () => {
    const { state } = open();
    const shown = state.path.map((id) => state.messages.get(id)!);
    const messages = shown.map((one) => [one.role, messageText(one), one.at, one.model, one.usage]);
    assert.deepEqual(messages, [
      ['user', 'Which port?', 1_769_000_000_000, undefined, undefined],
      ['assistant', '8080.', 1_769_000_000_000, 'claude', { input: 10, output: 2 }],
      ['user', 'And the host?', 1_769_000_000_000, undefined, undefined],
      ['assistant', 'localhost.', 1_769_000_000_000, undefined, undefined],
    ]);
    assert.equal(state.title, 'The port');
  });

  it('shows the cost of a compaction by its tool as unknown, not as free', () => {
    const [event] = open().compactions({ message: () => 1, text: () => 1 });
    assert.ok(event?.type === 'compressed');
    assert.equal(knownCost(event.compression.calls), null);
  });

  it('dates messages without a time before the first one that has a time like that one', () => {
    const { state } = open({ messages: [{ role: 'user', text: 'Hello.' }, ...copy.messages] });
    assert.equal(state.messages.get(state.path[0]!)?.at, 1_769_000_000_000);
  });

  it('says what could not be read', () => {
    assert.equal(open().notice, undefined);
    const lost = [
      { reason: phrase('invalid JSON line'), count: 3 },
      { reason: phrase('message with role “{0}”', 'narrator'), count: 1 },
    ];
    const { notice } = open({ lost });
    assert.equal(
      inEnglish(notice!),
      'Some of this chat couldn’t be read. Skipped: 3 × invalid JSON line, 1 × message with role “narrator”.',
    );
  });

  it('contains the tool’s compaction as a summary of the messages before it', () => {
    const journal = open();
    journal.add(journal.compactions({ message: () => 7, text: () => 3 }));
    const [node] = journal.state.nodes.values();
    assert.deepEqual(
      [node?.detailed, node?.messages, node?.tokens.source, node?.model],
      ['The port is 8080.', 2, 14, 'Claude Code'],
    );
    const positions = [...journal.state.uncompressed()].map(({ position }) => position);
    assert.deepEqual(positions, [2, 3]);
    assert.equal(journal.state.compressions.length, 1);
  });

  it('rejects all changes and says why', async () => {
    const journal = open();
    assert.equal(journal.readOnly.message, 'This chat from Claude Code is read-only.');
    await assert.rejects(journal.append(), /select Continue Here/);
    await assert.rejects(journal.takeOver(), /select Continue Here/);
    journal.add(journal.compactions({ message: () => 7, text: () => 3 }));
    const undone = [journal.state.compressions[0]!.id];
    await assert.rejects(undoCompressions(journal, undone, true), (error) => {
      assert.ok(StoreFault.is(error, 'read_only'));
      assert.equal(inEnglish(error.phrase), 'Read-only. To continue this chat, select Continue Here.');
      return true;
    });
    assert.equal(journal.state.path.length, 4);
    assert.equal([...journal.state.uncompressed()].length, 2);
  });
});
