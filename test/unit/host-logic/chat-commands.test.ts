import assert from 'node:assert/strict';
import type * as ChatCommandsModule from '../../../src/host/chat/chat-commands.ts';
import type * as CommandsModule from '../../../src/host/commands.ts';
import { Harness } from '../app/harness.ts';
import { hostIn } from '../../support/fake-editor.ts';

const load = hostIn({});
const { runCommand } = await load<typeof CommandsModule>('commands.ts');
const { setTask } = await load<typeof ChatCommandsModule>('chat/chat-commands.ts');

describe('the command to set a task', () => {
  for (const [typed, expected] of [
    ['Ship it; test ; ; publish', ['Ship it', 'test', 'publish']],
    [' ; ', undefined],
  ] as const)
    it(`sets ${expected ? 'the goal and its steps' : 'no task without a goal'} for “${typed}”`, async () => {
      let task: readonly string[] | undefined;
      const conversation = {
        setTask: (goal: string, steps: readonly { readonly text: string }[]) =>
          Promise.resolve((task = [goal, ...steps.map(({ text }) => text)])),
      };
      await setTask(conversation as never, typed);
      assert.deepEqual(task, expected);
    });
});

describe('a command on the session that the chat shows', () => {
  it('is refused if another session is shown by then', async () => {
    await using harness = await Harness.open();
    const [shown, own] = [await harness.converse(), await harness.converse()];
    await shown.setTask('Ship it', []);
    const app = { sessions: { currentOrLatest: () => Promise.resolve(shown) } };
    for (const command of ['resetTask', 'setTask'])
      await assert.rejects(runCommand(app as never, command, 'Test it', own.journal.id), { reason: 'elsewhere' });
    assert.deepEqual([shown.state.task?.goal, shown.state.task?.endedAt], ['Ship it', undefined]);
    await runCommand(app as never, 'setTask', 'Test it', shown.journal.id);
    assert.equal(shown.state.task?.goal, 'Test it');
  });
});
