import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import { Harness, cancelled, fill, refuseWrites, says, texts, throws } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('messages queued while a reply arrives', () => {
  let harness: Harness;
  let conversation: Conversation;
  let finishReply: () => void;
  let first: Promise<void>;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.converse();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    finishReply = () => resolve(undefined);
    harness.script = async function* (request, signal) {
      yield { type: 'text', text: 'Long ' };
      await Promise.race([promise, cancelled(signal)]);
      harness.script = says('Short.');
      yield* says('reply.')(request, signal);
    };
    const started = new Promise<void>((resolve) => {
      conversation.onUpdate(({ type }) => type === 'reply_text' && resolve());
    });
    first = conversation.send('One');
    await started;
  });

  const queued = (): string[] => conversation.queue.items.map(({ message }) => message.text);

  it('are sent in order, each after the previous reply', async () => {
    const all = [
      conversation.queue.send({ text: 'Two' }, 'queue'),
      conversation.queue.send({ text: 'Three' }, 'queue'),
    ];
    assert.deepEqual(queued(), ['Two', 'Three']);
    finishReply();
    await Promise.all([first, ...all]);
    assert.deepEqual(texts(conversation), ['One', 'Long reply.', 'Two', 'Short.', 'Three', 'Short.']);
    assert.deepEqual(queued(), []);
  });

  it('can be removed from the queue, and are then not sent', async () => {
    const sent = conversation.queue.send({ text: 'Two' }, 'queue');
    const [item] = conversation.queue.items;
    assert.equal(conversation.queue.remove(item?.id ?? '')?.text, 'Two');
    await sent;
    finishReply();
    await first;
    assert.deepEqual(texts(conversation), ['One', 'Long reply.']);
  });

  it('are put on hold when the message to be sent before them is removed as the reply ends', async () => {
    for (const text of ['Two', 'Three']) void conversation.queue.send({ text }, 'queue');
    const [two] = conversation.queue.items;
    void conversation.queue.sendNow(two?.id ?? '');
    conversation.queue.remove(two?.id ?? '');
    await first;
    assert.deepEqual(queued(), ['Three']);
    assert.ok(conversation.queue.isHeld);
  });

  it('are held after the reply is stopped, until the user sends them', async () => {
    const sent = conversation.queue.send({ text: 'Two' }, 'queue');
    conversation.stop();
    await first;
    assert.equal(conversation.queue.isHeld, true);
    assert.deepEqual(queued(), ['Two']);
    harness.script = says('Short.');
    await conversation.queue.sendNow(conversation.queue.items[0]?.id ?? '');
    await sent;
    assert.deepEqual(texts(conversation), ['One', 'Long ', 'Two', 'Short.']);
    assert.equal(conversation.queue.isHeld, false);
  });

  it('stay on hold when another message is sent and answered meanwhile', async () => {
    const sent = conversation.queue.send({ text: 'Two' }, 'queue');
    conversation.stop();
    await first;
    harness.script = says('Short.');
    await conversation.queue.send({ text: 'Another' }, 'queue');
    assert.deepEqual(queued(), ['Two']);
    assert.equal(conversation.queue.isHeld, true);
    await conversation.queue.sendNow(conversation.queue.items[0]?.id ?? '');
    await sent;
    assert.deepEqual(texts(conversation), ['One', 'Long ', 'Another', 'Short.', 'Two', 'Short.']);
  });

  it('wait behind a message that the user sends with “Stop and Send”', async () => {
    const waits = conversation.queue.send({ text: 'Later' }, 'queue');
    harness.script = says('Short.');
    await conversation.queue.send({ text: 'Now' }, 'stopAndSend');
    await Promise.all([first, waits]);
    assert.deepEqual(texts(conversation), ['One', 'Long ', 'Now', 'Short.', 'Later', 'Short.']);
  });

  it('report a failed request to the caller that queued them', async () => {
    const sent = conversation.queue.send({ text: 'Two' }, 'queue');
    conversation.onUpdate(({ type }) => {
      if (type === 'turn_ended') harness.script = throws(new ModelFault('refused_key', 'no'));
    });
    finishReply();
    await assert.rejects(sent, (error) => ModelFault.is(error, 'refused_key'));
    assert.deepEqual(texts(conversation), ['One', 'Long reply.', 'Two']);
  });

  it('stay queued and on hold if they cannot be stored, until the user sends them again', async () => {
    const sent = conversation.queue.send({ text: 'Two' }, 'queue');
    let isFailing = false;
    refuseWrites(conversation, () => isFailing);
    const failing = conversation.onUpdate(({ type }) => {
      if (type === 'turn_ended') isFailing = true;
    });
    finishReply();
    await first;
    await assert.rejects(sent, (error) => StoreFault.is(error, 'other'));
    assert.deepEqual([queued(), conversation.queue.unsent.map(({ text }) => text)], [['Two'], ['Two']]);
    assert.equal(conversation.queue.isHeld, true);
    failing.dispose();
    isFailing = false;
    await conversation.queue.sendNow(conversation.queue.items[0]!.id);
    assert.deepEqual(texts(conversation), ['One', 'Long reply.', 'Two', 'Short.']);
    assert.deepEqual(queued(), []);
  });

  it('stay queued if they cannot be stored while an urgent one waits', async () => {
    finishReply();
    await first;
    await conversation.settled();
    conversation.queue.restore([{ text: 'Two' }]);
    let writes = 0;
    refuseWrites(conversation, () => writes++ === 0);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const imported = conversation.import(() => promise);
    const two = conversation.queue.sendNow(conversation.queue.items[0]!.id);
    const three = conversation.queue.send({ text: 'Three' }, 'stopAndSend');
    resolve(true);
    await imported;
    await assert.rejects(two, (error) => StoreFault.is(error, 'other'));
    await three;
    assert.deepEqual(queued(), ['Two']);
    assert.deepEqual(texts(conversation), ['One', 'Long reply.', 'Three', 'Short.']);
  });

  it('stay queued if they cannot be stored while messages of another window arrive', async () => {
    const sent = conversation.queue.send({ text: 'Two' }, 'queue');
    conversation.stop();
    await first;
    const { journal } = conversation;
    const append = journal.append.bind(journal);
    journal.append = async () => {
      journal.append = append;
      await fill(conversation, 1);
      throw new StoreFault('not_writer', phrase('elsewhere'));
    };
    await assert.rejects(conversation.queue.sendNow(conversation.queue.items[0]!.id));
    await assert.rejects(sent);
    assert.deepEqual(queued(), ['Two']);
    assert.equal(conversation.queue.isHeld, true);
  });

  it('are sent after the next reply even if the previous turn’s task reset ends only then', async () => {
    const other = await harness.filled(80);
    await other.setTask('Ship it', []);
    const { asked, unblock } = harness.blockSummarizer(
      says('They went through all the parts, and each part was explained at some length.'),
    );
    const isStopped = Promise.withResolvers<undefined>();
    other.onUpdate(({ type }) => {
      if (type === 'reply_text') void other.resetTask().then(() => other.stop());
      if (type === 'turn_ended') isStopped.resolve(undefined);
    });
    const one = other.queue.send({ text: 'One' }, 'queue');
    await isStopped.promise;
    await asked;
    const second = Promise.withResolvers<undefined>();
    harness.script = async function* (request, signal) {
      await second.promise;
      harness.script = says('Short.');
      yield* says('Second.')(request, signal);
    };
    const two = other.queue.send({ text: 'Two' }, 'queue');
    const three = other.queue.send({ text: 'Three' }, 'queue');
    unblock();
    await one;
    second.resolve(undefined);
    await Promise.all([two, three]);
    assert.deepEqual(texts(other).slice(-4), ['Two', 'Second.', 'Three', 'Short.']);
    finishReply();
    await first;
    await other.close();
  });
});
