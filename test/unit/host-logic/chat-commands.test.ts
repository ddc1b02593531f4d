import assert from 'node:assert/strict';
import { taskId } from '../../../src/core/model/ids.ts';
import type { Task } from '../../../src/core/model/task.ts';
import type * as ChatCommandsModule from '../../../src/host/chat/chat-commands.ts';
import type * as CommandsModule from '../../../src/host/commands.ts';
import { Harness } from '../app/harness.ts';
import { inStore, testClock } from '../storage/test-store.ts';
import { hostIn } from '../../support/fake-editor.ts';

const window = { showInputBox: (): Promise<string | undefined> => Promise.resolve(undefined) };
const load = hostIn({ window });
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
      const own = { ...conversation, journal: { id: 's1' } };
      await setTask(own as never, typed, { sessions: { current: own } } as never);
      assert.deepEqual(task, expected);
    });

  it('sets the task of the session for which it asked, even if another one is shown by then', () =>
    inStore(async (store) => {
      const [shown, own] = [await store.create('', 'test'), await store.create('', 'test')];
      const setOwn = (goal: string, steps: Task['steps']) =>
        own.append({ type: 'task_set', task: { id: taskId('t1'), goal, steps } });
      const conversation = { journal: own, state: own.state, setTask: setOwn };
      const sessions = { current: conversation as object, listChanged: () => undefined };
      window.showInputBox = async () => {
        await own.close();
        sessions.current = { journal: shown, state: shown.state };
        return 'Ship it; test';
      };
      await setTask(conversation as never, undefined, { sessions, store, clock: testClock() } as never);
      assert.equal(shown.state.task, undefined);
      const { task } = (await store.open(own.id)).state;
      assert.deepEqual([task?.goal, task?.steps.map(({ text }) => text)], ['Ship it', ['test']]);
    }));
});

describe('a command on the session that the chat shows', () => {
  it('is refused if another session is shown by then', async () => {
    await using harness = await Harness.open();
    const [shown, own] = [await harness.converse(), await harness.converse()];
    await shown.setTask('Ship it', []);
    const app = { sessions: { current: shown, currentOrLatest: () => Promise.resolve(shown) } };
    for (const command of ['resetTask', 'setTask'])
      await assert.rejects(runCommand(app as never, command, 'Test it', own.journal.id), { reason: 'elsewhere' });
    assert.deepEqual([shown.state.task?.goal, shown.state.task?.endedAt], ['Ship it', undefined]);
    await runCommand(app as never, 'setTask', 'Test it', shown.journal.id);
    assert.equal(shown.state.task?.goal, 'Test it');
  });
});
