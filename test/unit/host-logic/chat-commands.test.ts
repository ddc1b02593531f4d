import assert from 'node:assert/strict';
import type * as ChatCommandsModule from '../../../src/host/chat/chat-commands.ts';
import { hostIn } from '../../support/fake-editor.ts';

const load = hostIn({});
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
