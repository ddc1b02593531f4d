import assert from 'node:assert/strict';
import { exportedMessages } from '../../../src/core/redact/exported-messages.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { sessionFromJsonl, sessionToJsonl } from '../../../src/core/transcript/session-jsonl.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
import { foldedState } from '../../support/folded-state.ts';
import { messageAdded } from '../storage/test-store.ts';
import { Harness, fill, says } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

const exported = ({ state }: Conversation): string => [...sessionToJsonl(exportedMessages(state))].join('');

describe('export of imported, sent and received messages', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open(says('Received: “ok” 𝄞\r\n\tand more.'))));

  it('is byte-for-byte identical after five compressions, an undo and a restart', async () => {
    // With special characters, line breaks, surrounding white space, and an inactive branch.
    const odd = [
      { id: 'a', parent: null, role: 'user', text: 'First\r\nline, “quotes”, \u2028, \u0000 and 𝄞' },
      { id: 'b', parent: 'a', role: 'assistant', text: 'a branch that was left' },
      { id: 'c', parent: 'a', role: 'assistant', text: '  spaces before and after  \n\n' },
    ] as const;
    const lines = odd.map(({ id, parent, role, text }) => JSON.stringify({ role, content: text, at: 1, id, parent }));
    const file = `${lines.join('\n')}\n`;
    let conversation = await harness.converse();
    for (const message of sessionFromJsonl(file)) await conversation.journal.append({ type: 'message_added', message });
    assert.equal(exported(conversation), exportOrder(file));

    const sent: string[] = [];
    for (let round = 0; round < 5; round++) {
      await fill(conversation, 60);
      const text = `Sent in round ${round}: \t“${'é'.normalize('NFD')}”\r\n`;
      sent.push(text);
      await conversation.send(text);
      const before = exported(conversation);
      assert.equal((await conversation.compressNow()).kind, 'committed');
      assert.equal(exported(conversation), before);
    }
    const before = exported(conversation);
    const [oldest] = conversation.state.frontier;
    assert.ok(oldest);
    await conversation.undoNodes([oldest.node.id], true);
    assert.equal(exported(conversation), before);
    conversation = await harness.restart(conversation);
    assert.equal(exported(conversation), before);
    assert.ok(before.startsWith(exportOrder(file)));
    for (const text of sent) assert.ok(before.includes(JSON.stringify(text)));
    assert.equal(before.split(JSON.stringify('Received: “ok” 𝄞\r\n\tand more.')).length - 1, 5);
    assert.ok(conversation.state.messages.has(messageId('b')));
  });
});

describe('export of a session with a damaged line', () => {
  it('keeps the active branch, also if another one starts at the lost message', () => {
    const messages = [
      { id: 'question', parent: null },
      { id: 'answer', parent: 'question' },
      { id: 'old edit', parent: 'lost' },
      { id: 'its answer', parent: 'old edit' },
      { id: 'new edit', parent: 'lost' },
    ];
    const events = messages.map(({ id, parent }): SessionEvent => {
      const { message } = messageAdded(0, id);
      const place = { id: messageId(id), parent: parent === null ? null : messageId(parent) };
      return { type: 'message_added', message: { ...message, ...place } };
    });
    const state = foldedState(events);
    assert.deepEqual(state.path, ['question', 'answer', 'new edit']);
    const lines = [...sessionToJsonl(exportedMessages(state))].join('');
    const copy = foldedState(sessionFromJsonl(lines).map((message) => ({ type: 'message_added', message })));
    assert.deepEqual(copy.path, state.path);
  });

  it('keeps the active branch if the content of a message is lost from which another one starts', () => {
    const state = new SessionState();
    const parents = { question: null, lost: 'question', 'old edit': 'lost', 'new edit': 'lost' };
    for (const [id, parent] of Object.entries(parents)) {
      const { message } = messageAdded(0, id);
      const place = { ...message, id: messageId(id), parent: parent === null ? null : messageId(parent) };
      state.addMessage(place, id === 'lost' ? undefined : place);
    }
    const lines = [...sessionToJsonl(exportedMessages(state))].join('');
    const copy = foldedState(sessionFromJsonl(lines).map((message) => ({ type: 'message_added', message })));
    assert.deepEqual(copy.path, ['question', 'new edit']);
  });
});

/** An export starts with the messages that aren't on the active branch. */
function exportOrder(file: string): string {
  const [a = '', b = '', c = ''] = file.split('\n');
  return `${b}\n${a}\n${c}\n`;
}
