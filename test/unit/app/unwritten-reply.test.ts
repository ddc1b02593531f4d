import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { Harness, refuseWrites, says, texts } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { until } from '../../support/until.ts';

/** Rejects the next `count` writes of replies. */
function failReplies(conversation: Conversation, count: number): void {
  refuseWrites(
    conversation,
    (event) => event.type === 'message_added' && event.message.role === 'assistant' && count-- > 0,
  );
}

describe('reply that cannot be written', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open(says('Fine.'))));

  it('is kept if the disk fails for a moment', async () => {
    const conversation = await harness.converse();
    failReplies(conversation, 1);
    await assert.rejects(conversation.send('Question'), (error) => StoreFault.is(error, 'other'));
    assert.deepEqual(texts(conversation), ['Question', 'Fine.']);
    assert.equal(
      (await readFile(path.join(harness.folder, `${conversation.journal.id}.jsonl`), 'utf8')).match(/usage_recorded/g)
        ?.length,
      1,
    );
  });

  it('is kept until the disk works again, on its branch', async () => {
    const conversation = await harness.converse();
    await conversation.send('One');
    failReplies(conversation, 2);
    await assert.rejects(conversation.send('Two'), (error) => StoreFault.is(error, 'other'));
    await conversation.settled();
    assert.deepEqual(texts(conversation), ['One', 'Fine.', 'Two']);
    await conversation.send('Three');
    assert.deepEqual(texts(conversation), ['One', 'Fine.', 'Two', 'Fine.', 'Three', 'Fine.']);
    failReplies(conversation, 2);
    await assert.rejects(conversation.send('Four'), (error) => StoreFault.is(error, 'other'));
    await conversation.settled();
    await conversation.moveHead(conversation.state.path[1]!);
    await conversation.close();
    const again = await harness.reopen(conversation.journal.id);
    assert.deepEqual(texts(again), ['One', 'Fine.']);
    const answers = [...again.state.messages.values()].filter(({ role }) => role === 'assistant');
    assert.equal(answers.length, 4);
  });

  it('is added apart from its first part, which another window has stored', async () => {
    const conversation = await harness.converse();
    const other = await harness.secondWindow(conversation);
    const half = Promise.withResolvers<undefined>();
    const whole = Promise.withResolvers<undefined>();
    harness.script = async function* () {
      yield { type: 'text', text: 'Half ' };
      harness.clock.ahead += 2_000;
      yield { type: 'text', text: 'of ' };
      half.resolve(undefined);
      await whole.promise;
      yield { type: 'text', text: 'word after word. '.repeat(300) };
      yield { type: 'end', ending: 'complete' };
    };
    const sent = assert.rejects(conversation.send('Question'), (error) => StoreFault.is(error, 'not_writer'));
    await half.promise;
    await other.journal.takeOver();
    await until(() => texts(other).length === 2);
    whole.resolve(undefined);
    await sent;
    harness.script = says('Fine.');
    await other.send('And?');
    const before = texts(other);
    await conversation.journal.takeOver();
    await conversation.send('How?');
    assert.deepEqual(texts(conversation), [...before, 'How?', 'Fine.']);
    const replies = [...conversation.state.messages.values()].map(messageText);
    assert.deepEqual(
      replies.filter((text) => text.startsWith('Half of')).map((text) => text.length > 5_000),
      [false, true],
    );
  });
});
