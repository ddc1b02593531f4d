import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { Harness, endTurn } from './harness.ts';

describe('while a setting is invalid', () => {
  const invalid = new Error('invalid');
  let harness: Harness;
  let conversation: Conversation;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    harness.set({ contextWindow: 30_000, policy: resolvePolicy('balanced', { strategy: 'trim' }) });
    conversation = await harness.filled(300);
    harness.invalidSetting = invalid;
  });

  it('no message is added to the session', async () => {
    const [first = assert.fail()] = conversation.state.path;
    await assert.rejects(conversation.send('And now?'), invalid);
    await assert.rejects(conversation.queue.send({ text: 'And now?' }, 'queue'), invalid);
    await assert.rejects(conversation.editAndResend(first, 'Something else'), invalid);
    assert.equal(conversation.state.messages.size, 300);
    assert.equal(harness.requests.length, 0);
  });

  it('a queued message stays in the queue', async () => {
    conversation.queue.restore([{ text: 'And now?' }]);
    const [queued = assert.fail()] = conversation.queue.items;
    await assert.rejects(conversation.queue.sendNow(queued.id), invalid);
    assert.deepEqual(
      conversation.queue.items.map(({ message }) => message.text),
      ['And now?'],
    );
    assert.equal(conversation.state.messages.size, 300);
  });

  it('nothing is compressed by command or in the background, and both work once it’s corrected', async () => {
    await assert.rejects(endTurn(conversation), invalid);
    assert.deepEqual(await conversation.compressNow(), { kind: 'failed', error: invalid });
    assert.equal(conversation.state.nodes.size, 0);
    harness.invalidSetting = undefined;
    await endTurn(conversation);
    assert.notEqual(conversation.state.nodes.size, 0);
  });

  it('a task is reset without compressing', async () => {
    harness.set({ policy: resolvePolicy('balanced', { triggers: { taskReset: 10 } }) });
    await conversation.setTask('Show the bookings', []);
    await conversation.resetTask();
    assert.equal(conversation.state.task, undefined);
    assert.equal(conversation.state.nodes.size, 0);
  });

  it('the context and previews are shown', async () => {
    assert.notEqual(conversation.context().messages.length, 0);
    assert.notEqual((await conversation.previewSend({ text: 'And now?' })).request.messages.length, 0);
    assert.equal(typeof (await conversation.previewCompression()), 'object');
  });

  it('a turn that has already begun ends, even if it must compress', async () => {
    harness.invalidSetting = undefined;
    harness.set({ contextWindow: 20_000 });
    const turn = conversation.send('And now?');
    harness.invalidSetting = invalid;
    await turn;
    assert.equal(conversation.state.messages.size, 302);
    assert.notEqual(conversation.state.nodes.size, 0);
  });
});
