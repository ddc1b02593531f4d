import assert from 'node:assert/strict';
import { openForEachTest } from '../../support/per-test.ts';
import { Harness } from './harness.ts';

describe('the tokens of a sent message', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  it('are counted in steps, with its attachments, before anything else counts them at once', async () => {
    const conversation = await harness.converse();
    const { counter, counts, journal } = conversation;
    const text = 'const port = 8443;\n'.repeat(5_000);
    const attachments = [{ kind: 'paste', name: 'a', text }] as const;
    const known: boolean[] = [];
    journal.onDidChange((events) => {
      for (const event of events)
        if (event.type === 'message_added' && event.message.role === 'user')
          known.push(
            counts.known(event.message.id) === counter.attachment(attachments[0]) + counter.message(event.message),
          );
    });
    await conversation.sendMessage({ text: 'Why?', attachments });
    await conversation.editAndResend(conversation.state.path[0]!, 'Which port?');
    assert.deepEqual(known, [true, true]);
  });
});
