import assert from 'node:assert/strict';
import path from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { WriterLock } from '../../../src/storage/writer-lock.ts';
import { Harness, says, texts } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

/** Longer than the interval at which a window reads what another one has written, in ms. */
const POLL_MS = 1_300;

describe('conversation that follows another window', () => {
  let harness: Harness;
  let first: Conversation;
  let second: Conversation;

  openForEachTest(async () => (harness = await Harness.open(says('Fine.'))));
  beforeEach(async () => {
    first = await harness.converse();
    await first.send('one');
    second = await harness.secondWindow(first);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  });

  it('adds its message after the newest message of the other window', async () => {
    await first.send('two');
    await first.close();
    await second.send('three');
    const expected = ['one', 'Fine.', 'two', 'Fine.', 'three'];
    assert.deepEqual(texts(second), [...expected, 'Fine.']);
    const contents = harness.requests.at(-1)?.messages.map(({ content }) => messageText({ content }));
    assert.deepEqual(contents, expected);
    await second.close();
  });

  it('recovers the partial reply of a window that is gone before it adds its message', async () => {
    const parent = messageId('question');
    await first.journal.append(
      {
        type: 'message_added',
        message: {
          id: parent,
          parent: first.state.head,
          role: 'user',
          content: [{ type: 'text', text: 'two' }],
          at: Date.now(),
        },
      },
      { type: 'reply_partial', id: messageId('partial'), parent, model: 'm', offset: 0, text: 'Half of' },
    );
    await first.journal.close();
    await second.send('three');
    assert.deepEqual(texts(second), ['one', 'Fine.', 'two', 'Half of', 'three', 'Fine.']);
    await second.close();
  });

  it('restores the session with its next message if the other window has deleted it', async () => {
    await first.journal.append({ type: 'session_deleted', deleted: true });
    await first.close();
    await second.send('two');
    assert.equal(second.state.deleted, false);
    assert.deepEqual(texts(second), ['one', 'Fine.', 'two', 'Fine.']);
    await second.close();
  });
});

describe('conversation that another window takes over', () => {
  it('ends a failed regeneration although it can’t restore the previous reply', async () => {
    const harness = await Harness.open(says('Fine.'));
    const conversation = await harness.converse();
    await conversation.send('one');
    const lock = new WriterLock(path.join(harness.folder, `${conversation.journal.id}.lock`), 'other');
    harness.script = async function* () {
      await lock.seize();
      throw new ModelFault('network', 'no connection');
    };
    const ended: unknown[] = [];
    conversation.onUpdate(({ type }) => type === 'turn_ended' && ended.push(type));
    await assert.rejects(conversation.retry(conversation.state.path[0]!));
    await conversation.settled();
    assert.deepEqual(ended, ['turn_ended']);
    await harness.close();
  });
});
