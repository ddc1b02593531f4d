import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
import { messageAdded } from '../storage/test-store.ts';

describe('branches of a session', () => {
  it('keep the messages before a damaged line from which two of them start', () => {
    const state = new SessionState();
    const add = (id: string, parent: string): void => {
      const { message } = messageAdded(0);
      const ids = { id: messageId(id), parent: parent === '' ? null : messageId(parent) };
      state.apply({ type: 'message_added', message: { ...message, ...ids } }, 0);
    };
    add('question', '');
    add('answer to edit', 'damaged');
    state.apply({ type: 'head_moved', to: messageId('damaged') }, 0);
    assert.deepEqual(state.path, ['question']);
    add('edited answer', 'damaged');
    assert.deepEqual(state.path, ['question', 'edited answer']);
    state.apply({ type: 'head_moved', to: messageId('never seen') }, 0);
    assert.deepEqual(state.path, ['question', 'edited answer']);
  });
});
