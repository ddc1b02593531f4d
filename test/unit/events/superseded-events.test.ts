import assert from 'node:assert/strict';
import { keyEventId, messageId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
import { keyEvent } from '../../support/key-events.ts';
import { sessionMessage } from '../../support/session-messages.ts';

describe('superseded key event', () => {
  const event = (name: string, message: string, more: Partial<KeyEvent> = {}): KeyEvent =>
    keyEvent('Port 80.', { id: keyEventId(name), message: messageId(message), kind: 'decision', ...more });
  const old = event('old', 'm0', { status: 'superseded', link: keyEventId('new') });

  function session(later: readonly string[]): SessionState {
    const state = new SessionState();
    for (const [at, id] of ['m0', ...later].entries()) {
      const message = sessionMessage(id, 'Port 80.', { parent: at === 0 ? null : 'm0' });
      state.apply({ type: 'message_added', message }, at);
    }
    for (const one of [old, event('new', 'm1')]) state.apply({ type: 'event_added', event: one }, 9);
    return state;
  }

  it('stays superseded while its replacement exists', () => assert.equal(session(['m1']).isCurrent(old), false));

  it('is current again once its replacement is dismissed, deleted or on another branch', () => {
    const removed = session(['m1']);
    removed.apply({ type: 'event_removed', id: keyEventId('new'), removed: true }, 10);
    assert.equal(removed.isCurrent(old), true);
    const deleted = session(['m1']);
    deleted.apply({ type: 'message_deleted', id: messageId('m1'), deleted: true }, 10);
    assert.equal(deleted.isCurrent(old), true);
    assert.equal(session(['m1', 'm2']).isCurrent(old), true);
  });

  it('is current when the message of its replacement is missing from a damaged session', () =>
    assert.equal(session([]).isCurrent(old), true));
});
