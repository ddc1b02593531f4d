import assert from 'node:assert/strict';
import type { LibraryEntry } from '../../../src/app/library/read-session.ts';
import { fingerprints, relationsBetween, type Relation } from '../../../src/app/library/session-relations.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';

const messagesOf = (...texts: readonly string[]): TranscriptMessage[] =>
  texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', text, at }));

/** Relations by path, after sessions were updated in the given order. */
function relate(
  ...sessions: readonly (Partial<LibraryEntry> & { readonly id: string; readonly said: readonly TranscriptMessage[] })[]
): Record<string, Relation | undefined> {
  const chats = sessions.map(({ said: messages, ...more }, updatedAt) => {
    const entry: LibraryEntry = {
      tool: 'codex',
      path: more.id,
      title: '',
      messages: messages.length,
      compactions: 0,
      updatedAt,
      ...more,
    };
    return { entry, prints: fingerprints(messages) };
  });
  const all = relationsBetween(chats);
  return Object.fromEntries(chats.map(({ entry }) => [entry.path, all.get(entry)]));
}

describe('relations between sessions', () => {
  it('distinguish a continued session from a fork by the initial messages that both share', () => {
    const found = relate(
      { id: 'first', said: messagesOf('Which port?', '8080', 'Thanks') },
      { id: 'continued', said: messagesOf('Which port?', '8080', 'Thanks', 'Bye') },
      { id: 'fork', said: messagesOf('Which port?', '8080', 'Why?') },
      { id: 'other', said: messagesOf('Which port?', '8081') },
    );
    assert.deepEqual(found, {
      first: undefined,
      continued: { kind: 'continued', of: 'first', shared: 3 },
      fork: { kind: 'fork', of: 'first', shared: 2 },
      other: undefined,
    });
  });

  it('identify a session stored in two files, and a subagent’s session', () => {
    const found = relate(
      { id: 'a', path: 'one', said: messagesOf('Which port?') },
      { id: 'a', path: 'two', said: messagesOf('Which port?', '8080') },
      { id: 'agent', parent: 'a', said: messagesOf('Look for the port.') },
    );
    assert.deepEqual(found['two'], { kind: 'copy', of: 'a', shared: 1 });
    assert.deepEqual(found['agent'], { kind: 'subagent', of: 'a', shared: 0 });
  });

  it('identify a session whose two files differ, but not equally numbered sessions of two databases', () => {
    const found = relate(
      { id: 's1', path: 'chatSessions/s1.json', said: messagesOf('Which port?') },
      { id: 's1', path: 'transcripts/s1.jsonl', said: messagesOf('Which port, please?', '8080') },
      { id: '1', path: 'old.db', said: messagesOf('Which host?') },
      { id: '1', path: 'new.db', said: messagesOf('Which key?') },
    );
    assert.deepEqual(found['transcripts/s1.jsonl'], { kind: 'copy', of: 's1', shared: 0 });
    assert.equal(found['new.db'], undefined);
  });

  it('never connect sessions of different tools', () => {
    const messages = messagesOf('Which port?', '8080');
    assert.equal(relate({ id: 'a', said: messages }, { id: 'b', tool: 'cline', said: messages })['b'], undefined);
  });
});
