import assert from 'node:assert/strict';
import type { ContextRow } from '../../src/host/summaries/context-rows.ts';
import { answering, collectIn, product, run, sampleSession, transcript } from './product.ts';

describe('a long session in the editor', () => {
  it('is imported completely, and the compress command shrinks its context but not its transcript', async () => {
    const conversation = await sampleSession();
    const before = transcript(conversation);
    assert.ok(before.length >= 300, `${before.length} messages`);
    const full = conversation.context().total;
    const { tree } = await product();
    const keyEvents = async (): Promise<unknown> =>
      (await tree.getChildren()).find(({ id }) => id === 'section/events')?.item.description;
    assert.equal(await keyEvents(), 'none yet');
    await run('compressHistory', 'now');
    assert.match(String(await keyEvents()), /^\d+ · /);
    const context = conversation.context();
    assert.ok(context.total < full / 2, `${context.total} of ${full} tokens`);
    assert.deepEqual(transcript(conversation), before);
    const sent = context.system.join('\n');
    for (const event of conversation.state.events.values()) {
      if (event.status === 'active') assert.ok(sent.includes(event.quote), `kept verbatim: ${event.quote}`);
    }
  });

  it('sends all messages verbatim again when the compression is undone', async () => {
    const app = await product();
    const conversation = await sampleSession();
    const full = conversation.context().total;
    await run('compressHistory', 'now');
    await run('undoCompression');
    assert.equal(app.sessions.current, conversation);
    assert.equal(conversation.context().total, full);
    // The command doesn't ask which compression to redo, because only one was undone.
    await run('redoCompression');
    assert.ok(conversation.context().total < full);
  });

  it('offers to restore only the expanded summary, or the whole compression if it was undone', async () => {
    const app = await product();
    const conversation = await sampleSession();
    await run('compressHistory', 'now');
    const nodes = conversation.state.frontier.map(({ node }) => node.id);
    const [first] = nodes;
    const row = async (): Promise<ContextRow> => {
      const summaries = (await app.tree.getChildren()).find(({ id }) => id === 'section/summaries')!;
      const reverted = (await app.tree.getChildren(summaries)).at(-1);
      return (await app.tree.getChildren(reverted)).find(
        (each) => each.kind === 'revertedNode' && each.node === first,
      )!;
    };
    await conversation.undoNodes([first!], true);
    assert.equal((await row()).item.contextValue, 'threadkeeper.reverted');
    await run('closeNode', await row());
    assert.ok(conversation.state.frontier.some(({ node }) => node.id === first));
    await run('undoCompression');
    assert.equal((await row()).item.contextValue, 'threadkeeper.reverted.compression');
    await run('redoCompression', await row());
    const sent = conversation.state.frontier.map(({ node }) => node.id);
    assert.deepEqual(sent, nodes);
  });

  it('is compressed when a task ends after more than 40 messages, and keeps its transcript', async () => {
    const conversation = await sampleSession();
    const before = transcript(conversation);
    await conversation.setTask('Launch', [{ text: 'index', status: 'pending' }]);
    const said: string[] = [];
    await answering({ showInformationMessage: collectIn(said) }, async () => {
      await run('resetTask');
      await run('resetTask');
    });
    const ofTask = said.filter((text) => /\btask\b/i.test(text));
    assert.deepEqual(ofTask, ['Task ended. Any open steps were skipped.', 'There is no task to end.']);
    const { state } = conversation;
    assert.equal(state.compressions.at(-1)?.trigger, 'task_reset');
    assert.equal(state.task, undefined);
    const statuses = state.endedTasks.map((task) => task.steps[0]?.status);
    assert.deepEqual(statuses, ['skipped']);
    assert.deepEqual(transcript(conversation), before);
    await conversation.send('What is still open?');
    assert.equal(transcript(conversation).length, before.length + 2);
  });
});
