import assert from 'node:assert/strict';
import { COMMANDS } from '../../../src/protocol/views.ts';
import {
  commandsFor,
  completingAt,
  InputHistory,
  readCommand,
  SLASH_COMMANDS,
} from '../../../src/webview/completion.ts';
import { taskSteps } from '../../../src/webview/task-steps.ts';

describe('commands in the composer', () => {
  it('complete after a slash at the start, and only there', () => {
    assert.deepEqual(completingAt('/co', 3), { kind: 'command', query: 'co', start: 0, end: 3 });
    assert.equal(completingAt('see /co', 7), undefined);
    assert.deepEqual(
      commandsFor('re').map((each) => each.name),
      ['reset', 'recall'],
    );
  });

  it('are read with their argument; other text is a message', () => {
    assert.equal(readCommand('/task  Make it green \n')?.argument, 'Make it green');
    assert.equal(readCommand('/COMPRESS')?.slash.command, 'compress');
    assert.equal(readCommand('/usr/bin/env'), undefined);
    assert.equal(readCommand('/unknown thing'), undefined);
  });

  it('are all known to the host', () => {
    for (const { command } of SLASH_COMMANDS) assert.ok(COMMANDS.includes(command), command);
  });

  it('complete a file after a number sign that begins a word', () => {
    assert.deepEqual(completingAt('look at #src/a', 14), { kind: 'file', query: 'src/a', start: 8, end: 14 });
    assert.equal(completingAt('issue#12', 8), undefined);
  });
});

describe('the history of the composer', () => {
  it('goes back through what was sent and returns to what was not', () => {
    const history = new InputHistory(['one', 'two']);
    assert.equal(history.older('draft'), 'two');
    assert.equal(history.older('two'), 'one');
    assert.equal(history.older('one'), undefined);
    assert.equal(history.newer(), 'two');
    assert.equal(history.newer(), 'draft');
    assert.equal(history.newer(), undefined);
    assert.equal(history.browsing, false);
  });
});

describe('a task list in a reply', () => {
  it('gives its steps in order, with what is done', () => {
    assert.deepEqual(taskSteps('Plan:\n- [ ] Write it\n  * [x] Test it\n1. [X] Ship it\n- [link] no\n'), [
      { text: 'Write it', done: false },
      { text: 'Test it', done: true },
      { text: 'Ship it', done: true },
    ]);
  });

  it('is not looked for in code', () => {
    assert.deepEqual(taskSteps('```md\n- [ ] example\n```\n- [ ] real'), [{ text: 'real', done: false }]);
  });
});
