import assert from 'node:assert/strict';
import { listedSteps } from '../../../src/core/model/task-list.ts';
import { Harness, says, texts } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('task list in a reply', () => {
  it('yields its steps in order, with their done state', () => {
    assert.deepEqual(listedSteps('Plan:\n- [ ] Write it\n  * [x] Test it\n1. [X] Ship it\n- [link] no\n'), [
      { text: 'Write it', done: false },
      { text: 'Test it', done: true },
      { text: 'Ship it', done: true },
    ]);
  });

  it('is ignored inside code blocks', () =>
    assert.deepEqual(listedSteps('```md\n- [ ] example\n```\n- [ ] real'), [{ text: 'real', done: false }]));
});

describe('steps of a task', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  const after = async (reply: string): Promise<string[]> => {
    const conversation = await harness.converse();
    await conversation.setTask('Ship it', [
      { text: 'Write the `parser`', status: 'in_progress' },
      { text: 'Test it', status: 'pending' },
      { text: 'Tell the others', status: 'skipped' },
    ]);
    harness.script = says(reply);
    await conversation.send('How far are we?');
    return conversation.state.task?.steps.map((step) => step.status) ?? [];
  };

  it('are marked done by a reply that reports them done, regardless of its formatting', async () => {
    const reply = 'So far:\n\n- [x] **Write the parser**: 120 lines\n- [ ] Test it\n- [x] Tell the others.';
    assert.deepEqual(await after(reply), ['done', 'pending', 'skipped']);
  });

  it('are not marked done by different wording or by an example in a code block', async () => {
    const reply = '- [x] Write the parser tests\n\n```md\n- [x] Test it\n```\nTest it next.';
    assert.deepEqual(await after(reply), ['in_progress', 'pending', 'skipped']);
  });

  it('are in progress once a reply says so, instead of the previous step', async () =>
    assert.deepEqual(await after('- [ ] Write the parser\n- [~] Test it'), ['pending', 'in_progress', 'skipped']));

  it('end the task with the next message once a reply has reported all of them done', async () => {
    const conversation = await harness.converse();
    await conversation.setTask('Ship it', [{ text: 'Test it', status: 'pending' }]);
    harness.script = says('1. [x] Test it');
    await conversation.send('Go.');
    assert.equal(conversation.state.task?.steps[0]?.status, 'done');
    await conversation.send('Next.');
    assert.equal(conversation.state.task, undefined);
    assert.equal(conversation.state.endedTasks.length, 1);
    assert.deepEqual(texts(conversation), ['Go.', '1. [x] Test it', 'Next.', '1. [x] Test it']);
  });
});
